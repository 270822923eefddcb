// The option that chooses what times are counted on.
#ifndef COMSHU_CLOCK_OPTION_H_
#define COMSHU_CLOCK_OPTION_H_

#include <CLI/CLI.hpp>

#include <map>
#include <string>

#include "choice_option.h"
#include "comshu/read/host_clock.h"

namespace comshu {

inline void AddClockOption(CLI::App& verb, read::ClockChoice* clock) {
    const std::map<std::string, read::ClockChoice> clocks = {
        {"host", read::ClockChoice::kHost},
        {"measured", read::ClockChoice::kMeasured},
        {"logical", read::ClockChoice::kLogical}};
    AddChoice(verb, "--clock", clock, clocks,
              "times of several hosts: host (as set there), measured (as compared in the run, "
              "the standard), logical (and no message runs backwards)");
}

}  // namespace comshu

#endif  // COMSHU_CLOCK_OPTION_H_
