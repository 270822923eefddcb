// Makes a capture of a program that never was: random calls of every kind that matching follows, matched or not,
// with losses, wildcards, cancelled and open receives.
//
//   comshu_random_capture DIR SEED CALLS RANKS [SHIFT_NS = 0]
//
// With a shift every second rank is on a host of its own whose clock is ahead by so much, which nothing tells.
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <limits>
#include <random>
#include <string>

#include "stream_writer.h"

namespace comshu::read {
namespace {

using schema::MpiFunction;

constexpr uint64_t kWorld = 77;
constexpr int32_t kNone = std::numeric_limits<int32_t>::min();

class RandomRank {
public:
    RandomRank(const std::string& folder, uint32_t seed, int32_t rank, int32_t ranks, int64_t shift)
        : random_(seed * 1000 + static_cast<uint32_t>(rank)),
          ranks_(ranks),
          writer_(folder + "/run/node0." + std::to_string(1000 + rank) + ".0.cst",
                  Options(rank, shift)) {
        writer_.Define(schema::MpiRank(writer_.Ticks(0), kWorld, writer_.Intern("job"), 0, rank,
                                       ranks, 0, 0, 0));
    }

    void Call() {
        now_ += Below(1000);
        switch (Below(12)) {
            case 0:
            case 1:
                return PointToPoint(MpiFunction::MPI_Send, 0, Peer());
            case 2:
            case 3:
                return Request(MpiFunction::MPI_Isend, Peer());
            case 4:
            case 5:
                return Request(MpiFunction::MPI_Irecv, Below(4) == 0 ? -1 : Peer());
            case 6:
                return Receive();
            case 7:
                return Persistent();
            case 8:
                return Collective();
            case 9:
                return Lose();
            default:
                return Wait();
        }
    }
    void End() { writer_.End(writer_.Ticks(static_cast<int64_t>(now_) + 5000), kFinished); }

private:
    static constexpr auto kFinished = schema::EndReason::finished;

    static testing::ProcessOptions Options(int32_t rank, int64_t shift) {
        testing::ProcessOptions options;
        if (shift != 0 && rank % 2 == 1) {
            options.host = "node" + std::to_string(rank);
            options.boot_id = "00000000-0000-0000-0000-00000000000" + std::to_string(rank % 10);
            options.realtime_ns += shift;
        }
        options.pid += static_cast<uint32_t>(rank);
        options.raw = rank % 3 == 2;
        options.block_records = rank % 2 == 0 ? 500 : 77;
        return options;
    }
    uint64_t Below(uint64_t limit) { return random_() % limit; }
    int32_t Peer() { return static_cast<int32_t>(Below(static_cast<uint64_t>(ranks_))); }
    int32_t Tag() { return static_cast<int32_t>(Below(3)); }
    schema::SpanHead Head() {
        const uint64_t end = Below(200) == 0 ? 0 : writer_.Ticks(static_cast<int64_t>(now_) + 20);
        return schema::SpanHead(writer_.Ticks(static_cast<int64_t>(now_)), end,
                                core::SpanId(0, ++spans_), 0, schema::SpanFlags::NONE);
    }

    void PointToPoint(MpiFunction function, uint64_t request, int32_t peer) {
        writer_.Add(0, schema::MpiPointToPoint(Head(), 0, kWorld, Below(5000), request, Tag(), peer,
                                               peer, function));
    }
    void Request(MpiFunction function, int32_t peer) {
        pending_.push_back({++requests_, function == MpiFunction::MPI_Irecv, peer == -1});
        PointToPoint(function, requests_, peer);
    }
    void Receive() {
        const int32_t peer = Peer(), tag = Tag();
        writer_.Add(0, schema::MpiReceive(Head(), 0, kWorld, Below(5000), 5000, 0, tag, peer, peer,
                                          tag, Below(2) == 0 ? -1 : peer, MpiFunction::MPI_Recv));
    }
    void Persistent() {
        if (persistent_ == 0) {
            persistent_ = ++requests_;
            PointToPoint(MpiFunction::MPI_Send_init, persistent_, Peer());
            return;
        }
        writer_.Add(0,
                    schema::MpiRequestCall(Head(), 0, persistent_, 1, 0, MpiFunction::MPI_Start));
        writer_.Add(0, schema::MpiStart(In(), persistent_));
        pending_.push_back({persistent_, false, false});
    }
    void Collective() {
        // Communicators of some ranks only: not all instances are complete, as they need not be.
        const uint64_t comm = Below(3) == 0 ? 78 : kWorld;
        writer_.Add(
            0, schema::MpiCollective(Head(), 0, comm, 8, 8, 0, kNone, MpiFunction::MPI_Allreduce,
                                     schema::MpiOperation::sum));
    }
    void Lose() {
        if (Below(20) != 0) return Wait();
        constexpr schema::MpiDirection kDirections[] = {schema::MpiDirection::send,
                                                        schema::MpiDirection::receive,
                                                        schema::MpiDirection::collective};
        const uint64_t tick = writer_.Ticks(static_cast<int64_t>(now_));
        writer_.Define(schema::MpiLoss(tick, tick, kWorld, 1 + Below(3), 0, 0, Peer(), Tag(),
                                       kDirections[Below(3)]));
    }
    schema::EventHead In() {
        return schema::EventHead(writer_.Ticks(static_cast<int64_t>(now_) + 20),
                                 core::SpanId(0, spans_));
    }
    void Wait() {
        const auto count = static_cast<uint32_t>(Below(pending_.size() + 1));
        if (count == 0) return;
        writer_.Add(0, schema::MpiRequestCall(Head(), 0, pending_.front().request, count, count,
                                              MpiFunction::MPI_Waitall));
        for (uint32_t i = 0; i < count; ++i) {
            const Pending done = pending_.front();
            pending_.pop_front();
            const int32_t source = done.receives ? Peer() : kNone;
            writer_.Add(0, schema::MpiCompletion(
                               In(), done.request, done.receives ? Below(5000) : ~uint64_t{0},
                               source, source, done.receives ? Tag() : kNone,
                               done.receives ? schema::MpiRequestKind::receive
                                             : schema::MpiRequestKind::send,
                               Below(50) == 0  ? schema::MpiCompletionFlags::cancelled
                               : done.wildcard ? schema::MpiCompletionFlags::wildcard
                                               : schema::MpiCompletionFlags::NONE));
        }
    }

    struct Pending {
        uint64_t request;
        bool receives;
        bool wildcard;
    };

    std::mt19937_64 random_;
    int32_t ranks_;
    testing::StreamWriter writer_;
    uint64_t now_ = 1000;
    uint64_t spans_ = 0;
    uint64_t requests_ = 0;
    uint64_t persistent_ = 0;
    std::deque<Pending> pending_;
};

int Main(int argc, char** argv) {
    if (argc != 5 && argc != 6) return 2;
    const std::string folder = argv[1];
    std::filesystem::create_directories(folder + "/run");
    const auto ranks = static_cast<int32_t>(std::atoi(argv[4]));
    for (int32_t rank = 0; rank < ranks; ++rank) {
        RandomRank made(folder, static_cast<uint32_t>(std::atoi(argv[2])), rank, ranks,
                        argc == 6 ? std::atoll(argv[5]) : 0);
        for (int call = 0; call < std::atoi(argv[3]); ++call) made.Call();
        made.End();
    }
    return 0;
}

}  // namespace
}  // namespace comshu::read

int main(int argc, char** argv) {
    return comshu::read::Main(argc, argv);
}
