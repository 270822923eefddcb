#include "openmp/intervals.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "openmp/thread_times.h"

namespace comshu::read {
namespace {

struct Segment {
    int64_t begin_ns;
    int64_t end_ns;
};

// Time that at least one of the segments covers.
int64_t Covered(std::vector<Segment> segments) {
    std::sort(segments.begin(), segments.end(),
              [](const Segment& a, const Segment& b) { return a.begin_ns < b.begin_ns; });
    int64_t covered = 0;
    int64_t until = 0;
    bool first = true;
    for (const Segment& segment : segments) {
        const int64_t from = first ? segment.begin_ns : std::max(until, segment.begin_ns);
        if (segment.end_ns > from) covered += segment.end_ns - from;
        until = first ? segment.end_ns : std::max(until, segment.end_ns);
        first = false;
    }
    return covered;
}

// A thread comes into an interval, or leaves it.
struct Presence {
    int64_t ns;
    uint32_t thread;
    int32_t change;
};

// How many threads there were at most at one time. A thread may be there several times over.
uint32_t MostAtOnce(std::vector<Presence> presence) {
    std::sort(presence.begin(), presence.end(), [](const Presence& a, const Presence& b) {
        return a.ns != b.ns ? a.ns < b.ns : a.change < b.change;
    });
    std::map<uint32_t, int32_t> depth;
    uint32_t now = 0;
    uint32_t most = 0;
    for (const Presence& p : presence) {
        int32_t& of_thread = depth[p.thread];
        now -= of_thread > 0 ? 1 : 0;
        of_thread += p.change;
        now += of_thread > 0 ? 1 : 0;
        most = std::max(most, now);
    }
    return most;
}

struct WorkerPart {
    int64_t inside_ns = 0;  // Entered by it.
    int64_t task_ns = 0;    // Its parts of a region.
    int64_t lost_ns = 0;    // Waiting and flushing inside of them.
};

struct Node {
    uint32_t parent = 0;
    Interval interval;
    bool is_region = false;
    int64_t first_ns = 0;
    std::vector<Segment> segments;
    std::map<uint32_t, WorkerPart> workers;  // See Membership.
    std::vector<Presence> presence;
    std::vector<uint32_t> children;
};

// The tree of one process.
class Tree {
public:
    Tree(const OpenmpSpans& spans, const Teams& teams, std::vector<uint32_t> lanes)
        : spans_(spans), teams_(teams), lanes_(std::move(lanes)) {
        nodes_.emplace_back();
        for (const uint32_t lane : lanes_) {
            node_of_[lane].assign(spans_.lanes()[lane].spans.size(), kUnknown);
            tasks_inside_[lane] = TasksInside(spans_.lanes()[lane]);
            const auto& behind = tasks_behind_.try_emplace(lane, spans_, spans_.lanes()[lane]);
            parts_[lane] = PartsAround(spans_.lanes()[lane], behind.first->second);
        }
    }

    void AddTo(std::vector<Interval>* out) {
        AddRoot();
        for (const uint32_t lane : lanes_) {
            for (uint32_t i = 0; i < spans_.lanes()[lane].spans.size(); ++i) AddSpan(lane, i);
        }
        Number();
        Finish(0);
        Write(0, out);
    }

private:
    static constexpr uint32_t kUnknown = ~uint32_t{0};
    static constexpr uint32_t kRoot = 0;
    static constexpr uint32_t kMostNumbers = 1000;

    static bool IsInterval(const OpenmpSpan& span) {
        return span.is_openmp && span.function == OmpFunction::interval;
    }
    static bool IsIntervalOf(const OpenmpSpan& span, uint64_t construct) {
        return IsInterval(span) && span.construct == construct;
    }
    static bool IsRegion(const OpenmpSpan& span) {
        return span.is_openmp && span.function == OmpFunction::parallel;
    }
    static bool IsTask(const OpenmpSpan& span) {
        return span.is_openmp && span.function == OmpFunction::implicit_task;
    }

