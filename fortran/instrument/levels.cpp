#include "instrument/levels.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <optional>
#include <sstream>

namespace comshu::fortran {
namespace {

std::optional<Level> LevelOf(std::string_view word) {
    if (word == "perf") {
        return Level::kPerf;
    }
    if (word.size() != 1 || word[0] < '0' || word[0] > '4') {
        return std::nullopt;
    }
    constexpr Level kByDigit[] = {Level::kD0, Level::kD1, Level::kD2, Level::kD3, Level::kD4};
    return kByDigit[word[0] - '0'];
}

bool ParseRanges(std::string_view list, std::vector<std::pair<int, int>>* ranges) {
    std::istringstream in{std::string(list)};
    for (std::string part; std::getline(in, part, ',');) {
        char* end = nullptr;
        long first = std::strtol(part.c_str(), &end, 10);
        long last = first;
        if (*end == '-' && end != part.c_str()) {
            last = std::strtol(end + 1, &end, 10);
        }
        if (part.empty() || *end || first < 1 || last < first) {
            return false;
        }
        ranges->emplace_back(static_cast<int>(first), static_cast<int>(last));
    }
    return !ranges->empty();
}

std::string Lower(std::string_view text) {
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return out;
}

// What the options say of a fragment, the last one first; `around` where none names it.
template <typename Choice>
Choice OfFragment(const std::vector<std::pair<Choice, Levels::Ranges>>& options, int number,
                  Choice around) {
    for (auto option = options.rbegin(); option != options.rend(); ++option) {
        for (const auto& [first, last] : option->second) {
            if (first <= number && number <= last) {
                return option->first;
            }
        }
    }
    return around;
}

}  // namespace

std::string LevelTable() {
    return "event                                          d1  d2  dperf  d3  d4\n"
           "start, end of the main program                  x   x    x     x   x\n"
           "begin of functions                              x   x    x     x   x\n"
           "ALLOCATE, DEALLOCATE                            -   -    -     x   x\n"
           "end of functions, STOP, leaving of loops        -   x    x     x   x\n"
           "OpenMP constructs                               -   x    x     x   x\n"
           "calls                                           -   x    x     x   x\n"
           "iterations of OpenMP loops                      -   x    -     x   x\n"
           "sequential loops and their iterations           -   x    -     x   x\n"
           "ends inside of regions and tasks                -   x    x     x   x\n"
           "ends inside other constructs, implicit barriers -   -    x     -   -\n"
           "input and output, intervals                     -   -    x     -   -\n"
           "variables, arrays, COMMON; reads and writes     -   -    -     x   x\n"
           "functions in the expressions of assignments     -   -    -     x   x\n"
           "actual and formal arguments                     -   -    -     x   x\n";
}

std::vector<DvmDirective> FindDvmDirectives(const std::string& text, bool fixed_form) {
    std::vector<DvmDirective> found;
    std::istringstream in(text);
    int number = 0;
    for (std::string line; std::getline(in, line);) {
        ++number;
        std::size_t at = fixed_form ? 0 : line.find_first_not_of(" \t");
        if (at == std::string::npos || line.size() < at + 6) {
            continue;
        }
        std::string sentinel = Lower(std::string_view(line).substr(at, 5));
        bool comment =
            sentinel[0] == '!' || (fixed_form && (sentinel[0] == 'c' || sentinel[0] == '*'));
        if (!comment || sentinel.substr(1) != "dvm$") {
            continue;
        }
        DvmDirective directive;
        directive.line = number;
        std::istringstream words(line.substr(at + 5));
        words >> directive.word;
        directive.word = Lower(directive.word);
        std::getline(words, directive.rest);
        while (!directive.rest.empty() &&
               std::isspace(static_cast<unsigned char>(directive.rest.back()))) {
            directive.rest.pop_back();
        }
        found.push_back(std::move(directive));
    }
    return found;
}

void Levels::ReadFragments(const std::string& text, bool fixed_form, const std::string& path,
                           std::vector<Diagnostic>* diagnostics) {
    struct Fragment {
        int number;
        Choice choice;
        int line;
    };
    std::vector<Fragment> open{{0, whole_, 0}};
    changes_[1] = whole_;
    auto complain = [&](int line, std::string message, bool error = false) {
        diagnostics->push_back({path, line, 0, std::move(message), error});
    };
    for (const DvmDirective& directive : FindDvmDirectives(text, fixed_form)) {
        if (directive.word != "debug" && directive.word != "enddebug") {
            continue;
        }
        char* end = nullptr;
        long number = std::strtol(directive.rest.c_str(), &end, 10);
        if (number < 1) {
            complain(directive.line, "illegal fragment number");
            continue;
        }
        if (directive.word == "enddebug") {
            if (open.size() < 2 || open.back().number != number) {
                complain(directive.line, "unmatched ENDDEBUG", true);
                continue;
            }
            open.pop_back();
        } else {
            const Choice& around = open.back().choice;
            Level level = OfFragment(fragments_, static_cast<int>(number), around.level);
            Conditional conditional =
                OfFragment(conditionals_, static_cast<int>(number), around.conditional);
            std::string parameters = Lower(end);
            std::size_t d = parameters.find("d=");
            if (d != std::string::npos && d + 2 < parameters.size()) {
                if (auto limit = LevelOf(parameters.substr(d + 2, 1))) {
                    level = std::min(level, *limit);
                } else {
                    complain(directive.line, "illegal debug parameter");
                }
            }
            open.push_back({static_cast<int>(number), {level, conditional}, directive.line});
        }
        changes_[directive.line] = open.back().choice;
    }
    for (std::size_t i = 1; i < open.size(); ++i) {
        complain(open[i].line, "fragment " + std::to_string(open[i].number) + " has no ENDDEBUG",
                 true);
    }
}

const Levels::Choice& Levels::ChoiceAt(int line) const {
    auto after = changes_.upper_bound(line);
    return after == changes_.begin() ? whole_ : std::prev(after)->second;
}

bool Levels::MayHaveData() const {
    return HasData(whole_.level) || std::any_of(fragments_.begin(), fragments_.end(),
                                                [](const auto& f) { return HasData(f.first); });
}

bool ParseLevelOption(std::string_view option, Levels* levels) {
    if (option.substr(0, 2) != "-d") {
        return false;
    }
    option.remove_prefix(2);
    std::size_t colon = option.find(':');
    std::string_view word = option.substr(0, colon);
    Levels::Ranges ranges;
    bool whole = colon == std::string_view::npos;
    if (!whole && !ParseRanges(option.substr(colon + 1), &ranges)) {
        return false;
    }
    auto set = [&](auto choice) {
        whole ? levels->SetWhole(choice) : levels->SetFragments(choice, std::move(ranges));
        return true;
    };
    if (word == "bif1" || word == "bif2") {
        return set(word == "bif1" ? Conditional::kGuards : Conditional::kCopies);
    }
    auto level = LevelOf(word);
    return level && set(*level);
}

}  // namespace comshu::fortran
