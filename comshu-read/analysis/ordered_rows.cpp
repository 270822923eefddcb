#include "ordered_rows.h"

#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <map>

#include "comshu/read/collective_root.h"
#include "comshu/read/pending_file.h"
#include "comshu/read/query.h"
#include "span_table.h"

namespace comshu::analysis {

using read::Database;
using read::Query;

namespace {

constexpr int kThreadShift = 40;

template <typename Row>
bool ForEachRow(Database* database, const std::string& sql, std::string* error, Row row) {
    Query query;
    if (!query.Run(database, sql, error)) return false;
    while (query.Next()) row(query);
    *error = query.error();
    return error->empty();
}

}  // namespace

OrderedRows::Folder::Folder() {
    static std::atomic<uint32_t> number{0};
    std::error_code code;
    const std::filesystem::path temporary = std::filesystem::temp_directory_path(code);
    made = std::make_unique<read::PendingFile>(temporary /
                                               ("comshu-order-" + std::to_string(number++)));
    path = made->part();
    mkdir(path.c_str(), 0700);
}

OrderedRows::Shape OrderedRows::ShapeOf(const std::string& text) {
    return text == "to root"     ? Shape::kToRoot
           : text == "from root" ? Shape::kFromRoot
           : text == "scan"      ? Shape::kScan
                                 : Shape::kAll;
}

uint32_t OrderedRows::LaneOf(uint64_t span) const {
    const auto lane = lane_of_thread_.find(span >> kThreadShift);
    return lane == lane_of_thread_.end() ? kNone : lane->second;
}

std::string OrderedRows::error() const {
    return !calls_.error().empty()      ? calls_.error()
           : !messages_.error().empty() ? messages_.error()
                                        : members_.error();
}

bool OrderedRows::LoadLanes(Database* database, std::string* error) {
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

// A kind is told by a hash of 64 bits, since texts would have to be made for each call.
bool OrderedRows::LoadKinds(Database* database, std::string* error) {
    std::map<std::pair<std::string, std::string>, uint32_t> kind_of;
    constexpr const char* kKinds = R"(SELECT hash(name, process_id, caller), name,
    coalesce(any_value(source), '')
FROM span WHERE layer = 'mpi' GROUP BY name, process_id, caller)";
    return ForEachRow(database, kKinds, error, [&](const Query& query) {
        const CallKind kind{query.Text(1), query.Text(2)};
        const auto next = static_cast<uint32_t>(kinds_.size());
        const auto [found, is_new] = kind_of.try_emplace({kind.name, kind.source}, next);
        if (is_new) kinds_.push_back(kind);
        kind_of_hash_.try_emplace(query.Unsigned(0), found->second);
    });
}

bool OrderedRows::LoadCalls(Database* database, bool with_kinds, std::string* error) {
    std::unordered_map<uint64_t, uint32_t> lane_of;
    int64_t last_ns = std::numeric_limits<int64_t>::min();
    for (uint32_t i = 0; i < lanes_.size(); ++i) {
        lane_of[uint64_t{lanes_[i].process_id} << 32 | lanes_[i].thread] = i;
        last_ns = std::max(last_ns, lanes_[i].end_ns);
    }
    uint64_t thread = std::numeric_limits<uint64_t>::max();
    const auto row = [&](const Query& query) {
        const auto lane = lane_of.find(query.Unsigned(1) << 32 | query.Unsigned(2));
        if (lane == lane_of.end()) return;
        CallRow call;
        call.span = query.Unsigned(0);
        call.lane = lane->second;
        call.begin_ns = query.Integer(3);
        // What did not return stood until the end.
        call.end_ns = query.IsNull(4) ? std::max(last_ns, call.begin_ns) : query.Integer(4);
        if (with_kinds) call.kind = kind_of_hash_[query.Unsigned(5)];
        if (call.span >> kThreadShift != thread) {
            thread = call.span >> kThreadShift;
            lane_of_thread_[thread] = call.lane;
        }
        calls_.Add(call);
    };
    const std::string sql = std::string("SELECT span_id, process_id, thread, begin_ns, end_ns") +
                            (with_kinds ? ", hash(name, process_id, caller)" : "") +
                            " FROM span WHERE layer = 'mpi'";
    return ForEachRow(database, sql, error, row) && calls_.Start(error);
}

bool OrderedRows::LoadMessages(Database* database, std::string* error) {
    constexpr const char* kMessages = R"(SELECT least(send_begin_ns, recv_begin_ns), send_begin_ns,
    coalesce(send_span, 0), coalesce(send_done_span, 0), coalesce(recv_span, 0),
    coalesce(recv_done_span, 0)
FROM message WHERE layer = 'mpi')";
    const auto row = [&](const Query& query) {
        messages_.Add({query.IsNull(0) ? std::numeric_limits<int64_t>::min() : query.Integer(0),
                       query.IsNull(1) ? std::numeric_limits<int64_t>::min() : query.Integer(1),
                       query.Unsigned(2), query.Unsigned(3), query.Unsigned(4), query.Unsigned(5)});
    };
    return ForEachRow(database, kMessages, error, row) && messages_.Start(error);
}

