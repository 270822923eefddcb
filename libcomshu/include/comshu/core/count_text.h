// Numbers of things in sentences.
#ifndef COMSHU_CORE_COUNT_TEXT_H_
#define COMSHU_CORE_COUNT_TEXT_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace comshu::core {

// 1,234,567
inline std::string CountText(uint64_t count) {
    const std::string digits = std::to_string(count);
    std::string text;
    for (size_t i = 0; i < digits.size(); ++i) {
        if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
        text += digits[i];
    }
    return text;
}

// What goes with one, and what with any other number: "1 call was lost", "2 calls were lost".
inline std::string Plural(uint64_t count, std::string_view one, std::string_view many) {
    return CountText(count).append(" ").append(count == 1 ? one : many);
}

// "1 rank", "2 ranks", "3 processes", "4 boxes"
inline std::string Plural(uint64_t count, std::string_view noun) {
    const bool hisses = noun.ends_with('s') || noun.ends_with('x') || noun.ends_with("ch");
    return Plural(count, noun, std::string(noun).append(hisses ? "es" : "s"));
}

// What was recorded, each in its own unit: "2 calls", "1 region", "2 calls and 1 region".
inline std::string SpansText(uint64_t calls, uint64_t regions) {
    if (regions == 0) return Plural(calls, "call");
    const std::string text = Plural(regions, "region");
    return calls == 0 ? text : Plural(calls, "call").append(" and ").append(text);
}

// "nothing lost", "1 record lost"
inline std::string LostText(uint64_t records) {
    return (records == 0 ? "nothing" : Plural(records, "record")) + " lost";
}

}  // namespace comshu::core

#endif  // COMSHU_CORE_COUNT_TEXT_H_
