#include "plain_losses.h"

#include <fmt/core.h>

#include "communicators.h"
#include "each_row.h"

namespace comshu::format {
namespace {

constexpr const char* kSpansSql = R"(SELECT count(source), count(*) FILTER (failed OR unwound),
    count(*) FILTER (layer = 'openmp') FROM span)";
// Numbers of threads are those of an imported trace, so that the first may be any.
constexpr const char* kThreadsSql = R"(WITH first AS (
    SELECT rank, min(thread) AS thread FROM thread GROUP BY rank)
SELECT (SELECT count(*) FROM span s JOIN first f ON f.rank = s.rank AND s.thread > f.thread),
    (SELECT count(*) FROM first WHERE thread > 0))";
// An imported trace tells of no host, and a thread that it does not name is called as its rank.
constexpr const char* kPlaceNamesSql = R"(SELECT
    (SELECT count(DISTINCT host) FROM rank WHERE host <> '' AND NOT EXISTS (FROM import_source)),
    (SELECT count(*) FROM thread t LEFT JOIN rank r ON r.rank = t.rank
        WHERE t.name <> '' AND t.name IS DISTINCT FROM r.name))";
// Of an imported trace that gives none they are made of numbers.
constexpr const char* kProgramsSql = R"(SELECT count(DISTINCT executable) FROM process
WHERE executable <> ''
    AND NOT regexp_matches(executable, '^(host|(node|task|processor|process|rank) [-0-9.]+)$'))";
constexpr const char* kNoticesSql = "SELECT count(*) FROM user_message";
constexpr const char* kMessagesSql = R"(SELECT comm, count(*) FROM message
WHERE layer = 'mpi' GROUP BY comm)";
constexpr const char* kParaverSql =
    "SELECT count(*) FROM import_source WHERE format::VARCHAR = 'paraver'";
constexpr const char* kSmallSql = R"(SELECT count(*) FROM (SELECT instance FROM collective
GROUP BY instance HAVING count(DISTINCT rank) < (SELECT count(*) FROM rank)))";

// Messages of an imported Paraver trace that crossed are on communicators that were made for their order, and
// have no names.
bool CountOtherComms(read::Database* database, uint64_t* messages, std::string* error) {
    Communicators comms;
    bool is_paraver = false;
    const auto count = [&](const read::Query& row) {
        const uint64_t comm = row.Unsigned(0);
        const std::string name = comms.NameOf(comm);
        const bool is_world =
            comms.world() >= 0 ? comms.IsWorld(comm) : name == "MPI_COMM_WORLD" || name == "world";
        if (!is_world && !(is_paraver && name.empty())) *messages += row.Unsigned(1);
    };
    return comms.Load(database, error) &&
           EachRow(database, kParaverSql, error,
                   [&](const read::Query& row) { is_paraver = row.Integer(0) != 0; }) &&
           EachRow(database, kMessagesSql, error, count);
}

}  // namespace

bool TellPlainLosses(read::Database* database, const PlainFormat& format, ExportResult* result,
                     std::string* error) {
    const auto spans = [&](const read::Query& row) {
        result->Say(row.Unsigned(0), "source line of a call left out",
                    "source lines of calls left out");
        result->Say(row.Unsigned(1), "call failed or was left by a jump: as others",
                    "calls failed or were left by a jump: as others");
        result->Say(row.Unsigned(2), "span of OpenMP is written as a region",
                    "spans of OpenMP are written as regions");
    };
    const auto threads = [&](const read::Query& row) {
        result->Say(row.Unsigned(0), "span of a further thread is written as of the first",
                    "spans of further threads are written as of the first");
        result->Say(row.Unsigned(1), "node has another number than 0 for its first process",
                    "nodes have other numbers than 0 for their first processes", ": left out");
    };
    const auto names = [&](const read::Query& row) {
        result->Say(row.Unsigned(0), "name of a host left out", "names of hosts left out");
        result->Say(row.Unsigned(1), "name of a thread left out", "names of threads left out");
    };
    const auto programs = [&](const read::Query& row) {
        result->Say(row.Unsigned(0), "name of a program or process left out",
                    "names of programs or processes left out");
    };
    const auto notices = [&](const read::Query& row) {
        result->Say(row.Unsigned(0), "side of a message of the program's own transport is",
                    "sides of messages of the program's own transport are", " written as of MPI");
    };
    const auto small = [&](const read::Query& row) {
        result->Say(row.Unsigned(0), "collective of some of the ranks is written as one of all",
                    "collectives of some of the ranks are written as ones of all",
                    ": the format has no communicators");
    };
    uint64_t of_others = 0;
    if (!format.message_comms && !CountOtherComms(database, &of_others, error)) return false;
    result->Say(of_others, "message over another communicator is",
                "messages over other communicators are", " written as over that of all ranks");
    return EachRow(database, kSpansSql, error, spans) &&
           (format.threads || EachRow(database, kThreadsSql, error, threads)) &&
           (format.names || EachRow(database, kPlaceNamesSql, error, names)) &&
           EachRow(database, kProgramsSql, error, programs) &&
           EachRow(database, kNoticesSql, error, notices) &&
           (format.collective_comms || EachRow(database, kSmallSql, error, small));
}

bool HasWholeCapture(read::Database* database, std::string* error) {
    if (database->capture() != nullptr) return true;
    std::string missing;
    for (const char* table :
         {"span", "message", "unmatched", "collective", "mark", "counter", "process", "rank",
          "thread", "user_message", "mpi_comm", "communicator", "import_source", "capture",
          "mpi_probe", "mpi_receive"}) {
        std::string ignored;
        if (!database->Execute(fmt::format("SELECT 1 FROM {} LIMIT 0", table), &ignored))
            missing += (missing.empty() ? "" : ", ") + std::string(table);
    }
    if (missing.empty()) return true;
    *error = fmt::format(
        "this export folder does not have all that the format needs ({}): give "
        "the capture",
        missing);
    return false;
}

}  // namespace comshu::format
