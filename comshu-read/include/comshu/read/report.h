// The report of a capture: what `comshu read` shows.
#ifndef COMSHU_READ_REPORT_H_
#define COMSHU_READ_REPORT_H_

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "comshu/read/database.h"

namespace comshu::read {

// Every number is the result of a query over the views (ReportQueries). Ranks are those of the
// capture, times in ns; -1 where something is not known.
struct Report {
    // Of several hosts.
    struct Clocks {
        uint64_t clocks = 0;    // 0 or 1: there is nothing to tell.
        uint64_t measured = 0;  // Compared with that of rank 0's host.
        std::string choice;     // What times are counted on: host, measured, logical.
        double bound_ns = 0;    // How far off times may be, of those that were compared.
        // Messages that arrive before they are sent, and collectives that a rank left before all had
        // come: by the hosts' own clocks, and as shown.
        uint64_t messages_before = 0;
        uint64_t messages = 0;
        uint64_t collectives_before = 0;
        uint64_t collectives = 0;
    };
    struct Facts {
        std::vector<std::string> paths;
        std::string command;
        std::string library;   // The MPI, as it names itself.
        std::string ending;    // How the run ended, in words.
        std::string launcher;  // That it seems to be the one of another MPI; empty: it does not.
        std::vector<std::string> hosts;
        int64_t start_realtime_ns = 0;
        int64_t duration_ns = 0;
        uint64_t ranks = 0;
        uint64_t ranks_elsewhere = 0;  // Of the same worlds, and not in the capture.
        uint64_t threads = 0;
        uint64_t calls = 0;      // As `comshu run` counts them: those that were recorded.
        uint64_t spans = 0;      // With what was worked out beside them.
        uint64_t mpi_spans = 0;  // Of spans; 0: nothing of MPI was recorded.
        uint64_t regions = 0;    // Of the program's own, and states of an imported trace.
        uint64_t recorded = 0;   // Records.
        uint64_t lost = 0;       // Records.
        uint64_t cut_ranks = 0;  // Whose streams end early: what follows is missing.
        int32_t first_cut = 0;   // The first of them, and how far its stream goes.
        int64_t cut_ns = 0;
        bool is_damaged = false;    // An unknown number of records is missing.
        bool keeps_newest = false;  // A flight recorder: what is lost is older than what is there.
        uint64_t bytes = 0;         // Of the files.
        Clocks clocks;
        uint64_t unfinished = 0;  // Ranks that did not come to an orderly end.
    };
    // Time of the threads of a rank, those that recorded, together.
    struct RankTime {
        int32_t rank = 0;
        int64_t mpi_ns = 0;
        int64_t init_ns = 0;         // Of mpi_ns: MPI_Init, MPI_Finalize and the like.
        int64_t openmp_wait_ns = 0;  // At barriers, for critical regions ...
        int64_t total_ns = 0;
        uint64_t calls = 0;
        uint64_t sent_bytes = 0;
        int64_t collective_wait_ns = 0;  // Until the last one had come to a collective.
        uint64_t came_last = 0;          // Collectives that all others waited for.
        std::string host;
        std::string boot_id;  // Tells hosts of one name apart.
        std::string state;
    };
    // A line of the program; text empty: not known.
    struct Source {
        std::string text;  // Name of the file without its folder, and line: a.c:12
        std::string file;
        int64_t line = 0;
    };
    struct Call {
        std::string layer;
        std::string name;
        Source source;
        uint64_t count = 0;
        uint64_t bytes = 0;
        int64_t ns = 0;
        bool has_bytes = false;
    };
    // What threads of OpenMP did: its own section has the rest.
    struct Openmp {
        struct Place {
            std::string name;
            Source source;
            uint64_t count = 0;
            int64_t ns = 0;
        };
        std::vector<Place> regions;  // Parallel regions by time, most first.
        std::vector<Place> waits;    // Of threads for each other, by time.
    };
    struct Pair {
        int32_t from = 0;
        int32_t to = 0;
        uint64_t messages = 0;
        uint64_t bytes = 0;
        bool has_bytes = true;  // False: the size of none of them is known.
    };
    struct Size {
        int exponent = 0;  // Sizes from 2^exponent up to twice that; -1: empty messages.
        uint64_t messages = 0;
        uint64_t bytes = 0;
    };
    // Receivers that stood in a call because their sender came late.
    struct LateSenders {
        uint64_t calls = 0;
        int64_t ns = 0;
        std::string name;  // Of the call that waited most.
        std::string source;
        int64_t most_ns = 0;
    };
    // Where a thread stood when the run was cut off, or stands.
    struct Stand {
        int32_t rank = 0;
        uint32_t thread = 0;
        std::string name;  // Of the innermost open call; empty: in none.
        std::string detail;
        Source source;
        int64_t begin_ns = 0;  // Of the call; of a thread in none, the end of its last one.
        int64_t for_ns = 0;    // 0: when the process died is not known.
        std::string failed;    // How its process failed; empty: it did not, or it is not known.
        std::vector<int32_t> waits_for;  // Ranks without which it cannot go on.
    };
    // A rank that ended by a signal, or with a code other than 0.
    struct Failure {
        int32_t rank = 0;
        int signal = 0;  // 0: none, or not known.
        int exit_code = 0;
        int64_t end_ns = 0;
        std::string Text() const;  // SIGSEGV, exit code 3
    };
    struct Warning {
        std::string kind;
        std::string text;
    };

    Facts facts;
    std::vector<RankTime> ranks;
    Openmp openmp;
    std::vector<Call> calls;  // By time, most first.
    std::vector<Pair> pairs;
    std::vector<Size> sizes;
    LateSenders late_senders;
    std::vector<Failure> failures;  // The first to fail first.
    std::vector<Stand> stands;      // Empty for a run that ended by itself.
    // In words: ranks that wait for each other in a circle or met in different collectives; ranks that wait for
    // one that died or has ended.
    std::vector<std::string> deadlocks;
    std::vector<std::string> waits_for_gone;
    // Receives that wait, and messages that they would get but for the tag or the communicator.
    std::vector<std::string> near_misses;
    std::vector<Warning> warnings;
};

// The queries that a report is made of, in order.
struct ReportQuery {
    const char* name;
    const char* what;
    const char* sql;
};
const std::vector<ReportQuery>& ReportQueries();

// `paths`: what was opened. False and a reason in `error` if a query fails.
bool MakeReport(Database* database, const std::vector<std::string>& paths, Report* report,
                std::string* error);

struct ReportStyle {
    size_t width = 80;
    bool color = false;
    bool utf8 = false;

    // For this output: colour on a terminal without NO_COLOR, its width or COLUMNS, blocks of UTF-8 if
    // the locale says so.
    static ReportStyle Of(std::FILE* out);
};

std::string ReportText(const Report& report, const ReportStyle& style);
std::string ReportJson(const Report& report);

}  // namespace comshu::read

#endif  // COMSHU_READ_REPORT_H_