    uint32_t Child(uint32_t parent, uint64_t construct, int64_t number, bool is_region,
                   int64_t begin_ns) {
        if (number != Interval::kNoNumber && !child_of_.contains({parent, construct, number})) {
            uint32_t& numbers = numbers_of_[{parent, construct}];
            if (numbers == kMostNumbers) {
                number = Interval::kNoNumber;
            } else {
                ++numbers;
            }
        }
        const auto [found, is_new] = child_of_.try_emplace(std::tuple(parent, construct, number),
                                                           static_cast<uint32_t>(nodes_.size()));
        if (is_new) {
            Node node;
            node.parent = parent;
            node.is_region = is_region;
            node.first_ns = begin_ns;
            node.interval.construct = construct;
            node.interval.number = number;
            nodes_.push_back(std::move(node));
            nodes_[parent].children.push_back(found->second);
        }
        Node& node = nodes_[found->second];
        node.first_ns = std::min(node.first_ns, begin_ns);
        return found->second;
    }

    // The interval that the inside of a span belongs to. Whoever works in a region is where its starter
    // was; regions start before their tasks, so this ends, and does too where data is damaged.
    uint32_t NodeOf(uint32_t lane, uint32_t index) {
        if (index == kNoSpan) return kRoot;
        uint32_t& known = node_of_.at(lane)[index];
        if (known != kUnknown) return known;
        known = kRoot;
        const OpenmpSpan& span = spans_.lanes()[lane].spans[index];
        uint32_t node;
        if (IsTask(span)) {
            const SpanPlace region = spans_.Region(spans_.lanes()[lane].process, span.region);
            node = region.span == kNoSpan
                       ? Child(kRoot, span.construct, Interval::kNoNumber, true, span.begin_ns)
                       : NodeOf(region.lane, region.span);
        } else {
            node = NodeOf(lane, tasks_behind_.at(lane).Around(index));
            // An interval that the documented scheme puts around a region is that region.
            if (IsRegion(span) && span.parent != kNoSpan &&
                IsIntervalOf(spans_.lanes()[lane].spans[span.parent], span.construct)) {
                nodes_[node].is_region = true;
            } else if (IsInterval(span) || IsRegion(span)) {
                const int64_t number =
                    IsRegion(span) ? Interval::kNoNumber : static_cast<int64_t>(span.region);
                node = Child(node, span.construct, number, IsRegion(span), span.begin_ns);
            }
        }
        node_of_.at(lane)[index] = node;
        return node;
    }

    template <typename Add>
    void Up(uint32_t node, Add add) {
        for (;; node = nodes_[node].parent) {
            add(&nodes_[node]);
            if (node == kRoot) return;
        }
    }

    // Whoever stands where a span is, whichever thread that was.
    uint32_t WorkerOf(uint32_t lane, uint32_t index) const {
        return teams_.Of(lane, parts_.at(lane)[index]).worker;
    }

    void AddRoot() {
        Node& root = nodes_[kRoot];
        Segment all{0, 0};
        const OpenmpLane* first = nullptr;
        uint32_t worker = 0;
        for (const uint32_t l : lanes_) {
            const OpenmpLane& lane = spans_.lanes()[l];
            for (const OpenmpSpan& span : lane.spans) {
                if (first == nullptr && all.begin_ns == all.end_ns)
                    all = {span.begin_ns, span.end_ns};
                all.begin_ns = std::min(all.begin_ns, span.begin_ns);
                all.end_ns = std::max(all.end_ns, span.end_ns);
            }
            if (!lane.spans.empty() &&
                (first == nullptr || lane.spans.front().begin_ns < first->spans.front().begin_ns)) {
                first = &lane;
                root_lane_ = l;
                worker = teams_.Of(l, kNoSpan).worker;
            }
        }
        root.interval.calls = 1;
        root.first_ns = all.begin_ns;
        root.segments.push_back(all);
        root.interval.used_ns = all.end_ns - all.begin_ns;
        if (first == nullptr) return;
        root.workers[worker].inside_ns = root.interval.used_ns;
        root.presence = {{all.begin_ns, first->thread, 1}, {all.end_ns, first->thread, -1}};
    }

