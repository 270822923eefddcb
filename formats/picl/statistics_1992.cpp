#include "picl/statistics_1992.h"

#include <charconv>
#include <cmath>

#include <fmt/core.h>

#include "comshu/core/count_text.h"
#include "picl/events_1992.h"
#include "text/tokens.h"

namespace comshu::format::picl {
namespace {

bool ReadNumber(std::string_view word, double* value) {
    const auto [end, code] = std::from_chars(word.data(), word.data() + word.size(), *value);
    return code == std::errc() && end == word.data() + word.size();
}

// Stamps are cut to microseconds, at both ends of each interval.
constexpr double kStampSeconds = 2e-6;

constexpr uint64_t kDifferencesKept = 20;

}  // namespace

void Statistics1992::Check(const char* what, int64_t processor, int64_t event, double in_file,
                           double ours, double tolerance) {
    if (std::abs(in_file - ours) <= tolerance) {
        ++agree_;
        return;
    }
    if (++differ_ > kDifferencesKept) return;
    differences_ += fmt::format("; {} of event {} on processor {}: {} in the file, {} counted",
                                what, event, processor, in_file, ours);
}

void Statistics1992::Compare(const Line1992& line) {
    if (line.record == kSizeStatistics) return;
    Tokens data(line.data);
    while (!data.done()) {
        double event = 0;
        double value = 0;
        if (!ReadNumber(data.Next(), &event) || data.done() || !ReadNumber(data.Next(), &value))
            return;
        if (!(std::abs(event) < 1e9)) return;
        const auto number = static_cast<int64_t>(event);
        const auto found = sums_.find({line.processor, number});
        const Sums sums = found == sums_.end() ? Sums{} : found->second;
        const auto check = [&](const char* what, double ours, double tolerance) {
            Check(what, line.processor, number, value, ours, tolerance);
        };
        if (line.record == kTimeStatistics) {
            check("seconds", sums.ns / 1e9, kStampSeconds * static_cast<double>(sums.count + 1));
        } else if (line.record == kCountStatistics) {
            check("count", static_cast<double>(sums.count), 0);
        } else if (line.record == kSendStatistics) {
            check("bytes sent", sums.sent, 0);
        } else if (line.record == kReceiveStatistics) {
            check("bytes received", sums.received, 0);
        }
    }
}

std::string Statistics1992::Summary() const {
    if (agree_ + differ_ == 0) return {};
    if (differ_ == 0)
        return fmt::format("{} in the file agree{} with its records", core::Plural(agree_, "sum"),
                           agree_ == 1 ? "s" : "");
    std::string all = fmt::format("{} of {} in the file differing from its records{}", differ_,
                                  core::Plural(agree_ + differ_, "sum"), differences_);
    if (differ_ > kDifferencesKept)
        all += fmt::format("; {} more like these", differ_ - kDifferencesKept);
    return all;
}

}  // namespace comshu::format::picl
