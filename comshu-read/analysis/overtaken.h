// Which messages a later one of the same two ranks overtook.
#ifndef COMSHU_ANALYSIS_OVERTAKEN_H_
#define COMSHU_ANALYSIS_OVERTAKEN_H_

#include <cstdint>
#include <functional>
#include <limits>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "comshu/read/database.h"
#include "matching/flat_map.h"

namespace comshu::analysis {

// What of a message tells whether it was overtaken: two that are equal in this were both, or neither.
struct SentMessage {
    int32_t send_rank = 0;
    int32_t recv_rank = 0;
    int64_t send_begin_ns = 0;
    int64_t recv_end_ns = 0;
};

// Problem: a message is overtaken if one of the same two ranks that was sent later was received earlier; a
// window of SQL looks at all later messages for each. Idea: in order of reception a message is overtaken
// if one that came before it was sent after it, so the latest send of each two ranks is enough. Messages
// are added in order of their first call and cannot be received before that: those in flight wait in a
// heap. Memory: what is in flight, and 40 bytes for each two ranks.
class OvertakenFinder {
public:
    using Found = std::function<void(const SentMessage&)>;
    explicit OvertakenFinder(Found found) : found_(std::move(found)) {}

    // `first_ns`: nothing that is still to be added was received before; never less than the last time.
    void Add(const SentMessage& message, int64_t first_ns);
    void Finish();

private:
    static constexpr int64_t kNever = std::numeric_limits<int64_t>::min();

    struct Later {
        bool operator()(const SentMessage& a, const SentMessage& b) const {
            return a.recv_end_ns > b.recv_end_ns;
        }
    };
    struct PairHash {
        uint64_t operator()(uint64_t pair) const { return read::MixBits(pair); }
    };
    // The latest send of what was received before `end_ns`, and at that time.
    struct Latest {
        int64_t end_ns = kNever;
        int64_t before_ns = kNever;
        int64_t at_ns = kNever;
    };

    void Receive(const SentMessage& message);

    Found found_;
    std::priority_queue<SentMessage, std::vector<SentMessage>, Later> in_flight_;
    read::FlatMap<uint64_t, Latest, PairHash> latest_;
};

// A temporary table `overtaken` with what is above of each such message of the view `message`.
bool MakeOvertakenTable(read::Database* database, std::string* error);

}  // namespace comshu::analysis

#endif  // COMSHU_ANALYSIS_OVERTAKEN_H_
