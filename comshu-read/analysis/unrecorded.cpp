#include "unrecorded.h"

#include <fmt/format.h>

#include "comshu/read/query.h"
#include "comshu/read/views.h"
#include "filter.h"

namespace comshu::analysis {
namespace {

constexpr const char* kLost =
    R"(SELECT format('{:d} {} of {:d} {} are not here (lost or overwritten): where they are missing a rank counts as '
    'outside of MPI, as useful work.', sum(lost)::BIGINT, CASE WHEN sum(lost) = 1 THEN 'record' ELSE 'records' END,
    count(*), CASE WHEN count(*) = 1 THEN 'rank' ELSE 'ranks' END) AS remark
FROM rank WHERE lost > 0 AND {rank} HAVING count(*) > 0)";
constexpr const char* kPaused =
    R"(SELECT format('Recording was paused or stopped on {:d} {} ({:d} records left out): that time counts as outside '
    'of MPI, as useful work.', count(DISTINCT rank), CASE WHEN count(DISTINCT rank) = 1 THEN 'rank' ELSE 'ranks' END,
    sum(skipped)::BIGINT) AS remark
FROM pause WHERE skipped > 0 AND {rank} HAVING count(*) > 0)";
constexpr const char* kUnfinished =
    R"(SELECT format('{:d} {} (killed, cut off or still running): what a rank did outside of MPI after its last call is '
    'not here.', count(*), CASE WHEN count(*) = 1 THEN 'rank did not end by itself'
        ELSE 'ranks did not end by themselves' END) AS remark
FROM rank WHERE state IN ('killed', 'running', 'cut') AND {rank} HAVING count(*) > 0)";
constexpr const char* kDamaged =
    R"(SELECT format('{:d} {} of the files missing or damaged: that time counts as outside of MPI, as useful work, and no '
    'message behind is matched (table problem).', count(*), CASE WHEN count(*) = 1 THEN 'part is' ELSE 'parts are' END)
    AS remark
FROM problem WHERE kind = 'missing' HAVING count(*) > 0)";
constexpr const char* kRanksElsewhere =
    R"(SELECT format('{:d} of {:d} ranks {} not in the capture (left out by --ranks, of no record in an imported trace, or their files are not here): the '
    'figures are those of the others, and what these waited for one of them is not told as waiting for a rank.',
    sum(size - here)::BIGINT, sum(size)::BIGINT, CASE WHEN sum(size - here) = 1 THEN 'is' ELSE 'are' END) AS remark
FROM )" COMSHU_WORLD_RANKS_SQL " HAVING sum(size - here) > 0";

// What an export of single tables leaves to ask.
constexpr const char* kNoRemark = "SELECT NULL::VARCHAR AS remark LIMIT 0";

std::string Together(const std::vector<std::string>& parts) {
    return fmt::format("{}", fmt::join(parts, "\nUNION ALL "));
}

SectionTable Remarks(const Filter& filter, std::vector<const char*> parts) {
    SectionTable table;
    table.name = "remarks";
    table.title = "What was not recorded";
    for (const char* part : parts) table.parts.push_back(FillFilter(part, filter));
    table.sql = Together(table.parts);
    table.is_remarks = true;
    return table;
}

}  // namespace

// Of a table and of a column.
bool IsNotThere(const std::string& error) {
    return error.starts_with("Catalog Error") || error.starts_with("Binder Error");
}

SectionTable UnrecordedTable(const Filter& filter) {
    return Remarks(filter,
                   {kLost, kPaused, kUnfinished, kDamaged, kRanksElsewhere, COMSHU_LONE_RANKS_SQL});
}

SectionTable UnrecordedRanksTable() {
    SectionTable table = Remarks({}, {kRanksElsewhere, COMSHU_LONE_RANKS_SQL});
    table.of_all_ranks = true;
    return table;
}

bool AskRemarks(read::Database* database, const SectionTable& remarks, read::Query* query,
                std::string* error) {
    // What nobody has read yet may be damaged too.
    if (!database->CheckAll(error)) return false;
    if (query->Run(database, remarks.sql, error, read::RowCount::kFew)) return true;
    if (!IsNotThere(*error)) return false;
    std::vector<std::string> there;
    for (const std::string& part : remarks.parts) {
        if (query->Run(database, part, error, read::RowCount::kFew))
            there.push_back(part);
        else if (!IsNotThere(*error))
            return false;
    }
    if (there.empty()) there.push_back(kNoRemark);
    return query->Run(database, Together(there), error, read::RowCount::kFew);
}

bool UnrecordedRemarks(read::Database* database, std::vector<std::string>* remarks,
                       std::string* error) {
    read::Query query;
    if (!AskRemarks(database, UnrecordedTable({}), &query, error)) return false;
    while (query.Next()) remarks->push_back(query.Text(0));
    *error = query.error();
    return error->empty();
}

}  // namespace comshu::analysis
