// The spans of OpenMP in a capture, thread by thread, for what follows them in order.
#ifndef COMSHU_READ_OPENMP_OPENMP_SPANS_H_
#define COMSHU_READ_OPENMP_OPENMP_SPANS_H_

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "comshu/read/capture.h"
#include "comshu/schema/openmp_generated.h"

namespace comshu::read {

using schema::OmpFunction;

constexpr uint32_t kNoSpan = ~uint32_t{0};
constexpr uint32_t kNoTeamNumber = ~uint32_t{0};

// A span of any layer: those of others only hold the tree together.
struct OpenmpSpan {
    uint64_t number = 0;        // Of its thread.
    uint32_t parent = kNoSpan;  // Index into the lane.
    bool is_openmp = false;
    OmpFunction function = OmpFunction::parallel;
    uint64_t construct = 0;
    uint64_t region = 0;  // Of an interval: the number that the program gives it.
    int64_t begin_ns = 0;
    int64_t end_ns = 0;  // Of an open one: when the process was seen last.
    // Of implicit tasks: as recorded.
    uint32_t thread_num = 0;
    uint32_t team_size = 0;

    int64_t duration() const { return end_ns - begin_ns; }
};

struct OpenmpLoop {
    uint64_t number = 0;  // Of its span.
    int64_t first = 0;    // The bounds; `step` 0: not known.
    int64_t step = 0;
    // Iterations that are given out together, at multiples of that number; 0: not so, or not known.
    int64_t chunk = 0;
    // Of all threads together, where the runtime says so: of a static schedule.
    uint64_t iterations = 0;
};

struct OpenmpIteration {
    uint64_t loop = 0;              // Number of the span it happened in.
    int64_t index = 0;              // Of the loop variable; of collapsed loops their number.
    uint64_t chunk_iterations = 0;  // Not 0: a chunk of so many, as the runtime gave it.
};

// One thread. Spans in the order in which they were opened, so a parent comes before what is in it.
struct OpenmpLane {
    uint32_t process = 0;
    uint32_t thread = 0;
    uint32_t omp_thread = kNoTeamNumber;  // In each outermost team that it was in.
    std::vector<OpenmpSpan> spans;
    std::vector<OpenmpLoop> loops;            // In order of their spans.
    std::vector<OpenmpIteration> iterations;  // In order of time.

    // Index of a span by its number; kNoSpan: not recorded.
    uint32_t Find(uint64_t number) const;
    const OpenmpLoop* FindLoop(uint64_t number) const;
};

// A span by lane and index.
struct SpanPlace {
    uint32_t lane = 0;
    uint32_t span = kNoSpan;
};

// Threads with spans of OpenMP. Cost: one pass over the heads of all spans, about 60 bytes per span.
class OpenmpSpans {
public:
    explicit OpenmpSpans(const Capture& capture);

    const std::vector<OpenmpLane>& lanes() const { return lanes_; }
    const OpenmpSpan& At(SpanPlace place) const { return lanes_[place.lane].spans[place.span]; }
    // The parallel region of this number, where whoever started it met it; span kNoSpan: not recorded.
    SpanPlace Region(uint32_t process, uint64_t region) const;
    // The innermost implicit task around a span.
    static uint32_t PartAround(const OpenmpLane& lane, uint32_t span);

private:
    void AddBlock(const Capture& capture, const Block& block, core::BlockDecoder* decoder);
    void Link();
    void LinkLoops(OpenmpLane* lane) const;
    uint32_t NumberOf(const OpenmpLane& lane) const;
    void AddSchedules(const Capture& capture, const Block& block, core::BlockDecoder* decoder);

    enum class Schedule : uint8_t { other, dynamic, guided };
    std::map<std::pair<uint32_t, uint64_t>, Schedule> schedules_;  // By process and construct.
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> lane_of_;    // By process and thread.
    std::vector<OpenmpLane> lanes_;
    std::map<std::pair<uint32_t, uint64_t>, SpanPlace> regions_;
};

}  // namespace comshu::read

#endif  // COMSHU_READ_OPENMP_OPENMP_SPANS_H_
