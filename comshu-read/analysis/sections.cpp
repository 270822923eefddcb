#include "comshu/analysis/sections.h"

#include <unistd.h>

#include <algorithm>

#include <fmt/format.h>

#include "comshu/read/links.h"
#include "comshu/read/query.h"
#include "comshu/read/views.h"
#include "checks.h"
#include "filter.h"
#include "graph_tables.h"
#include "overtaken.h"
#include "unrecorded.h"

namespace comshu::analysis {
namespace {

// What all threads that may wait have together of time, in the window.
constexpr const char* kTimeOfThreads =
    "(SELECT sum(greatest(0, least(coalesce(end_ns, rank_end_ns, (SELECT max(coalesce(s.end_ns, "
    "s.begin_ns)) FROM span s)), {t1}) - greatest(coalesce(begin_ns, rank_begin_ns), {t0}))) "
    "FROM thread LEFT JOIN (SELECT rank, begin_ns AS rank_begin_ns, end_ns AS rank_end_ns "
    "FROM rank) USING (rank) WHERE {rank})";

// Summed as far as the tables go, since there may be as many waits as messages. Who waited for a chosen rank is
// part of it.
constexpr const char* kWaited = R"(CREATE OR REPLACE TEMP TABLE waited AS
SELECT kind, name, source, rank, cause_rank, count(*) AS calls, sum(ns) AS wait_ns, max(ns) AS longest_ns,
    count(wrong_order) AS wrong_order
FROM (SELECT *, least(begin_ns + wait_ns, {t1}) - greatest(begin_ns, {t0}) AS ns
    FROM wait_state({window}) WHERE ({rank} OR {cause_rank}) AND {where}) GROUP BY ALL)";

std::string WithTime(std::string_view sql) {
    constexpr std::string_view kTime = "{time}";
    std::string filled(sql);
    for (size_t at; (at = filled.find(kTime)) != filled.npos;) {
        filled.replace(at, kTime.size(), kTimeOfThreads);
    }
    return filled;
}

std::vector<SectionTable> Fill(const Filter& filter, std::vector<SectionTable> tables) {
    for (SectionTable& table : tables) table.sql = FillFilter(WithTime(table.sql), filter);
    return tables;
}

std::vector<SectionTable> Waits(const Filter& filter) {
    return Fill(
        filter,
        {
            {"by_kind", "Waiting by kind",
             R"(SELECT kind, sum(calls)::BIGINT AS calls, sum(wait_ns) / 1e6 AS wait_ms,
    max(longest_ns) / 1e6 AS longest_ms, round(100 * sum(wait_ns) / {time}, 2) AS time_percent
FROM waited WHERE {rank} GROUP BY kind ORDER BY sum(wait_ns) DESC, kind)"},
            {"by_call", "Waiting by call and source line",
             R"(SELECT kind, name, source, sum(calls)::BIGINT AS calls, sum(wait_ns) / 1e6 AS wait_ms,
    round(100 * sum(wait_ns) / {time}, 2) AS time_percent
FROM waited WHERE {rank} GROUP BY ALL ORDER BY sum(wait_ns) DESC, kind, name, source)",
             40},
            {"by_rank", "Waiting by rank",
             R"(SELECT rank, kind, sum(calls)::BIGINT AS calls, sum(wait_ns) / 1e6 AS wait_ms,
    sum(wrong_order)::BIGINT AS wrong_order
FROM waited WHERE {rank} GROUP BY ALL ORDER BY rank, sum(wait_ns) DESC, kind)"},
            {"by_cause", "Who was waited for",
             R"(SELECT cause_rank, rank AS waiting_rank, kind, sum(calls)::BIGINT AS calls,
    sum(wait_ns) / 1e6 AS wait_ms
FROM waited WHERE cause_rank IS NOT NULL
GROUP BY ALL ORDER BY sum(wait_ns) DESC, cause_rank, waiting_rank, kind)",
             40},
            UnrecordedRanksTable(),
        });
}

