#include "views/wait_view.h"

#include <map>
#include <string>

#include <fmt/core.h>

#include "comshu/read/views.h"
#include "matching/mpi_functions.h"

namespace comshu::read {

const std::string& CollectiveShapeSql() {
    static const std::string sql = [] {
        std::map<std::string, std::string> names;  // By shape.
        for (uint16_t function = 0; function < kMpiFunctions; ++function) {
            const CollectiveShape shape = TraitsOf(function).shape;
            if (shape == CollectiveShape::kNone) continue;
            std::string& list = names[ShapeText(shape)];
            list += fmt::format("{}'{}'", list.empty() ? "" : ", ", MpiFunctionName(function));
        }
        std::string made = "CREATE MACRO collective_shape(name) AS CASE";
        for (const auto& [shape, list] : names)
            made += fmt::format("\n    WHEN name IN ({}) THEN '{}'", list, shape);
        return made + " END";
    }();
    return sql;
}

// A call that completes several messages waits once: for the one that it would have had to wait for
// longest. Ties go to the lowest rank, so that the same capture gives the same rows.
const char* const kPointToPointWaitSql = R"(CREATE MACRO point_to_point_wait() AS TABLE
WITH
-- Receivers that came before the sender, in the call that completed the receive.
late_send AS NOT MATERIALIZED (
    SELECT 'late sender' AS kind, recv_done_span AS span_id, recv_rank AS rank,
        send_rank AS cause_rank, send_span AS cause_span, send_begin_ns AS until_ns,
        recv_end_ns AS exit_ns, recv_done_begin_ns AS enter_ns
    FROM message WHERE send_begin_ns > recv_done_begin_ns AND recv_end_ns IS NOT NULL),
-- Senders that came before the receiver, in a call that had not returned when the receiver came.
late_receive AS NOT MATERIALIZED (
    SELECT 'late receiver' AS kind, send_done_span AS span_id, send_rank AS rank,
        recv_rank AS cause_rank, recv_span AS cause_span, recv_begin_ns AS until_ns,
        send_done_ns AS exit_ns, send_done_begin_ns AS enter_ns, send_span,
        completes_receive(send_done_span) AS also_receives
    FROM message WHERE recv_begin_ns > send_done_begin_ns AND send_done_ns > recv_begin_ns),
-- A call that completes receives too tells of its sends only where they are synchronous by name.
candidate AS NOT MATERIALIZED (
    SELECT * FROM late_send
    UNION ALL
    SELECT * EXCLUDE (send_span, also_receives) FROM late_receive WHERE NOT also_receives
    UNION ALL
    SELECT r.* EXCLUDE (send_span, also_receives) FROM late_receive r
    JOIN span s ON s.span_id = r.send_span WHERE r.also_receives
        AND s.name IN ('MPI_Ssend', 'MPI_Issend', 'MPI_Ssend_init', 'MPI_Ssend_c', 'MPI_Issend_c')),
waited AS NOT MATERIALIZED (
    SELECT span_id, {kind: kind, rank: rank, cause_rank: cause_rank, cause_span: cause_span,
        enter_ns: enter_ns, until_ns: least(until_ns, exit_ns), sent_ns: until_ns} AS w
    FROM candidate)
SELECT * FROM waited WHERE completed_messages(span_id) = 1
UNION ALL
SELECT span_id, arg_max(w, {until_ns: w.sent_ns, rank: -w.cause_rank, span: -w.cause_span::HUGEINT})
FROM waited WHERE completed_messages(span_id) > 1 GROUP BY span_id)";

#define COMSHU_OPENMP_WAITS                                                                    \
    "\nUNION ALL\n"                                                                            \
    "SELECT 'OpenMP wait', rank, process_id, thread, layer, name, source, span_id, begin_ns, " \
    "self_ns,\n    NULL, NULL, NULL, NULL, duration_ns\n"                                      \
    "FROM span WHERE layer IN ('openmp', 'ompt') AND category = 'wait' AND self_ns > 0"

