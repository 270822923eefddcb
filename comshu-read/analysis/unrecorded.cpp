#include "unrecorded.h"

#include "comshu/read/query.h"
#include "comshu/read/views.h"
#include "filter.h"

namespace comshu::analysis {
namespace {

constexpr const char* kUnrecorded =
    R"(SELECT format('{:d} {} of {:d} {} are not here (lost or overwritten): where they are missing a rank counts as '
    'outside of MPI, as useful work.', sum(lost)::BIGINT, CASE WHEN sum(lost) = 1 THEN 'record' ELSE 'records' END,
    count(*), CASE WHEN count(*) = 1 THEN 'rank' ELSE 'ranks' END) AS remark
FROM rank WHERE lost > 0 AND {rank} HAVING count(*) > 0
UNION ALL SELECT format('Recording was paused or stopped on {:d} {} ({:d} records left out): that time counts as outside '
    'of MPI, as useful work.', count(DISTINCT rank), CASE WHEN count(DISTINCT rank) = 1 THEN 'rank' ELSE 'ranks' END,
    sum(skipped)::BIGINT)
FROM pause WHERE skipped > 0 AND {rank} HAVING count(*) > 0
UNION ALL SELECT format('{:d} {} (killed, cut off or still running): what a rank did outside of MPI after its last call is not here.', count(*), CASE WHEN count(*) = 1 THEN 'rank did not end by itself' ELSE 'ranks did not end by themselves' END)
FROM rank WHERE state IN ('killed', 'running', 'cut') AND {rank} HAVING count(*) > 0
UNION ALL SELECT format('{:d} {} of the files missing or damaged: that time counts as outside of MPI, as useful work, and no message '
    'behind is matched (table problem).', count(*), CASE WHEN count(*) = 1 THEN 'part is' ELSE 'parts are' END)
FROM problem WHERE )" COMSHU_MISSING_PART_SQL " HAVING count(*) > 0";

}  // namespace

SectionTable UnrecordedTable() {
    return {"remarks", "What was not recorded", kUnrecorded, {}, true};
}

bool IsNotThere(const std::string& error) {
    // Of a table and of a column.
    return error.starts_with("Catalog Error") || error.starts_with("Binder Error");
}

bool UnrecordedRemarks(read::Database* database, std::vector<std::string>* remarks,
                       std::string* error) {
    // What nobody has read yet may be damaged too.
    if (!database->CheckAll(error)) return false;
    read::Query query;
    if (!query.Run(database, FillFilter(kUnrecorded, Filter{}), error, read::RowCount::kFew)) {
        if (!IsNotThere(*error)) return false;
        error->clear();
        return true;
    }
    while (query.Next()) remarks->push_back(query.Text(0));
    *error = query.error();
    return error->empty();
}

}  // namespace comshu::analysis
