#include "openmp/openmp_views.h"

#include <memory>
#include <mutex>
#include <optional>
#include <string_view>

#include "openmp/access_view.h"
#include "openmp/execution_imbalance.h"
#include "openmp/intervals.h"
#include "openmp/openmp_spans.h"
#include "openmp/row_function.h"
#include "openmp/source_lines.h"
#include "openmp/thread_times.h"

namespace comshu::read {
namespace {

using schema::OmpConstructKind;

// In dbg_untold.
static_assert(static_cast<int>(OmpConstructKind::parallel) == 1 &&
              static_cast<int>(OmpConstructKind::omploop) == 2 &&
              static_cast<int>(OmpConstructKind::sections) == 3 &&
              static_cast<int>(OmpConstructKind::single) == 5 &&
              static_cast<int>(OmpConstructKind::workshare) == 6 &&
              static_cast<int>(OmpConstructKind::var_name) == 13 &&
              static_cast<int>(OmpConstructKind::seqloop) == 17);

// What is worked out once per capture, by whichever query comes first.
class OpenmpAnswers {
public:
    explicit OpenmpAnswers(const Capture& capture) : capture_(capture), lines_(capture) {}

    const std::vector<ThreadTime>& thread_times() { return Made().thread_times; }
    const std::vector<RegionTime>& region_times() { return Made().region_times; }
    const std::vector<ChunkCount>& chunk_counts() { return Made().chunk_counts; }
    const std::vector<ExecutionImbalance>& imbalances() { return Made().imbalances; }
    const std::vector<Interval>& intervals() { return Made().intervals; }
    SourceLines& lines() { return lines_; }

private:
    struct All {
        std::vector<ThreadTime> thread_times;
        std::vector<RegionTime> region_times;
        std::vector<ChunkCount> chunk_counts;
        std::vector<ExecutionImbalance> imbalances;
        std::vector<Interval> intervals;
    };
    const All& Made() {
        std::call_once(once_, [this] {
            const OpenmpSpans spans(capture_);
            const Teams teams(spans);
            all_ = {ThreadTimes(spans, teams), RegionTimes(spans), ChunkCounts(spans),
                    ExecutionImbalances(spans), Intervals(spans, teams)};
        });
        return all_;
    }

    const Capture& capture_;
    SourceLines lines_;
    std::once_flag once_;
    All all_;
};
using Answers = std::shared_ptr<OpenmpAnswers>;

// The table functions that the views are made of: rows and columns, each named once.
struct OpenmpTables {
    template <typename Row>
    using Columns = std::vector<RowField<Row>>;
#define COMSHU_COLUMN(member) MemberColumn<Row, &Row::member>(#member)

