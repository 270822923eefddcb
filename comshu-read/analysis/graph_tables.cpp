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

Window WindowOf(const OrderedRows& rows, const Filter& filter) {
    Window window{filter.t0_ns.value_or(rows.begin_ns()), filter.t1_ns.value_or(rows.end_ns())};
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
    OrderedRows rows;
    if (!rows.Load(database, false, error) || !database->Execute(kEfficiencyTables, error))
        return false;
    std::vector<Window> windows;
    const Window all = WindowOf(rows, filter);
    if (!rows.lanes().empty()) {
        windows.push_back(all);
        const int64_t length = all.t1_ns - all.t0_ns;
        for (int part = 0; part < kParts && length >= kParts; ++part) {
            windows.push_back(
                {all.t0_ns + length / kParts * part,
                 part + 1 == kParts ? all.t1_ns : all.t0_ns + length / kParts * (part + 1)});
        }
    }
    std::vector<Efficiency> found;
    if (!EfficienciesOf(&rows, windows, &found, error)) return false;
    read::TableAppender whole(database->connection(), "efficiency");
    read::TableAppender by_rank(database->connection(), "useful_time");
    for (size_t i = 0; i < found.size(); ++i)
        AppendEfficiency(static_cast<int>(i), found[i], &whole, &by_rank);
    return whole.Close(error) && by_rank.Close(error);
}

bool MakePathTables(read::Database* database, const Filter& filter, std::string* error) {
    OrderedRows rows;
    if (!rows.Load(database, true, error) || !database->Execute(kPathTables, error)) return false;
    EventLog log(rows, WindowOf(rows, filter));
    if (!EventOrder(&rows, &log).Run(error)) return false;
    std::map<PieceKind, PieceSum> sums;
    CriticalPath critical_path(log, [&](const PathPiece& piece) {
        PieceSum& sum = sums[{rows.lanes()[piece.lane].rank, piece.kind, piece.is_call}];
        ++sum.pieces;
        sum.ns += piece.end_ns - piece.begin_ns;
        sum.begin_ns = std::min(sum.begin_ns, piece.begin_ns);
        sum.end_ns = std::max(sum.end_ns, piece.end_ns);
    });
    Slack slack(log);
    const auto take = [&](const LoggedEvent& event) {
        critical_path.Take(event);
        slack.Take(event);
    };
    if (!log.ForEachBackwards(take, error)) return false;
    critical_path.Finish();
    read::TableAppender path(database->connection(), "critical_path");
    for (const auto& [piece, sum] : sums) {
        const auto& [rank, kind, is_call] = piece;
        path.Signed(rank);
        if (kind == kNone) {
            path.Text("behind the last call").Null();
        } else {
            path.Text((is_call ? "" : "before ") + rows.kinds()[kind].name);
            path.TextOrNull(rows.kinds()[kind].source);
        }
        path.Signed(sum.pieces).Signed(sum.ns).Signed(sum.begin_ns).Signed(sum.end_ns).EndRow();
    }
    read::TableAppender by_lane(database->connection(), "slack");
    const std::vector<int64_t> found = slack.Result();
    for (size_t i = 0; i < found.size(); ++i) {
        const Lane& lane = rows.lanes()[i];
        by_lane.Signed(lane.rank).Unsigned(lane.process_id).Unsigned(lane.thread);
        by_lane.Signed(found[i]).EndRow();
    }
    return path.Close(error) && by_lane.Close(error) && database->Execute(kPathVariables, error);
}

}  // namespace comshu::analysis
