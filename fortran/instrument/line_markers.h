#pragma once

#include <map>
#include <string>
#include <string_view>

namespace comshu::fortran {

struct MarkedLine {
    std::string file;  // empty: the text's own
    int line = 0;
    bool operator==(const MarkedLine&) const = default;
};

// What the lines of a text count as by the line markers in it, which a preprocessor leaves there: `# 12 "a.f90"`,
// `# 1 "a.h" 1`, `#line 12 "a.f90"`.
class LineMarkers {
public:
    explicit LineMarkers(std::string_view text);

    MarkedLine At(int line) const;  // from 1
    bool IsMarker(int line) const { return behind_.count(line + 1) > 0; }

    // Whether this line is a marker, and what it says of the next one. One without a name keeps `file`.
    static bool Read(std::string_view line, MarkedLine* next);
    // The file's name as a marker has it: a backslash before quotes and backslashes.
    static std::string Quoted(std::string_view file);
    // The text with names in markers that have no backslashes, each as long as it was: LLVM Flang 19 does not know
    // them there. `names`: what they stand for.
    static std::string WithPlainNames(std::string text, std::map<std::string, std::string>* names);

private:
    std::map<int, MarkedLine> behind_;  // of the first line behind each marker
};

}  // namespace comshu::fortran
