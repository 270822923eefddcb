// How uneven single executions of constructs were.
#ifndef COMSHU_READ_OPENMP_EXECUTION_IMBALANCE_H_
#define COMSHU_READ_OPENMP_EXECUTION_IMBALANCE_H_

#include <cstdint>
#include <vector>

#include "openmp/openmp_spans.h"

namespace comshu::read {

// Problem: a construct that keeps another thread busy each time is even in the sum over all times.
// Idea: threads meet the constructs of a region in the same order, so the n-th time that each meets one
// within one execution of its region is the same execution. What a thread works there is compared with the
// others of that time; the sums over executions are kept.
struct ExecutionImbalance {
    uint32_t process_id = 0;
    uint64_t construct = 0;
    OmpFunction function = OmpFunction::parallel;
    int64_t imbalance_ns = 0;  // Sum over threads of (that of the busiest - its own).
    int64_t work_max_ns = 0;   // Of the busiest of each.
    double work_avg_ns = 0;
};

// Cost: 40 bytes per construct that a thread meets. Regions that are not known are left out.
std::vector<ExecutionImbalance> ExecutionImbalances(const OpenmpSpans& spans);

}  // namespace comshu::read

#endif  // COMSHU_READ_OPENMP_EXECUTION_IMBALANCE_H_
