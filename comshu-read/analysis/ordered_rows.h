// Calls of MPI, messages and collectives of a capture, each in order of time.
#ifndef COMSHU_ANALYSIS_ORDERED_ROWS_H_
#define COMSHU_ANALYSIS_ORDERED_ROWS_H_

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "comshu/read/database.h"
#include "comshu/read/external_sort.h"
#include "comshu/read/pending_file.h"

namespace comshu::analysis {

constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();

// A thread that calls MPI.
struct Lane {
    int32_t rank = 0;
    uint32_t process_id = 0;
    uint32_t thread = 0;
    int64_t begin_ns = 0;  // Of the thread, not of its first call.
    int64_t end_ns = 0;
};

// What a call is called, and where it stands in the source.
struct CallKind {
    std::string name;
    std::string source;  // Empty: not known.
};

struct CallRow {
    int64_t begin_ns = 0;
    int64_t end_ns = 0;
    uint64_t span = 0;
    uint32_t lane = 0;
    uint32_t kind = 0;  // Index into kinds().

    // The outer one of two that begin together first.
    bool operator<(const CallRow& other) const {
        return std::tie(begin_ns, lane, other.end_ns, span) <
               std::tie(other.begin_ns, other.lane, end_ns, other.span);
    }
};

struct MessageTimes {
    int64_t first_ns = 0;  // Of its two sides.
    int64_t send_ns = 0;
    uint64_t send_span = 0;  // 0: not known, as the others.
    uint64_t send_done_span = 0;
    uint64_t recv_span = 0;
    uint64_t recv_done_span = 0;

    bool operator<(const MessageTimes& other) const {
        return std::tie(first_ns, send_span, recv_span) <
               std::tie(other.first_ns, other.send_span, other.recv_span);
    }
};

// Which of the members a member of a collective operation needs before it can leave.
enum class Needs : uint8_t { kNobody, kAll, kRoot, kLower };

// A rank's part in a collective operation; of a blocking one both spans are the same.
struct MemberRow {
    int64_t begin_ns = 0;
    uint64_t span = 0;       // The call that starts it,
    uint64_t done_span = 0;  // and the one that completes it; 0: none.
    uint64_t instance = 0;
    int64_t cause_ns = 0;         // When the last of those came that it needs.
    uint32_t cause_lane = kNone;  // kNone: it needs nobody.
    uint32_t index = 0;           // In order of ranks of the communicator.
    uint32_t members = 0;         // Of the instance,
    uint32_t leaving = 0;         // and those of them with a call that completes it.
    Needs needs = Needs::kNobody;
    bool is_root = false;
    bool is_scan = false;

    bool operator<(const MemberRow& other) const {
        return std::tie(begin_ns, instance, index) <
               std::tie(other.begin_ns, other.instance, other.index);
    }
};

// Problem: what follows a run in order of time needs all of its calls in that order, and there are more than
// fit in memory. Idea: the neutral views are read once, in whatever order they come, and sorted with the help of
// files; so imported traces are as good. Of a collective operation it is known only with its last member who
// waited for whom: members wait here for each other, so an operation's rows should come close to each other, as
// those of a capture do. Memory: the sorts' buffers, what is in flight, 4 bytes for each collective operation.
class OrderedRows {
public:
    static constexpr size_t kSortBytes = size_t{64} << 20;

    // Each sort keeps so many bytes in memory.
    explicit OrderedRows(size_t sort_bytes = kSortBytes)
        : calls_(folder_->path, sort_bytes),
          messages_(folder_->path, sort_bytes),
          members_(folder_->path, sort_bytes) {}

    // Kinds of calls are all 0 unless asked for.
    bool Load(read::Database* database, bool with_kinds, std::string* error);

    const std::vector<Lane>& lanes() const { return lanes_; }
    const std::vector<CallKind>& kinds() const { return kinds_; }

    // From the first return of MPI_Init to the last call of MPI_Finalize; without these from the first
    // begin of a rank to the last end.
    int64_t begin_ns() const { return begin_ns_; }
    int64_t end_ns() const { return end_ns_; }

    // To be read once. The `Next` of each may fail: `error` says why.
    read::ExternalSort<CallRow>* calls() { return &calls_; }
    read::ExternalSort<MessageTimes>* messages() { return &messages_; }
    read::ExternalSort<MemberRow>* members() { return &members_; }
    std::string error() const;

    // Of the thread that made the call; kNone: it is none of those that call MPI.
    uint32_t LaneOf(uint64_t span) const;

    // Where else may be put down what does not fit in memory.
    const std::string& folder() const { return folder_->path; }

private:
    struct Folder {
        Folder();
        std::unique_ptr<read::PendingFile> made;
        std::string path;
    };
    // A row of the view `collective`.
    struct Part {
        MemberRow row;
        int32_t comm_rank = 0;
        int32_t rank = 0;
        int32_t given_root = 0;
    };
    enum class Shape : uint8_t { kAll, kToRoot, kFromRoot, kScan };

    bool LoadLanes(read::Database* database, std::string* error);
    bool LoadKinds(read::Database* database, std::string* error);
    bool LoadCalls(read::Database* database, bool with_kinds, std::string* error);
    bool LoadMessages(read::Database* database, std::string* error);
    bool LoadCollectives(read::Database* database, std::string* error);
    bool LoadBounds(read::Database* database, std::string* error);
    static Shape ShapeOf(const std::string& text);
    void AddInstance(Shape shape, std::vector<Part>* parts);

    std::unique_ptr<Folder> folder_ = std::make_unique<Folder>();
    std::vector<Lane> lanes_;
    std::vector<CallKind> kinds_;
    std::unordered_map<uint64_t, uint32_t> kind_of_hash_;
    std::unordered_map<uint64_t, uint32_t> lane_of_thread_;  // By the upper bits of its spans.
    read::ExternalSort<CallRow> calls_;
    read::ExternalSort<MessageTimes> messages_;
    read::ExternalSort<MemberRow> members_;
    int64_t begin_ns_ = 0;
    int64_t end_ns_ = 0;
};

}  // namespace comshu::analysis

#endif  // COMSHU_ANALYSIS_ORDERED_ROWS_H_
