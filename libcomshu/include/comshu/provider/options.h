// The options of a provider, described once in its source:
//
//     constexpr core::OptionInfo kOptions[] = {{"calls", "COMSHU_MPI_CALLS", ...}};
//     COMSHU_EXPORT_OPTIONS(kOptions)
//     ... core::ValueOf(kOptions[0]) ...
//
// The description goes into a section of the provider's object, from which the command takes the
// options of `comshu run` (--PROVIDER.NAME), its help, `comshu list` and docs/options.md, without
// loading the object.
#ifndef COMSHU_PROVIDER_OPTIONS_H_
#define COMSHU_PROVIDER_OPTIONS_H_

#include <array>
#include <cstddef>

#include "comshu/core/option_text.h"

namespace comshu::provider {

template <const auto& kOptions>
constexpr size_t OptionsBytes() {
    size_t bytes = 0;
    for (const core::OptionInfo& option : kOptions)
        core::WriteOption(option, [&](char) { ++bytes; });
    return bytes;
}

template <const auto& kOptions>
constexpr auto OptionsText() {
    std::array<char, OptionsBytes<kOptions>()> text{};
    size_t at = 0;
    for (const core::OptionInfo& option : kOptions)
        core::WriteOption(option, [&](char c) { text[at++] = c; });
    return text;
}

}  // namespace comshu::provider

#define COMSHU_EXPORT_OPTIONS(options)                                      \
    extern "C" __attribute__((section("comshu_options"), used,              \
                              retain)) constexpr auto comshu_options_text = \
        comshu::provider::OptionsText<options>();

#endif  // COMSHU_PROVIDER_OPTIONS_H_
