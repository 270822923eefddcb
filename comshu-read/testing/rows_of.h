// What a query answers, as one text to compare with.
#ifndef COMSHU_READ_TESTING_ROWS_OF_H_
#define COMSHU_READ_TESTING_ROWS_OF_H_

#include <string>

#include "comshu/read/database.h"
#include "comshu/read/query.h"

namespace comshu::read::testing {

// A line per row, `between` between columns, "-" for null; of a query that fails the reason.
inline std::string RowsOf(Database* database, const std::string& sql, const char* between = " ") {
    Query query;
    std::string error;
    if (!query.Run(database, sql, &error)) return "failed: " + error;
    std::string out;
    while (query.Next()) {
        for (size_t i = 0; i < query.columns().size(); ++i) {
            if (i > 0) out += between;
            out += query.IsNull(i) ? "-" : query.Text(i);
        }
        out += '\n';
    }
    return query.error().empty() ? out : "failed: " + query.error();
}

}  // namespace comshu::read::testing

#endif  // COMSHU_READ_TESTING_ROWS_OF_H_
