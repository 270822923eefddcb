#include "matching/process_feed.h"

#include <algorithm>
#include <limits>
#include <set>

#include "comshu/schema/mpi_generated.h"
#include "matching/mpi_functions.h"

namespace comshu::read {
namespace {

bool HasFlag(uint64_t flags, schema::MpiCompletionFlags flag) {
    return (flags & static_cast<uint64_t>(flag)) != 0;
}

bool HasFailed(const MpiBlock& block) {
    return (block.Get(MpiField::kFlags) & static_cast<uint64_t>(schema::SpanFlags::failed)) != 0;
}

// Of a stream that lacks frames the first number that no block has; further schemas are frames too, so it may be one
// too early.
uint64_t FirstMissingFrame(const Process& process, const std::vector<const Block*>& blocks) {
    constexpr uint64_t kNone = std::numeric_limits<uint64_t>::max();
    constexpr uint64_t kDescriptions = 2;  // The schema and the name of the .live file.
    if (process.stream == nullptr || process.stream->missing_frames() == 0) return kNone;
    std::set<uint64_t> numbers;
    for (const Block* block : blocks) numbers.insert(block->header.number);
    uint64_t next = kDescriptions;
    for (const uint64_t number : numbers) {
        if (number > next) return next;
        next = std::max(next, number + 1);
    }
    return kNone;
}

}  // namespace

ProcessFeed::ProcessFeed(const Capture& capture, const Process& process, const CommDirectory& comms,
                         const std::vector<const Block*>& blocks, MatchState* state,
                         MpiBlockPool* pool)
    : capture_(capture),
      pool_(pool),
      process_(process),
      comms_(comms),
      matcher_(state, process.rank),
      hole_(FirstMissingFrame(process, blocks)) {
    for (const Block* block : blocks) {
        if (block->definitions()) {
            ReadLosses(*block);
        } else {
            Cursor(block->header.thread)->blocks.push_back(block);
        }
    }
    for (const auto& cursor : cursors_) {
        std::stable_sort(cursor->losses.begin(), cursor->losses.end(),
                         [](const Loss& a, const Loss& b) { return a.at_ns < b.at_ns; });
        CloseBlock(cursor.get());
    }
    SetNext();
}

ProcessFeed::ThreadCursor* ProcessFeed::Cursor(uint32_t thread) {
    for (const auto& cursor : cursors_) {
        if (cursor->thread == thread) return cursor.get();
    }
    cursors_.push_back(std::make_unique<ThreadCursor>());
    cursors_.back()->thread = thread;
    return cursors_.back().get();
}

void ProcessFeed::ReadLosses(const Block& definitions) {
    if (!capture_.MayHold(definitions, "MpiLoss")) return;
    std::unique_ptr<MpiBlock> decoded = pool_->Take();
    MpiBlock& block = *decoded;
    for (bool sound = block.Open(definitions); sound && block.Next();) {
        if (block.record() != MpiRecord::kLoss) continue;
        Loss loss;
        loss.direction = static_cast<schema::MpiDirection>(block.Get(MpiField::kDirection));
        const bool completes = loss.direction == schema::MpiDirection::completion;
        loss.at_ns = process_.scale.ToNs(block.Get(completes ? MpiField::kEnd : MpiField::kBegin));
        loss.request = block.Get(MpiField::kRequest);
        loss.thread = static_cast<uint32_t>(block.Get(MpiField::kThread));
        loss.count = block.Get(MpiField::kLost);
        loss.envelope.comm = block.Get(MpiField::kComm);
        loss.envelope.tag = block.Number(MpiField::kTag);
        const int32_t peer = block.Number(MpiField::kPeer);
        loss.envelope.peer = loss.envelope.comm == 0
                                 ? comms_.PeerRank(process_, 0, kNoNumber, peer)
                                 : comms_.PeerRank(process_, loss.envelope.comm, peer, kNoNumber);
        Cursor(loss.thread)->losses.push_back(loss);
    }
    pool_->Return(std::move(decoded));
}

// Takes over the time of the record that its block stands at, if there is one. Inline, as some that follow: called
// for nearly every record, which compilers do not know.
inline bool ProcessFeed::Stand(ThreadCursor* cursor) {
    if (!cursor->block->Next()) return false;
    if (!BelongsToCall(cursor->block->record())) {
        cursor->begin_ns = static_cast<int64_t>(cursor->block->Get(MpiField::kBegin));
    }
    return true;
}

// To the next record of the block; false when it is used up, and closed.
inline bool ProcessFeed::Advance(ThreadCursor* cursor) {
    if (Stand(cursor)) return true;
    CloseBlock(cursor);
    return false;
}

// The next block is opened when its turn comes.
void ProcessFeed::CloseBlock(ThreadCursor* cursor) {
    if (cursor->block != nullptr) pool_->Return(std::move(cursor->block));
    cursor->at_end = cursor->next_block == cursor->blocks.size() || IsBehindHole(*cursor);
    if (cursor->at_end) return;
    const int64_t first =
        process_.scale.ToNs(cursor->blocks[cursor->next_block]->header.first_tick);
    cursor->begin_ns = std::max(cursor->begin_ns, first);
}

bool ProcessFeed::IsBehindHole(const ThreadCursor& cursor) const {
    return cursor.blocks[cursor.next_block]->header.number > hole_;
}

void ProcessFeed::OpenBlock(ThreadCursor* cursor) {
    if (IsBehindHole(*cursor)) {
        cursor->at_end = true;
        return;
    }
    const Block& block = *cursor->blocks[cursor->next_block++];
    cursor->block = pool_->Take();
    const bool has_records = cursor->block->Open(block);
    if (cursor->block->is_damaged()) hole_ = std::min<uint64_t>(hole_, block.header.number);
    if (!has_records || !Stand(cursor)) CloseBlock(cursor);
}

inline void ProcessFeed::SetNext() {
    if (cursors_.size() == 1 && !cursors_.front()->at_end) {
        next_ = cursors_.front().get();
        next_ns_ = next_->begin_ns;
        return;
    }
    next_ = nullptr;
    next_ns_ = std::numeric_limits<int64_t>::max();
    for (const auto& cursor : cursors_) {
        if (cursor->at_end || (next_ != nullptr && cursor->begin_ns >= next_ns_)) continue;
        next_ = cursor.get();
        next_ns_ = cursor->begin_ns;
    }
}

void ProcessFeed::ApplyLosses(ThreadCursor* cursor, int64_t until_ns) {
    while (cursor->next_loss < cursor->losses.size() &&
           cursor->losses[cursor->next_loss].at_ns <= until_ns) {
        const Loss& loss = cursor->losses[cursor->next_loss++];
        switch (loss.direction) {
            case schema::MpiDirection::send:
                matcher_.LoseMessages(Side::kSend, loss.envelope, loss.count);
                break;
            case schema::MpiDirection::receive:
                matcher_.LoseMessages(Side::kReceive, loss.envelope, loss.count);
                break;
            case schema::MpiDirection::collective:
                matcher_.LoseCollectives(loss.envelope.comm, loss.count);
                break;
            case schema::MpiDirection::completion:
                matcher_.LoseCompletions(loss.request, loss.envelope, loss.count);
                break;
        }
    }
}

bool ProcessFeed::Step() {
    while (next_ != nullptr) {
        ThreadCursor* cursor = next_;
        if (cursor->block == nullptr) {
            OpenBlock(cursor);
            SetNext();
            continue;
        }
        if (cursor->next_loss < cursor->losses.size()) ApplyLosses(cursor, cursor->begin_ns);
        FeedCall(cursor);
        SetNext();
        if (cursor->block == nullptr) return true;
    }
    for (const auto& cursor : cursors_) {
        ApplyLosses(cursor.get(), std::numeric_limits<int64_t>::max());
    }
    return false;
}

// A call and the records that belong to it. Where these go on in the next block, that follows in its
// turn: the cursor still knows whose they are.
inline void ProcessFeed::FeedCall(ThreadCursor* cursor) {
    do {
        Feed(cursor);
    } while (Advance(cursor) && BelongsToCall(cursor->block->record()));
}

inline Envelope ProcessFeed::ReadEnvelope(const MpiBlock& block, MpiField peer, MpiField world_peer,
                                          MpiField tag, MpiField bytes) const {
    Envelope envelope;
    envelope.comm = block.Get(MpiField::kComm);
    envelope.peer =
        comms_.PeerRank(process_, envelope.comm, block.Number(peer),
                        world_peer == MpiField::kFields ? kNoNumber : block.Number(world_peer));
    envelope.tag = block.Number(tag);
    if (bytes != MpiField::kFields) envelope.bytes = block.Get(bytes);
    return envelope;
}

inline void ProcessFeed::Feed(ThreadCursor* cursor) {
    const MpiBlock& block = *cursor->block;
    if (block.record() == MpiRecord::kCompletion) return FeedCompletion(block, *cursor);
    if (block.record() == MpiRecord::kStart) {
        return matcher_.Start(cursor->call, block.Get(MpiField::kRequest));
    }
    // Written where it stays: a copy of what was just written waits for the store.
    CallTimes& call = cursor->call;
    call.span = process_.CaptureSpanId(block.Get(MpiField::kSpan));
    call.begin = cursor->begin_ns;
    call.end = static_cast<int64_t>(block.Get(MpiField::kEnd));
    constexpr MpiField kNone = MpiField::kFields;
    const auto posted = [&] {
        return ReadEnvelope(block, MpiField::kPostedPeer, kNone, MpiField::kPostedTag, kNone);
    };
    const auto sent = [&] {
        return ReadEnvelope(block, MpiField::kPeer, MpiField::kWorldPeer, MpiField::kTag,
                            MpiField::kBytes);
    };
    const auto failed = [&](MpiField received) {
        return HasFailed(block) && block.Get(received) == kNoBytes;
    };
    switch (block.record()) {
        case MpiRecord::kPointToPoint:
            return FeedPointToPoint(block, call);
        case MpiRecord::kReceive:
            if (failed(MpiField::kBytes)) return matcher_.FailReceive(call, posted());
            return matcher_.Receive(call, posted(), sent(), block.Get(MpiField::kMessage));
        case MpiRecord::kSendReceive:
            if (failed(MpiField::kReceiveBytes)) {
                matcher_.Send(call, sent(), 0, true);
                return matcher_.FailReceive(call, posted());
            }
            return matcher_.SendReceive(
                call, sent(), posted(),
                ReadEnvelope(block, MpiField::kReceivePeer, MpiField::kReceiveWorldPeer,
                             MpiField::kReceiveTag, MpiField::kReceiveBytes),
                block.Get(MpiField::kRequest));
        case MpiRecord::kProbe:
            if (block.Get(MpiField::kFound) != 0) {
                matcher_.Mprobe(call, sent(), block.Get(MpiField::kMessage));
            }
            return;
        case MpiRecord::kCollective:
            return FeedCollective(block, call);
        default:
            return;
    }
}

inline void ProcessFeed::FeedPointToPoint(const MpiBlock& block, const CallTimes& call) {
    const MpiFunctionTraits& traits =
        TraitsOf(static_cast<uint16_t>(block.Get(MpiField::kFunction)));
    const Envelope envelope = ReadEnvelope(block, MpiField::kPeer, MpiField::kWorldPeer,
                                           MpiField::kTag, MpiField::kBytes);
    const uint64_t request = block.Get(MpiField::kRequest);
    const bool failed = HasFailed(block);
    if (traits.persistent) {
        if (failed) return;
        matcher_.InitPersistent(traits.receives ? Side::kReceive : Side::kSend, envelope, request,
                                traits.partitioned);
    } else if (!traits.receives) {
        matcher_.Send(call, envelope, request, failed);
    } else if (!failed && traits.matched) {
        matcher_.StartMatchedReceive(call, envelope, request);
    } else if (!failed) {
        matcher_.StartReceive(call, envelope, request);
    }
}

inline void ProcessFeed::FeedCompletion(const MpiBlock& block, const ThreadCursor& cursor) {
    Completion completion;
    completion.request = block.Get(MpiField::kRequest);
    completion.actual.tag = block.Number(MpiField::kTag);
    completion.actual.bytes = block.Get(MpiField::kBytes);
    completion.actual.peer = block.Number(MpiField::kPeer);
    // The communicator is that of the request; it is asked for where the world does not tell.
    const int32_t world_peer = block.Number(MpiField::kWorldPeer);
    const uint64_t comm = world_peer >= 0 ? 0 : matcher_.CommOf(completion.request);
    completion.actual.peer = comms_.PeerRank(process_, comm, completion.actual.peer, world_peer);
    const auto kind = static_cast<schema::MpiRequestKind>(block.Get(MpiField::kKind));
    completion.is_receive =
        kind != schema::MpiRequestKind::send && completion.actual.peer != kNoNumber;
    const uint64_t flags = block.Get(MpiField::kFlags);
    completion.cancelled = HasFlag(flags, schema::MpiCompletionFlags::cancelled);
    completion.freed = HasFlag(flags, schema::MpiCompletionFlags::freed);
    completion.wildcard = HasFlag(flags, schema::MpiCompletionFlags::wildcard);
    const uint64_t span = process_.CaptureSpanId(block.Get(MpiField::kSpan));
    completion.done_span = span;
    completion.done = span == cursor.call.span ? cursor.call.end
                                               : process_.scale.ToNs(block.Get(MpiField::kBegin));
    if (span == cursor.call.span) completion.done_begin = cursor.call.begin;
    if (completion.freed) completion.done = kNoTime;
    matcher_.Complete(completion);
}

inline void ProcessFeed::FeedCollective(const MpiBlock& block, const CallTimes& call) {
    CollectiveRow& row = *matcher_.RoomForCollective();
    row.comm = block.Get(MpiField::kComm);
    row.bytes_in = block.Get(MpiField::kBytes);
    row.bytes_out = block.Get(MpiField::kBytesOut);
    row.root = block.Number(MpiField::kRoot);
    row.function = static_cast<uint16_t>(block.Get(MpiField::kFunction));
    row.operation = static_cast<uint8_t>(block.Get(MpiField::kOperation));
    if (row.comm != last_collective_comm_) {
        last_collective_comm_ = row.comm;
        last_collective_rank_ = comms_.RankIn(process_, row.comm);
    }
    row.comm_rank = last_collective_rank_;
    const uint64_t request = block.Get(MpiField::kRequest);
    if (TraitsOf(row.function).persistent) {
        matcher_.InitCollective(row, request);
    } else {
        matcher_.Collective(call, row, request);
    }
}

}  // namespace comshu::read
