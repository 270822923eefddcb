// The tree of intervals of a program, with the characteristics that DVM's analysers give them.
#ifndef COMSHU_READ_OPENMP_INTERVALS_H_
#define COMSHU_READ_OPENMP_INTERVALS_H_

#include <cstdint>
#include <limits>
#include <vector>

#include "openmp/openmp_spans.h"
#include "openmp/teams.h"

namespace comshu::read {

// An interval is the whole program (the root), a parallel region, or what the program marks as one
// (INTERVAL), at its place in the tree: the same construct met inside of two intervals is two, and so is
// one that has two numbers (beyond a thousand in one place they are one). Times
// are in ns; what is inside of parts counts in the whole. docs/provider-openmp.md has the formulas.
struct Interval {
    static constexpr int64_t kNoNumber = std::numeric_limits<int64_t>::min();
    uint32_t process_id = 0;
    int64_t id = 0;  // In order of first entry; 0: the root.
    int64_t parent_id = -1;
    uint64_t construct = 0;      // Of the root: 0.
    int64_t number = kNoNumber;  // That the program gives it.
    uint64_t calls = 0;
    int64_t io_ns = 0;
    int64_t execution_ns = 0;
    int64_t barrier_ns = 0;
    int64_t used_ns = 0;
    uint32_t used_threads = 1;
    int64_t critical_ns = 0;
    int64_t flush_ns = 0;
    int64_t idle_parallel_ns = 0;
    int64_t load_imbalance_ns = 0;
    int64_t thread_max_ns = 0;
    int64_t thread_min_ns = 0;
    double thread_avg_ns = 0;
    int64_t total_ns = 0;
    int64_t lost_ns = 0;
    int64_t productive_ns = 0;
    int64_t insufficient_ns = 0;
    bool in_parallel = false;
};

// Of every process: children before their parent, the root last.
std::vector<Interval> Intervals(const OpenmpSpans& spans, const Teams& teams);

}  // namespace comshu::read

#endif  // COMSHU_READ_OPENMP_INTERVALS_H_
