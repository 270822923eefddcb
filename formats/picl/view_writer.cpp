#include "picl/view_writer.h"

#include "each_row.h"
#include "plain_losses.h"

namespace comshu::format::picl {
namespace {

constexpr const char* kNamesSql = R"(SELECT DISTINCT coalesce(name, '') AS name FROM span
WHERE layer <> 'mpi' UNION SELECT DISTINCT coalesce(name, '') FROM mark ORDER BY name)";

constexpr const char* kCountersSql = "SELECT count(*) FROM counter";

// Marks that have numbers only: what they have is no number of a name.
constexpr const char* kLargestMarkSql = R"(SELECT coalesce(max(value)::BIGINT, -1) FROM mark
WHERE name = 'trace_mark' AND isfinite(value) AND value BETWEEN 0 AND 1e15)";

}  // namespace

bool WriteViews(read::Database* database, const SortSpace& space, PiclForm form, FileOutput* out,
                ExportResult* result, std::string* error) {
    const bool is_1992 = form == PiclForm::k1992;
    ViewExport what{database, &space, {}, out, result};
    int64_t next = 0;
    const auto largest = [&](const read::Query& row) { next = row.Integer(0) + 1; };
    const auto number = [&](const read::Query& row) { what.numbers.emplace(row.Text(0), next++); };
    const auto counters = [&](const read::Query& row) {
        result->Say(row.Unsigned(0), "value of counters", "values of counters",
                    " left out: the format has no record for it");
    };
    const PlainFormat format = {
        .threads = is_1992, .collective_comms = is_1992, .message_comms = is_1992};
    return (is_1992 || EachRow(database, kLargestMarkSql, error, largest)) &&
           EachRow(database, kNamesSql, error, number) &&
           EachRow(database, kCountersSql, error, counters) &&
           TellPlainLosses(database, format, result, error) &&
           (is_1992 ? Write1992Views(what, error)
                    : WriteOldViews(what, form == PiclForm::kVerbose, error));
}

}  // namespace comshu::format::picl
