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

// Whether the runtime chooses the iterations whose data are told (DBG_SIfIter, DBG_OMPIfIter): no, by a
// condition around each group of calls, or by a second copy of the body that has none.
enum class Conditional { kNo, kGuards, kCopies };

// Levels of the numbered fragments `CDVM$ DEBUG n (D=level)` ... `CDVM$ ENDDEBUG n` of a source, and
// what the command line says of them (-d3:1,5-7, -dbif1:2).
class Levels {
public:
    using Ranges = std::vector<std::pair<int, int>>;

    explicit Levels(Level whole = Level::kPerf) : whole_{whole, Conditional::kNo} {}

    void SetWhole(Level level) { whole_.level = level; }
    void SetWhole(Conditional conditional) { whole_.conditional = conditional; }
    void SetFragments(Level level, Ranges ranges) {
        fragments_.emplace_back(level, std::move(ranges));
    }
    void SetFragments(Conditional conditional, Ranges ranges) {
        conditionals_.emplace_back(conditional, std::move(ranges));
    }

    // Finds the fragments; what is wrong with them is appended to `diagnostics`.
    void ReadFragments(const std::string& text, bool fixed_form, const std::string& path,
                       std::vector<Diagnostic>* diagnostics);

    Level At(int line) const { return ChoiceAt(line).level; }
    Conditional ConditionalAt(int line) const { return ChoiceAt(line).conditional; }
    Level whole() const { return whole_.level; }
    // Whether any part of a source may have the data levels.
    bool MayHaveData() const;

private:
    struct Choice {
        Level level;
        Conditional conditional;
    };

    const Choice& ChoiceAt(int line) const;

    Choice whole_;
    std::vector<std::pair<Level, Ranges>> fragments_;
    std::vector<std::pair<Conditional, Ranges>> conditionals_;
    std::map<int, Choice> changes_;  // first line: what holds from there on
};

// `-d0` ... `-d4`, `-dperf`, `-dbif1`, `-dbif2`, each with `:list`. False: no such option, or a
// malformed one.
bool ParseLevelOption(std::string_view option, Levels* levels);

// A line `CDVM$ WORD rest` or `!DVM$ WORD rest`: the word in lower case and the rest.
struct DvmDirective {
    int line = 0;
    std::string word;
    std::string rest;
};
std::vector<DvmDirective> FindDvmDirectives(const std::string& text, bool fixed_form);

}  // namespace comshu::fortran
