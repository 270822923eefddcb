#include "graph_tables.h"

#include <algorithm>
#include <cmath>

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
CREATE OR REPLACE TEMP TABLE critical_path (step UBIGINT, rank INTEGER, process_id UINTEGER,
    thread UINTEGER, begin_ns BIGINT, end_ns BIGINT, span_id UBIGINT, next_span_id UBIGINT);
CREATE OR REPLACE TEMP TABLE slack (rank INTEGER, process_id UINTEGER, thread UINTEGER,
    slack_ns BIGINT);
)";

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
    if (!graph.Load(database, error) || !database->Execute(kPathTables, error)) return false;
    const Window window = WindowOf(graph, filter);
    read::TableAppender path(database->connection(), "critical_path");
    const auto span_of = [&](uint32_t call) {
        return call == kNoCall ? std::nullopt
                               : std::optional<uint64_t>(graph.calls()[call].span_id);
    };
    uint64_t step = 0;
    for (const PathPiece& piece : CriticalPath(graph, window)) {
        const Lane& lane = graph.lanes()[piece.lane];
        path.Unsigned(step++).Signed(lane.rank).Unsigned(lane.process_id).Unsigned(lane.thread);
        path.Signed(piece.begin_ns).Signed(piece.end_ns);
        path.UnsignedOrNull(span_of(piece.call)).UnsignedOrNull(span_of(piece.next_call)).EndRow();
    }
    read::TableAppender slack(database->connection(), "slack");
    const std::vector<int64_t> found = SlackOf(graph, window);
    for (size_t i = 0; i < found.size(); ++i) {
        const Lane& lane = graph.lanes()[i];
        slack.Signed(lane.rank).Unsigned(lane.process_id).Unsigned(lane.thread);
        slack.Signed(found[i]).EndRow();
    }
    return path.Close(error) && slack.Close(error);
}

}  // namespace comshu::analysis
