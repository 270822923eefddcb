#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace comshu::fortran {

// How a statement or directive is laid out on lines: free form, or fixed form with its columns.
// Long ones are folded at commas where they can be, never inside a literal where they need not be.
class SourceForm {
public:
    SourceForm(bool fixed, int fixed_columns) : fixed_(fixed), columns_(fixed_columns) {}

    bool fixed() const { return fixed_; }
    int columns() const { return columns_; }

    // `indent` is that of the surrounding text, for free form.
    std::vector<std::string> Statement(std::string_view text, std::string_view indent = "",
                                       std::string_view label = "") const;
    // `text` without the sentinel.
    std::vector<std::string> Directive(std::string_view text, std::string_view indent = "") const;

private:
    std::vector<std::string> Fold(std::string_view text, const std::string& first,
                                  const std::string& next, std::size_t width,
                                  std::string_view mark) const;

    bool fixed_;
    int columns_;
};

}  // namespace comshu::fortran
