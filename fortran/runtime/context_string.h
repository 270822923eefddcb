#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace comshu::fortran {

// The static facts of a construct: `46*type=seqloop*file=jac.fdv*line1=32*line2=35**`. Pairs keep
// their order; a key may occur more than once (two REDUCTION clauses).
struct Context {
    std::vector<std::pair<std::string, std::string>> pairs;

    void Add(std::string key, std::string value) {
        pairs.emplace_back(std::move(key), std::move(value));
    }
    // Value of the first such key, or "".
    std::string_view Get(std::string_view key) const;
    bool Has(std::string_view key) const;
};

// The one form that comshu writes: length in front, a star inside a value as `\*`, no blanks, a
// backslash that would stand before a star doubled.
std::string WriteContext(const Context& context);

struct ContextError {
    std::size_t position = 0;  // in the text, from 0
    std::string message;       // empty: none
};

// Reads what any writer of such strings made: with or without length, a star escaped as `\*` or
// `*\`, reduction operators as words or as signs, `redop=*` unescaped, any case of keys, trailing
// blanks. Operators and kinds come out in the canonical spelling (PLUS, STATIC, ...).
ContextError ReadContext(std::string_view text, Context* context);

}  // namespace comshu::fortran