std::vector<SectionTable> Matrix(const Filter& filter) {
    return Fill(
        filter,
        {
            {"pairs", "Messages by sender and receiver",
             R"(SELECT send_rank, recv_rank, count(*) AS messages, sum(bytes)::UBIGINT AS bytes,
    min(bytes) AS smallest, max(bytes) AS largest
FROM message({window}) WHERE {send_or_recv} AND {where}
GROUP BY ALL ORDER BY send_rank, recv_rank)"},
            {"communicators", "Messages by communicator and tag",
             R"(SELECT comm_name, tag, count(*) AS messages, sum(bytes)::UBIGINT AS bytes, comm
FROM message({window}) WHERE {send_or_recv} AND {where}
GROUP BY ALL ORDER BY bytes DESC, comm_name, comm, tag)",
             40},
            UnrecordedRanksTable(),
        });
}

std::vector<SectionTable> Calls(const Filter& filter) {
    return Fill(filter, {
                            {"calls", "Calls and regions by time",
                             R"(WITH part AS (SELECT *,
        greatest(0, least(coalesce(end_ns, until_ns, begin_ns), {t1}) - greatest(begin_ns, {t0})) AS part_ns
    FROM span({window}) LEFT JOIN (SELECT span_id AS open_id, begin_ns + open_ns AS until_ns
        FROM open_span) ON open_id = span_id),
inner_part AS (SELECT parent_id AS outer_id, sum(part_ns)::BIGINT AS inner_ns FROM part
    WHERE parent_id IS NOT NULL GROUP BY parent_id)
SELECT layer, )" COMSHU_CALL_NAME_SQL
                             R"( AS name, source, count(*) AS calls, sum(part_ns) / 1e6 AS time_ms,
    sum(part_ns - coalesce(inner_ns, 0)) / 1e6 AS self_ms,
    sum(bytes)::UBIGINT AS bytes
FROM part LEFT JOIN inner_part ON outer_id = span_id WHERE {rank} AND {where}
GROUP BY ALL ORDER BY time_ms DESC, name, source)",
                             100},
                        });
}

std::vector<SectionTable> EfficiencyTables(const Filter& filter) {
    constexpr const char* kColumns = R"(begin_ns / 1e6 AS begin_ms, end_ns / 1e6 AS end_ms,
    round(100 * parallel, 2) AS parallel, round(100 * load_balance, 2) AS load_balance,
    round(100 * communication, 2) AS communication, round(100 * serialisation, 2) AS serialisation,
    round(100 * transfer, 2) AS transfer
FROM efficiency)";
    return Fill(filter, {
                            {"efficiency",
                             "Efficiency in percent",
                             fmt::format("SELECT {} WHERE part = 0", kColumns),
                             0,
                             {},
                             false,
                             {},
                             true},
                            {"parts",
                             "The same in parts of equal length",
                             fmt::format("SELECT part, {} WHERE part > 0 ORDER BY part", kColumns),
                             0,
                             {},
                             false,
                             {},
                             true},
                            {"useful", "Time outside MPI by rank",
                             R"(SELECT rank, useful_ns / 1e6 AS useful_ms,
    round(100 * useful_ns / nullif(end_ns - begin_ns, 0), 2) AS percent
FROM useful_time JOIN efficiency USING (part) WHERE part = 0 AND {rank} ORDER BY rank)"},
                            UnrecordedTable(filter),
                        });
}

