// What formats without communicators lose.
#ifndef COMSHU_FORMATS_SMALL_COLLECTIVES_H_
#define COMSHU_FORMATS_SMALL_COLLECTIVES_H_

#include <string>

#include "comshu/format/export.h"

namespace comshu::format {

// Adds a remark with the number of collectives that only some of the ranks took part in: who reads such a
// file takes the ones that come next at each rank for one of all.
bool TellSmallCollectives(read::Database* database, ExportResult* result, std::string* error);

}  // namespace comshu::format

#endif  // COMSHU_FORMATS_SMALL_COLLECTIVES_H_
