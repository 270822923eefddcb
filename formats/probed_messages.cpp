#include "probed_messages.h"

#include <fmt/core.h>

#include "comshu/schema/mpi_function_generated.h"
#include "each_row.h"

namespace comshu::format {
namespace {

constexpr const char* kProbesSql = R"(SELECT span_id, process_id, message, rank, thread, begin_ns
FROM mpi_probe WHERE found <> 0 AND "function" IN ({}, {}))";

// The numbers of messages are used again: the last probe before the receive is its own.
constexpr const char* kProbedSql = R"(WITH probe AS MATERIALIZED ({}),
receive AS (SELECT r.span_id AS receive, p.span_id AS probe, p.thread, p.begin_ns
    FROM mpi_receive r ASOF JOIN probe p ON p.process_id = r.process_id AND p.message = r.message
        AND p.begin_ns <= r.begin_ns WHERE r.message <> 0),
placed AS (SELECT m.recv_span, r.probe, r.thread, r.begin_ns, comm, send_rank, recv_rank, tag,
        row_number() OVER (PARTITION BY comm, send_rank, recv_rank, tag
            ORDER BY send_begin_ns, send_span) AS sent,
        row_number() OVER (PARTITION BY comm, send_rank, recv_rank, tag
            ORDER BY recv_begin_ns, recv_span) AS received,
        row_number() OVER (PARTITION BY comm, send_rank, recv_rank, tag
            ORDER BY coalesce(r.begin_ns, recv_begin_ns), coalesce(r.probe, recv_span)) AS taken
    FROM message m LEFT JOIN receive r ON r.receive = m.recv_span
    WHERE m.layer = 'mpi' AND m.recv_rank IN (SELECT rank FROM probe))
SELECT recv_span, probe, thread, begin_ns, received <> sent, taken <> sent FROM placed
QUALIFY bool_or(received <> sent) OVER (PARTITION BY comm, send_rank, recv_rank, tag))";

}  // namespace

bool ProbedMessages::Load(read::Database* database, std::string* error) {
    const std::string probes =
        fmt::format(kProbesSql, static_cast<int>(schema::MpiFunction::MPI_Mprobe),
                    static_cast<int>(schema::MpiFunction::MPI_Improbe));
    bool has_probes = false;
    if (!EachRow(database, probes + " LIMIT 1", error,
                 [&](const read::Query&) { has_probes = true; })) {
        return false;
    }
    if (!has_probes) return true;
    return EachRow(database, fmt::format(kProbedSql, probes), error, [&](const read::Query& row) {
        turned_ += row.Integer(4) != 0;
        left_ += row.Integer(5) != 0;
        if (row.IsNull(1)) return;
        probes_[row.Unsigned(0)] = {row.Unsigned(1), static_cast<int32_t>(row.Integer(2)),
                                    row.Integer(3)};
    });
}

void ProbedMessages::TellMoved(ExportResult* result) const {
    result->Say(probes_.size(), "receive of a matched probe is", "receives of matched probes are",
                " nonblocking, from the probe on: so they keep their order");
    TellLost(left_, result);
}

void ProbedMessages::TellLost(uint64_t count, ExportResult* result) {
    result->Say(count, "message is", "messages are",
                " received in another order than sent in, by matched probes: who reads the file "
                "takes them for one another");
}

}  // namespace comshu::format