std::vector<SectionTable> Path(const Filter& filter) {
    return Fill(filter, {
                            {"by_call", "The critical path by call and source line",
                             R"(WITH average AS (SELECT name AS activity, source,
        sum(least(end_ns, getvariable('path_end_ns')) - greatest(begin_ns, getvariable('path_begin_ns')))
            / (SELECT count(*) FROM slack) AS ns
    FROM span WHERE layer = 'mpi' AND begin_ns < getvariable('path_end_ns')
        AND end_ns > getvariable('path_begin_ns') GROUP BY ALL)
SELECT piece.activity, piece.source, sum(piece.pieces)::BIGINT AS pieces, sum(piece.ns) / 1e6 AS path_ms,
    round(100 * sum(piece.ns) / (SELECT sum(ns) FROM critical_path), 2) AS percent,
    CASE WHEN {every_rank} AND first(average.ns) IS NOT NULL THEN greatest(0, sum(piece.ns) - first(average.ns)) END
        / 1e6 AS imbalance_ms
FROM critical_path piece LEFT JOIN average ON average.activity = piece.activity
    AND average.source IS NOT DISTINCT FROM piece.source
WHERE {rank} GROUP BY piece.activity, piece.source ORDER BY path_ms DESC, piece.activity, piece.source)",
                             40},
                            {"by_rank", "The critical path by rank, and what ranks could take on",
                             R"(SELECT rank, coalesce(first(p.ns), 0) / 1e6 AS path_ms,
    round(100 * coalesce(first(p.ns), 0) / (SELECT sum(ns) FROM critical_path), 2)
        AS percent, min(slack_ns) / 1e6 AS slack_ms
FROM slack LEFT JOIN (SELECT rank, sum(ns) AS ns FROM critical_path GROUP BY rank) p
    USING (rank) WHERE {rank} GROUP BY rank ORDER BY path_ms DESC, rank)"},
                            UnrecordedTable(filter),
                        });
}

std::vector<SectionTable> Openmp(const Filter& filter) {
    return Fill(
        filter,
        {
            {"regions", "Parallel regions",
             R"(SELECT rank, source, calls, time_ns / 1e6 AS time_ms, round(100 * share, 2) AS percent,
    threads, round(imbalance, 3) AS imbalance, barrier_wait_ns / 1e6 AS barrier_ms,
    end_wait_ns / 1e6 AS end_wait_ms, critical_wait_ns / 1e6 AS critical_wait_ms,
    critical_hold_ns / 1e6 AS critical_hold_ms, serial_before_ns / 1e6 AS serial_before_ms, text
FROM dbg_region WHERE {rank} ORDER BY time_ns DESC, rank, source)",
             40},
            {"loops", "Loops and other shared work",
             R"(SELECT rank, kind, source, schedule, calls, threads, work_max_ns / 1e6 AS work_max_ms,
    work_avg_ns / 1e6 AS work_avg_ms, round(imbalance, 3) AS imbalance,
    barrier_wait_ns / 1e6 AS barrier_ms, critical_wait_ns / 1e6 AS critical_wait_ms, chunks, text
FROM dbg_loop WHERE {rank} ORDER BY thread_time_ns DESC, rank, source)",
             40},
            {"remarks",
             "What these tables do not show",
             R"(SELECT format('barrier_ms is - where the source tells no implicit barriers: comshu fc '
    '-dperf makes them visible. Until then what threads wait at the end of {} counts as their work, '
    'in regions too, and hides imbalance.', CASE WHEN count(DISTINCT source) = 1 THEN 'that construct'
        ELSE format('these {:d} constructs', count(DISTINCT source)) END) AS remark
FROM dbg_loop WHERE barrier_wait_ns IS NULL AND {rank} HAVING count(*) > 0
UNION ALL SELECT format('{} had not ended (first: {}): what was open there counts up to the last record of its '
    'thread.', CASE WHEN count(*) = 1 THEN 'A region' ELSE format('{:d} regions', count(*)) END,
    coalesce(first(source ORDER BY begin_ns), 'unknown'))
FROM omp_region LEFT JOIN (SELECT process_id, construct, source FROM dbg_region) USING (process_id, construct)
WHERE end_ns IS NULL AND {rank} HAVING count(*) > 0
UNION ALL SELECT 'The program asked which iterations are to tell their data (comshu fc -dbif): of what stands '
    'inside of iterations that were left out, loops have no iterations and chunks here, and with -dbif2 no calls '
    'and loops. --openmp.iterations all tells all of them.'
WHERE EXISTS (SELECT 1 FROM omp_iteration WHERE kind = 1 AND {rank})
UNION ALL SELECT 'Of some regions nothing was told (their source was left alone, or built without comshu fc): the '
    'threads that share work there are taken for the team (first: '
    || coalesce(first(source ORDER BY thread_time_ns DESC), '?') || ').'
FROM dbg_loop WHERE execution_imbalance_ns IS NULL AND threads > 1 AND {rank}
    AND kind IN ('loop', 'sections', 'single', 'workshare') HAVING count(*) > 0)",
             0,
             {},
             true},
            {"threads", "Work by thread",
             R"(SELECT rank, thread, omp_thread, sum(work_ns) / 1e6 AS work_ms,
    sum(barrier_wait_ns + end_wait_ns) / 1e6 AS barrier_ms,
    sum(critical_wait_ns) / 1e6 AS critical_wait_ms
FROM dbg_thread WHERE kind = 'parallel' AND {rank} GROUP BY ALL ORDER BY rank, thread)",
             100},
            {"intervals", "Intervals",
             R"(SELECT rank, id, parent_id, interval_number AS number, file_name || ':' || begin_line AS source, calls_count AS calls,
    execution_time_ns / 1e6 AS time_ms, used_threads AS threads,
    round(100 * efficiency, 2) AS efficiency_percent, lost_time_ns / 1e6 AS lost_ms,
    idle_barrier_time_ns / 1e6 AS barrier_ms, idle_critical_time_ns / 1e6 AS critical_ms,
    insufficient_parallelism_ns / 1e6 AS insufficient_ms, idle_parallel_ns / 1e6 AS idle_parallel_ms,
    load_imbalance_time_ns / 1e6 AS imbalance_ms, io_time_ns / 1e6 AS io_ms
FROM dbg_interval WHERE {rank} ORDER BY rank, id)",
             100},
        });
}