    static Columns<ThreadTime> Of(const ThreadTime*) {
        using Row = ThreadTime;
        return {COMSHU_COLUMN(process_id),
                COMSHU_COLUMN(thread),
                COMSHU_COLUMN(omp_thread),
                COMSHU_COLUMN(team),
                COMSHU_COLUMN(member),
                COMSHU_COLUMN(construct),
                COMSHU_COLUMN(function),
                COMSHU_COLUMN(calls),
                COMSHU_COLUMN(time_ns),
                COMSHU_COLUMN(work_ns),
                COMSHU_COLUMN(member_work_ns),
                COMSHU_COLUMN(barrier_wait_ns),
                COMSHU_COLUMN(critical_wait_ns),
                COMSHU_COLUMN(critical_hold_ns),
                COMSHU_COLUMN(ordered_wait_ns),
                COMSHU_COLUMN(task_wait_ns),
                COMSHU_COLUMN(io_ns),
                COMSHU_COLUMN(end_wait_ns),
                COMSHU_COLUMN(iterations),
                COMSHU_COLUMN(chunks)};
    }
    static Columns<RegionTime> Of(const RegionTime*) {
        using Row = RegionTime;
        return {COMSHU_COLUMN(process_id),  COMSHU_COLUMN(thread), COMSHU_COLUMN(construct),
                COMSHU_COLUMN(begin_ns),    COMSHU_COLUMN(end_ns), COMSHU_COLUMN(serial_before_ns),
                COMSHU_COLUMN(is_outermost)};
    }
    static Columns<ChunkCount> Of(const ChunkCount*) {
        using Row = ChunkCount;
        return {COMSHU_COLUMN(process_id), COMSHU_COLUMN(thread),     COMSHU_COLUMN(omp_thread),
                COMSHU_COLUMN(construct),  COMSHU_COLUMN(iterations), COMSHU_COLUMN(chunks)};
    }
    static Columns<ExecutionImbalance> Of(const ExecutionImbalance*) {
        using Row = ExecutionImbalance;
        return {COMSHU_COLUMN(process_id),  COMSHU_COLUMN(construct),
                COMSHU_COLUMN(function),    COMSHU_COLUMN(imbalance_ns),
                COMSHU_COLUMN(work_max_ns), COMSHU_COLUMN(work_avg_ns)};
    }
    static Columns<Interval> Of(const Interval*) {
        using Row = Interval;
        return {COMSHU_COLUMN(process_id),
                COMSHU_COLUMN(id),
                COMSHU_COLUMN(parent_id),
                COMSHU_COLUMN(construct),
                COMSHU_COLUMN(number),
                COMSHU_COLUMN(calls),
                COMSHU_COLUMN(io_ns),
                COMSHU_COLUMN(execution_ns),
                COMSHU_COLUMN(barrier_ns),
                COMSHU_COLUMN(used_ns),
                COMSHU_COLUMN(used_threads),
                COMSHU_COLUMN(critical_ns),
                COMSHU_COLUMN(flush_ns),
                COMSHU_COLUMN(idle_parallel_ns),
                COMSHU_COLUMN(load_imbalance_ns),
                COMSHU_COLUMN(thread_max_ns),
                COMSHU_COLUMN(thread_min_ns),
                COMSHU_COLUMN(thread_avg_ns),
                COMSHU_COLUMN(total_ns),
                COMSHU_COLUMN(lost_ns),
                COMSHU_COLUMN(productive_ns),
                COMSHU_COLUMN(insufficient_ns),
                COMSHU_COLUMN(in_parallel)};
    }
#undef COMSHU_COLUMN
};

template <typename Row>
bool RegisterTable(duckdb_connection connection, const char* name, const Answers& answers,
                   const std::vector<Row>& (OpenmpAnswers::*rows)()) {
    return RowFunction<Row>::Register(
        connection, name,
        {OpenmpTables::Of(static_cast<const Row*>(nullptr)),
         [answers, rows]() -> const std::vector<Row>& { return ((*answers).*rows)(); }});
}

bool RegisterTables(duckdb_connection connection, const Answers& answers) {
    return RegisterTable(connection, "openmp_thread_times", answers,
                         &OpenmpAnswers::thread_times) &&
           RegisterTable(connection, "openmp_region_times", answers,
                         &OpenmpAnswers::region_times) &&
           RegisterTable(connection, "openmp_chunk_counts", answers,
                         &OpenmpAnswers::chunk_counts) &&
           RegisterTable(connection, "openmp_execution_imbalances", answers,
                         &OpenmpAnswers::imbalances) &&
           RegisterTable(connection, "openmp_intervals", answers, &OpenmpAnswers::intervals);
}

// source_line(process_id, file, line): the text of a line.
void SourceLine(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
    OpenmpAnswers& answers = **static_cast<Answers*>(duckdb_scalar_function_get_extra_info(info));
    duckdb_vector columns[3];
    for (idx_t i = 0; i < 3; ++i) columns[i] = duckdb_data_chunk_get_vector(input, i);
    const auto* processes = static_cast<const uint32_t*>(duckdb_vector_get_data(columns[0]));
    auto* files = static_cast<duckdb_string_t*>(duckdb_vector_get_data(columns[1]));
    const auto* lines = static_cast<const uint32_t*>(duckdb_vector_get_data(columns[2]));
    const idx_t rows = duckdb_data_chunk_get_size(input);
    for (idx_t row = 0; row < rows; ++row) {
        bool known = true;
        for (duckdb_vector column : columns) {
            uint64_t* validity = duckdb_vector_get_validity(column);
            known = known && (validity == nullptr || duckdb_validity_row_is_valid(validity, row));
        }
        std::string text;
        if (known) {
            const std::string file(duckdb_string_t_data(&files[row]),
                                   duckdb_string_t_length(files[row]));
            text = answers.lines().Get(processes[row], file, lines[row]);
        }
        if (text.empty()) {
            duckdb_vector_ensure_validity_writable(output);
            duckdb_validity_set_row_invalid(duckdb_vector_get_validity(output), row);
        } else {
            duckdb_vector_assign_string_element_len(output, row, text.data(), text.size());
        }
    }
}

bool RegisterSourceLine(duckdb_connection connection, const Answers& answers) {
    duckdb_scalar_function function = duckdb_create_scalar_function();
    duckdb_scalar_function_set_name(function, "source_line");
    for (const duckdb_type type :
         {DUCKDB_TYPE_UINTEGER, DUCKDB_TYPE_VARCHAR, DUCKDB_TYPE_UINTEGER}) {
        duckdb_logical_type parameter = duckdb_create_logical_type(type);
        duckdb_scalar_function_add_parameter(function, parameter);
        duckdb_destroy_logical_type(&parameter);
    }
    duckdb_logical_type text = duckdb_create_logical_type(DUCKDB_TYPE_VARCHAR);
    duckdb_scalar_function_set_return_type(function, text);
    duckdb_destroy_logical_type(&text);
    duckdb_scalar_function_set_special_handling(function);
    duckdb_scalar_function_set_extra_info(
        function, new Answers(answers), [](void* object) { delete static_cast<Answers*>(object); });
    duckdb_scalar_function_set_function(function, SourceLine);
    const bool registered = duckdb_register_scalar_function(connection, function) == DuckDBSuccess;
    duckdb_destroy_scalar_function(&function);
    return registered;
}

constexpr const char* kViewSql[] = {
    // A row per construct and process. Provider ompt has addresses for constructs.
    R"(CREATE MACRO dbg_place() AS TABLE
SELECT c.process_id, any_value(rank) AS rank, construct, any_value(file) AS file,
    any_value(line) AS line, any_value(end_line) AS end_line, any_value(c.name) AS name
FROM omp_construct c GROUP BY c.process_id, construct
UNION ALL SELECT process_id, any_value(rank), address, any_value(file), any_value(line), NULL, NULL
FROM source WHERE file IS NOT NULL GROUP BY process_id, address)",
    R"(CREATE VIEW dbg_thread AS
SELECT r.rank, t.process_id, t.thread, nullif(t.omp_thread, 4294967295) AS omp_thread, t.construct,
    getvariable('shown_OmpFunction')[t.function + 1]::VARCHAR AS kind,
    coalesce(p.file || coalesce(':' || p.line, ''), source_text(t.process_id, t.construct))
        AS source, t.calls, t.time_ns, t.work_ns,
    t.barrier_wait_ns, t.critical_wait_ns, t.critical_hold_ns, t.ordered_wait_ns, t.task_wait_ns,
    t.end_wait_ns, t.io_ns,
    CASE WHEN max(t.iterations) OVER of_construct > 0 THEN t.iterations END AS iterations,
    CASE WHEN max(t.chunks) OVER of_construct > 0 THEN t.chunks END AS chunks
FROM (SELECT process_id, thread, omp_thread, construct, function, sum(calls)::UBIGINT AS calls,
        sum(time_ns)::BIGINT AS time_ns, sum(work_ns)::BIGINT AS work_ns,
        sum(barrier_wait_ns)::BIGINT AS barrier_wait_ns,
        sum(critical_wait_ns)::BIGINT AS critical_wait_ns,
        sum(critical_hold_ns)::BIGINT AS critical_hold_ns,
        sum(ordered_wait_ns)::BIGINT AS ordered_wait_ns,
        sum(task_wait_ns)::BIGINT AS task_wait_ns, sum(end_wait_ns)::BIGINT AS end_wait_ns,
        sum(io_ns)::BIGINT AS io_ns, sum(iterations)::UBIGINT AS iterations,
        sum(chunks)::UBIGINT AS chunks
    FROM openmp_thread_times() GROUP BY ALL) t
LEFT JOIN dbg_place() p USING (process_id, construct)
LEFT JOIN (SELECT process_id, any_value(rank) AS rank FROM process GROUP BY process_id) r
    USING (process_id)
WINDOW of_construct AS (PARTITION BY t.process_id, t.construct, t.function))",
    // What the members of a construct's teams did, team by team: threads may be others each time.
    R"(CREATE MACRO dbg_member() AS TABLE
SELECT process_id, construct, getvariable('shown_OmpFunction')[function + 1]::VARCHAR AS kind, team,
    member, sum(calls)::BIGINT AS calls, sum(time_ns)::BIGINT AS time_ns,
    sum(member_work_ns)::BIGINT AS work_ns
FROM openmp_thread_times() GROUP BY ALL)",
    R"(CREATE MACRO dbg_team_work() AS TABLE
