#include "call_graph.h"

#include <algorithm>
#include <map>

#include "comshu/read/query.h"

namespace comshu::analysis {

using read::Database;
using read::FlatMap;
using read::Query;

namespace {

template <typename Row>
bool ForEachRow(Database* database, const char* sql, std::string* error, Row row) {
    Query query;
    if (!query.Run(database, sql, error)) return false;
    while (query.Next()) row(query);
    *error = query.error();
    return error->empty();
}

Shape ShapeOf(const std::string& text) {
    return text == "to root"     ? Shape::kToRoot
           : text == "from root" ? Shape::kFromRoot
           : text == "scan"      ? Shape::kScan
                                 : Shape::kAll;
}

}  // namespace

bool CallGraph::LoadLanes(Database* database, std::string* error) {
    // A thread works from its begin to its end; behind MPI_Finalize it is no part of the run any more.
    constexpr const char* kLanes = R"(SELECT s.rank, s.process_id, s.thread,
    least(min(s.begin_ns), coalesce(min(t.begin_ns), min(p.begin_ns), min(s.begin_ns))),
    CASE WHEN bool_or(s.name = 'MPI_Finalize') THEN max(coalesce(s.end_ns, s.begin_ns))
        ELSE greatest(max(coalesce(s.end_ns, s.begin_ns)), coalesce(max(t.end_ns), max(p.end_ns))) END
FROM span s LEFT JOIN thread t ON t.process_id = s.process_id AND t.thread = s.thread
LEFT JOIN process p ON p.process_id = s.process_id
WHERE s.rank IS NOT NULL GROUP BY s.rank, s.process_id, s.thread
HAVING bool_or(s.layer = 'mpi') ORDER BY s.rank, s.process_id, s.thread)";
    return ForEachRow(database, kLanes, error, [&](const Query& query) {
        Lane lane;
        lane.rank = static_cast<int32_t>(query.Integer(0));
        lane.process_id = static_cast<uint32_t>(query.Unsigned(1));
        lane.thread = static_cast<uint32_t>(query.Unsigned(2));
        lane.begin_ns = query.Integer(3);
        lane.end_ns = query.Integer(4);
        lanes_.push_back(lane);
    });
}

bool CallGraph::LoadCalls(Database* database, bool with_kinds, std::string* error) {
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> lane_of;
    int64_t last_ns = std::numeric_limits<int64_t>::min();
    for (uint32_t i = 0; i < lanes_.size(); ++i) {
        lane_of[{lanes_[i].process_id, lanes_[i].thread}] = i;
        last_ns = std::max(last_ns, lanes_[i].end_ns);
    }
    // A kind is told by a hash of 64 bits, since texts would have to be made for each call.
    std::map<std::pair<std::string, std::string>, uint32_t> kind_of;
    FlatMap<uint64_t, uint32_t, KindHash> kind_of_hash;
    constexpr const char* kKinds = R"(SELECT hash(name, process_id, caller), name,
    coalesce(any_value(source), '')
FROM span WHERE layer = 'mpi' GROUP BY name, process_id, caller)";
    const auto add_kind = [&](const Query& query) {
        const CallKind kind{query.Text(1), query.Text(2)};
        const auto next = static_cast<uint32_t>(kinds_.size());
        const auto [found, is_new] = kind_of.try_emplace({kind.name, kind.source}, next);
        if (is_new) kinds_.push_back(kind);
        kind_of_hash.Insert(query.Unsigned(0), found->second);
    };
    if (with_kinds && !ForEachRow(database, kKinds, error, add_kind)) return false;
    const auto row = [&](const Query& query) {
        const auto lane = lane_of.find(
            {static_cast<uint32_t>(query.Unsigned(1)), static_cast<uint32_t>(query.Unsigned(2))});
        if (lane == lane_of.end()) return;
        Call call;
        call.span_id = query.Unsigned(0);
        call.lane = lane->second;
        call.begin_ns = query.Integer(3);
        // What did not return stood until the end.
        call.end_ns = query.IsNull(4) ? std::max(last_ns, call.begin_ns) : query.Integer(4);
        if (with_kinds) call.kind = *kind_of_hash.Insert(query.Unsigned(5), 0);
        calls_.push_back(call);
    };
    const std::string calls = std::string("SELECT span_id, process_id, thread, begin_ns, end_ns") +
                              (with_kinds ? ", hash(name, process_id, caller)" : "") +
                              " FROM span WHERE layer = 'mpi'";
    if (!ForEachRow(database, calls.c_str(), error, row)) return false;
    std::sort(calls_.begin(), calls_.end(), [](const Call& a, const Call& b) {
        if (a.lane != b.lane) return a.lane < b.lane;
        if (a.begin_ns != b.begin_ns) return a.begin_ns < b.begin_ns;
        return a.end_ns != b.end_ns ? a.end_ns > b.end_ns : a.span_id < b.span_id;
    });
    size_t kept = 0;
    for (const Call& call : calls_) {
        const Call* outer = kept > 0 ? &calls_[kept - 1] : nullptr;
        if (outer != nullptr && outer->lane == call.lane && call.begin_ns < outer->end_ns &&
            call.end_ns <= outer->end_ns) {
            by_span_.At(call.span_id) = static_cast<uint32_t>(kept);
            continue;
        }
        by_span_.At(call.span_id) = static_cast<uint32_t>(kept + 1);
        calls_[kept++] = call;
    }
    calls_.resize(kept);
    uint32_t next = 0;
    for (uint32_t lane = 0; lane < lanes_.size(); ++lane) {
        lanes_[lane].first_call = next;
        while (next < calls_.size() && calls_[next].lane == lane) ++next;
        lanes_[lane].end_call = next;
    }
    return true;
}