void OrderedRows::AddInstance(Shape shape, std::vector<Part>* parts) {
    std::sort(parts->begin(), parts->end(), [](const Part& a, const Part& b) {
        return std::tie(a.comm_rank, a.rank) < std::tie(b.comm_rank, b.rank);
    });
    const bool two_groups = std::any_of(parts->begin(), parts->end(), [](const Part& part) {
        return read::TellsOfTwoGroups(part.given_root);
    });
    const auto root_part = [two_groups](const Part& part) {
        return read::RootPartOf(part.given_root, part.comm_rank, two_groups);
    };
    std::erase_if(*parts,
                  [&](const Part& part) { return root_part(part) == read::RootPart::kNone; });
    const MemberRow* root = nullptr;
    const MemberRow* last = nullptr;
    uint32_t leaving = 0;
    for (Part& part : *parts) {
        if (root_part(part) == read::RootPart::kRoot) root = &part.row;
        if (part.row.done_span != 0) ++leaving;
        // Of a scan: who came last of the lower ranks.
        if (shape == Shape::kScan && last != nullptr) {
            part.row.cause_ns = last->begin_ns;
            part.row.cause_lane = LaneOf(last->span);
        }
        if (last == nullptr || part.row.begin_ns > last->begin_ns) last = &part.row;
    }
    uint32_t index = 0;
    for (Part& part : *parts) {
        MemberRow& row = part.row;
        row.index = index++;
        row.members = static_cast<uint32_t>(parts->size());
        row.leaving = leaving;
        row.is_root = &row == root;
        row.is_scan = shape == Shape::kScan;
        row.needs = row.is_scan                                         ? Needs::kLower
                    : shape == Shape::kAll                              ? Needs::kAll
                    : shape == Shape::kToRoot && row.is_root            ? Needs::kAll
                    : shape == Shape::kFromRoot && root && !row.is_root ? Needs::kRoot
                                                                        : Needs::kNobody;
        const MemberRow* cause = row.needs == Needs::kAll    ? last
                                 : row.needs == Needs::kRoot ? root
                                                             : nullptr;
        if (cause != nullptr) {
            row.cause_ns = cause->begin_ns;
            row.cause_lane = LaneOf(cause->span);
        }
        members_.Add(row);
    }
}

bool OrderedRows::LoadCollectives(Database* database, std::string* error) {
    constexpr const char* kFrom =
        " FROM collective WHERE collective_shape(name) IS NOT NULL AND span_id IS NOT NULL";
    read::SpanTable<uint32_t> missing;
    if (!ForEachRow(database, std::string("SELECT instance") + kFrom, error,
                    [&](const Query& query) { ++missing.At(query.Unsigned(0)); })) {
        return false;
    }
    std::unordered_map<uint64_t, std::vector<Part>> open;
    const auto row = [&](const Query& query) {
        Part part;
        part.row.instance = query.Unsigned(0);
        part.row.span = query.Unsigned(1);
        part.given_root = query.IsNull(3) ? std::numeric_limits<int32_t>::min()
                                          : static_cast<int32_t>(query.Integer(3));
        part.row.done_span = query.Unsigned(4);
        part.row.begin_ns = query.Integer(5);
        part.comm_rank = query.IsNull(6) ? std::numeric_limits<int32_t>::max()
                                         : static_cast<int32_t>(query.Integer(6));
        part.rank = static_cast<int32_t>(query.Integer(7));
        const auto at = open.try_emplace(part.row.instance).first;
        at->second.push_back(part);
        if (--missing.At(part.row.instance) != 0) return;
        AddInstance(ShapeOf(query.Text(2)), &at->second);
        open.erase(at);
    };
    return ForEachRow(database,
                      std::string("SELECT instance, span_id, collective_shape(name), root, "
                                  "coalesce(done_span, 0), begin_ns, comm_rank, rank") +
                          kFrom,
                      error, row) &&
           members_.Start(error);
}

bool OrderedRows::LoadBounds(Database* database, std::string* error) {
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

bool OrderedRows::Load(Database* database, bool with_kinds, std::string* error) {
    return LoadLanes(database, error) && (!with_kinds || LoadKinds(database, error)) &&
           LoadCalls(database, with_kinds, error) && LoadMessages(database, error) &&
           LoadCollectives(database, error) && LoadBounds(database, error);
}

}  // namespace comshu::analysis