SELECT process_id, construct, kind, max(members) AS threads, sum(calls)::BIGINT AS calls,
    sum(time_avg_ns) AS time_avg_ns, sum(work_max_ns)::BIGINT AS work_max_ns,
    sum(work_min_ns)::BIGINT AS work_min_ns, sum(work_avg_ns) AS work_avg_ns,
    sum(imbalance_ns)::BIGINT AS imbalance_ns,
    sum(work_max_ns) / nullif(sum(work_avg_ns), 0) - 1 AS imbalance
FROM (SELECT process_id, construct, kind, team, count(*) AS members, max(calls) AS calls,
        avg(time_ns) AS time_avg_ns, max(work_ns) AS work_max_ns, min(work_ns) AS work_min_ns,
        avg(work_ns) AS work_avg_ns, max(work_ns) * count(*) - sum(work_ns) AS imbalance_ns
    FROM dbg_member() GROUP BY ALL)
GROUP BY ALL)",
    // A construct as one row.
    R"(CREATE MACRO dbg_team() AS TABLE
SELECT t.rank, process_id, construct, kind, t.source, w.threads, w.calls, w.time_avg_ns,
    t.thread_time_ns, m.per_thread, w.work_max_ns, w.work_min_ns, w.work_avg_ns, w.imbalance_ns,
    w.imbalance, t.barrier_wait_ns, t.end_wait_ns, t.critical_wait_ns, t.critical_hold_ns,
    t.ordered_wait_ns, t.task_wait_ns, t.io_ns, t.iterations, t.chunks