// A query per assertion, so that memory is that of one.
std::vector<SectionTable> CheckQueries(const Filter& filter) {
    std::vector<SectionTable> queries;
    for (const Check& check : Checks()) {
        queries.push_back({check.name, check.what,
                           fmt::format("SELECT count(*) AS broken FROM (\n{}\n)", check.sql)});
    }
    return Fill(filter, queries);
}

std::vector<SectionTable> CheckTables(const Filter& filter) {
    return {{"checks", "What must hold of every capture, and how often it does not",
             "SELECT \"check\", broken, rule FROM checked ORDER BY number", 0,
             CheckQueries(filter)}};
}

// What one check holds in memory; DuckDB puts down what is more. Of machines with less it takes their part.
constexpr long kCheckBytes = long{1} << 30;
constexpr const char* kCheckLimit = "SET memory_limit = '1 GiB'";
constexpr const char* kNoCheckLimit = "RESET memory_limit";

bool AskCheck(read::Database* database, const SectionTable& asked, int64_t* broken,
              std::string* error) {
    read::Query query;
    if (!query.Run(database, asked.sql, error, read::RowCount::kFew)) return false;
    if (!query.Next()) {
        *error = query.error().empty() ? asked.name + ": no answer" : query.error();
        return false;
    }
    *broken = query.Integer(0);
    return true;
}

bool AskChecks(read::Database* database, const Filter& filter, std::string* rows,
               std::string* error) {
    size_t number = 0;
    for (const SectionTable& asked : CheckQueries(filter)) {
        int64_t broken = 0;
        if (!AskCheck(database, asked, &broken, error)) {
            // Not everything can be put down.
            if (error->find("Out of Memory") == error->npos ||
                !database->Execute(kNoCheckLimit, error) ||
                !AskCheck(database, asked, &broken, error)) {
                return false;
            }
        }
        *rows += fmt::format("{}({}, {}, {}::BIGINT, {})", rows->empty() ? "" : ",\n", number++,
                             read::SqlText(asked.name), broken, read::SqlText(asked.title));
    }
    return true;
}

