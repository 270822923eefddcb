// Follows what one rank does with messages and requests, call by call.
#ifndef COMSHU_READ_MATCHING_RANK_MATCHER_H_
#define COMSHU_READ_MATCHING_RANK_MATCHER_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "matching/channel_table.h"
#include "matching/collective_table.h"
#include "matching/receive_order.h"

namespace comshu::read {

// What all ranks of a pass share.
struct MatchState {
    // `halves`: see ChannelTable. Nothing is owned.
    MatchState(MatchSink* sink, CollectiveTable* collectives, HalfSink* halves = nullptr)
        : sink(sink), channels(sink, halves), collectives(collectives) {}

    MatchSink* sink;
    ChannelTable channels;
    CollectiveTable* collectives;
};

// Where a message goes or comes from, as the call says it.
struct Envelope {
    uint64_t comm = 0;
    int32_t peer = kNoNumber;  // Rank of the capture, kAnySource, kProcNull or kNoNumber.
    int32_t tag = kNoNumber;
    uint64_t bytes = kNoBytes;
};

// What a completion says. `peer`, `tag`, `bytes` of receives alone.
struct Completion {
    uint64_t request = 0;
    Envelope actual;  // Its comm is not used.
    bool is_receive = false;
    bool wildcard = false;  // Of a receive that was posted with one.
    bool cancelled = false;
    bool freed = false;
    int64_t done = kNoTime;
    uint64_t done_span = 0;
    int64_t done_begin = kNoTime;
};

// Turns the calls of one rank, fed in the order in which they began, into places in channels. Keeps
// what its requests stand for: an entry per request that is not complete, and per persistent one.
// Several of them share a MatchState, so they may not be fed from different threads at a time.
class RankMatcher {
public:
    RankMatcher(MatchState* state, int32_t rank) : state_(state), rank_(rank) {}

    int32_t rank() const { return rank_; }

    // `request` 0: a blocking call, complete when it ends. `failed`: it returned an error.
    void Send(const CallTimes& call, const Envelope& to, uint64_t request, bool failed = false);
    // A receive that returns at once; wildcards as posted.
    void StartReceive(const CallTimes& call, const Envelope& posted, uint64_t request);
    // MPI_Imrecv: of the message with the number of the request. Older captures do not say which: of the
    // first that MPI_Mprobe took from there.
    void StartMatchedReceive(const CallTimes& call, const Envelope& actual, uint64_t request);
    // A blocking receive. `actual` is what came; of no meaning while the call is open.
    void Receive(const CallTimes& call, const Envelope& posted, const Envelope& actual,
                 uint64_t message = 0);
    // A blocking receive that failed: no message was taken for it.
    void FailReceive(const CallTimes& call, const Envelope& posted);
    // MPI_Sendrecv: `request` 0; MPI_Isendrecv: complete with `request`.
    void SendReceive(const CallTimes& call, const Envelope& to, const Envelope& posted,
                     const Envelope& actual, uint64_t request);
    // MPI_Mprobe took `message` out of the queue; a receive that names it gets it.
    void Mprobe(const CallTimes& call, const Envelope& actual, uint64_t message);

    // MPI_Send_init and the like; `partitioned`: MPI_Psend_init, MPI_Precv_init.
    void InitPersistent(Side side, const Envelope& envelope, uint64_t request, bool partitioned);
    // MPI_Start of a persistent request, of whatever kind.
    void Start(const CallTimes& call, uint64_t request);
    void Complete(const Completion& completion);

    // `row`: comm, bytes, root, function, operation; the best place for it is the room. `request` 0: complete when the
    // call ends.
    CollectiveRow* RoomForCollective() { return state_->sink->RoomForCollective(); }
    void Collective(const CallTimes& call, const CollectiveRow& row, uint64_t request);
    void InitCollective(const CollectiveRow& row, uint64_t request);

    void LoseMessages(Side side, const Envelope& envelope, uint64_t count);
    void LoseCollectives(uint64_t comm, uint64_t count);
    // Completions of wildcard or cancelled receives that were not recorded. `request` 0: not told.
    void LoseCompletions(uint64_t request, const Envelope& actual, uint64_t count);

    // The communicator of a request; 0: not known.
    uint64_t CommOf(uint64_t request);

    // No more will come from this rank.
    void Finish();

private:
    using Handle = ChannelTable::Handle;
    using NodeId = ReceiveOrder::NodeId;

    struct PendingReceive {
        Handle half = ChannelTable::kNone;
        NodeId node = ReceiveOrder::kPlaced;
        uint64_t comm = 0;
        bool wildcard = false;  // Its node is to be resolved by the completion.
    };
    struct Request {
        Handle send = ChannelTable::kNone;
        PendingReceive receive;
        int32_t collective = -1;  // Index into pending_collectives_.
        int32_t persistent = -1;  // Index into templates_.
    };
    struct TakenMessage {
        Handle half = ChannelTable::kNone;
        Envelope envelope;
    };
    struct Template {
        Side side = Side::kSend;
        Envelope envelope;
        uint32_t lane = 0;
        bool is_collective = false;
        CollectiveRow row;
    };
    // Requests are numbered one after the other: neighbours stay neighbours.
    struct IdHash {
        uint64_t operator()(uint64_t id) const { return id ^ id >> 32; }
    };
    struct LaneCounter {
        uint64_t comm;
        int32_t peer;
        int32_t tag;
        Side side;
        bool collective;
        uint32_t count;
    };

    static bool IsRank(int32_t peer) { return peer >= 0; }
    ChannelKey SendKey(const Envelope& to, uint32_t lane) const;
    ChannelKey ReceiveKey(const Envelope& from, uint32_t lane) const;
    ReceiveOrder* Order(uint64_t comm);
    uint32_t NextLane(uint64_t comm, int32_t peer, int32_t tag, Side side, bool collective);

    Handle PlaceSend(const CallTimes& call, const Envelope& to, uint32_t lane, bool complete);
    PendingReceive PostReceive(const CallTimes& call, const Envelope& posted, uint32_t lane);
    void ReceiveNow(const CallTimes& call, const Envelope& posted, const Envelope& actual);
    void ReportLostProbe(const CallTimes& call, const Envelope& actual);
    bool TakeFirstMessage(const Envelope& actual, uint64_t* message);
    bool TakeMessage(const CallTimes& call, uint64_t message, PendingReceive* receive);
    int32_t StartCollective(const CallTimes& call, const CollectiveRow& row, uint32_t lane);

    void CompleteSend(Handle half, const Completion& completion);
    void CompleteReceive(const PendingReceive& receive, const Completion& completion);
    void CompleteCollective(int32_t index, const CallTimes& by);
    bool CompleteLost(uint64_t comm, const Envelope& actual);
    void EmitUnplaced(const Half& half, const ChannelKey& key, Why why);

    MatchState* state_;
    int32_t rank_;
    bool lost_receives_ = false;
    FlatMap<uint64_t, Request, IdHash> requests_;
    FlatMap<uint64_t, TakenMessage, IdHash> messages_;  // Taken by MPI_Mprobe, not yet received.
    FlatMap<uint64_t, uint32_t, IdHash> order_of_comm_;
    std::vector<std::unique_ptr<ReceiveOrder>> orders_;
    uint64_t last_comm_ = 0;
    ReceiveOrder* last_order_ = nullptr;
    std::vector<Template> templates_;
    std::vector<LaneCounter> lanes_;
    std::vector<CollectiveRow> pending_collectives_;
    std::vector<int32_t> free_collectives_;
};

}  // namespace comshu::read

#endif  // COMSHU_READ_MATCHING_RANK_MATCHER_H_
