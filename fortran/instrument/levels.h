#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "instrument/source_model.h"

namespace comshu::fortran {

// How much is instrumented, in order: each has what the one before it has, but for the iterations,
// which the performance level leaves out.
enum class Level { kD0, kD1, kD2, kPerf, kD3, kD4 };

inline bool HasConstructs(Level level) {
    return level >= Level::kD2;
}
inline bool HasIterations(Level level) {
    return level >= Level::kD2 && level != Level::kPerf;
}
inline bool HasData(Level level) {
    return level >= Level::kD3;
}

// The table of levels and events, as `comshu instrument --levels` prints it.
std::string LevelTable();

// Levels of the numbered fragments `CDVM$ DEBUG n (D=level)` ... `CDVM$ ENDDEBUG n` of a source, and
// what the command line says of them (-d3:1,5-7).
class Levels {
public:
    explicit Levels(Level whole = Level::kPerf) : whole_(whole) {}

    void SetWhole(Level level) { whole_ = level; }
    void SetFragments(Level level, std::vector<std::pair<int, int>> ranges) {
        fragments_.emplace_back(level, std::move(ranges));
    }

    // Finds the fragments; what is wrong with them is appended to `diagnostics`.
    void ReadFragments(const std::string& text, bool fixed_form, const std::string& path,
                       std::vector<Diagnostic>* diagnostics);

    Level At(int line) const;
    Level whole() const { return whole_; }
    // Whether any part of a source may have the data levels.
    bool MayHaveData() const;

private:
    Level OfFragment(int number, Level around) const;

    Level whole_;
    std::vector<std::pair<Level, std::vector<std::pair<int, int>>>> fragments_;
    std::map<int, Level> changes_;  // first line: level from there on
};

// `-d0` ... `-d4`, `-dperf`, each with `:list`. False: no such option, or a malformed one.
bool ParseLevelOption(std::string_view option, Levels* levels);

// A line `CDVM$ WORD rest` or `!DVM$ WORD rest`: the word in lower case and the rest.
struct DvmDirective {
    int line = 0;
    std::string word;
    std::string rest;
};
std::vector<DvmDirective> FindDvmDirectives(const std::string& text, bool fixed_form);

}  // namespace comshu::fortran