    void AddSpan(uint32_t lane_index, uint32_t i) {
        const OpenmpLane& lane = spans_.lanes()[lane_index];
        const OpenmpSpan& span = lane.spans[i];
        if (!span.is_openmp) return;
        const uint32_t node = NodeOf(lane_index, i);
        const int64_t ns = span.duration();
        if (lane_index != root_lane_ && IsAlone(lane_index, i)) {
            // A thread of the program's own, or of a region that was not recorded.
            Node& root = nodes_[kRoot];
            root.interval.used_ns += ns;
            root.workers[WorkerOf(lane_index, i)].inside_ns += ns;
            AddPresence(lane, i, &root);
        }
        if (IsInterval(span) || IsRegion(span)) {
            const bool is_own = node != NodeOf(lane_index, span.parent);
            if (!is_own) return;
            Node& entered = nodes_[node];
            ++entered.interval.calls;
            entered.interval.used_ns += ns;
            entered.segments.push_back({span.begin_ns, span.end_ns});
            entered.workers[WorkerOf(lane_index, i)].inside_ns += ns;
            AddPresence(lane, i, &entered);
            return;
        }
        if (IsTask(span)) {
            AddTask(lane_index, i, node);
            return;
        }
        int64_t Interval::*time = nullptr;
        bool is_lost = true;
        switch (span.function) {
            case OmpFunction::implicit_barrier_wait:
                // At the end of a region it is "idle parallel".
                if (span.parent != kNoSpan && IsRegion(lane.spans[span.parent])) return;
                time = &Interval::barrier_ns;
                break;
            case OmpFunction::barrier_wait:
                time = &Interval::barrier_ns;
                break;
            case OmpFunction::critical_wait:
                time = &Interval::critical_ns;
                break;
            case OmpFunction::flush:
                time = &Interval::flush_ns;
                break;
            case OmpFunction::io:
                time = &Interval::io_ns;
                is_lost = false;
                break;
            default:
                return;
        }
        // Tasks that run while their thread waits are no waiting.
        const int64_t own =
            is_lost ? std::max<int64_t>(0, ns - tasks_inside_.at(lane_index)[i]) : ns;
        const uint32_t worker = WorkerOf(lane_index, i);
        Up(node, [&](Node* around) {
            around->interval.*time += own;
            if (is_lost) around->workers[worker].lost_ns += own;
        });
    }

    // Whether nothing of OpenMP is around it.
    bool IsAlone(uint32_t lane_index, uint32_t i) const {
        const OpenmpLane& lane = spans_.lanes()[lane_index];
        if (parts_.at(lane_index)[i] != kNoSpan) return false;
        for (uint32_t at = lane.spans[i].parent; at != kNoSpan; at = lane.spans[at].parent) {
            if (lane.spans[at].is_openmp) return false;
        }
        return true;
    }

    // A thread is there as long as its team is: when a member starts and ends is chance.
    void AddPresence(const OpenmpLane& lane, uint32_t index, Node* node) {
        Segment there{lane.spans[index].begin_ns, lane.spans[index].end_ns};
        for (uint32_t i = index; i != kNoSpan; i = lane.spans[i].parent) {
            if (!IsTask(lane.spans[i])) continue;
            const SpanPlace region = spans_.Region(lane.process, lane.spans[i].region);
            if (region.span != kNoSpan)
                there = {spans_.At(region).begin_ns, spans_.At(region).end_ns};
            break;
        }
        node->presence.push_back({there.begin_ns, lane.thread, 1});
        node->presence.push_back({there.end_ns, lane.thread, -1});
    }

    void AddTask(uint32_t lane_index, uint32_t index, uint32_t node) {
        const OpenmpLane& lane = spans_.lanes()[lane_index];
        const OpenmpSpan& span = lane.spans[index];
        const SpanPlace region = spans_.Region(lane.process, span.region);
        const bool is_starter = region.span != kNoSpan && &spans_.lanes()[region.lane] == &lane;
        int64_t ns = span.duration() + tasks_behind_.at(lane_index).After(index);
        int64_t idle = 0;
        if (region.span == kNoSpan) {
            nodes_[node].segments.push_back({span.begin_ns, span.begin_ns + ns});
        } else {
            const int64_t most = std::max<int64_t>(0, spans_.At(region).end_ns - span.begin_ns);
            ns = std::min(ns, most);
            idle = most - ns;
        }
        nodes_[node].workers[WorkerOf(lane_index, index)].task_ns += ns;
        Up(node, [&](Node* around) {
            if (!is_starter) {
                around->interval.used_ns += ns;
                AddPresence(lane, index, around);
            }
            around->interval.idle_parallel_ns += idle;
        });
    }

    // Numbers in order of first entry.
    void Number() {
        std::vector<uint32_t> order(nodes_.size());
        for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
        std::stable_sort(order.begin() + 1, order.end(), [&](uint32_t a, uint32_t b) {
            return nodes_[a].first_ns < nodes_[b].first_ns;
        });
        for (size_t i = 0; i < order.size(); ++i)
            nodes_[order[i]].interval.id = static_cast<int64_t>(i);
        for (Node& node : nodes_) {
            node.interval.process_id = spans_.lanes()[lanes_.front()].process;
            node.interval.parent_id =
                &node == &nodes_[kRoot] ? -1 : nodes_[node.parent].interval.id;
            std::sort(node.children.begin(), node.children.end(), [&](uint32_t a, uint32_t b) {
                return nodes_[a].first_ns < nodes_[b].first_ns;
            });
        }
    }

