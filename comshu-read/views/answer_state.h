// What the functions behind the views work out once per capture.
#ifndef COMSHU_READ_VIEWS_ANSWER_STATE_H_
#define COMSHU_READ_VIEWS_ANSWER_STATE_H_

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "comshu/read/capture.h"
#include "matching/comm_directory.h"
#include "matching/match_result.h"
#include "views/nested_time.h"

namespace comshu::read {

// Each part is made when it is asked for first, by whichever thread of DuckDB comes first; the others
// wait. Read-only afterwards.
class AnswerState {
public:
    explicit AnswerState(const Capture& capture);

    const MatchResult& matches();
    // Rows of them; 0: nobody has asked for them yet.
    uint64_t matched_rows() const { return matched_rows_.load(std::memory_order_acquire); }
    // ns inside spans of its own; 0 for most.
    int64_t NestedNs(uint64_t span);
    // Where an address of a process lies in the source, `file:line`; null: not known.
    const std::string* SourceText(uint32_t process, uint64_t address);
    // A time of a span's process by the clock of its host; kNoTime: it is in no process.
    int64_t HostNs(uint64_t span, int64_t ns) const;
    // What a communicator is called; null: not known.
    const std::string* CommName(uint64_t comm);
    // See CommDirectory; kNoNumber: not known.
    int32_t PeerRank(uint32_t process, uint64_t comm, int32_t peer, int32_t world_peer);

private:
    struct AddressKey {
        uint32_t process = 0;
        uint64_t address = 0;
        bool operator==(const AddressKey&) const = default;
    };
    struct AddressHash {
        uint64_t operator()(const AddressKey& key) const {
            return MixBits(key.address ^ (uint64_t{key.process} << 48));
        }
    };

    const Capture& capture_;
    std::once_flag matched_;
    std::unique_ptr<MatchResult> matches_;
    std::atomic<uint64_t> matched_rows_{0};
    std::once_flag nested_once_;
    NestedTimes nested_;
    FlatMap<AddressKey, std::string, AddressHash> sources_;
    std::once_flag comm_names_once_;
    std::map<uint64_t, std::string> comm_names_;
    std::once_flag comms_once_;
    std::map<std::string, std::unique_ptr<CommDirectory>> comms_;  // By pass.
};

}  // namespace comshu::read

#endif  // COMSHU_READ_VIEWS_ANSWER_STATE_H_
