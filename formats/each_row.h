// A query whose rows are visited.
#ifndef COMSHU_FORMATS_EACH_ROW_H_
#define COMSHU_FORMATS_EACH_ROW_H_

#include <string>

#include "comshu/read/query.h"

namespace comshu::format {

// Calls `visit` with the query for each of its rows. False and a reason when it fails.
template <typename Visitor>
bool EachRow(read::Database* database, const std::string& sql, std::string* error, Visitor visit) {
    read::Query rows;
    if (!rows.Run(database, sql, error)) return false;
    while (rows.Next()) visit(rows);
    *error = rows.error();
    return error->empty();
}

}  // namespace comshu::format

#endif  // COMSHU_FORMATS_EACH_ROW_H_
