// What matching finds: the rows of the views `message`, `unmatched` and `collective`.
#ifndef COMSHU_READ_MATCHING_MATCH_ROWS_H_
#define COMSHU_READ_MATCHING_MATCH_ROWS_H_

#include <cstdint>
#include <limits>

namespace comshu::read {

// A time that is not known: the call is open, or what completes it was never recorded.
constexpr int64_t kNoTime = std::numeric_limits<int64_t>::min();
constexpr uint64_t kNoBytes = std::numeric_limits<uint64_t>::max();
// A tag or rank that is not known.
constexpr int32_t kNoNumber = std::numeric_limits<int32_t>::min();
// As records hold them (schema/mpi.fbs).
constexpr int32_t kAnySource = -1;
constexpr int32_t kProcNull = -2;
constexpr int32_t kAnyTag = -1;

enum class Side : uint8_t { kSend, kReceive };

// Why a send or a receive has no partner.
enum class Why : uint8_t {
    kNoReceive,    // Sent, and by the end of the capture not received.
    kNoSend,       // Received, but no send to it was recorded.
    kOpen,         // Its call or request was open, and nothing had come or been taken.
    kPartnerLost,  // The other side's record was lost.
    kPeerMissing,  // The peer's process is not in the capture.
    kCancelled,
    kSourceUnknown,  // A wildcard receive that completed without telling what came.
    kFailed,         // The call returned an error before anything was sent.
    kReasons
};
const char* WhyText(Why why);

// A call of a process, open if `end` is kNoTime.
struct CallTimes {
    uint64_t span = 0;
    int64_t begin = 0;
    int64_t end = kNoTime;
};

// Ranks are those of the whole capture.
struct MessageRow {
    uint64_t comm = 0;
    int32_t send_rank = 0;
    int32_t recv_rank = 0;
    int32_t tag = 0;
    uint64_t bytes = kNoBytes;       // As sent ...
    uint64_t recv_bytes = kNoBytes;  // ... and as received.
    uint64_t send_span = 0;
    uint64_t recv_span = 0;
    uint64_t send_done_span = 0;  // The completing calls; 0: not known.
    uint64_t recv_done_span = 0;
    int64_t send_begin = kNoTime;
    int64_t send_end = kNoTime;
    int64_t send_done = kNoTime;
    int64_t recv_begin = kNoTime;
    int64_t recv_end = kNoTime;
    int64_t send_done_begin = kNoTime;  // Of the completing calls.
    int64_t recv_done_begin = kNoTime;
};

struct UnmatchedRow {
    Side side = Side::kSend;
    Why why = Why::kOpen;
    uint64_t comm = 0;
    int32_t rank = 0;
    int32_t peer = kNoNumber;
    int32_t tag = kNoNumber;
    uint64_t bytes = kNoBytes;
    uint64_t span = 0;
    int64_t begin = kNoTime;
};

struct CollectiveRow {
    uint64_t instance = 0;
    uint64_t comm = 0;
    uint64_t bytes_in = kNoBytes;
    uint64_t bytes_out = kNoBytes;
    uint64_t span = 0;
    int64_t begin = kNoTime;
    int64_t end = kNoTime;   // Of the completing call.
    uint64_t done_span = 0;  // The completing call; 0: not known.
    int64_t done_begin = kNoTime;
    int32_t root = kNoNumber;
    int32_t rank = 0;
    int32_t comm_rank =
        kNoNumber;  // Of `rank` in the communicator; unknown of an intercommunicator.
    uint16_t function = 0;
    uint8_t operation = 0;
};

// Takes rows as they are found. A row may be made in the room for the next one: a copy of what was just written
// would wait for the stores.
class MatchSink {
public:
    virtual ~MatchSink() = default;
    virtual MessageRow* RoomForMessage() { return &message_; }
    virtual CollectiveRow* RoomForCollective() { return &collective_; }
    virtual void Message(const MessageRow& row) = 0;
    virtual void Unmatched(const UnmatchedRow& row) = 0;
    virtual void Collective(const CollectiveRow& row) = 0;

private:
    MessageRow message_;
    CollectiveRow collective_;
};

}  // namespace comshu::read

#endif  // COMSHU_READ_MATCHING_MATCH_ROWS_H_
