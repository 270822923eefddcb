// How fast messages are matched: 8 ranks in a ring, nonblocking, completed by MPI_Waitall.
//
//   comshu_match_bench [MILLIONS = 10]
//
// Writes that many million records (removed at the end) and matches them; the number of messages is
// known. One core works, so its time is the figure, whatever else the machine does. Printed are the seconds
// of the fastest run, and the rates of the fastest, the median and the first.
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
    std::vector<double> seconds;
    for (int i = 0; i < kRuns; ++i) {
        const double begin = CpuSeconds();
        const MatchResult result(*capture);
        seconds.push_back(CpuSeconds() - begin);
        if (result.messages().size() != messages || result.unmatched().size() != 0 ||
            result.collectives().size() != messages) {
            std::fprintf(stderr, "match_bench: %zu messages, not %llu\n", result.messages().size(),
                         static_cast<unsigned long long>(messages));
            return 1;
        }
    }
    const double first = seconds.front();
    std::sort(seconds.begin(), seconds.end());
    const double records = static_cast<double>(messages * kRecordsInTurn) / 1e6;
    std::printf("%-34s %8.2f s  %8.1f %8.1f %8.1f million records/s\n",
                "matching messages and collectives", seconds.front(), records / seconds.front(),
                records / seconds[kRuns / 2], records / first);
    return 0;
}

}  // namespace
}  // namespace comshu::read

int main(int argc, char** argv) {
    return comshu::read::Main(argc, argv);
}