bool MakeChecks(read::Database* database, const Filter& filter, std::string* error) {
    if (!database->CheckAll(error)) return false;
    std::string ignored;
    if (sysconf(_SC_PHYS_PAGES) > kCheckBytes / sysconf(_SC_PAGESIZE) * 2)
        database->Execute(kCheckLimit, &ignored);
    std::string rows;
    const bool answered = AskChecks(database, filter, &rows, error);
    database->Execute(kNoCheckLimit, &ignored);
    return answered && database->Execute("CREATE OR REPLACE TEMP TABLE checked AS FROM (VALUES\n" +
                                             rows + ") AS answers(number, \"check\", broken, rule)",
                                         error);
}

}  // namespace

const std::vector<Section>& Sections() {
    static const std::vector<Section> sections = {
        {"waits",
         "where ranks waited for each other (docs/waits.md)",
         "No call waited for another rank, no thread for another one.",
         {"mpi", "openmp"},
         "wait_state",
         kWaited,
         nullptr,
         Waits,
         true,
         true},
        {"efficiency",
         "parallel efficiency and what it is made of (docs/efficiency.md)",
         "No rank called MPI, whose calls it is worked out from.",
         {"mpi"},
         nullptr,
         nullptr,
         MakeEfficiencyTables,
         EfficiencyTables,
         true,
         true},
        {"path",
         "the critical path, and the slack of ranks (docs/efficiency.md)",
         "No rank called MPI, through whose calls the critical path goes.",
         {"mpi"},
         nullptr,
         nullptr,
         MakePathTables,
         Path,
         true,
         true},
        {"matrix",
         "messages between ranks, by communicator and tag",
         "No message was sent and received.",
         {"mpi"},
         "message",
         nullptr,
         nullptr,
         Matrix,
         true,
         true},
        {"openmp",
         "OpenMP regions, loops, threads and intervals (docs/provider-openmp.md)",
         "There are no parallel regions, loops and intervals.",
         {"openmp"},
         nullptr,
         nullptr,
         nullptr,
         Openmp,
         false,
         true},
        {"checks",
         "whether what must hold of every capture holds of this one",
         "Nothing was checked.",
         {},
         nullptr,
         nullptr,
         MakeChecks,
         CheckTables,
         false,
         false},
        {"calls",
         "calls and regions of all layers by source line",
         "There are no calls and regions.",
         {"mpi", "openmp"},
         "span",
         nullptr,
         nullptr,
         Calls,
         true,
         true},
    };
    return sections;
}

const Section* FindSection(const std::string& name) {
    const auto& sections = Sections();
    const auto found = std::find_if(sections.begin(), sections.end(),
                                    [&](const Section& section) { return section.name == name; });
    return found == sections.end() ? nullptr : &*found;
}

std::string ShortSql(const SectionTable& table) {
    return table.most == 0 ? table.sql : fmt::format("{} LIMIT {}", table.sql, table.most);
}

std::string PrepareSql(const Section& section, const Filter& filter) {
    return section.prepare_sql == nullptr ? "" : FillFilter(section.prepare_sql, filter);
}

bool Prepare(const Section& section, const Filter& filter, read::Database* database,
             std::string* error) {
    const std::string sql = PrepareSql(section, filter);
    return (sql.empty() || database->Execute(sql, error)) &&
           (section.pass == nullptr || section.pass(database, filter, error));
}

void OfferTables(read::Database* database, const Filter& filter) {
    using Pass = bool (*)(read::Database*, const Filter&, std::string*);
    const auto offer = [&](std::vector<std::string> words, Pass pass) {
        database->MakeOnMention(
            std::move(words),
            [database, filter, pass](std::string* error) {
                read::KeepLinksIfWorth(database);
                return pass(database, filter, error);
            },
            read::Database::Need::kRows);
    };
    offer({"from efficiency", "join efficiency", "useful_time"}, MakeEfficiencyTables);
    offer({"critical_path", "from slack", "join slack"}, MakePathTables);
    offer({"overtaken"}, [](read::Database* to, const Filter&, std::string* error) {
        return MakeOvertakenTable(to, error);
    });
}

}  // namespace comshu::analysis
