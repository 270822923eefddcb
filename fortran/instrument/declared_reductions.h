#pragma once

#include <string>

namespace comshu::fortran {

// The text with its DECLARE REDUCTION directives made comments of the same length. They execute nothing,
// and LLVM Flang 19 parses some of them only, and fails where it resolves the names of any.
std::string WithoutDeclaredReductions(const std::string& text, bool fixed_form);

}  // namespace comshu::fortran
