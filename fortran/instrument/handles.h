#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/context_string.h"

namespace comshu::fortran {

// The handles of one source and their context strings. A handle is a 64-bit constant: a number of
// the source, made of its path and all its strings, times a million, plus the string's index. The
// number is known only when all strings are: text made before has a stand-in of the same width.
// In the documented scheme (`--dbg-includes`) a handle is an element of the array istat_mp.
class Handles {
public:
    explicit Handles(std::string path) : path_(std::move(path)) {}

    // Index of a new handle.
    int Add(const Context& context);
    // What is written in the source.
    std::string Text(int handle) const;

    void UseArray(int first_index) { first_index_ = first_index; }
    bool array() const { return first_index_ >= 0; }

    const std::vector<std::string>& strings() const { return strings_; }
    const std::string& path() const { return path_; }
    int64_t FirstHandle() const;
    // Puts the number of the source in the place of the stand-in.
    std::string Finish(std::string text) const;

private:
    std::string path_;
    std::vector<std::string> strings_;
    int first_index_ = -1;
};

}  // namespace comshu::fortran
