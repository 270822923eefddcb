// What can be set: one description per option, from which the recorder takes its settings and the
// command its help, its checks, `comshu list` and docs/options.md.
#ifndef COMSHU_CORE_OPTION_H_
#define COMSHU_CORE_OPTION_H_

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string_view>

namespace comshu::core {

enum class OptionType {
    kChoice,  // One of `values`, written "a|b|c".
    kNumber,  // From `least` to `largest`.
    kSize,    // Bytes: 500K, 64M, 2G, 1T.
    kKeep,    // A size, or a time: 500ms, 30s, 10min, 2h, 7d.
    kList,    // Numbers and ranges: 0,4-7.
};

struct OptionInfo {
    std::string_view name;  // On the command line, behind `--`.
    const char* variable;   // In the environment of the program.
    OptionType type;
    std::string_view values;    // Of a choice; of other types the word that stands for the value.
    std::string_view standard;  // What holds without it.
    std::string_view help;      // One line.
    uint64_t least = 0;
    uint64_t largest = UINT64_MAX;
};

// Decimal digits at the start of `text`, which they are taken off; nothing: there are none.
constexpr std::optional<uint64_t> TakeNumber(std::string_view* text) {
    uint64_t number = 0;
    size_t digits = 0;
    for (; digits < text->size() && (*text)[digits] >= '0' && (*text)[digits] <= '9'; ++digits) {
        if (number > (UINT64_MAX - 9) / 10) return std::nullopt;
        number = number * 10 + static_cast<uint64_t>((*text)[digits] - '0');
    }
    if (digits == 0) return std::nullopt;
    text->remove_prefix(digits);
    return number;
}

constexpr std::optional<uint64_t> ParseNumber(std::string_view text) {
    const std::optional<uint64_t> number = TakeNumber(&text);
    return text.empty() ? number : std::nullopt;
}

namespace option_detail {
struct Unit {
    std::string_view name;
    uint64_t factor;
};
constexpr Unit kSizes[] = {
    {"K", 1u << 10}, {"M", 1u << 20}, {"G", 1u << 30}, {"T", uint64_t{1} << 40}};
constexpr Unit kTimes[] = {{"ms", 1'000'000},
                           {"s", 1'000'000'000},
                           {"min", 60'000'000'000},
                           {"h", 3'600'000'000'000},
                           {"d", 86'400'000'000'000}};

template <size_t kUnits>
constexpr std::optional<uint64_t> Parse(std::string_view text, const Unit (&units)[kUnits]) {
    const std::optional<uint64_t> number = TakeNumber(&text);
    if (!number || *number == 0) return std::nullopt;
    for (const Unit& unit : units) {
        if (text == unit.name && *number <= UINT64_MAX / 4 / unit.factor)
            return *number * unit.factor;
    }
    return std::nullopt;
}
}  // namespace option_detail

// In bytes, not 0.
constexpr std::optional<uint64_t> ParseSize(std::string_view text) {
    return option_detail::Parse(text, option_detail::kSizes);
}

// In ns, not 0.
constexpr std::optional<uint64_t> ParseTime(std::string_view text) {
    return option_detail::Parse(text, option_detail::kTimes);
}

// Calls `take(first, last)` for each range of a list; false: it is none.
template <typename Take>
constexpr bool ForEachRange(std::string_view text, Take take) {
    while (true) {
        const std::optional<uint64_t> first = TakeNumber(&text);
        if (!first) return false;
        uint64_t last = *first;
        if (text.starts_with('-')) {
            text.remove_prefix(1);
            const std::optional<uint64_t> end = TakeNumber(&text);
            if (!end || *end < *first) return false;
            last = *end;
        }
        take(*first, last);
        if (text.empty()) return true;
        if (!text.starts_with(',')) return false;
        text.remove_prefix(1);
    }
}

constexpr bool ListHolds(std::string_view list, uint64_t number) {
    bool holds = false;
    const bool sound = ForEachRange(list, [&](uint64_t first, uint64_t last) {
        holds = holds || (number >= first && number <= last);
    });
    return sound && holds;
}

constexpr bool IsValid(const OptionInfo& option, std::string_view value) {
    switch (option.type) {
        case OptionType::kChoice:
            for (std::string_view rest = option.values; !rest.empty();) {
                const size_t bar = rest.find('|');
                if (rest.substr(0, bar) == value) return true;
                rest.remove_prefix(bar == std::string_view::npos ? rest.size() : bar + 1);
            }
            return false;
        case OptionType::kNumber: {
            const std::optional<uint64_t> number = ParseNumber(value);
            return number && *number >= option.least && *number <= option.largest;
        }
        case OptionType::kSize:
            return ParseSize(value).has_value();
        case OptionType::kKeep:
            return ParseSize(value).has_value() || ParseTime(value).has_value();
        case OptionType::kList:
            return ForEachRange(value, [](uint64_t, uint64_t) {});
    }
    return false;
}

// What holds: the value in the environment if it is valid, else the standard one. What is not valid
// `comshu run` refuses before the program starts.
inline std::string_view ValueOf(const OptionInfo& option) {
    const char* value = std::getenv(option.variable);
    return value != nullptr && IsValid(option, value) ? value : option.standard;
}

}  // namespace comshu::core

#endif  // COMSHU_CORE_OPTION_H_
