#include "comshu/read/number_text.h"

#include <algorithm>
#include <cmath>
#include <ctime>

#include <fmt/core.h>

namespace comshu::read {

std::string BytesText(uint64_t bytes) {
    if (bytes < 1000) return fmt::format("{} B", bytes);
    static constexpr const char* kUnits[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double value = static_cast<double>(bytes) / 1024;
    size_t unit = 0;
    while (value >= 999.5 && unit + 1 < std::size(kUnits)) {
        value /= 1024;
        ++unit;
    }
    return fmt::format("{:.{}f} {}", value, value < 9.95 ? 1 : 0, kUnits[unit]);
}

std::string PowerText(int exponent) {
    static constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    return fmt::format("{} {}", 1 << (exponent % 10), kUnits[exponent / 10]);
}

std::string DurationText(int64_t ns) {
    if (ns < 0) return fmt::format("-{}", DurationText(-ns));
    if (ns < 1000) return fmt::format("{} ns", ns);
    const auto seconds = static_cast<double>(ns) / 1e9;
    if (seconds >= 599.5) {
        const auto whole = static_cast<int64_t>(std::lround(seconds));
        if (whole < 36000) return fmt::format("{} min {} s", whole / 60, whole % 60);
        if (whole < 48 * 3600) return fmt::format("{} h {} min", whole / 3600, whole / 60 % 60);
        return fmt::format("{} d {} h", whole / 86400, whole / 3600 % 24);
    }
    static constexpr const char* kUnits[] = {"us", "ms", "s"};
    double value = static_cast<double>(ns) / 1000;
    size_t unit = 0;
    while (unit < 2 && value >= 999.5) {
        value /= 1000;
        ++unit;
    }
    return fmt::format("{:.{}f} {}", value,
                       value < 9.995   ? 2
                       : value < 99.95 ? 1
                                       : 0,
                       kUnits[unit]);
}

std::string ShareText(double part, double whole) {
    return fmt::format("{:.1f} %", whole > 0 ? 100 * part / whole : 0);
}

std::string MomentText(int64_t realtime_ns) {
    const auto seconds = static_cast<time_t>(realtime_ns / 1'000'000'000);
    tm parts{};
    gmtime_r(&seconds, &parts);
    char text[32];
    const size_t size = std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &parts);
    return {text, size};
}

namespace {

bool IsContinuation(char c) {
    return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
}

// Bytes of the sequence that begins at `at`; 0 if there is none.
size_t SequenceBytes(std::string_view text, size_t at) {
    const auto first = static_cast<unsigned char>(text[at]);
    const size_t bytes = first < 0x80   ? 1
                         : first < 0xc2 ? 0
                         : first < 0xe0 ? 2
                         : first < 0xf0 ? 3
                         : first < 0xf5 ? 4
                                        : 0;
    if (bytes == 0 || at + bytes > text.size()) return 0;
    for (size_t i = 1; i < bytes; ++i) {
        if (!IsContinuation(text[at + i])) return 0;
    }
    return bytes;
}

}  // namespace

size_t ShownWidth(std::string_view text) {
    return static_cast<size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return !IsContinuation(c); }));
}

std::string Printable(std::string_view text) {
    std::string result;
    for (size_t at = 0; at < text.size();) {
        const size_t bytes = SequenceBytes(text, at);
        const auto first = static_cast<unsigned char>(text[at]);
        // C1 controls are two bytes in UTF-8, 0xc2 0x80 to 0xc2 0x9f.
        const bool is_control = bytes == 1 ? first < 0x20 || first == 0x7f
                                           : bytes == 2 && first == 0xc2 &&
                                                 static_cast<unsigned char>(text[at + 1]) < 0xa0;
        if (bytes == 0 || is_control) {
            result += first == '\t' || first == '\n' ? ' ' : '?';
            at += std::max<size_t>(bytes, 1);
        } else {
            result += text.substr(at, bytes);
            at += bytes;
        }
    }
    return result;
}

std::string Shorten(std::string_view text, size_t width, bool keep_end) {
    if (ShownWidth(text) <= width) return std::string(text);
    if (width <= 2) return std::string(width, '.');
    size_t drop = ShownWidth(text) - (width - 2);
    if (keep_end) {
        size_t at = 0;
        while (drop > 0) {
            do ++at;
            while (at < text.size() && IsContinuation(text[at]));
            --drop;
        }
        return fmt::format("..{}", text.substr(at));
    }
    size_t at = text.size();
    while (drop > 0) {
        do --at;
        while (at > 0 && IsContinuation(text[at]));
        --drop;
    }
    return std::string(text.substr(0, at)) + "..";
}

std::string PadRight(std::string_view text, size_t width) {
    std::string result(text);
    const size_t shown = ShownWidth(text);
    if (shown < width) result.append(width - shown, ' ');
    return result;
}

std::string PadLeft(std::string_view text, size_t width) {
    const size_t shown = ShownWidth(text);
    return (shown < width ? std::string(width - shown, ' ') : std::string()) + std::string(text);
}

}  // namespace comshu::read
