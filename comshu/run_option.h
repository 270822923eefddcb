// Options of `comshu run` that reach the program through its environment.
#ifndef COMSHU_RUN_OPTION_H_
#define COMSHU_RUN_OPTION_H_

#include <cstdint>
#include <string>
#include <vector>

#include "comshu/core/option.h"

namespace comshu {

// As the recorder describes it (core/engine_options.h) or a provider in its object (provider/options.h).
struct RunOption {
    std::string provider;  // Empty: of the recorder, it holds for all.
    std::string flag;      // "--ring", "--mpi.calls"
    std::string variable;
    std::string values;
    std::string standard;
    std::string help;
    core::OptionType type;
    uint64_t least;
    uint64_t largest;

    bool IsValid(const std::string& value) const;
    // "one of wait, drop, newest", "a number from 64 to 1048576".
    std::string ValuesText() const;
    // What it does and what holds without it.
    std::string HelpText() const;
};

// Of the recorder, then of the providers whose objects are here.
const std::vector<RunOption>& RunOptionList();

// A table of all of them, for docs/options.md.
std::string OptionTable();

}  // namespace comshu

#endif  // COMSHU_RUN_OPTION_H_