FROM (SELECT rank, process_id, construct, kind, source, sum(time_ns)::BIGINT AS thread_time_ns,
        sum(barrier_wait_ns)::BIGINT AS barrier_wait_ns, sum(end_wait_ns)::BIGINT AS end_wait_ns,
        sum(critical_wait_ns)::BIGINT AS critical_wait_ns,
        sum(critical_hold_ns)::BIGINT AS critical_hold_ns,
        sum(ordered_wait_ns)::BIGINT AS ordered_wait_ns,
        sum(task_wait_ns)::BIGINT AS task_wait_ns, sum(io_ns)::BIGINT AS io_ns,
        sum(iterations)::BIGINT AS iterations, sum(chunks)::BIGINT AS chunks
    FROM dbg_thread GROUP BY ALL) t
JOIN dbg_team_work() w USING (process_id, construct, kind)
JOIN (SELECT process_id, construct, kind,
        list({'thread': member, 'work_ns': work_ns} ORDER BY member) AS per_thread
    FROM (SELECT process_id, construct, kind, member, sum(work_ns)::BIGINT AS work_ns
        FROM dbg_member() GROUP BY ALL)
    GROUP BY ALL) m USING (process_id, construct, kind))",
    R"(CREATE MACRO dbg_execution() AS TABLE
SELECT process_id, construct, getvariable('shown_OmpFunction')[function + 1]::VARCHAR AS kind,
    imbalance_ns AS execution_imbalance_ns,
    work_max_ns / nullif(work_avg_ns, 0) - 1 AS execution_imbalance
FROM openmp_execution_imbalances())",
    // Constructs with a barrier of their own at the end that nobody tells: sources of levels that tell
    // iterations, sequential loops or data do not. A loop on the line of its region ends with that.
    R"(CREATE MACRO dbg_untold() AS TABLE
SELECT process_id, construct, true AS is_untold FROM omp_construct c
SEMI JOIN (SELECT process_id, file FROM omp_construct WHERE kind IN (13, 14, 15, 16, 17)
        UNION SELECT p.process_id, p.file FROM openmp_thread_times() t
        JOIN dbg_place() p USING (process_id, construct) WHERE t.iterations > 0) b
    ON b.process_id = c.process_id AND b.file = c.file
