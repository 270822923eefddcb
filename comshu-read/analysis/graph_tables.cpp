#include "graph_tables.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

#include "critical_path.h"
#include "efficiency.h"
#include "slack.h"
#include "table_appender.h"

namespace comshu::analysis {
namespace {

constexpr int kParts = 10;

constexpr const char* kEfficiencyTables = R"(
CREATE OR REPLACE TEMP TABLE efficiency (part INTEGER, begin_ns BIGINT, end_ns BIGINT,
    useful_mean_ns DOUBLE, useful_max_ns DOUBLE, ideal_ns BIGINT, parallel DOUBLE,
    load_balance DOUBLE, communication DOUBLE, serialisation DOUBLE, transfer DOUBLE);
CREATE OR REPLACE TEMP TABLE useful_time (part INTEGER, rank INTEGER, useful_ns DOUBLE);
)";
constexpr const char* kPathTables = R"(
CREATE OR REPLACE TEMP TABLE critical_path (rank INTEGER, activity VARCHAR, source VARCHAR,
    pieces BIGINT, ns BIGINT, begin_ns BIGINT, end_ns BIGINT);
CREATE OR REPLACE TEMP TABLE slack (rank INTEGER, process_id UINTEGER, thread UINTEGER,
    slack_ns BIGINT);
)";

// A subquery in their place would be a join of all spans with one row, which keeps the spans.
constexpr const char* kPathVariables = R"(
SET VARIABLE path_begin_ns = (SELECT min(begin_ns) FROM critical_path);
SET VARIABLE path_end_ns = (SELECT max(end_ns) FROM critical_path);
)";

// Rank, kind of the call, and whether it is that call or what is before it.
using PieceKind = std::tuple<int32_t, uint32_t, bool>;
struct PieceSum {
    int64_t pieces = 0;
    int64_t ns = 0;
    int64_t begin_ns = std::numeric_limits<int64_t>::max();
    int64_t end_ns = std::numeric_limits<int64_t>::min();
};

Window WindowOf(const CallGraph& graph, const Filter& filter) {
    Window window{filter.t0_ns.value_or(graph.begin_ns()), filter.t1_ns.value_or(graph.end_ns())};
    window.t1_ns = std::max(window.t0_ns, window.t1_ns);
    return window;
}

class RealOrNull {
public:
    explicit RealOrNull(read::TableAppender* table) : table_(table) {}
    RealOrNull& operator<<(double value) {
        if (std::isnan(value))
            table_->Null();
        else
            table_->Double(value);
        return *this;
    }

private:
    read::TableAppender* table_;
};

void AppendEfficiency(int part, const Efficiency& found, read::TableAppender* whole,
                      read::TableAppender* by_rank) {
    whole->Signed(part).Signed(found.window.t0_ns).Signed(found.window.t1_ns);
    whole->Double(found.useful_mean_ns).Double(found.useful_max_ns).Signed(found.ideal_ns);
    RealOrNull(whole) << found.parallel << found.load_balance << found.communication
                      << found.serialisation << found.transfer;
    whole->EndRow();
    for (const auto& [rank, useful_ns] : found.useful_ns) {
        by_rank->Signed(part).Signed(rank).Double(useful_ns).EndRow();
    }
}

}  // namespace

bool MakeEfficiencyTables(read::Database* database, const Filter& filter, std::string* error) {
    CallGraph graph;
    if (!graph.Load(database, error) || !database->Execute(kEfficiencyTables, error)) return false;
    const Window all = WindowOf(graph, filter);
    read::TableAppender whole(database->connection(), "efficiency");
    read::TableAppender by_rank(database->connection(), "useful_time");
    if (!graph.lanes().empty()) {
        AppendEfficiency(0, EfficiencyOf(graph, all), &whole, &by_rank);
        const int64_t length = all.t1_ns - all.t0_ns;
        for (int part = 0; part < kParts && length >= kParts; ++part) {
            const Window window{
                all.t0_ns + length / kParts * part,
                part + 1 == kParts ? all.t1_ns : all.t0_ns + length / kParts * (part + 1)};
            AppendEfficiency(part + 1, EfficiencyOf(graph, window), &whole, &by_rank);
        }
    }
    return whole.Close(error) && by_rank.Close(error);
}

bool MakePathTables(read::Database* database, const Filter& filter, std::string* error) {
    CallGraph graph;
    if (!graph.Load(database, error, true) || !database->Execute(kPathTables, error)) return false;
    const Window window = WindowOf(graph, filter);
    std::map<PieceKind, PieceSum> sums;
    ForEachPathPiece(graph, window, [&](const PathPiece& piece) {
        const uint32_t call = piece.call != kNoCall ? piece.call : piece.next_call;
        const uint32_t kind = call == kNoCall ? kNoCall : graph.calls()[call].kind;
        PieceSum& sum = sums[{graph.lanes()[piece.lane].rank, kind, piece.call != kNoCall}];
        ++sum.pieces;
        sum.ns += piece.end_ns - piece.begin_ns;
        sum.begin_ns = std::min(sum.begin_ns, piece.begin_ns);
        sum.end_ns = std::max(sum.end_ns, piece.end_ns);
    });
    read::TableAppender path(database->connection(), "critical_path");
    for (const auto& [piece, sum] : sums) {
        const auto& [rank, kind, is_call] = piece;
        path.Signed(rank);
        if (kind == kNoCall) {
            path.Text("behind the last call").Null();
        } else {
            path.Text((is_call ? "" : "before ") + graph.kinds()[kind].name);
            path.TextOrNull(graph.kinds()[kind].source);
        }
        path.Signed(sum.pieces).Signed(sum.ns).Signed(sum.begin_ns).Signed(sum.end_ns).EndRow();
    }
    read::TableAppender slack(database->connection(), "slack");
    const std::vector<int64_t> found = SlackOf(graph, window);
    for (size_t i = 0; i < found.size(); ++i) {
        const Lane& lane = graph.lanes()[i];
        slack.Signed(lane.rank).Unsigned(lane.process_id).Unsigned(lane.thread);
        slack.Signed(found[i]).EndRow();
    }
    return path.Close(error) && slack.Close(error) && database->Execute(kPathVariables, error);
}

}  // namespace comshu::analysis
