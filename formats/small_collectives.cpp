#include "small_collectives.h"

#include "comshu/core/count_text.h"
#include "comshu/read/query.h"

namespace comshu::format {

bool TellSmallCollectives(read::Database* database, ExportResult* result, std::string* error) {
    read::Query query;
    if (!query.Run(database,
                   "SELECT count(*) FROM (SELECT instance FROM collective GROUP BY instance "
                   "HAVING count(DISTINCT rank) < (SELECT count(*) FROM rank))",
                   error, read::RowCount::kFew)) {
        return false;
    }
    if (query.Next() && query.Unsigned(0) > 0) {
        result->remarks.push_back(
            core::Plural(query.Unsigned(0),
                         "collective of some of the ranks is written as one of all: the format has "
                         "no communicators",
                         "collectives of some of the ranks are written as ones of all: the format "
                         "has no communicators"));
    }
    *error = query.error();
    return error->empty();
}

}  // namespace comshu::format
