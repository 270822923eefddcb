// All SQL of the report, in one place.
#include "report/queries.h"

#include <algorithm>

#include "comshu/read/views.h"

namespace comshu::read {

const std::vector<ReportQuery>& ReportQueries() {
    static const std::vector<ReportQuery> queries = {
        // Waits of the members of a team are no records: bit 39 of their numbers is set.
        {"call_sums", "one pass over all spans: everything that is summed by call",
         R"(CREATE OR REPLACE TEMP TABLE call_sum AS
SELECT rank, thread, layer, category, )" COMSHU_CALL_NAME_SQL R"( AS name, process_id, caller,
    CASE WHEN layer = 'openmp' THEN source END AS place, count(*) AS calls,
    count_if(span_id & (1::UBIGINT << 39) = 0) AS recorded_calls, sum(self_ns) AS self_ns, sum(bytes) AS bytes,
    count_if(failed) AS failed, count_if(is_open) AS open,
    coalesce(sum(begin_ns) FILTER (is_open), 0) AS open_begin_ns
FROM (SELECT *, end_ns IS NULL AND span_id NOT IN (SELECT parent_id FROM open_span
    WHERE parent_id IS NOT NULL) AS is_open FROM span) GROUP BY ALL)"},
        {"run", "what ran, where, for how long",
         R"(SELECT count(*) AS ranks, (SELECT count(*) FROM thread) AS threads,
    (SELECT coalesce(sum(recorded_calls), 0)::UBIGINT FROM call_sum WHERE layer <> 'user') AS calls,
    sum(recorded)::UBIGINT AS recorded, sum(lost)::UBIGINT AS lost,
    (SELECT start_realtime_ns FROM capture LIMIT 1) AS start_realtime_ns,
    greatest(max(end_ns), (SELECT max(begin_ns + open_ns) FROM open_span)) AS end_ns,
    count_if(state = 'killed') AS killed, count_if(state = 'running') AS running,
    count_if(state = 'exited' AND world IS NOT NULL) AS exited,
    (SELECT first(command ORDER BY rank) FROM process WHERE command IS NOT NULL) AS command,
    (SELECT count(*) FROM open_span) AS open_calls,
    (SELECT coalesce(sum(calls), 0)::UBIGINT FROM call_sum WHERE layer <> 'user') AS spans,
    (SELECT coalesce(sum(calls), 0)::UBIGINT FROM call_sum WHERE layer = 'user') AS regions,
    count_if(state = 'cut') AS cut, min(rank) FILTER (state = 'cut') AS first_cut,
    arg_min(end_ns, rank) FILTER (state = 'cut') AS cut_ns,
    (SELECT count(*) FROM problem WHERE kind = 'missing') AS missing_parts,
    (SELECT coalesce(sum(calls), 0)::UBIGINT FROM call_sum WHERE layer = 'mpi') AS mpi_spans
FROM rank)"},
        {"world_ranks", "ranks that were started, and those of them that are in the capture",
         "SELECT coalesce(sum(size), 0)::UBIGINT AS started, coalesce(sum(here), 0)::UBIGINT AS "
         "here "
         "FROM " COMSHU_WORLD_RANKS_SQL},
        {"lone_ranks", "processes that a launcher of another MPI started", COMSHU_LONE_RANKS_SQL},
        {"hosts", "where: hosts may have the same name, as containers do",
         "SELECT r.host FROM rank r LEFT JOIN process p USING (process_id) WHERE r.host IS NOT "
         "NULL "
         "GROUP BY r.host, p.boot_id ORDER BY min(r.rank)"},
        {"library", "the MPI, as it names itself",
         "SELECT DISTINCT library FROM mpi_rank WHERE library IS NOT NULL ORDER BY 1"},
        {"rank_time", "time of each rank in MPI and in all",
         R"(SELECT r.rank, r.host, r.state,
    coalesce((SELECT sum(self_ns) FROM call_sum c WHERE c.rank = r.rank AND layer = 'mpi'), 0)
        ::BIGINT AS mpi_ns,
    coalesce((SELECT sum(recorded_calls) FROM call_sum c WHERE c.rank = r.rank AND layer <> 'user'), 0)
        ::UBIGINT AS calls,
    coalesce((SELECT sum(coalesce(end_ns, $end) - begin_ns) FROM thread t WHERE t.rank = r.rank), 0)
        ::BIGINT AS total_ns,
    coalesce((SELECT sum(self_ns) FROM call_sum c WHERE c.rank = r.rank AND layer = 'mpi'
        AND category = 'init'), 0)::BIGINT AS init_ns,
    coalesce((SELECT sum(self_ns) FROM call_sum c WHERE c.rank = r.rank AND layer = 'openmp'
        AND category = 'wait'), 0)::BIGINT AS openmp_wait_ns, p.boot_id
FROM rank r LEFT JOIN process p USING (process_id) ORDER BY r.rank)"},
        {"open_time", "time in calls of MPI and waits of OpenMP that did not return",
         R"(SELECT s.rank, coalesce(sum(ns) FILTER (s.layer = 'mpi'), 0)::BIGINT AS mpi_ns,
    coalesce(sum(ns) FILTER (s.layer = 'openmp'), 0)::BIGINT AS openmp_wait_ns
FROM (SELECT s.*, greatest(0, coalesce(p.end_ns, $end) - s.begin_ns) AS ns
    FROM span s LEFT JOIN process p ON p.process_id = s.process_id
    WHERE s.end_ns IS NULL AND (s.layer = 'mpi' OR (s.layer = 'openmp' AND s.category = 'wait'))) s
LEFT JOIN span c ON c.parent_id = s.span_id AND c.end_ns IS NULL
WHERE c.span_id IS NULL GROUP BY s.rank)"},
        {"openmp_regions", "parallel regions by time, whole, what is inside of them included",
         R"(SELECT name, regexp_extract(source, '^(.*):\d+$', 1) AS file,
    TRY_CAST(regexp_extract(source, ':(\d+)$', 1) AS UINTEGER) AS line, count(*) AS calls,
    sum(greatest(0, coalesce(s.end_ns, p.end_ns, $end) - s.begin_ns))::BIGINT AS ns
FROM (SELECT name, source, process_id, begin_ns, end_ns FROM span
    WHERE layer = 'openmp' AND name = 'parallel') s LEFT JOIN process p USING (process_id)
GROUP BY name, source ORDER BY ns DESC, source)"},
        {"openmp_waits", "waiting of threads for each other, by place",
         R"(SELECT name, regexp_extract(place, '^(.*):\d+$', 1) AS file,
    TRY_CAST(regexp_extract(place, ':(\d+)$', 1) AS UINTEGER) AS line, sum(calls)::UBIGINT AS calls,
    coalesce(sum(self_ns), 0)::BIGINT AS ns
FROM call_sum WHERE layer = 'openmp' AND category = 'wait' GROUP BY name, place
ORDER BY ns DESC, name, place)"},
        {"closed", "nothing: all calls have returned",
         R"(CREATE OR REPLACE TEMP TABLE unclosed (process_id UINTEGER, rank INTEGER, thread UINTEGER,
    layer VARCHAR, name VARCHAR, caller UBIGINT, ns BIGINT))"},
        {"unclosed",
         "of calls that did not return, what is to be taken from their time for calls inside",
         R"(CREATE OR REPLACE TEMP TABLE unclosed AS
WITH closed AS (SELECT parent_id, sum(duration_ns) AS ns FROM span
    WHERE end_ns IS NOT NULL AND parent_id IN (SELECT span_id FROM open_span) GROUP BY parent_id),
open_inside AS (SELECT parent_id, min(begin_ns) AS begin_ns FROM open_span
    WHERE parent_id IS NOT NULL GROUP BY parent_id)
SELECT process_id, rank, thread, layer, name, caller,
    sum(coalesce(i.begin_ns - s.begin_ns, 0) - coalesce(closed.ns, 0)) AS ns
FROM (SELECT * FROM span WHERE end_ns IS NULL AND layer <> 'openmp') s
LEFT JOIN open_inside i ON i.parent_id = span_id LEFT JOIN closed ON closed.parent_id = span_id
GROUP BY ALL)"},
        {"calls", "calls by time, with the line they are made from",
         R"(SELECT c.layer, c.name, coalesce(s.file, regexp_extract(place, '^(.*):\d+$', 1)) AS file,
    coalesce(s.line, TRY_CAST(regexp_extract(place, ':(\d+)$', 1) AS UINTEGER)) AS line,
    sum(c.calls)::UBIGINT AS calls,
    (coalesce(sum(c.self_ns), 0) + greatest(0, sum(c.open * coalesce(p.end_ns, $end)
        - c.open_begin_ns + coalesce(u.ns, 0))))::BIGINT AS ns,
    sum(c.bytes)::UBIGINT AS bytes
FROM call_sum c LEFT JOIN process p ON p.process_id = c.process_id
LEFT JOIN source s ON s.process_id = c.process_id AND s.address = c.caller
LEFT JOIN unclosed u ON u.process_id = c.process_id AND u.rank IS NOT DISTINCT FROM c.rank
    AND u.thread = c.thread AND u.layer = c.layer AND u.name = c.name
    AND u.caller IS NOT DISTINCT FROM c.caller
GROUP BY ALL ORDER BY ns DESC, calls DESC, c.name, file, line LIMIT 200)"},
        {"pairs", "messages and bytes between each two ranks",
         R"(SELECT send_rank, recv_rank, count(*) AS messages,
    sum(bytes)::UBIGINT AS bytes
FROM message GROUP BY ALL ORDER BY send_rank, recv_rank)"},
        {"sizes", "messages by powers of two of their size",
         R"(SELECT CASE WHEN bytes = 0 THEN -1 ELSE floor(log2(bytes))::INTEGER END AS exponent,
    count(*) AS messages, sum(bytes)::UBIGINT AS bytes
FROM message WHERE bytes IS NOT NULL GROUP BY exponent ORDER BY exponent)"},
        {"collective_wait", "how long ranks were in collectives before the last one came",
         R"(WITH last AS (SELECT instance, max(begin_ns) AS begin_ns, count(*) AS ranks
    FROM collective GROUP BY instance)
SELECT c.rank, sum(least(last.begin_ns, coalesce(c.end_ns, last.begin_ns)) - c.begin_ns)::BIGINT AS ns,
    count_if(c.begin_ns = last.begin_ns) AS came_last
FROM collective c JOIN last USING (instance) WHERE last.ranks > 1
GROUP BY c.rank ORDER BY c.rank)"},
        {"late_senders", "calls that waited for the sender of a message, by source line",
         R"(SELECT w.name, s.file || ':' || s.line AS source, sum(w.calls)::UBIGINT AS calls,
    sum(w.ns)::BIGINT AS ns
FROM (SELECT name, process_id, caller, count(*) AS calls, sum(ns) AS ns
    FROM (SELECT *, late_sender_ns(span_id) AS ns FROM span) WHERE ns IS NOT NULL GROUP BY ALL) w
LEFT JOIN source s ON s.process_id = w.process_id AND s.address = w.caller
GROUP BY ALL ORDER BY ns DESC, w.name, source)"},
        {"stands", "the calls that threads are in",
         R"(SELECT s.rank, s.thread, s.process_id, s.span_id, s.name, s.category, s.begin_ns, s.peer,
    s.tag, s.comm, s.root, s.request, s.bytes, s.failed,
    coalesce(src.file, regexp_extract(s.source, '^(.*):\d+$', 1)) AS file,
    coalesce(src.line, TRY_CAST(regexp_extract(s.source, ':(\d+)$', 1) AS UINTEGER)) AS line,
    EXISTS (SELECT 1 FROM span c WHERE c.parent_id = s.span_id AND c.end_ns IS NULL) AS has_inner,
    coalesce(p.end_ns, $end) AS until_ns
FROM span s JOIN process p ON p.process_id = s.process_id
LEFT JOIN source src ON src.process_id = s.process_id AND src.address = s.caller
WHERE s.end_ns IS NULL ORDER BY s.rank, s.process_id, s.thread, s.begin_ns)"},
        {"failures",
         "ranks that ended by a signal or with a code other than 0, the first of them first",
         R"(SELECT r.rank, p.signal, p.exit_code, p.end_ns
FROM rank r JOIN process p ON p.process_id = r.process_id
WHERE p.signal IS NOT NULL OR p.exit_code <> 0 ORDER BY p.end_ns, r.rank)"},
        {"silent", "threads of a run that was cut off that are in no call",
         R"(WITH last AS (SELECT t.rank, t.thread, t.process_id, max(s.end_ns) AS last_ns,
        arg_max({name: s.name, caller: s.caller,
            place: CASE WHEN s.layer = 'openmp' THEN s.source END}, s.end_ns) AS s
    FROM thread t JOIN span s ON s.process_id = t.process_id AND s.thread = t.thread
    WHERE t.state IN ('killed', 'running') GROUP BY ALL HAVING count_if(s.end_ns IS NULL) = 0)
SELECT last.rank, thread, last.process_id, last_ns, s.name,
    coalesce(src.file, regexp_extract(s.place, '^(.*):\d+$', 1)) AS file,
    coalesce(src.line, TRY_CAST(regexp_extract(s.place, ':(\d+)$', 1) AS UINTEGER)) AS line
FROM last LEFT JOIN source src ON src.process_id = last.process_id AND src.address = last.s.caller
ORDER BY last.rank, last.process_id, thread)"},
        {"waiting", "messages that nobody sent or received, of calls and requests that are open",
         R"(SELECT u.rank, u.side, u.peer, u.tag, u.span_id, s.request
FROM unmatched u JOIN span s ON s.span_id = u.span_id
WHERE u.why = 'open')"},
        {"near_misses", "messages that a receive would get if its tag or communicator were another",
         R"(SELECT r.rank, r.peer, r.tag, s.rank AS sender, s.tag AS sent_tag, s.comm = r.comm AS same_comm,
    count(*)::UBIGINT AS messages, s.comm
FROM unmatched r JOIN unmatched s ON s.side = 'send' AND s.peer = r.rank
    AND (r.peer IS NULL OR s.rank = r.peer)
    AND (s.comm <> r.comm OR (r.tag IS NOT NULL AND s.tag <> r.tag))
WHERE r.side = 'receive' AND r.why = 'open' AND s.why IN ('open', 'no receive')
GROUP BY ALL ORDER BY ALL)"},
        {"absent", "members of a communicator that have not come to a collective others are in",
         R"(WITH open AS (SELECT instance, rank, span_id FROM collective WHERE end_ns IS NULL)
SELECT open.span_id, m.rank FROM open JOIN collective c0 USING (instance, rank)
JOIN mpi_comm m ON m.comm = c0.comm
WHERE NOT EXISTS (SELECT 1 FROM collective c WHERE c.instance = open.instance AND c.rank = m.rank)
GROUP BY ALL ORDER BY ALL)"},
        {"different",
         "calls of collectives that ranks are in and whose members called different ones",
         R"(WITH stuck AS (SELECT DISTINCT instance FROM collective WHERE end_ns IS NULL)
SELECT instance, name, rank, comm FROM collective JOIN stuck USING (instance)
WHERE instance IN (SELECT instance FROM collective JOIN stuck USING (instance) GROUP BY instance
    HAVING count(DISTINCT name) > 1 AND NOT bool_or(starts_with(name, 'MPI_Start')))
ORDER BY instance, rank, name)"},
        {"comm_names", "names of communicators",
         R"(SELECT DISTINCT comm, comm_name FROM span WHERE end_ns IS NULL AND comm_name IS NOT NULL
UNION SELECT comm, comm_name FROM unmatched WHERE comm_name IS NOT NULL)"},
        {"unmatched", "messages without a partner",
         R"(SELECT side, why, count(*) AS messages FROM unmatched GROUP BY ALL ORDER BY messages DESC)"},
        {"partial", "collectives that have members that were not recorded",
         R"(SELECT count(DISTINCT instance) AS collectives FROM collective
WHERE comm IN (SELECT comm FROM mpi_comm WHERE remote_members IS NULL GROUP BY comm
    HAVING count(DISTINCT rank) < max(size)))"},
        {"lost", "records lost, by rank",
         "SELECT rank, lost FROM rank WHERE lost > 0 ORDER BY lost DESC"},
        {"unwritten", "processes whose stream could not be written",
         "SELECT count(DISTINCT process_id) AS processes FROM note WHERE kind = 'write_failed'"},
        // Reason 4: LossReason::stack_full.
        {"nested", "calls that were nested too deep to be kept",
         "SELECT coalesce(sum(lost), 0)::UBIGINT AS lost FROM gap WHERE reason = 4"},
        {"paused", "records left out while recording was paused",
         R"(SELECT count(DISTINCT rank) AS ranks, coalesce(sum(skipped), 0)::UBIGINT AS records,
    coalesce(max(reason), 0)::INTEGER AS reason FROM pause)"},
        {"states", "ranks by how they ended",
         R"(SELECT state, count(*) AS ranks, min(rank) AS first FROM rank
WHERE state NOT IN ('finished', 'cut') AND (state <> 'exited' OR world IS NOT NULL) GROUP BY state ORDER BY ranks DESC)"},
        {"lines", "calls whose source line could be known, and those where it is",
         "SELECT count(*) AS addresses, count(line) AS lines FROM source"},
        {"told_lines", "constructs whose line the instrumented source tells",
         "SELECT count(line) AS lines FROM omp_construct"},
        {"backwards", "messages that arrive before they are sent: an error of the clocks",
         R"(SELECT count(*) AS messages, max(send_begin_ns - recv_end_ns) AS ns
FROM message WHERE recv_end_ns < send_begin_ns)"},
        {"clocks", "the clocks of the hosts, and what is done about their differences",
         R"(SELECT count(*) AS clocks, count_if(method IN ('linear', 'offset')) AS measured,
    count_if(method = 'none') AS alone, max(bound_ns) AS bound_ns,
    (SELECT first(clock_choice) FROM capture) AS choice FROM clock)"},
        {"clock_order", "what happens in the wrong order, by the hosts' own clocks and as shown",
         R"(WITH met AS (SELECT max(host_ns(span_id, begin_ns)) AS host_came,
        min(host_ns(span_id, end_ns)) AS host_left, max(begin_ns) AS came, min(end_ns) AS "left"
    FROM collective WHERE collective_shape(name) IN ('barrier', 'NxN') GROUP BY instance)
