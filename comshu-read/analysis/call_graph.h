// Calls of MPI and which of them had to wait for which.
#ifndef COMSHU_ANALYSIS_CALL_GRAPH_H_
#define COMSHU_ANALYSIS_CALL_GRAPH_H_

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "span_table.h"
#include "comshu/read/database.h"
#include "matching/flat_map.h"

namespace comshu::analysis {

// One thread's calls; those made inside another one (MPI_Init calling MPI_Comm_rank) are part of it.
struct Lane {
    int32_t rank = 0;
    uint32_t process_id = 0;
    uint32_t thread = 0;
    uint32_t first_call = 0;  // Its calls are [first_call, end_call).
    uint32_t end_call = 0;
    int64_t begin_ns = 0;  // Of the thread, not of its first call.
    int64_t end_ns = 0;
};

struct Call {
    int64_t begin_ns = 0;
    int64_t end_ns = 0;
    uint64_t span_id = 0;
    uint32_t lane = 0;
    uint32_t kind = 0;  // Index into kinds().
};

// What a call is called, and where it stands in the source.
struct CallKind {
    std::string name;
    std::string source;  // Empty: not known.
};

constexpr uint32_t kNoCall = std::numeric_limits<uint32_t>::max();

// How data moves in a collective operation.
enum class Shape : uint8_t { kAll, kToRoot, kFromRoot, kScan };

// A rank's part in a collective operation; of a blocking one both are the same call.
struct Member {
    uint32_t enter = kNoCall;  // The call that starts it,
    uint32_t exit = kNoCall;   // and the one that completes it, if there is one.
    uint32_t group = 0;
};

struct Group {
    Shape shape = Shape::kAll;
    uint32_t first_member = 0;  // Index into members(), sorted by rank of the communicator.
    uint32_t end_member = 0;
    uint32_t root = kNoCall;  // Index into members().
};

// Problem: efficiency, critical path and slack all follow the same dependencies through a whole run, in
// order of time, which SQL cannot do. Idea: the views are read once into arrays: calls sorted by thread
// and time, and per call the calls without which it cannot end: the sends of the messages that it
// completes, the receives that a synchronous send stands for, the members of the collectives that it
// completes. Made of
// the neutral views alone, so imported traces are as good. About 50 bytes per call and 4 per message.
// Immutable once made.
class CallGraph {
public:
    // Kinds of calls are all 0 unless asked for.
    bool Load(read::Database* database, std::string* error, bool with_kinds = false);

    const std::vector<CallKind>& kinds() const { return kinds_; }
    const std::vector<Lane>& lanes() const { return lanes_; }
    const std::vector<Call>& calls() const { return calls_; }
    const std::vector<Group>& groups() const { return groups_; }
    const std::vector<Member>& members() const { return members_; }

    // Calls `visit` with each call that started a send which `call` completes.
    template <typename Visit>
    void ForEachSender(uint32_t call, Visit visit) const {
        senders_.ForEach(call, visit);
    }
    // The same for calls that posted the receives which a send in `call` stood for.
    template <typename Visit>
    void ForEachReceiver(uint32_t call, Visit visit) const {
        receivers_.ForEach(call, visit);
    }
    // Calls `visit` with the index of each member that starts, or completes, its part in `call`.
    template <typename Visit>
    void ForEachEntered(uint32_t call, Visit visit) const {
        entered_.ForEach(call, visit);
    }
    template <typename Visit>
    void ForEachLeft(uint32_t call, Visit visit) const {
        left_.ForEach(call, visit);
    }

    // The call that began last of those which `call` depends on, if that was after `call` began: it waited
    // for it until ReleaseNs. Ties go to the lowest rank. kNoCall: it did not wait.
    uint32_t CauseOf(uint32_t call) const { return cause_[call]; }
    // When it could go on: its begin if it did not wait.
    int64_t ReleaseNs(uint32_t call) const;

    // From the first return of MPI_Init to the last call of MPI_Finalize; without these from the first
    // begin of a rank to the last end.
    int64_t begin_ns() const { return begin_ns_; }
    int64_t end_ns() const { return end_ns_; }

private:
    struct Edges {
        std::vector<uint32_t> first;  // Per call, and one more.
        std::vector<uint32_t> from;

        template <typename Visit>
        void ForEach(uint32_t call, Visit visit) const {
            for (uint32_t i = first[call]; i < first[call + 1]; ++i) visit(from[i]);
        }
    };
    struct Edge {
        uint32_t from;
        uint32_t to;
    };
    struct KindHash {
        uint64_t operator()(uint64_t hash) const { return hash; }
    };

    bool LoadLanes(read::Database* database, std::string* error);
    bool LoadCalls(read::Database* database, bool with_kinds, std::string* error);
    bool LoadMessages(read::Database* database, std::string* error);
    bool LoadCollectives(read::Database* database, std::string* error);
    bool LoadBounds(read::Database* database, std::string* error);
    Edges Sorted(const std::vector<Edge>& edges) const;
    uint32_t CallOf(uint64_t span) const { return by_span_.Get(span) - 1; }
    void Consider(uint32_t call, uint32_t other);
    void ConsiderGroup(const Group& group);
    void FindCauses();

    std::vector<Lane> lanes_;
    std::vector<Call> calls_;
    read::SpanTable<uint32_t>
        by_span_;  // The number of its call, and 1: so 0, for none, is kNoCall.
    std::vector<CallKind> kinds_;
    Edges senders_;
    Edges receivers_;
    std::vector<Group> groups_;
    std::vector<Member> members_;
    Edges entered_;
    Edges left_;
    std::vector<uint32_t> cause_;
    int64_t begin_ns_ = 0;
    int64_t end_ns_ = 0;
};

}  // namespace comshu::analysis

#endif  // COMSHU_ANALYSIS_CALL_GRAPH_H_
