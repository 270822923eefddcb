// Descriptions of options as text, as they lie in a provider's object: one option a line, its fields
// apart by tabs.
#ifndef COMSHU_CORE_OPTION_TEXT_H_
#define COMSHU_CORE_OPTION_TEXT_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "comshu/core/option.h"

namespace comshu::core {

constexpr const char* kOptionsSection = "comshu_options";

template <typename Put>
constexpr void WriteNumber(uint64_t number, Put put) {
    if (number >= 10) WriteNumber(number / 10, put);
    put(static_cast<char>('0' + number % 10));
}

// Gives the characters of one line to `put(char)`.
template <typename Put>
constexpr void WriteOption(const OptionInfo& option, Put put) {
    const auto text = [&](std::string_view field) {
        for (const char c : field) put(c);
        put('\t');
    };
    text(option.name);
    text(option.variable);
    text(option.values);
    text(option.standard);
    text(option.help);
    WriteNumber(static_cast<uint64_t>(option.type), put);
    put('\t');
    WriteNumber(option.least, put);
    put('\t');
    WriteNumber(option.largest, put);
    put('\n');
}

// The fields of a line without its end; nothing if it is none. They are parts of `line`.
struct OptionFields {
    std::string_view name, variable, values, standard, help;
    OptionType type;
    uint64_t least, largest;
};
constexpr std::optional<OptionFields> ReadOption(std::string_view line) {
    std::array<std::string_view, 8> fields;
    for (size_t i = 0; i < fields.size(); ++i) {
        const size_t end = line.find('\t');
        if ((end == std::string_view::npos) != (i + 1 == fields.size())) return std::nullopt;
        fields[i] = line.substr(0, end);
        if (end != std::string_view::npos) line.remove_prefix(end + 1);
    }
    const std::optional<uint64_t> type = ParseNumber(fields[5]);
    const std::optional<uint64_t> least = ParseNumber(fields[6]);
    std::optional<uint64_t> largest = ParseNumber(fields[7]);
    if (fields[7] == "18446744073709551615") largest = UINT64_MAX;
    if (!type || *type > static_cast<uint64_t>(OptionType::kList) || !least || !largest)
        return std::nullopt;
    return OptionFields{fields[0], fields[1], fields[2],
                        fields[3], fields[4], static_cast<OptionType>(*type),
                        *least,    *largest};
}

}  // namespace comshu::core

#endif  // COMSHU_CORE_OPTION_TEXT_H_
