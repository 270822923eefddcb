#include "clock_order.h"

#include <algorithm>
#include <fstream>
#include <optional>
#include <sstream>
#include <utility>

#include <fmt/core.h>

#include "comshu/read/links.h"
#include "matching/match_result.h"
#include "matching/mpi_functions.h"

namespace comshu::read {
namespace {

bool IsRootOf(const CollectiveRow& row) {
    constexpr int32_t kRoot = -3;  // MPI_ROOT
    return row.root == kRoot || (row.root != kNoNumber && row.root == row.comm_rank);
}

}  // namespace

bool ClockOrder::Tells(const Capture& capture, const MessageRow& row) {
    return row.recv_end != kNoTime && row.send_span != 0 && row.recv_span != 0 &&
           capture.ProcessOfSpan(row.send_span)->clock_id !=
               capture.ProcessOfSpan(row.recv_span)->clock_id;
}

void ClockOrder::AddMessage(const MessageRow& row) {
    if (!Tells(capture_, row)) return;
    order_.Order(order_.At(ClockOf(row.send_span), row.send_begin),
                 order_.At(ClockOf(row.recv_span), row.recv_end));
}

void ClockOrder::AddCollectives(Rows rows) {
    std::sort(rows.begin(), rows.end(), [](const CollectiveRow* a, const CollectiveRow* b) {
        if (a->instance != b->instance) return a->instance < b->instance;
        return std::pair(a->comm_rank, a->rank) < std::pair(b->comm_rank, b->rank);
    });
    for (auto first = rows.begin(); first != rows.end();) {
        const auto end = std::find_if(first, rows.end(), [&](const CollectiveRow* row) {
            return row->instance != (*first)->instance;
        });
        AddInstance({first, end});
        first = end;
    }
}

ClockOrder::Event ClockOrder::Enter(const CollectiveRow& row) {
    return order_.At(ClockOf(row.span), row.begin);
}

void ClockOrder::Leave(Event after, const CollectiveRow& row) {
    if (row.end != kNoTime) order_.Order(after, order_.At(ClockOf(row.span), row.end));
}

void ClockOrder::AddInstance(const Rows& rows) {
    const bool on_one_clock = std::all_of(rows.begin(), rows.end(), [&](const auto* row) {
        return ClockOf(row->span) == ClockOf(rows.front()->span);
    });
    const CollectiveShape shape = TraitsOf(rows.front()->function).shape;
    if (on_one_clock || shape == CollectiveShape::kNone) return;
    if (shape == CollectiveShape::kScan) return AddScan(rows);
    const auto root = std::find_if(rows.begin(), rows.end(),
                                   [](const CollectiveRow* row) { return IsRootOf(*row); });
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
    const Event met = order_.Join();
    for (const CollectiveRow* row : rows) order_.Order(Enter(*row), met);
    for (const CollectiveRow* row : rows) {
        if (!needs_root || row == *root) Leave(met, *row);
    }
}

// Each member needs those before it.
void ClockOrder::AddScan(const Rows& rows) {
    std::optional<Event> before;
    for (const CollectiveRow* row : rows) {
        if (before) Leave(*before, *row);
        const Event met = order_.Join();
        if (before) order_.Order(*before, met);
        order_.Order(Enter(*row), met);
        before = met;
    }
}

LogicalCurves ClockOrder::Solve() {
    LogicalCurves made;
    made.curves = order_.Solve();
    made.given_up = order_.given_up();
    return made;
}

LogicalCurves CurvesOf(const Capture& capture) {
    LogicalCurves made;
    if (capture.clocks().size() < 2) return made;
    const std::string folder = LinkFolder(capture, ClockChoice::kLogical);
    if (!folder.empty()) {
        std::ifstream kept(folder + "/" + kCurvesFile);
        std::stringstream text;
        text << kept.rdbuf();
        if (ReadCurves(text.str(), capture.clocks().size(), &made)) return made;
    }
    const MatchResult found(capture);
    ClockOrder order(capture);
    found.messages().ForEach([&](const MessageRow& row) { order.AddMessage(row); });
    std::vector<const CollectiveRow*> rows;
    found.collectives().ForEach([&](const CollectiveRow& row) { rows.push_back(&row); });
    order.AddCollectives(std::move(rows));
    return order.Solve();
}

std::string CurvesText(const LogicalCurves& curves) {
    std::string text =
        fmt::format("{} clocks, {} given up\n", curves.curves.size(), curves.given_up);
    for (const ClockCurve& curve : curves.curves) {
        text += fmt::format("{} knots\n", curve.knots().size());
        for (const ClockCurve::Knot& knot : curve.knots())
            text += fmt::format("{} {}\n", knot.from_ns, knot.to_ns);
    }
    return text + "end\n";
}

bool ReadCurves(const std::string& text, size_t clocks, LogicalCurves* curves) {
    std::istringstream in(text);
    LogicalCurves read;
    size_t count = 0;
    std::string word, up;
    if (!(in >> count >> word >> read.given_up >> word >> up) || count != clocks) return false;
    for (size_t i = 0; i < count; ++i) {
        size_t knots = 0;
        if (!(in >> knots >> word) || word != "knots") return false;
        read.curves.emplace_back();
        for (size_t k = 0; k < knots; ++k) {
            ClockCurve::Knot knot;
            if (!(in >> knot.from_ns >> knot.to_ns)) return false;
            read.curves.back().Add(knot);
        }
    }
    if (!(in >> word) || word != "end") return false;
    *curves = std::move(read);
    return true;
}

}  // namespace comshu::read
