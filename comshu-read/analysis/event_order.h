// Begins and ends of calls of all threads, in order of time.
#ifndef COMSHU_ANALYSIS_EVENT_ORDER_H_
#define COMSHU_ANALYSIS_EVENT_ORDER_H_

#include <algorithm>
#include <cstdint>
#include <queue>
#include <tuple>
#include <vector>

#include "call_graph.h"

namespace comshu::analysis {

struct Window {
    int64_t t0_ns = 0;
    int64_t t1_ns = 0;
};

// The calls of a lane that have a part in the window.
struct CallRange {
    uint32_t first = 0;
    uint32_t end = 0;
};

inline CallRange CallsIn(const CallGraph& graph, const Lane& lane, const Window& window) {
    const auto begin = graph.calls().begin();
    const auto first =
        std::partition_point(begin + lane.first_call, begin + lane.end_call,
                             [&](const Call& call) { return call.end_ns < window.t0_ns; });
    const auto end = std::partition_point(first, begin + lane.end_call, [&](const Call& call) {
        return call.begin_ns < window.t1_ns;
    });
    return CallRange{static_cast<uint32_t>(first - begin), static_cast<uint32_t>(end - begin)};
}

// Calls `visit(call, time_ns, is_exit)`. A call that began before the window is entered where that
// begins; one that ends behind it does not exit. At one time enters come before exits, so that whoever
// is waited for is there; the order is that of the lanes otherwise. O(n log lanes).
template <typename Visit>
void ForEachEvent(const CallGraph& graph, const Window& window, Visit visit) {
    struct Cursor {
        uint32_t call;
        uint32_t end;
        bool is_exit;
    };
    std::vector<Cursor> cursors;
    using Turn = std::tuple<int64_t, bool, uint32_t>;  // Time, exit, lane.
    std::priority_queue<Turn, std::vector<Turn>, std::greater<>> turns;
    const auto add = [&](uint32_t lane) {
        const Cursor& cursor = cursors[lane];
        if (cursor.call == cursor.end) return;
        const Call& call = graph.calls()[cursor.call];
        if (!cursor.is_exit) {
            turns.emplace(std::max(call.begin_ns, window.t0_ns), false, lane);
        } else if (call.end_ns <= window.t1_ns) {
            turns.emplace(call.end_ns, true, lane);
        }
    };
    for (uint32_t lane = 0; lane < graph.lanes().size(); ++lane) {
        const CallRange range = CallsIn(graph, graph.lanes()[lane], window);
        cursors.push_back(Cursor{range.first, range.end, false});
        add(lane);
    }
    while (!turns.empty()) {
        const auto [time_ns, is_exit, lane] = turns.top();
        turns.pop();
        Cursor& cursor = cursors[lane];
        visit(cursor.call, time_ns, is_exit);
        if (is_exit) ++cursor.call;
        cursor.is_exit = !is_exit;
        add(lane);
    }
}

}  // namespace comshu::analysis

#endif  // COMSHU_ANALYSIS_EVENT_ORDER_H_
