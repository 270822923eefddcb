#include "picl/view_writer.h"

#include "each_row.h"
#include "picl/imported_marks.h"
#include "plain_losses.h"

namespace comshu::format::picl {
namespace {

constexpr const char* kNamesSql = R"(SELECT DISTINCT coalesce(name, '') AS name FROM span
WHERE layer <> 'mpi' UNION SELECT DISTINCT coalesce(name, '') FROM mark ORDER BY name)";

// The bytes of a trace are in the record of its end in the format of 1992.
constexpr const char* kCountersSql = "SELECT count(*) FROM counter";
constexpr const char* kOtherCountersSql =
    "SELECT count(*) FROM counter WHERE name <> 'trace bytes'";

// Marks that have numbers only: what they have is no number of a name.
constexpr const char* kLargestMarkSql = R"(SELECT coalesce(max(value)::BIGINT, -1) FROM mark
WHERE name = 'trace_mark' AND isfinite(value) AND value BETWEEN 0 AND 1e15)";

}  // namespace

bool WriteViews(read::Database* database, const SortSpace& space, PiclForm form, FileOutput* out,
                ExportResult* result, std::string* error) {
    const bool is_1992 = form == PiclForm::k1992;
    ViewExport what{database, &space, {}, out, result};
    if (!FindSource(database, is_1992, &what.source, error)) return false;
    const bool is_picl = what.source != PiclSource::kViews;
    int64_t next = 0;
    const auto largest = [&](const read::Query& row) { next = row.Integer(0) + 1; };
    const auto number = [&](const read::Query& row) { what.numbers.emplace(row.Text(0), next++); };
    const auto counters = [&](const read::Query& row) {
        result->Say(row.Unsigned(0), "value of counters", "values of counters",
                    " left out: the format has no record for it");
    };
    const PlainFormat format = {
        .threads = is_1992, .collective_comms = is_1992, .message_comms = is_1992};
    const auto number_names = [&] {
        if (is_picl) return KeepNumbers(what, &what.numbers, error);
        return (is_1992 || EachRow(database, kLargestMarkSql, error, largest)) &&
               EachRow(database, kNamesSql, error, number);
    };
    return number_names() &&
           EachRow(database, is_picl ? kOtherCountersSql : kCountersSql, error, counters) &&
           TellRecordsLeftOut(what, error) && TellPlainLosses(database, format, result, error) &&
           (is_1992 ? Write1992Views(what, error)
                    : WriteOldViews(what, form == PiclForm::kVerbose, error));
}

}  // namespace comshu::format::picl