    void FinishThreads(Node* node, bool is_parallel) {
        Interval& interval = node->interval;
        if (!is_parallel) {
            interval.thread_max_ns = interval.thread_min_ns = interval.used_ns;
            interval.thread_avg_ns = static_cast<double>(interval.used_ns);
            return;
        }
        bool first = true;
        int64_t sum = 0;
        int64_t count = 0;
        for (const auto& [worker, part] : node->workers) {
            const int64_t entered = node->is_region ? part.task_ns : part.inside_ns;
            if (entered == 0) continue;
            const int64_t productive = entered - part.lost_ns;
            interval.thread_max_ns =
                first ? productive : std::max(interval.thread_max_ns, productive);
            interval.thread_min_ns =
                first ? productive : std::min(interval.thread_min_ns, productive);
            first = false;
            sum += productive;
            ++count;
        }
        if (count == 0) return;
        interval.thread_avg_ns = static_cast<double>(sum) / static_cast<double>(count);
        interval.load_imbalance_ns = interval.thread_max_ns * count - sum;
    }

    void Finish(uint32_t at) {
        uint32_t most = 1;
        for (const uint32_t child : nodes_[at].children) {
            Finish(child);
            most = std::max(most, nodes_[child].interval.used_threads);
        }
        Node& node = nodes_[at];
        Interval& interval = node.interval;
        uint32_t entered = 0;
        for (const auto& [worker, part] : node.workers)
            entered += (node.is_region ? part.task_ns : part.inside_ns) > 0 ? 1 : 0;
        interval.used_threads = std::max(most, MostAtOnce(std::move(node.presence)));
        interval.in_parallel = entered > 1 || IsInsideRegion(node);
        FinishThreads(&node, node.is_region || entered > 1);
        interval.execution_ns = Covered(std::move(node.segments));
        interval.productive_ns =
            interval.used_ns - interval.barrier_ns - interval.critical_ns - interval.flush_ns;
        interval.total_ns = interval.execution_ns * interval.used_threads;
        interval.insufficient_ns = interval.total_ns - interval.used_ns;
        interval.lost_ns = interval.barrier_ns + interval.critical_ns + interval.flush_ns +
                           interval.insufficient_ns;
    }

    bool IsInsideRegion(const Node& node) const {
        if (&node == &nodes_[kRoot]) return false;
        for (uint32_t i = node.parent; i != kRoot; i = nodes_[i].parent) {
            if (nodes_[i].is_region) return true;
        }
        return false;
    }

    void Write(uint32_t at, std::vector<Interval>* out) const {
        for (const uint32_t child : nodes_[at].children) Write(child, out);
        out->push_back(nodes_[at].interval);
    }

    const OpenmpSpans& spans_;
    const Teams& teams_;
    std::vector<uint32_t> lanes_;
    uint32_t root_lane_ = kUnknown;  // Whose thread is there from begin to end.
    std::vector<Node> nodes_;
    // Parent, construct, number.
    std::map<std::tuple<uint32_t, uint64_t, int64_t>, uint32_t> child_of_;
    std::map<std::pair<uint32_t, uint64_t>, uint32_t> numbers_of_;
    std::map<uint32_t, std::vector<uint32_t>> node_of_;  // By lane: of each span.
    std::map<uint32_t, std::vector<int64_t>> tasks_inside_;
    std::map<uint32_t, TasksBehind> tasks_behind_;
    std::map<uint32_t, std::vector<uint32_t>> parts_;  // By lane: around each span.
};

}  // namespace

std::vector<Interval> Intervals(const OpenmpSpans& spans, const Teams& teams) {
    std::map<uint32_t, std::vector<uint32_t>> lanes_of;
    for (uint32_t i = 0; i < spans.lanes().size(); ++i)
        lanes_of[spans.lanes()[i].process].push_back(i);
    std::vector<Interval> intervals;
    for (auto& [process, lanes] : lanes_of) Tree(spans, teams, lanes).AddTo(&intervals);
    return intervals;
}

}  // namespace comshu::read
