#include "clock_order.h"

#include <algorithm>
#include <optional>
#include <vector>

#include <fmt/core.h>

#include "comshu/core/count_text.h"
#include "logical_clock.h"
#include "matching/match_result.h"
#include "matching/mpi_functions.h"

namespace comshu::read {
namespace {

class OrderReader {
public:
    OrderReader(const Capture& capture, LogicalClock* order) : capture_(capture), order_(order) {}

    void Read() {
        const MatchResult found(capture_);
        for (size_t i = 0; i < found.messages().chunk_count(); ++i) {
            for (const MessageRow& row : found.messages().chunk(i)) AddMessage(row);
        }
        std::vector<const CollectiveRow*> rows;
        for (size_t i = 0; i < found.collectives().chunk_count(); ++i) {
            for (const CollectiveRow& row : found.collectives().chunk(i)) rows.push_back(&row);
        }
        std::sort(rows.begin(), rows.end(), [](const CollectiveRow* a, const CollectiveRow* b) {
            if (a->instance != b->instance) return a->instance < b->instance;
            return std::pair(a->comm_rank, a->rank) < std::pair(b->comm_rank, b->rank);
        });
        for (auto first = rows.begin(); first != rows.end();) {
            const auto end = std::find_if(first, rows.end(), [&](const CollectiveRow* row) {
                return row->instance != (*first)->instance;
            });
            AddCollective({first, end});
            first = end;
        }
    }

private:
    using Event = LogicalClock::Event;
    using Rows = std::vector<const CollectiveRow*>;

    uint32_t ClockOf(uint64_t span) const { return capture_.ProcessOfSpan(span)->clock_id; }

    void AddMessage(const MessageRow& row) {
        if (row.recv_end == kNoTime || row.send_span == 0 || row.recv_span == 0) return;
        const uint32_t from = ClockOf(row.send_span);
        const uint32_t to = ClockOf(row.recv_span);
        if (from == to) return;
        order_->Order(order_->At(from, row.send_begin), order_->At(to, row.recv_end));
    }

    Event Enter(const CollectiveRow& row) { return order_->At(ClockOf(row.span), row.begin); }
    void Leave(Event after, const CollectiveRow& row) {
        if (row.end != kNoTime) order_->Order(after, order_->At(ClockOf(row.span), row.end));
    }

    void AddCollective(const Rows& rows) {
        const bool on_one_clock = std::all_of(rows.begin(), rows.end(), [&](const auto* row) {
            return ClockOf(row->span) == ClockOf(rows.front()->span);
        });
        const CollectiveShape shape = TraitsOf(rows.front()->function).shape;
        if (on_one_clock || shape == CollectiveShape::kNone) return;
        if (shape == CollectiveShape::kScan) return AddScan(rows);
        const auto root = std::find_if(rows.begin(), rows.end(),
                                       [](const CollectiveRow* row) { return IsRoot(*row); });
        const bool needs_root =
            shape == CollectiveShape::kToRoot || shape == CollectiveShape::kFromRoot;
        if (needs_root && root == rows.end()) return;
        if (shape == CollectiveShape::kFromRoot) {
            const Event came = Enter(**root);
            for (const CollectiveRow* row : rows) {
                if (row != *root) Leave(came, *row);
            }
            return;
        }
        const Event met = order_->Join();
        for (const CollectiveRow* row : rows) order_->Order(Enter(*row), met);
        for (const CollectiveRow* row : rows) {
            if (!needs_root || row == *root) Leave(met, *row);
        }
    }

    // Each member needs those before it.
    void AddScan(const Rows& rows) {
        std::optional<Event> before;
        for (const CollectiveRow* row : rows) {
            if (before) Leave(*before, *row);
            const Event met = order_->Join();
            if (before) order_->Order(*before, met);
            order_->Order(Enter(*row), met);
            before = met;
        }
    }

    static bool IsRoot(const CollectiveRow& row) {
        constexpr int32_t kRoot = -3;  // MPI_ROOT
        return row.root == kRoot || (row.root != kNoNumber && row.root == row.comm_rank);
    }

    const Capture& capture_;
    LogicalClock* order_;
};

}  // namespace

void SetLogicalClock(const Capture& capture, std::deque<HostClock>* clocks) {
    if (clocks->size() < 2) return;
    LogicalClock order(static_cast<uint32_t>(clocks->size()));
    OrderReader(capture, &order).Read();
    std::vector<ClockCurve> curves = order.Solve();
    for (size_t i = 0; i < curves.size(); ++i) (*clocks)[i].curve = std::move(curves[i]);
    for (const auto& process : capture.processes()) {
        const ClockCurve& curve = (*clocks)[process->clock_id].curve;
        if (!curve.knots().empty()) process->scale.curve = &curve;
    }
    if (order.given_up() == 0) return;
    capture.AddProblem(core::Plural(
        order.given_up(),
        "message or collective contradicts others: the logical clock leaves it out",
        "messages and collectives contradict others: the logical clock leaves them out"));
}

}  // namespace comshu::read
