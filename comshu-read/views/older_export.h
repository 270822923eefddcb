// Export folders that an older comshu made.
#ifndef COMSHU_READ_VIEWS_OLDER_EXPORT_H_
#define COMSHU_READ_VIEWS_OLDER_EXPORT_H_

#include <string>

#include "comshu/read/database.h"

namespace comshu::read {

// Columns that views did not have then are null; of a whole export, views that were not there then are
// made of the others, or are empty. An export of single tables stays as it is.
bool CompleteOlderExport(Database* database, std::string* error);

}  // namespace comshu::read

#endif  // COMSHU_READ_VIEWS_OLDER_EXPORT_H_