const char* const kWaitStateSql =
    R"(SELECT kind, rank, process_id, thread, layer, name, source_text(process_id, caller) AS source,
    span_id, begin_ns, wait_ns, cause_rank, cause_span, instance, wrong_order, call_ns
FROM found_wait())" COMSHU_OPENMP_WAITS;

const char* const kWaitStateOfTablesSql = R"(WITH
point_to_point AS MATERIALIZED (SELECT * FROM point_to_point_wait()),
-- Messages that a call which waited longest for a later one could have taken instead: sent before it,
-- and received by a later call. Of those sent at one time the call that came last is last, so what is before a
-- message with a later call was sent before it: rows are enough, and a range would be looked for row by row.
taken AS (
    SELECT recv_rank, send_rank, recv_done_begin_ns AS enter_ns, send_begin_ns,
        max(recv_done_begin_ns) OVER (PARTITION BY recv_rank ORDER BY send_begin_ns,
            recv_done_begin_ns ROWS UNBOUNDED PRECEDING) AS any_ns,
        max(recv_done_begin_ns) OVER (PARTITION BY recv_rank, send_rank ORDER BY send_begin_ns,
            recv_done_begin_ns ROWS UNBOUNDED PRECEDING) AS same_ns
    FROM message WHERE recv_done_begin_ns IS NOT NULL AND send_begin_ns IS NOT NULL),
wrong_order AS (
    SELECT recv_rank, send_rank, enter_ns, send_begin_ns,
        CASE WHEN bool_or(same_ns > enter_ns) THEN 'same source' ELSE 'other source' END AS wrong
    FROM taken WHERE any_ns > enter_ns AND send_begin_ns > enter_ns GROUP BY ALL),
-- Collectives by the way data moves. One that is not blocking (is_split) is entered by the call that starts it;
-- who waits for it does so in the call that completes it.
shaped AS MATERIALIZED (
    SELECT *, collective_shape(name) AS shape,
        -- On an intercommunicator MPI_ROOT is -3, and MPI_PROC_NULL, -2, takes no part.
        coalesce(root = -3 OR (root = comm_rank AND NOT two_groups), false) AS is_root,
        coalesce(done_span <> span_id, false) AS is_split
    FROM (SELECT *, bool_or(coalesce(root IN (-2, -3), false)) OVER (PARTITION BY instance) AS two_groups
        FROM collective) WHERE root IS DISTINCT FROM -2),
met AS MATERIALIZED (
    SELECT instance, max(begin_ns) AS last_ns, min(end_ns) AS left_ns,
        arg_max({rank: rank, span_id: span_id}, {ns: begin_ns, rank: -rank}) AS last,
        arg_min({rank: rank, span_id: done_span}, {ns: end_ns, rank: rank})
            FILTER (end_ns IS NOT NULL) AS left_first,
        min(begin_ns) FILTER (is_root) AS root_ns,
        arg_min({rank: rank, span_id: span_id}, rank) FILTER (is_root) AS root,
        min(begin_ns) FILTER (NOT is_root) AS first_ns,
        arg_min({rank: rank, span_id: span_id}, {ns: begin_ns, rank: rank})
            FILTER (NOT is_root) AS first
    FROM shaped WHERE shape IS NOT NULL GROUP BY instance HAVING count(*) > 1),
before AS (
    SELECT instance, span_id, max(begin_ns) OVER lower AS last_ns,
        arg_max({rank: rank, span_id: span_id}, {ns: begin_ns, rank: -rank}) OVER lower AS last
    FROM shaped WHERE shape = 'scan' AND comm_rank IS NOT NULL
    WINDOW lower AS (PARTITION BY instance ORDER BY comm_rank
        ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)),
