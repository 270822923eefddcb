// Reads the MPI records of one process in the order in which its calls began.
#ifndef COMSHU_READ_MATCHING_PROCESS_FEED_H_
#define COMSHU_READ_MATCHING_PROCESS_FEED_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "comshu/read/capture.h"
#include "comshu/schema/mpi_generated.h"
#include "matching/comm_directory.h"
#include "matching/mpi_block.h"
#include "matching/rank_matcher.h"

namespace comshu::read {

// Holds a decoded block per thread while the threads are merged; of a process with one thread, none
// between steps. Not thread-safe.
class ProcessFeed {
public:
    // `blocks`: those of the process, in the order of the capture.
    ProcessFeed(const Capture& capture, const Process& process, const CommDirectory& comms,
                const std::vector<const Block*>& blocks, MatchState* state, MpiBlockPool* pool);

    // Feeds until a block is used up. False when there is nothing left.
    // Ends where an unknown number of records is missing: which message of a channel is the next one there, nobody knows.
    bool Step();
    // When the next call began.
    int64_t next_ns() const { return next_ns_; }
    void Finish() { matcher_.Finish(); }

private:
    // Messages that a thread lost, and when they take effect: posts where the gap begins, completions,
    // which follow their posts, where it ends.
    struct Loss {
        int64_t at_ns;
        uint64_t request;
        uint32_t thread;
        schema::MpiDirection direction;
        uint64_t count;
        Envelope envelope;
    };
    struct ThreadCursor {
        uint32_t thread = 0;
        std::vector<const Block*> blocks;
        size_t next_block = 0;
        std::unique_ptr<MpiBlock> block;  // Null: the next one is not open yet.
        bool at_end = false;
        // Of the record it stands at; of a block that is not open, the first time in it.
        int64_t begin_ns = 0;
        std::vector<Loss> losses;
        size_t next_loss = 0;
        // The call that was read last, for the records that belong to it.
        CallTimes call;
    };

    void ReadLosses(const Block& block);
    ThreadCursor* Cursor(uint32_t thread);
    bool Advance(ThreadCursor* cursor);
    bool Stand(ThreadCursor* cursor);
    void CloseBlock(ThreadCursor* cursor);
    bool IsBehindHole(const ThreadCursor& cursor) const;
    void OpenBlock(ThreadCursor* cursor);
    void SetNext();
    void FeedCall(ThreadCursor* cursor);
    void Feed(ThreadCursor* cursor);
    void ApplyLosses(ThreadCursor* cursor, int64_t until_ns);

    Envelope ReadEnvelope(const MpiBlock& block, MpiField peer, MpiField world_peer, MpiField tag,
                          MpiField bytes) const;
    void FeedPointToPoint(const MpiBlock& block, const CallTimes& call);
    void FeedCompletion(const MpiBlock& block, const ThreadCursor& cursor);
    void FeedCollective(const MpiBlock& block, const CallTimes& call);

    const Capture& capture_;
    MpiBlockPool* pool_;
    const Process& process_;
    const CommDirectory& comms_;
    RankMatcher matcher_;
    std::vector<std::unique_ptr<ThreadCursor>> cursors_;
    ThreadCursor* next_ = nullptr;
    int64_t next_ns_ = 0;
    uint64_t hole_;  // The number of the first frame that is missing or damaged.
    // Most collectives are on the communicator of the one before.
    uint64_t last_collective_comm_ = 0;
    int32_t last_collective_rank_ = kNoNumber;
};

}  // namespace comshu::read

#endif  // COMSHU_READ_MATCHING_PROCESS_FEED_H_
