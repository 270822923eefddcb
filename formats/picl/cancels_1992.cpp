#include "picl/cancels_1992.h"

#include "each_row.h"

namespace comshu::format::picl {
namespace {

// The last call that made the request, in small letters.
constexpr const char* k1992CancelSql = R"(WITH cancels AS (
    SELECT span_id, process_id, request, begin_ns FROM span
    WHERE layer = 'mpi' AND name = 'MPI_Cancel' AND request IS NOT NULL)
SELECT c.span_id, lower(arg_max(s.name, s.begin_ns)) FROM cancels c JOIN span s
    ON s.process_id = c.process_id AND s.request = c.request AND s.begin_ns <= c.begin_ns
WHERE s.layer = 'mpi' AND (s.name LIKE 'MPI_I%' OR s.name LIKE '%_init') GROUP BY c.span_id)";

int32_t CancelOf(const std::string& started) {
    const auto has = [&](const char* part) { return started.find(part) != started.npos; };
    if (has("recv") && !has("send")) return -62;
    return has("bsend") ? -38 : has("ssend") ? -44 : has("rsend") ? -50 : -32;
}

}  // namespace

bool Cancels1992::Load(read::Database* database, std::string* error) {
    return EachRow(database, k1992CancelSql, error, [&](const read::Query& row) {
        events_[row.Unsigned(0)] = CancelOf(row.Text(1));
    });
}

}  // namespace comshu::format::picl
