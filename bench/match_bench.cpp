// How fast messages are matched: 8 ranks in a ring, nonblocking, completed by MPI_Waitall.
//
//   comshu_match_bench [MILLIONS = 10]
//
// Writes that many million records (removed at the end) and matches them; the number of messages is
// known. One core works, so its time is the figure, whatever else the machine does. Twice: with the rows kept
// in memory, as a query without links needs them, and as a stream, as `comshu link` does it. Printed are the
// seconds of the fastest run, and the rates of the fastest, the median and the first.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "comshu/read/capture.h"
#include "matching/match_result.h"
#include "matching/mpi_matcher.h"
#include "stream_writer.h"
#include "temporary_folder.h"

namespace comshu::read {
namespace {

constexpr int32_t kRanks = 8;
constexpr int kRuns = 7;
constexpr uint64_t kRecordsInTurn = 6;
constexpr uint64_t kBytes = 1024;
constexpr int32_t kNone = std::numeric_limits<int32_t>::min();

void WriteRank(const std::string& path, int32_t rank, uint64_t turns) {
    testing::ProcessOptions options;
    options.pid += static_cast<uint32_t>(rank);
    testing::StreamWriter writer(path, options);
    writer.Define(
        schema::MpiRank(writer.Ticks(0), 77, writer.Intern("job"), 0, rank, kRanks, 0, 0, 0));
    uint64_t number = 0;
    uint64_t now = writer.Ticks(1000);
    const auto span = [&] {
        now += 1000;
        return schema::SpanHead(now - 800, now, core::SpanId(0, ++number), 0,
                                schema::SpanFlags::NONE);
    };
    const int32_t next = (rank + 1) % kRanks;
    const int32_t previous = (rank + kRanks - 1) % kRanks;
    for (uint64_t i = 0; i < turns; ++i) {
        const uint64_t receive = 2 * i + 1, send = 2 * i + 2;
        const auto done = [&](uint64_t request, bool receives) {
            writer.Add(
                0, schema::MpiCompletion(
                       schema::EventHead(now, core::SpanId(0, number)), request,
                       receives ? kBytes : ~uint64_t{0}, receives ? previous : kNone,
                       receives ? previous : kNone, receives ? 7 : kNone,
                       receives ? schema::MpiRequestKind::receive : schema::MpiRequestKind::send,
                       schema::MpiCompletionFlags::NONE));
        };
        writer.Add(0, schema::MpiPointToPoint(span(), 0x401000, 77, kBytes, receive, 7, previous,
                                              previous, schema::MpiFunction::MPI_Irecv));
        writer.Add(0, schema::MpiPointToPoint(span(), 0x401010, 77, kBytes, send, 7, next, next,
                                              schema::MpiFunction::MPI_Isend));
        writer.Add(0, schema::MpiRequestCall(span(), 0x401020, receive, 2, 2,
                                             schema::MpiFunction::MPI_Waitall));
        done(receive, true);
        done(send, false);
        writer.Add(0, schema::MpiCollective(span(), 0x401030, 77, 8, 8, 0, kNone,
                                            schema::MpiFunction::MPI_Allreduce,
                                            schema::MpiOperation::sum));
    }
    writer.End(now, schema::EndReason::finished);
}

double CpuSeconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

struct Counts {
    uint64_t messages = 0;
    uint64_t unmatched = 0;
    uint64_t collectives = 0;
    bool operator==(const Counts&) const = default;
};

class CountingSink : public MatchSink {
public:
    void Message(const MessageRow&) override { ++counts.messages; }
    void Unmatched(const UnmatchedRow&) override { ++counts.unmatched; }
    void Collective(const CollectiveRow&) override { ++counts.collectives; }

    Counts counts;
};

template <typename Match>
bool Measure(const char* name, const Counts& expected, Match match) {
    std::vector<double> seconds;
    for (int i = 0; i < kRuns; ++i) {
        const double begin = CpuSeconds();
        const Counts found = match();
        seconds.push_back(CpuSeconds() - begin);
        if (found != expected) {
            std::fprintf(stderr, "match_bench: %s: %llu messages, not %llu\n", name,
                         static_cast<unsigned long long>(found.messages),
                         static_cast<unsigned long long>(expected.messages));
            return false;
        }
    }
    const double first = seconds.front();
    std::sort(seconds.begin(), seconds.end());
    const double records = static_cast<double>(expected.messages * kRecordsInTurn) / 1e6;
    std::printf("%-34s %8.2f s  %8.1f %8.1f %8.1f million records/s\n", name, seconds.front(),
                records / seconds.front(), records / seconds[kRuns / 2], records / first);
    return true;
}

int Main(int argc, char** argv) {
    const double millions = argc > 1 ? std::atof(argv[1]) : 10;
    const auto turns = static_cast<uint64_t>(millions * 1e6) / kRanks / kRecordsInTurn;
    const testing::TemporaryFolder folder;
    for (int32_t rank = 0; rank < kRanks; ++rank) {
        WriteRank(folder.File("run/node0." + std::to_string(1000 + rank) + ".0.cst"), rank, turns);
    }
    std::string error;
    const auto capture = Capture::Open({folder.path()}, &error);
    if (capture == nullptr) {
        std::fprintf(stderr, "match_bench: %s\n", error.c_str());
        return 1;
    }
    const uint64_t messages = kRanks * turns;
    const auto kept = [&] {
        const MatchResult result(*capture);
        return Counts{result.messages().size(), result.unmatched().size(),
                      result.collectives().size()};
    };
    const auto streamed = [&] {
        CountingSink sink;
        CollectiveTable table;
        MatchMpi(*capture, &sink, &table);
        return sink.counts;
    };
    const Counts expected{messages, 0, messages};
    const bool sound = Measure("matching messages and collectives", expected, kept) &&
                       Measure("matching as a stream", expected, streamed);
    return sound ? 0 : 1;
}

}  // namespace
}  // namespace comshu::read

int main(int argc, char** argv) {
    return comshu::read::Main(argc, argv);
}
