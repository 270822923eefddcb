#include "picl/view_writer.h"

#include <fmt/format.h>

#include "comshu/core/count_text.h"
#include "each_row.h"
#include "small_collectives.h"

namespace comshu::format::picl {
namespace {

constexpr const char* kNamesSql = R"(SELECT name FROM (
    SELECT DISTINCT name FROM span WHERE layer <> 'mpi' UNION SELECT DISTINCT name FROM mark)
WHERE name IS NOT NULL ORDER BY name)";

// What the views hold and the file does not.
constexpr const char* kLeftOutSql = R"(SELECT name, count(*) FROM span
WHERE layer = 'mpi' AND category NOT IN ('p2p', 'collective', 'wait') GROUP BY name ORDER BY name)";

constexpr const char* kCountersSql = "SELECT count(*) FROM counter";

}  // namespace

bool WriteViews(read::Database* database, const SortSpace& space, PiclForm form, FileOutput* out,
                ExportResult* result, std::string* error) {
    ViewExport what{database, &space, {}, out, result};
    const auto number = [&](const read::Query& row) {
        what.numbers.emplace(row.Text(0), static_cast<int64_t>(what.numbers.size()));
    };
    const auto counters = [&](const read::Query& row) {
        if (row.Unsigned(0) == 0) return;
        result->remarks.push_back(
            core::Plural(row.Unsigned(0), "value of counters", "values of counters") +
            " left out: the format has no record for it");
    };
    if (!EachRow(database, kNamesSql, error, number) ||
        !EachRow(database, kCountersSql, error, counters) ||
        !TellSmallCollectives(database, result, error)) {
        return false;
    }
    if (form == PiclForm::k1992) return Write1992Views(what, error);
    return WriteOldViews(what, form == PiclForm::kVerbose, error) &&
           EachRow(database, kLeftOutSql, error, [&](const read::Query& row) {
               result->remarks.push_back(
                   fmt::format("{} of {} left out: the format has no record for it",
                               core::Plural(row.Unsigned(1), "call"), row.Text(0)));
           });
}

}  // namespace comshu::format::picl
