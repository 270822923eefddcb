#include "logical_clock.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace comshu::read {
namespace {

constexpr int64_t kNever = std::numeric_limits<int64_t>::max();
// A clock behind a jump runs at this rate until it has its own time again, and what lies before a jump is
// stretched by this share.
constexpr double kRate = 0.99;
constexpr int64_t kStretch = 100;

int64_t Slowed(int64_t ns) {
    return static_cast<int64_t>(static_cast<double>(ns) * kRate);
}

}  // namespace

LogicalClock::Event LogicalClock::At(uint32_t clock, int64_t ns) {
    nodes_.push_back({.ns = ns, .clock = clock});
    return static_cast<Event>(nodes_.size() - 1);
}

LogicalClock::Event LogicalClock::Join() {
    return At(kNoClock, static_cast<int64_t>(nodes_.size()));
}

// A clock has one value at a time, so events of one clock and time are one node.
void LogicalClock::MakeNodes() {
    std::vector<uint32_t> order(nodes_.size());
    std::iota(order.begin(), order.end(), 0);
    const auto key = [&](uint32_t i) { return std::pair(nodes_[i].clock, nodes_[i].ns); };
    std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return key(a) < key(b); });
    std::vector<uint32_t> place(nodes_.size());
    std::vector<Node> sorted;
    for (size_t i = 0; i < order.size(); ++i) {
        if (i == 0 || key(order[i]) != key(order[i - 1])) sorted.push_back(nodes_[order[i]]);
        place[order[i]] = static_cast<uint32_t>(sorted.size() - 1);
    }
    nodes_ = std::move(sorted);
    first_.assign(nodes_.size() + 1, 0);
    for (Edge& edge : edges_) {
        edge = {place[edge.from], place[edge.to]};
        ++first_[edge.from + 1];
        ++nodes_[edge.to].missing;
    }
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    targets_.resize(edges_.size());
    std::vector<uint32_t> next(first_.begin(), first_.end() - 1);
    for (const Edge& edge : edges_) targets_[next[edge.from]++] = edge.to;
    edges_.clear();
    for (uint32_t node = 0; node < nodes_.size(); ++node) {
        nodes_[node].need_ns = std::numeric_limits<int64_t>::min();
        if (HasBefore(node)) ++nodes_[node].missing;
    }
}

void LogicalClock::Finish(uint32_t index, std::vector<uint32_t>* ready) {
    Node& node = nodes_[index];
    if (node.is_done) return;
    node.is_done = true;
    if (node.clock == kNoClock) {
        node.set_ns = node.need_ns;
    } else {
        int64_t own_ns = node.ns;
        if (HasBefore(index)) {
            const Node& before = nodes_[index - 1];
            own_ns = std::max(own_ns, before.set_ns + Slowed(node.ns - before.ns));
        }
        node.set_ns = std::max(own_ns, node.need_ns);
        if (node.set_ns > own_ns) jumps_.push_back({index, node.set_ns - own_ns});
    }
    const auto tell = [&](uint32_t other) {
        if (--nodes_[other].missing == 0) ready->push_back(other);
    };
    for (uint32_t i = first_[index]; i < first_[index + 1]; ++i) {
        Node& later = nodes_[targets_[i]];
        later.need_ns = std::max(later.need_ns, node.set_ns);
        tell(targets_[i]);
    }
    if (index + 1 < nodes_.size() && HasBefore(index + 1)) tell(index + 1);
}

uint32_t LogicalClock::FirstStuck(std::vector<std::pair<uint32_t, uint32_t>>* lanes) const {
    uint32_t found = kNoClock;
    for (auto& [next, end] : *lanes) {
        while (next < end && nodes_[next].is_done) ++next;
        if (next < end && (found == kNoClock || nodes_[next].ns < nodes_[found].ns)) found = next;
    }
    return found;
}

