#include "filter.h"

#include <charconv>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace comshu::analysis {
namespace {

std::optional<int64_t> TimeOf(std::string_view text) {
    double number = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (code != std::errc()) return std::nullopt;
    const std::string_view unit = text.substr(static_cast<size_t>(end - text.data()));
    const double ns = unit == "ns"                  ? number
                      : unit == "us"                ? number * 1e3
                      : unit == "ms"                ? number * 1e6
                      : unit == "s" || unit.empty() ? number * 1e9
                                                    : std::nan("");
    if (!(std::abs(ns) < 9e18)) return std::nullopt;
    return static_cast<int64_t>(std::llround(ns));
}

std::string RankCondition(const Filter& filter, std::string_view column) {
    if (filter.ranks.empty()) return "true";
    return fmt::format("{} IN ({})", column, fmt::join(filter.ranks, ", "));
}

}  // namespace

bool Filter::SetWindow(const std::string& text, std::string* error) {
    const size_t colon = text.find(':');
    const auto part = [&](std::string_view side, std::optional<int64_t>* time) {
        if (side.empty()) return true;
        *time = TimeOf(side);
        return time->has_value();
    };
    if (colon == text.npos || !part(std::string_view(text).substr(0, colon), &t0_ns) ||
        !part(std::string_view(text).substr(colon + 1), &t1_ns)) {
        *error = fmt::format("{}: not a window of time; give it as 0.5s:2s, 10ms: or :3", text);
        return false;
    }
    if (t0_ns && t1_ns && *t0_ns >= *t1_ns) {
        *error = fmt::format("{}: the window ends before it begins", text);
        return false;
    }
    return true;
}

std::string FillFilter(std::string_view sql, const Filter& filter) {
    const auto time = [](const std::optional<int64_t>& ns, std::string none) {
        return ns ? std::to_string(*ns) : none;
    };
    const std::pair<std::string_view, std::string> values[] = {
        {"{window}", fmt::format("{}, {}", time(filter.t0_ns, "NULL"), time(filter.t1_ns, "NULL"))},
        {"{t0}", time(filter.t0_ns, std::to_string(std::numeric_limits<int64_t>::min()))},
        {"{t1}", time(filter.t1_ns, std::to_string(std::numeric_limits<int64_t>::max()))},
        {"{rank}", RankCondition(filter, "rank")},
        {"{cause_rank}", RankCondition(filter, "cause_rank")},
        {"{every_rank}", filter.ranks.empty() ? "true" : "false"},
        {"{send_or_recv}", fmt::format("({} OR {})", RankCondition(filter, "send_rank"),
                                       RankCondition(filter, "recv_rank"))},
        {"{where}", filter.where.empty() ? "true" : fmt::format("({})", filter.where)},
    };
    std::string filled(sql);
    for (const auto& [key, value] : values) {
        for (size_t at = 0; (at = filled.find(key, at)) != filled.npos; at += value.size()) {
            filled.replace(at, key.size(), value);
        }
    }
    return filled;
}

}  // namespace comshu::analysis