CallGraph::Edges CallGraph::Sorted(const std::vector<Edge>& edges) const {
    Edges sorted;
    sorted.first.assign(calls_.size() + 1, 0);
    sorted.from.resize(edges.size());
    for (const Edge& edge : edges) ++sorted.first[edge.to + 1];
    for (size_t i = 1; i < sorted.first.size(); ++i) sorted.first[i] += sorted.first[i - 1];
    std::vector<uint32_t> next(sorted.first.begin(), sorted.first.end() - 1);
    for (const Edge& edge : edges) sorted.from[next[edge.to]++] = edge.from;
    return sorted;
}

bool CallGraph::LoadMessages(Database* database, std::string* error) {
    std::vector<Edge> sends;
    std::vector<Edge> receives;
    const auto row = [&](const Query& query) {
        const uint32_t send = CallOf(query.Unsigned(0));
        const uint32_t post = CallOf(query.Unsigned(1));
        const uint32_t receive = CallOf(query.Unsigned(2));
        const uint32_t sent = CallOf(query.Unsigned(3));
        if (send != kNoCall && receive != kNoCall && send != receive) {
            sends.push_back({send, receive});
        }
        if (sent == kNoCall || post == kNoCall || post == sent) return;
        const int64_t posted_ns = calls_[post].begin_ns;
        if (posted_ns > calls_[sent].begin_ns && posted_ns < calls_[sent].end_ns) {
            receives.push_back({post, sent});
        }
    };
    if (!ForEachRow(database,
                    "SELECT coalesce(send_span, 0), coalesce(recv_span, 0), "
                    "coalesce(recv_done_span, 0), coalesce(send_done_span, 0) FROM message "
                    "WHERE layer = 'mpi'",
                    error, row)) {
        return false;
    }
    senders_ = Sorted(sends);
    // A call that completes receives may have stood for these.
    std::erase_if(receives, [&](const Edge& edge) {
        return senders_.first[edge.to] != senders_.first[edge.to + 1];
    });
    receivers_ = Sorted(receives);
    return true;
}

