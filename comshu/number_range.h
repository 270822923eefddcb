// The check of a number that is given as an option.
#ifndef COMSHU_NUMBER_RANGE_H_
#define COMSHU_NUMBER_RANGE_H_

#include <sstream>
#include <string>
#include <type_traits>

#include <CLI/CLI.hpp>

namespace comshu {

// Says what was given and what is expected; CLI11 names the option.
template <typename Number>
CLI::Validator NumberFrom(Number least, Number most) {
    return CLI::Validator(
        [least, most](std::string& given) {
            Number value{};
            if (CLI::detail::lexical_cast(given, value) && value >= least && value <= most)
                return std::string();
            std::ostringstream text;
            text << given << " was given, a " << (std::is_integral_v<Number> ? "whole " : "")
                 << "number from " << least << " to " << most << " is expected";
            return text.str();
        },
        "");
}

}  // namespace comshu

#endif  // COMSHU_NUMBER_RANGE_H_
