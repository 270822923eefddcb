// A run of several ranks whose calls have chosen times, for tests of what reads captures.
#ifndef COMSHU_READ_TESTING_MPI_RUN_H_
#define COMSHU_READ_TESTING_MPI_RUN_H_

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "mpi_process.h"
#include "temporary_folder.h"

namespace comshu::read::testing {

// Ranks are there once they are named; calls of each are given in order of time.
class MpiRun {
public:
    using MpiFunction = schema::MpiFunction;

    MpiProcess& Rank(int32_t rank) {
        while (static_cast<int32_t>(ranks_.size()) <= rank) {
            ranks_.push_back(
                std::make_unique<MpiProcess>(folder_, static_cast<int32_t>(ranks_.size())));
        }
        return *ranks_[rank];
    }

    // A blocking call from `begin` to `end`.
    void Send(int32_t rank, int64_t begin, int64_t end, int32_t to, int32_t tag,
              MpiFunction function = MpiFunction::MPI_Send) {
        Rank(rank).writer().Add(
            0, schema::MpiPointToPoint(Rank(rank).Head(begin, 0, false, end - begin), 0x100,
                                       MpiProcess::kWorld, 8, 0, tag, to, to, function));
    }
    void Receive(int32_t rank, int64_t begin, int64_t end, int32_t from, int32_t tag) {
        Rank(rank).writer().Add(0, schema::MpiReceive(Rank(rank).Head(begin, 0, false, end - begin),
                                                      0x200, MpiProcess::kWorld, 8, 8, 0, tag, from,
                                                      from, tag, from, MpiFunction::MPI_Recv));
    }
    void Wait(int32_t rank, int64_t begin, int64_t end,
              std::vector<schema::MpiCompletion> completions) {
        const auto count = static_cast<uint32_t>(completions.size());
        Rank(rank).writer().Add(
            0, schema::MpiRequestCall(Rank(rank).Head(begin, 0, false, end - begin), 0x300, 1,
                                      count, count, MpiFunction::MPI_Waitall));
        for (schema::MpiCompletion completion : completions) {
            completion.mutable_head() = Rank(rank).In(end);
            Rank(rank).writer().Add(0, completion);
        }
    }
    // Begin and end on each rank.
    void Collective(MpiFunction function, const std::vector<std::pair<int64_t, int64_t>>& times,
                    int32_t root = MpiProcess::kNone) {
        CollectiveOfRoots(function, times, std::vector<int32_t>(times.size(), root));
    }
    // Each rank with what it gives as root.
    void CollectiveOfRoots(MpiFunction function,
                           const std::vector<std::pair<int64_t, int64_t>>& times,
                           const std::vector<int32_t>& roots) {
        for (int32_t rank = 0; rank < static_cast<int32_t>(times.size()); ++rank) {
            const auto [begin, end] = times[rank];
            const int32_t root = roots[rank];
            Rank(rank).writer().Add(
                0, schema::MpiCollective(Rank(rank).Head(begin, 0, false, end - begin), 0x400,
                                         MpiProcess::kWorld, 8, 8, 0, root, function,
                                         schema::MpiOperation::none));
        }
    }

    // A collective that `request` completes; it takes 10 to start.
    void StartCollective(int32_t rank, int64_t begin, MpiFunction function, uint64_t request,
                         int32_t root = MpiProcess::kNone) {
        Rank(rank).writer().Add(
            0, schema::MpiCollective(Rank(rank).Head(begin), 0x400, MpiProcess::kWorld, 8, 8,
                                     request, root, function, schema::MpiOperation::none));
    }
    // MPI_Start of a persistent request.
    void StartRequest(int32_t rank, int64_t begin, uint64_t request) {
        Rank(rank).writer().Add(0, schema::MpiRequestCall(Rank(rank).Head(begin), 0x310, request, 1,
                                                          0, MpiFunction::MPI_Start));
        Rank(rank).writer().Add(0, schema::MpiStart(Rank(rank).In(begin + 10), request));
    }

    // A call that carries nothing: MPI_Init, MPI_Finalize ...
    void Plain(int32_t rank, int64_t begin, int64_t end, MpiFunction function) {
        Rank(rank).writer().Add(
            0, schema::MpiCall(Rank(rank).Head(begin, 0, false, end - begin), 0x500, function));
    }

    // Ends all processes; returns the folder of the capture.
    std::string Finish(int64_t end) {
        for (const auto& rank : ranks_) rank->End(end);
        ranks_.clear();
        return folder_.path();
    }

private:
    TemporaryFolder folder_;
    std::vector<std::unique_ptr<MpiProcess>> ranks_;
};

}  // namespace comshu::read::testing

#endif  // COMSHU_READ_TESTING_MPI_RUN_H_