bool CallGraph::LoadCollectives(Database* database, std::string* error) {
    uint64_t instance = 0;
    std::vector<Edge> entered;
    std::vector<Edge> left;
    const auto row = [&](const Query& query) {
        Member member;
        member.enter = CallOf(query.Unsigned(1));
        member.exit = CallOf(query.Unsigned(4));
        if (member.enter == kNoCall) return;
        const auto index = static_cast<uint32_t>(members_.size());
        if (groups_.empty() || instance != query.Unsigned(0)) {
            instance = query.Unsigned(0);
            groups_.push_back(Group{ShapeOf(query.Text(2)), index, index, kNoCall});
        }
        if (query.Integer(3) != 0) groups_.back().root = index;
        member.group = static_cast<uint32_t>(groups_.size() - 1);
        groups_.back().end_member = index + 1;
        members_.push_back(member);
        entered.push_back({index, member.enter});
        if (member.exit != kNoCall) left.push_back({index, member.exit});
    };
    if (!ForEachRow(database,
                    "SELECT instance, span_id, collective_shape(name), "
                    "coalesce(root = -3 OR root = comm_rank, false), coalesce(done_span, 0) "
                    "FROM collective WHERE collective_shape(name) IS NOT NULL "
                    "AND span_id IS NOT NULL ORDER BY instance, comm_rank, rank",
                    error, row)) {
        return false;
    }
    entered_ = Sorted(entered);
    left_ = Sorted(left);
    return true;
}

bool CallGraph::LoadBounds(Database* database, std::string* error) {
    const auto row = [&](const Query& query) {
        begin_ns_ = query.Integer(0);
        end_ns_ = query.Integer(1);
    };
    return ForEachRow(
        database,
        R"(SELECT coalesce(min(end_ns) FILTER (name IN ('MPI_Init', 'MPI_Init_thread')),
        (SELECT min(begin_ns) FROM rank), min(begin_ns), 0),
    coalesce(max(begin_ns) FILTER (name = 'MPI_Finalize'),
        (SELECT max(end_ns) FROM rank), max(end_ns), max(begin_ns), 0)
FROM span WHERE rank IS NOT NULL AND layer = 'mpi')",
        error, row);
}

void CallGraph::Consider(uint32_t call, uint32_t other) {
    if (call == kNoCall || calls_[other].begin_ns <= calls_[call].begin_ns ||
        calls_[other].lane == calls_[call].lane) {
        return;
    }
    uint32_t& cause = cause_[call];
    const auto is_worse = [&] {
        const Call& a = calls_[other];
        const Call& b = calls_[cause];
        return a.begin_ns != b.begin_ns ? a.begin_ns > b.begin_ns : a.lane < b.lane;
    };
    if (cause == kNoCall || is_worse()) cause = other;
}

void CallGraph::ConsiderGroup(const Group& group) {
    // Who began last, so far or of all.
    uint32_t last = kNoCall;
    const auto take = [&](const Member& member) {
        if (last == kNoCall || calls_[member.enter].begin_ns > calls_[last].begin_ns)
            last = member.enter;
    };
    for (uint32_t i = group.first_member; i < group.end_member; ++i) {
        if (group.shape == Shape::kScan && last != kNoCall) Consider(members_[i].exit, last);
        take(members_[i]);
    }
    for (uint32_t i = group.first_member; i < group.end_member; ++i) {
        if (group.shape == Shape::kAll || (group.shape == Shape::kToRoot && i == group.root))
            Consider(members_[i].exit, last);
        if (group.shape == Shape::kFromRoot && group.root != kNoCall && i != group.root)
            Consider(members_[i].exit, members_[group.root].enter);
    }
}

void CallGraph::FindCauses() {
    cause_.assign(calls_.size(), kNoCall);
    for (uint32_t call = 0; call < calls_.size(); ++call) {
        ForEachSender(call, [&](uint32_t other) { Consider(call, other); });
        ForEachReceiver(call, [&](uint32_t other) { Consider(call, other); });
    }
    for (const Group& group : groups_) ConsiderGroup(group);
}

int64_t CallGraph::ReleaseNs(uint32_t call) const {
    const uint32_t cause = cause_[call];
    if (cause == kNoCall) return calls_[call].begin_ns;
    return std::min(calls_[cause].begin_ns, calls_[call].end_ns);
}

bool CallGraph::Load(Database* database, std::string* error, bool with_kinds) {
    if (!LoadLanes(database, error) || !LoadCalls(database, with_kinds, error) ||
        !LoadMessages(database, error) || !LoadCollectives(database, error) ||
        !LoadBounds(database, error)) {
        return false;
    }
    FindCauses();
    return true;
}

}  // namespace comshu::analysis