void LogicalClock::Forward() {
    std::vector<uint32_t> ready;
    std::vector<std::pair<uint32_t, uint32_t>> lanes;
    for (uint32_t node = 0; node < nodes_.size(); ++node) {
        if (nodes_[node].missing == 0) ready.push_back(node);
        if (nodes_[node].clock == kNoClock) continue;
        if (!HasBefore(node)) lanes.emplace_back(node, node);
        lanes.back().second = node + 1;
    }
    for (;;) {
        while (!ready.empty()) {
            const uint32_t node = ready.back();
            ready.pop_back();
            Finish(node, &ready);
        }
        const uint32_t stuck = FirstStuck(&lanes);
        if (stuck == kNoClock) return;
        given_up_ += nodes_[stuck].missing;
        Finish(stuck, &ready);
    }
}

int64_t LogicalClock::Latest(uint32_t index) const {
    int64_t latest = kNever;
    for (uint32_t i = first_[index]; i < first_[index + 1]; ++i) {
        const uint32_t later = targets_[i];
        latest = std::min(latest,
                          nodes_[later].clock == kNoClock ? Latest(later) : nodes_[later].set_ns);
    }
    return latest;
}

// By how much an event may be moved without coming behind what depends on it.
int64_t LogicalClock::Room(uint32_t index) const {
    const int64_t latest = Latest(index);
    return latest == kNever ? kNever : std::max<int64_t>(0, latest - nodes_[index].set_ns);
}

void LogicalClock::Spread(const Jump& jump) {
    const Node& at = nodes_[jump.node];
    const int64_t length_ns = jump.ns * kStretch;
    const int64_t from_ns = at.ns - length_ns;
    int64_t room_ns = kNever;
    uint32_t index = jump.node;
    while (HasBefore(index) && room_ns > 0) {
        --index;
        Node& node = nodes_[index];
        if (node.ns <= from_ns) return;
        room_ns = std::min(room_ns, Room(index));
        const int64_t rising_ns = (node.ns - from_ns) / kStretch;
        node.set_ns += std::min(rising_ns, room_ns);
    }
    if (room_ns > 0) begin_ns_[at.clock] = std::min(begin_ns_[at.clock], from_ns);
}

void LogicalClock::Backward() {
    begin_ns_.assign(clocks_, kNever);
    // Later ones first: what they move leaves less room for those before.
    std::sort(jumps_.begin(), jumps_.end(), [&](const Jump& a, const Jump& b) {
        return std::pair(nodes_[a.node].ns, a.node) > std::pair(nodes_[b.node].ns, b.node);
    });
    for (const Jump& jump : jumps_) Spread(jump);
}

std::vector<ClockCurve> LogicalClock::Curves() const {
    std::vector<ClockCurve> curves(clocks_);
    const auto shift = [&](uint32_t i) { return nodes_[i].set_ns - nodes_[i].ns; };
    for (uint32_t i = 0; i < nodes_.size() && nodes_[i].clock != kNoClock; ++i) {
        const uint32_t clock = nodes_[i].clock;
        const bool is_first = !HasBefore(i);
        const bool is_last = i + 1 == nodes_.size() || !HasBefore(i + 1);
        const bool rises_before = is_first && begin_ns_[clock] < nodes_[i].ns;
        if (rises_before) curves[clock].Add({begin_ns_[clock], begin_ns_[clock]});
        const bool says_nothing = (is_first ? !rises_before : shift(i - 1) == shift(i)) &&
                                  (is_last || shift(i + 1) == shift(i));
        if (!says_nothing || (is_last && shift(i) != 0))
            curves[clock].Add({nodes_[i].ns, nodes_[i].set_ns});
        if (!is_last || shift(i) == 0) continue;
        const int64_t own_again = nodes_[i].ns + shift(i) * kStretch;
        curves[clock].Add({own_again, own_again});
    }
    return curves;
}

std::vector<ClockCurve> LogicalClock::Solve() {
    MakeNodes();
    Forward();
    Backward();
    return Curves();
}

}  // namespace comshu::read