SELECT (SELECT count_if(host_ns(recv_span, recv_end_ns) < host_ns(send_span, send_begin_ns))
        FROM message WHERE layer = 'mpi') AS messages_before,
    (SELECT count_if(recv_end_ns < send_begin_ns) FROM message WHERE layer = 'mpi') AS messages,
    (SELECT count_if(host_left < host_came) FROM met) AS collectives_before,
    (SELECT count_if("left" < came) FROM met) AS collectives)"},
        {"clock", "largest distance of a calibration from the clock",
         "SELECT max(clock_error_ns) "
         "AS ns FROM capture"},
        {"waited", "time the program waited for the recorder",
         "SELECT coalesce(sum(waited_ns), 0)::BIGINT AS ns FROM process"},
        {"failed", "calls that returned an error",
         R"(SELECT name, sum(failed)::UBIGINT AS calls FROM call_sum GROUP BY name
HAVING sum(failed) > 0 ORDER BY calls DESC)"},
        {"notes", "what the recorder and the providers had to say",
         R"(SELECT kind, text, count(DISTINCT rank) AS ranks, min(rank) AS first FROM note
GROUP BY kind, text ORDER BY min(time_ns))"},
        {"problems", "what of the files is damaged or missing", "SELECT text FROM problem"},
    };
    return queries;
}

const char* ReportSql(std::string_view name) {
    const auto& queries = ReportQueries();
    const auto found = std::find_if(queries.begin(), queries.end(),
                                    [&](const ReportQuery& query) { return query.name == name; });
    return found == queries.end() ? "" : found->sql;
}

}  // namespace comshu::read