ANTI JOIN (SELECT process_id, file, line FROM omp_construct WHERE kind = 1) r
    ON r.process_id = c.process_id AND r.file = c.file AND r.line = c.line
WHERE kind IN (2, 3, 5, 6) AND NOT contains(context, '*nowait=1*') GROUP BY ALL)",
    R"(CREATE MACRO dbg_program() AS TABLE
SELECT process_id, execution_ns AS program_ns FROM openmp_intervals() WHERE id = 0)",
    R"(CREATE VIEW dbg_region AS
SELECT t.rank, t.process_id, t.construct, t.source,
    source_line(t.process_id, p.file, p.line) AS text, r.calls, r.time_ns,
    r.time_ns / nullif(g.program_ns, 0) AS share, r.serial_before_ns, t.threads,
    t.thread_time_ns, t.per_thread, t.work_max_ns, t.work_min_ns, t.work_avg_ns, t.imbalance_ns,
    t.imbalance, e.execution_imbalance_ns, e.execution_imbalance, t.barrier_wait_ns, t.end_wait_ns,
    t.critical_wait_ns, t.critical_hold_ns, t.ordered_wait_ns, t.task_wait_ns, t.io_ns
FROM dbg_team() t
LEFT JOIN dbg_execution() e USING (process_id, construct, kind)
JOIN (SELECT process_id, construct, count(*) AS calls, sum(end_ns - begin_ns)::BIGINT AS time_ns,
        sum(serial_before_ns)::BIGINT AS serial_before_ns
    FROM openmp_region_times() GROUP BY ALL) r USING (process_id, construct)
LEFT JOIN dbg_place() p USING (process_id, construct)
LEFT JOIN dbg_program() g USING (process_id)
WHERE t.kind = 'parallel')",
    R"(CREATE VIEW dbg_loop AS
SELECT t.rank, t.process_id, t.construct, t.kind, t.source,
    source_line(t.process_id, p.file, p.line) AS text,
    regexp_extract(c.context, '\*schedule=([^*]*)', 1) AS schedule,
    t.calls, t.threads, t.thread_time_ns,
    t.time_avg_ns / nullif(g.program_ns, 0) AS share, t.per_thread, t.work_max_ns,
    t.work_min_ns, t.work_avg_ns, t.imbalance_ns, t.imbalance,
    e.execution_imbalance_ns, e.execution_imbalance,
    CASE WHEN u.is_untold AND t.barrier_wait_ns = 0 THEN NULL ELSE t.barrier_wait_ns END
        AS barrier_wait_ns,
    t.critical_wait_ns, t.critical_hold_ns, t.ordered_wait_ns, t.io_ns, t.iterations, t.chunks,
    (SELECT list({'iterations': h.iterations, 'chunks': h.n} ORDER BY h.iterations)
        FROM (SELECT process_id, construct, iterations, sum(chunks)::BIGINT AS n
            FROM openmp_chunk_counts() GROUP BY ALL) h
        WHERE h.process_id = t.process_id AND h.construct = t.construct) AS chunk_histogram
FROM dbg_team() t
LEFT JOIN dbg_execution() e USING (process_id, construct, kind)
LEFT JOIN dbg_place() p USING (process_id, construct)
LEFT JOIN (SELECT process_id, construct, any_value(context) AS context FROM omp_construct
    GROUP BY ALL) c USING (process_id, construct)
LEFT JOIN dbg_untold() u USING (process_id, construct)
LEFT JOIN dbg_program() g USING (process_id)
WHERE t.kind IN ('loop', 'taskloop', 'sequential loop', 'sections', 'workshare', 'single'))",
    R"(CREATE VIEW dbg_chunk AS
SELECT r.rank, h.process_id, h.thread, nullif(h.omp_thread, 4294967295) AS omp_thread, h.construct,
    coalesce(p.file || coalesce(':' || p.line, ''), source_text(h.process_id, h.construct))
        AS source, h.iterations, h.chunks
FROM openmp_chunk_counts() h
LEFT JOIN dbg_place() p USING (process_id, construct)
LEFT JOIN (SELECT process_id, any_value(rank) AS rank FROM process GROUP BY process_id) r
    USING (process_id))",
    R"(CREATE VIEW dbg_interval AS
