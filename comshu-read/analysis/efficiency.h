// Efficiencies of a run in windows of time.
#ifndef COMSHU_ANALYSIS_EFFICIENCY_H_
#define COMSHU_ANALYSIS_EFFICIENCY_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "event_order.h"

namespace comshu::analysis {

// `useful`: time outside MPI. A rank with several threads that call MPI has the mean of theirs.
// Efficiencies are null (NaN) where there is no useful time.
struct Efficiency {
    Window window;
    int64_t ideal_ns = 0;  // How long it would take on a network that costs nothing.
    double useful_mean_ns = 0;
    double useful_max_ns = 0;
    double parallel = 0;
    double load_balance = 0;
    double communication = 0;
    double serialisation = 0;
    double transfer = 0;
    std::map<int32_t, double> useful_ns;  // By rank.
};

// Plays each window again with a clock per thread that knows useful time and dependencies alone: a
// receive ends when its sender has come, a collective when those have come that it needs. All of them in one
// pass over the run, which is read to its end. False and a reason if that fails.
bool EfficienciesOf(OrderedRows* rows, const std::vector<Window>& windows,
                    std::vector<Efficiency>* found, std::string* error);

}  // namespace comshu::analysis

#endif  // COMSHU_ANALYSIS_EFFICIENCY_H_