collected AS (
    SELECT 'wait at ' || c.shape AS kind, false AS is_completion, c.*, c.done_begin_ns AS enter_ns,
        least(m.last_ns, c.end_ns) AS until_ns, m.last AS cause
    FROM shaped c JOIN met m USING (instance) WHERE c.shape IN ('barrier', 'NxN')
    UNION ALL
    SELECT c.shape || ' completion', true, c.*, greatest(m.left_ns, m.last_ns, c.done_begin_ns),
        c.end_ns, m.left_first
    FROM shaped c JOIN met m USING (instance) WHERE c.shape IN ('barrier', 'NxN')
    UNION ALL
    SELECT 'early reduce', false, c.*, c.done_begin_ns, least(m.first_ns, c.end_ns), m.first
    FROM shaped c JOIN met m USING (instance) WHERE c.shape = 'to root' AND c.is_root
    UNION ALL
    SELECT 'late broadcast', false, c.*, c.done_begin_ns, least(m.root_ns, c.end_ns), m.root
    FROM shaped c JOIN met m USING (instance) WHERE c.shape = 'from root' AND NOT c.is_root
    UNION ALL
    SELECT 'early scan', false, c.*, c.done_begin_ns, least(b.last_ns, c.end_ns), b.last
    FROM shaped c JOIN before b USING (instance, span_id)),
met_wait AS MATERIALIZED (
    SELECT kind, is_completion, is_split, done_span AS span_id, rank, enter_ns, until_ns, cause, instance
    FROM collected WHERE until_ns > enter_ns AND end_ns IS NOT NULL AND cause IS NOT NULL),
-- A call that completes several operations waits once, as with messages, and completes the last of them.
split AS MATERIALIZED (
    SELECT span_id, is_completion, arg_max({kind: kind, rank: rank, enter_ns: enter_ns,
            until_ns: until_ns, cause: cause, instance: instance},
        {ns: CASE WHEN is_completion THEN enter_ns ELSE until_ns END, rank: -cause.rank,
            instance: -instance::HUGEINT}) AS w
    FROM met_wait WHERE is_split GROUP BY span_id, is_completion),
split_wait AS MATERIALIZED (
    SELECT s.span_id, s.w FROM split s LEFT JOIN point_to_point p USING (span_id)
    WHERE NOT is_completion AND (p.w IS NULL OR s.w.until_ns >= p.w.until_ns)),
found AS (
    SELECT w.kind, p.span_id, w.rank, w.enter_ns, w.until_ns, w.cause_rank, w.cause_span,
        NULL::UBIGINT AS instance, o.wrong AS wrong_order
    FROM (SELECT * FROM point_to_point ANTI JOIN split_wait USING (span_id)) p
    LEFT JOIN wrong_order o ON w.kind = 'late sender'
        AND o.recv_rank = w.rank AND o.send_rank = w.cause_rank AND o.enter_ns = w.enter_ns
        AND o.send_begin_ns = w.sent_ns
    UNION ALL
    SELECT kind, span_id, rank, enter_ns, until_ns, cause.rank, cause.span_id, instance, NULL
    FROM met_wait WHERE NOT is_split
    UNION ALL
    SELECT w.kind, span_id, w.rank, w.enter_ns, w.until_ns, w.cause.rank, w.cause.span_id, w.instance, NULL
    FROM split_wait
    UNION ALL
    SELECT s.w.kind, s.span_id, s.w.rank, greatest(s.w.enter_ns, p.w.until_ns, o.w.until_ns) AS from_ns,
        s.w.until_ns, s.w.cause.rank, s.w.cause.span_id, s.w.instance, NULL
    FROM split s LEFT JOIN point_to_point p USING (span_id)
    LEFT JOIN split_wait o ON o.span_id = s.span_id
    WHERE s.is_completion AND s.w.until_ns > greatest(s.w.enter_ns, p.w.until_ns, o.w.until_ns))
-- Grouped, so that DuckDB looks spans up in the waits and not the other way round: it knows no length of either.
SELECT f.kind, f.rank, s.process_id, s.thread, s.layer, s.name,
    source_text(s.process_id, s.caller) AS source, f.span_id, f.enter_ns AS begin_ns,
    f.until_ns - f.enter_ns AS wait_ns, f.cause_rank, f.cause_span, f.instance, f.wrong_order,
    s.duration_ns AS call_ns
FROM (SELECT * FROM found GROUP BY ALL) f JOIN span s ON s.span_id = f.span_id)" COMSHU_OPENMP_WAITS;

#undef COMSHU_OPENMP_WAITS

}  // namespace comshu::read
