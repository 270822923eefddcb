// The part of view `span` that records of layer openmp give, where it differs from that of others.
#ifndef COMSHU_READ_VIEWS_OPENMP_SPANS_H_
#define COMSHU_READ_VIEWS_OPENMP_SPANS_H_

#include <string>
#include <string_view>

namespace comshu::read {

// Of a span of OpenMP, by the name in OmpFunction: region loop sections single master critical ordered
// task function io wait other.
std::string_view OpenmpCategory(std::string_view function);

// How `span` shows it: `implicit barrier` for implicit_barrier_wait.
std::string OpenmpName(std::string_view function);

// A macro of one row per construct and process: process_id, construct, place_name, place_source, for a
// join with the records.
constexpr const char* kOpenmpPlace = R"(CREATE MACRO openmp_place() AS TABLE
SELECT process_id, construct, any_value(name) AS place_name,
    any_value(file) || coalesce(':' || any_value(line), '') AS place_source
FROM omp_construct GROUP BY process_id, construct)";

// Members of a team wait at the end of their region, until whoever started it goes on. They do not tell
// when that is, so their waiting is worked out from the region's end; its span_id is that of the
// implicit task with a bit that no number of a span reaches. Tasks that they run meanwhile are in no span.
constexpr const char* kOpenmpMemberWaits = R"(
SELECT t.span_id + (1::UBIGINT << 39) AS span_id, NULL::UBIGINT AS parent_id, t.rank, t.process_id,
    t.thread, 'openmp' AS layer, 'wait' AS category, 'implicit barrier' AS name,
    t.end_ns AS begin_ns, r.end_ns AS end_ns, r.end_ns - t.end_ns AS duration_ns,
    greatest(0, r.end_ns - t.end_ns - coalesce(k.tasks_ns, 0)) AS self_ns, NULL::UBIGINT AS bytes, NULL::UBIGINT AS comm,
    NULL::INTEGER AS peer, NULL::INTEGER AS tag, p.place_source AS source,
    NULL::INTEGER AS comm_peer, NULL::INTEGER AS root, NULL::UBIGINT AS request, t.caller,
    false AS failed, false AS unwound, NULL::VARCHAR AS comm_name
FROM omp_implicit_task(t1_ns := CAST(t1 AS BIGINT)) t
JOIN omp_region(t0_ns := CAST(t0 AS BIGINT)) r ON r.process_id = t.process_id AND r.region = t.region
    AND r.thread <> t.thread AND r.end_ns > t.end_ns
LEFT JOIN (SELECT p.span_id, sum(b.end_ns - b.begin_ns)::BIGINT AS tasks_ns FROM omp_block b
    ASOF JOIN omp_implicit_task p ON p.process_id = b.process_id AND p.thread = b.thread
        AND p.end_ns <= b.begin_ns
    WHERE b.function = 24 AND b.parent_id IS NULL GROUP BY p.span_id) k ON k.span_id = t.span_id
LEFT JOIN openmp_place() p ON p.process_id = r.process_id AND p.construct = r.construct
WHERE (t1 IS NULL OR t.end_ns < t1) AND (t0 IS NULL OR r.end_ns >= t0))";

}  // namespace comshu::read

#endif  // COMSHU_READ_VIEWS_OPENMP_SPANS_H_
