#include "views/rma_view.h"

#include <fmt/core.h>

namespace comshu::read {
namespace {

constexpr const char* kRmaEpochs = R"(WITH
call AS MATERIALIZED (
    SELECT span_id, rank, process_id, thread, begin_ns, end_ns, "window" AS window_id, {target} AS target, bytes,
        {name} AS name
    FROM mpi_rma WHERE (flags & 2) = 0),
synchronising AS (
    SELECT *, CASE WHEN name = 'MPI_Win_fence' THEN 'fence'
            WHEN name IN ('MPI_Win_start', 'MPI_Win_complete') THEN 'start'
            WHEN name IN ('MPI_Win_post', 'MPI_Win_wait', 'MPI_Win_test') THEN 'post'
            WHEN name IN ('MPI_Win_lock', 'MPI_Win_unlock') THEN 'lock'
            WHEN name IN ('MPI_Win_lock_all', 'MPI_Win_unlock_all') THEN 'lock all' END AS kind,
        name IN ('MPI_Win_fence', 'MPI_Win_start', 'MPI_Win_post', 'MPI_Win_lock',
            'MPI_Win_lock_all') AS opens,
        name NOT IN ('MPI_Win_start', 'MPI_Win_post', 'MPI_Win_lock', 'MPI_Win_lock_all') AS closes,
        CASE WHEN name IN ('MPI_Win_lock', 'MPI_Win_unlock') THEN target END AS locked
    FROM call),
-- Of the calls that ask whether an exposure is over, the last one was told so.
asked AS (
    SELECT *, lead(name) OVER (PARTITION BY process_id, window_id, kind, locked
            ORDER BY begin_ns, span_id) AS next_name
    FROM synchronising WHERE kind IS NOT NULL),
met AS (
    SELECT *, lead({{span_id: span_id, begin_ns: begin_ns, end_ns: end_ns, closes: closes}})
            OVER (PARTITION BY process_id, window_id, kind, locked ORDER BY begin_ns, span_id) AS next
    FROM asked WHERE name <> 'MPI_Win_test' OR next_name IS NULL OR next_name = 'MPI_Win_post'),
epoch AS MATERIALIZED (
    SELECT row_number() OVER (ORDER BY begin_ns, span_id) AS number, kind, window_id, rank, process_id, thread, locked, span_id AS open_span, begin_ns,
        CASE WHEN kind = 'fence' THEN 0 ELSE end_ns - begin_ns END AS open_ns,
        CASE WHEN next.closes THEN next END AS last
    FROM met WHERE opens),
transfer AS (
    SELECT span_id, rank, process_id, thread, window_id, target, begin_ns, end_ns, bytes,
        CASE WHEN name IN ('MPI_Put', 'MPI_Rput', 'MPI_Put_c', 'MPI_Rput_c') THEN 'put'
            WHEN name IN ('MPI_Get', 'MPI_Rget', 'MPI_Get_c', 'MPI_Rget_c') THEN 'get'
            WHEN name SIMILAR TO 'MPI_(Accumulate|Raccumulate|Get_accumulate|Rget_accumulate)(_c)?'
                OR name IN ('MPI_Fetch_and_op', 'MPI_Compare_and_swap') THEN 'accumulate'
            WHEN name IN ('MPI_Win_flush', 'MPI_Win_flush_local', 'MPI_Win_flush_all',
                'MPI_Win_flush_local_all') THEN 'flush' END AS way
    FROM call WHERE way = 'flush' OR (way IS NOT NULL AND target >= 0)),
-- The epoch of each kind that was opened last: numbers rise with time. (A join by time would be one
-- of every pair where the planner expects few rows.)
event AS (
    SELECT number, kind, process_id, window_id, locked AS target, begin_ns, NULL AS call FROM epoch
    UNION ALL
    SELECT NULL, NULL, process_id, window_id, target, begin_ns, t FROM transfer t),
opened AS (
    SELECT *, max(number) FILTER (kind = 'lock') OVER one AS lock_number,
        max(number) FILTER (kind = 'lock all') OVER every AS all_number,
        max(number) FILTER (kind = 'start') OVER every AS start_number,
        max(number) FILTER (kind = 'fence') OVER every AS fence_number,
        max(number) FILTER (kind = 'lock') OVER every AS any_number
    FROM event
    WINDOW one AS (PARTITION BY process_id, window_id, target ORDER BY begin_ns, number NULLS LAST
            ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW),
        every AS (PARTITION BY process_id, window_id ORDER BY begin_ns, number NULLS LAST
            ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)),
ending AS (SELECT number, open_span, last.begin_ns AS close_ns FROM epoch),
-- A flush of all targets counts for the lock that was taken last.
placed AS (
    SELECT call.*, CASE
            WHEN o.begin_ns < coalesce(l.close_ns, o.begin_ns + 1) AND l.number IS NOT NULL
                THEN l.open_span
            WHEN o.begin_ns < coalesce(a.close_ns, o.begin_ns + 1) AND a.number IS NOT NULL
                THEN a.open_span
            WHEN o.begin_ns < coalesce(s.close_ns, o.begin_ns + 1) AND s.number IS NOT NULL
                THEN s.open_span
            WHEN call.way <> 'flush' AND o.begin_ns < coalesce(f.close_ns, o.begin_ns + 1)
                AND f.number IS NOT NULL THEN f.open_span
            WHEN call.way = 'flush' AND o.target IS NULL AND n.number IS NOT NULL
                AND o.begin_ns < coalesce(n.close_ns, o.begin_ns + 1) THEN n.open_span
            END AS open_span
    FROM opened o LEFT JOIN ending l ON l.number = o.lock_number
        LEFT JOIN ending a ON a.number = o.all_number
        LEFT JOIN ending s ON s.number = o.start_number
        LEFT JOIN ending f ON f.number = o.fence_number
        LEFT JOIN ending n ON n.number = o.any_number
    WHERE o.call IS NOT NULL),
flushed AS (
    SELECT open_span, count(*) AS flushes, sum(end_ns - begin_ns) AS flush_ns
    FROM placed WHERE way = 'flush' AND open_span IS NOT NULL GROUP BY open_span),
moved AS MATERIALIZED (
    SELECT open_span, target,
        CASE WHEN open_span IS NULL THEN process_id END AS process_id,
        CASE WHEN open_span IS NULL THEN window_id END AS window_id,
        min(rank) AS rank, min(thread) AS thread, min(begin_ns) AS begin_ns, max(end_ns) AS end_ns,
        count(*) FILTER (way = 'put') AS puts, count(*) FILTER (way = 'get') AS gets,
        count(*) FILTER (way = 'accumulate') AS accumulates,
        sum(bytes) FILTER (way = 'put') AS put_bytes, sum(bytes) FILTER (way = 'get') AS get_bytes,
        sum(bytes) FILTER (way = 'accumulate') AS accumulate_bytes
    FROM placed WHERE way <> 'flush' GROUP BY ALL),
part AS (
    SELECT e.window_id, e.kind, e.rank, e.process_id, e.thread, e.open_span,
        e.last.span_id AS close_span, e.begin_ns, e.last.end_ns AS end_ns,
        e.open_ns + coalesce(e.last.end_ns - e.last.begin_ns, 0) + coalesce(f.flush_ns, 0) AS sync_ns,
        coalesce(f.flushes, 0) AS flushes, coalesce(m.target, e.locked) AS target,
        m.puts, m.gets, m.accumulates, m.put_bytes, m.get_bytes, m.accumulate_bytes
    FROM epoch e LEFT JOIN moved m ON m.open_span = e.open_span
        LEFT JOIN flushed f ON f.open_span = e.open_span
    WHERE e.kind <> 'fence' OR e.last IS NOT NULL OR m.open_span IS NOT NULL
    UNION ALL
    SELECT window_id, NULL, rank, process_id, thread, NULL, NULL, begin_ns, end_ns, 0, 0, target,
        puts, gets, accumulates, put_bytes, get_bytes, accumulate_bytes
    FROM moved WHERE open_span IS NULL)
SELECT window_id, kind, rank, process_id, thread, open_span, close_span, begin_ns, end_ns,
    sync_ns::BIGINT AS sync_ns, flushes::UBIGINT AS flushes, target,
    coalesce(puts, 0)::UBIGINT AS puts, coalesce(gets, 0)::UBIGINT AS gets,
    coalesce(accumulates, 0)::UBIGINT AS accumulates,
    coalesce(put_bytes, 0)::UBIGINT AS put_bytes, coalesce(get_bytes, 0)::UBIGINT AS get_bytes,
    coalesce(accumulate_bytes, 0)::UBIGINT AS accumulate_bytes
FROM part)";

constexpr const char* kFileAccesses = R"(WITH
call AS (
    SELECT *, {name} AS name,
        CASE WHEN name SIMILAR TO 'MPI_File_(read|iread)(_.*)?' THEN 'read'
            WHEN name SIMILAR TO 'MPI_File_(write|iwrite)(_.*)?' THEN 'write' END AS way
    FROM mpi_io),
-- A file has one split collective at a time.
split AS (
    SELECT span_id AS begin_span, next.*
    FROM (SELECT span_id, name, lead({{span_id: span_id, end_ns: end_ns, bytes: bytes, name: name}})
                OVER (PARTITION BY process_id, file ORDER BY begin_ns, span_id) AS next
        FROM call WHERE name SIMILAR TO '.*_(begin|end)(_c)?')
    WHERE name SIMILAR TO '.*_begin(_c)?' AND next.name SIMILAR TO '.*_end(_c)?'),
completion AS (
    SELECT c.process_id, c.request, c.bytes, c.span_id, w.end_ns
    FROM mpi_completion c JOIN mpi_request_call w ON w.span_id = c.span_id WHERE c.kind = 5),
path AS (SELECT file, any_value(path) AS path FROM mpi_file GROUP BY file)
SELECT c.file, p.path, c.rank, c.process_id, c.thread, c.way AS access, c.name, c.begin_ns,
    CASE WHEN c.request IS NOT NULL THEN d.end_ns WHEN c.name SIMILAR TO '.*_begin(_c)?' THEN s.end_ns
        ELSE c.end_ns END AS end_ns,
    c.end_ns - c.begin_ns AS call_ns, c."offset" AS file_offset,
    coalesce(d.bytes, s.bytes, c.bytes) AS bytes, c.request, c.span_id,
    coalesce(d.span_id, s.span_id, CASE WHEN c.end_ns IS NOT NULL AND c.request IS NULL
        AND NOT c.name SIMILAR TO '.*_begin(_c)?' THEN c.span_id END) AS done_span,
    source_text(c.process_id, c.caller) AS source, (c.flags & 2) <> 0 AS failed
FROM call c LEFT JOIN path p ON p.file = c.file
    LEFT JOIN split s ON s.begin_span = c.span_id
    LEFT JOIN completion d ON d.process_id = c.process_id AND d.request = c.request
WHERE NOT c.name SIMILAR TO '.*_end(_c)?')";

}  // namespace