SELECT i.id, i.calls AS calls_count, i.io_ns AS io_time_ns, i.execution_ns AS execution_time_ns,
    i.barrier_ns AS idle_barrier_time_ns, i.used_ns AS used_time_ns, i.used_threads,
    i.critical_ns AS idle_critical_time_ns, i.flush_ns AS flush_time_ns,
    i.idle_parallel_ns AS idle_parallel_ns, i.load_imbalance_ns AS load_imbalance_time_ns,
    i.thread_max_ns AS thread_prod_max_ns, i.thread_min_ns AS thread_prod_min_ns,
    i.thread_avg_ns AS thread_prod_avg_ns, i.total_ns AS total_time_ns, i.lost_ns AS lost_time_ns,
    i.productive_ns AS productive_time_ns, i.insufficient_ns AS insufficient_parallelism_ns,
    i.productive_ns / nullif(i.total_ns, 0) AS efficiency, i.in_parallel,
    coalesce(p.line, 0) AS begin_line, coalesce(p.file, 'MAIN') AS file_name, i.parent_id,
    r.rank, i.process_id, i.construct,
    nullif(i.number, -9223372036854775808) AS interval_number
FROM openmp_intervals() i
LEFT JOIN dbg_place() p USING (process_id, construct)
LEFT JOIN (SELECT process_id, any_value(rank) AS rank FROM process GROUP BY process_id) r
    USING (process_id)
ORDER BY i.process_id, i.id = 0, i.id DESC)",
};

// Names, order and units of the peers' file: seconds with six decimals. Of several processes, behind what
// is theirs, whose row it is.
constexpr const char* kIntervalCsvSql = R"(CREATE VIEW dbg_interval_csv AS
SELECT id, calls_count AS "calls count", printf('%.6f', io_time_ns / 1e9) AS "io time",
    printf('%.6f', execution_time_ns / 1e9) AS "execution time",
    printf('%.6f', idle_barrier_time_ns / 1e9) AS "idle barrier time",
    printf('%.6f', used_time_ns / 1e9) AS "used time", used_threads AS "used threads",
    printf('%.6f', idle_critical_time_ns / 1e9) AS "idle critical time",
    printf('%.6f', flush_time_ns / 1e9) AS "flush time",
    printf('%.6f', idle_parallel_ns / 1e9) AS "idle parallel",
    printf('%.6f', load_imbalance_time_ns / 1e9) AS "load imbalance time",
    printf('%.6f', thread_prod_max_ns / 1e9) AS "thread prod max",
    printf('%.6f', thread_prod_min_ns / 1e9) AS "thread prod min",
    printf('%.6f', thread_prod_avg_ns / 1e9) AS "thread prod avg",
    printf('%.6f', total_time_ns / 1e9) AS "total time",
    printf('%.6f', lost_time_ns / 1e9) AS "lost time",
    printf('%.6f', productive_time_ns / 1e9) AS "productive time",
    printf('%.6f', insufficient_parallelism_ns / 1e9) AS "insufficient parallelism",
    printf('%.6f', coalesce(efficiency, 0)) AS "efficiency", in_parallel::INTEGER AS "in parallel",
    begin_line AS "begin line", file_name AS "file name", parent_id AS "parent id")";
constexpr const char* kWhoseRowSql = R"(, rank, process_id AS "process id")";

}  // namespace

bool AddOpenmpViews(Database* database, std::string* error) {
    const Capture* capture = database->capture();
    if (capture == nullptr || capture->FindTable("omp_construct") == nullptr) return true;
    const auto answers = std::make_shared<OpenmpAnswers>(*capture);
    duckdb_connection connection = database->connection();
    if (!RegisterTables(connection, answers) || !RegisterSourceLine(connection, answers)) {
        *error = "DuckDB refuses a function of the views";
        return false;
    }
    for (const char* sql : kViewSql) {
        if (!database->Execute(sql, error)) return false;
    }
    const std::string whose = capture->processes().size() > 1 ? kWhoseRowSql : "";
    const std::string csv = kIntervalCsvSql + whose + " FROM dbg_interval";
    if (!database->Execute(csv.c_str(), error)) return false;
    if (capture->FindTable("omp_access") == nullptr) return true;
    for (const char* sql : kAccessViewSql) {
        if (!database->Execute(sql, error)) return false;
    }
    return true;
}

}  // namespace comshu::read
