#include "critical_path.h"

#include <algorithm>

namespace comshu::analysis {
namespace {

class PathWalk {
public:
    using Visit = std::function<void(const PathPiece& piece)>;

    PathWalk(const CallGraph& graph, const Window& window, const Visit& visit)
        : graph_(graph), window_(window), visit_(visit) {
        for (const Lane& lane : graph.lanes()) ranges_.push_back(CallsIn(graph, lane, window));
    }

    void Run() {
        uint32_t lane = 0;
        int64_t now_ns = 0;
        if (!FindEnd(&lane, &now_ns)) return;
        while (now_ns > window_.t0_ns) {
            const uint32_t waiting = LastWaiting(lane, now_ns);
            const int64_t from_ns = waiting == kNoCall ? window_.t0_ns : graph_.ReleaseNs(waiting);
            AddPieces(lane, from_ns, now_ns);
            if (waiting == kNoCall) break;
            now_ns = from_ns;
            lane = graph_.calls()[graph_.CauseOf(waiting)].lane;
        }
    }

private:
    // The lane that something happened on last.
    bool FindEnd(uint32_t* lane, int64_t* now_ns) const {
        bool found = false;
        for (uint32_t i = 0; i < ranges_.size(); ++i) {
            for (uint32_t call = ranges_[i].first; call < ranges_[i].end; ++call) {
                const Call& at = graph_.calls()[call];
                for (const int64_t time_ns : {at.begin_ns, at.end_ns}) {
                    if (time_ns > window_.t1_ns || (found && time_ns <= *now_ns)) continue;
                    found = true;
                    *lane = i;
                    *now_ns = time_ns;
                }
            }
            // Work behind its last call.
            const Lane& own = graph_.lanes()[i];
            const int64_t tail_ns = std::min(own.end_ns, window_.t1_ns);
            const bool is_inside = ranges_[i].end > ranges_[i].first &&
                                   graph_.calls()[ranges_[i].end - 1].end_ns > tail_ns;
            if (!is_inside && tail_ns > window_.t0_ns && (!found || tail_ns > *now_ns)) {
                found = true;
                *lane = i;
                *now_ns = tail_ns;
            }
        }
        return found;
    }

    // The last call of the lane that was released before this time.
    uint32_t LastWaiting(uint32_t lane, int64_t before_ns) const {
        const CallRange& range = ranges_[lane];
        const auto begin = graph_.calls().begin();
        auto at = std::partition_point(begin + range.first, begin + range.end,
                                       [&](const Call& call) { return call.begin_ns < before_ns; });
        while (at != begin + range.first) {
            --at;
            const auto call = static_cast<uint32_t>(at - begin);
            if (graph_.CauseOf(call) == kNoCall) continue;
            const int64_t release_ns = graph_.ReleaseNs(call);
            if (release_ns <= window_.t0_ns) return kNoCall;
            if (release_ns < before_ns) return call;
        }
        return kNoCall;
    }

    // What the lane did from `from_ns` to `to_ns`, last first.
    void AddPieces(uint32_t lane, int64_t from_ns, int64_t to_ns) {
        const CallRange& range = ranges_[lane];
        const auto begin = graph_.calls().begin();
        auto at = std::partition_point(begin + range.first, begin + range.end,
                                       [&](const Call& call) { return call.begin_ns < to_ns; });
        int64_t until_ns = to_ns;
        uint32_t next = static_cast<uint32_t>(at - begin);
        if (next == graph_.lanes()[lane].end_call) next = kNoCall;
        while (until_ns > from_ns) {
            const bool has_call = at != begin + range.first && (at - 1)->end_ns > from_ns;
            const int64_t outside_ns = has_call ? std::min(until_ns, (at - 1)->end_ns) : from_ns;
            if (outside_ns < until_ns) {
                visit_(PathPiece{lane, kNoCall, next, outside_ns, until_ns});
                until_ns = outside_ns;
            }
            if (!has_call) break;
            --at;
            next = static_cast<uint32_t>(at - begin);
            const int64_t call_ns = std::max(from_ns, at->begin_ns);
            if (call_ns < until_ns) {
                visit_(PathPiece{lane, next, kNoCall, call_ns, until_ns});
                until_ns = call_ns;
            }
        }
    }

    const CallGraph& graph_;
    Window window_;
    std::vector<CallRange> ranges_;
    const Visit& visit_;
};

}  // namespace

std::vector<PathPiece> CriticalPath(const CallGraph& graph, const Window& window) {
    std::vector<PathPiece> pieces;
    ForEachPathPiece(graph, window, [&](const PathPiece& piece) { pieces.push_back(piece); });
    std::reverse(pieces.begin(), pieces.end());
    return pieces;
}

void ForEachPathPiece(const CallGraph& graph, const Window& window,
                      const std::function<void(const PathPiece& piece)>& visit) {
    PathWalk(graph, window, visit).Run();
}

}  // namespace comshu::analysis