std::string RmaEpochSql(const std::string& name, const std::string& target) {
    return fmt::format(kRmaEpochs, fmt::arg("name", name), fmt::arg("target", target));
}

std::string FileAccessSql(const std::string& name) {
    return fmt::format(kFileAccesses, fmt::arg("name", name));
}

const char* const kNoRmaEpochs = R"(SELECT NULL::UBIGINT AS window_id, NULL::VARCHAR AS kind,
    NULL::INTEGER AS rank, NULL::UINTEGER AS process_id, NULL::UINTEGER AS thread,
    NULL::UBIGINT AS open_span, NULL::UBIGINT AS close_span, NULL::BIGINT AS begin_ns,
    NULL::BIGINT AS end_ns, NULL::BIGINT AS sync_ns, NULL::UBIGINT AS flushes,
    NULL::INTEGER AS target, NULL::UBIGINT AS puts, NULL::UBIGINT AS gets,
    NULL::UBIGINT AS accumulates, NULL::UBIGINT AS put_bytes, NULL::UBIGINT AS get_bytes,
    NULL::UBIGINT AS accumulate_bytes
WHERE false)";

const char* const kNoFileAccesses = R"(SELECT NULL::UBIGINT AS file, NULL::VARCHAR AS path,
    NULL::INTEGER AS rank, NULL::UINTEGER AS process_id, NULL::UINTEGER AS thread,
    NULL::VARCHAR AS access, NULL::VARCHAR AS name, NULL::BIGINT AS begin_ns,
    NULL::BIGINT AS end_ns, NULL::BIGINT AS call_ns, NULL::BIGINT AS file_offset,
    NULL::UBIGINT AS bytes, NULL::UBIGINT AS request, NULL::UBIGINT AS span_id,
    NULL::UBIGINT AS done_span, NULL::VARCHAR AS source, NULL::BOOLEAN AS failed
WHERE false)";

}  // namespace comshu::read
