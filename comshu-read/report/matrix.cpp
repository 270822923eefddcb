#include "report/matrix.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/core.h>

#include "comshu/read/number_text.h"

namespace comshu::read {
namespace {

constexpr size_t kLabel = 8;
constexpr size_t kWideCell = 18;  // Bytes and number side by side ...
constexpr size_t kSmallCell = 9;  // ... or in two lines.
constexpr size_t kMapCell = 2;
constexpr size_t kMostGroups = 32;

struct Sum {
    uint64_t messages = 0;
    uint64_t bytes = 0;
    bool has_bytes = false;
};

std::string BytesOf(const Sum& sum) {
    return sum.has_bytes ? BytesText(sum.bytes) : "-";
}

// Sums by groups of `per_group` ranks.
class Matrix {
public:
    Matrix(const Report& report, int32_t first, size_t ranks, size_t per_group)
        : groups_((ranks + per_group - 1) / per_group), sums_(groups_ * groups_) {
        for (const Report::Pair& pair : report.pairs) {
            const auto from = static_cast<size_t>(pair.from - first) / per_group;
            const auto to = static_cast<size_t>(pair.to - first) / per_group;
            Sum& sum = sums_[from * groups_ + to];
            sum.messages += pair.messages;
            sum.bytes += pair.bytes;
            sum.has_bytes |= pair.has_bytes;
            most_ = std::max(most_, sum.bytes);
        }
        least_ = most_;
        for (const Sum& sum : sums_) {
            if (sum.bytes > 0) least_ = std::min(least_, sum.bytes);
        }
    }

    size_t groups() const { return groups_; }
    const Sum& At(size_t from, size_t to) const { return sums_[from * groups_ + to]; }
    uint64_t least() const { return least_; }
    uint64_t most() const { return most_; }

    // By the logarithm of the bytes, from the least that is not 0 to the most.
    int Level(const Sum& sum) const {
        if (sum.messages == 0) return 0;
        if (sum.bytes == 0) return 1;
        if (most_ == least_) return Page::kShades;
        const double share =
            std::log(static_cast<double>(sum.bytes) / static_cast<double>(least_)) /
            std::log(static_cast<double>(most_) / static_cast<double>(least_));
        return 1 + static_cast<int>(std::lround(share * (Page::kShades - 1)));
    }

private:
    size_t groups_;
    std::vector<Sum> sums_;
    uint64_t most_ = 0;
    uint64_t least_ = 0;
};

void RenderNumbers(const Matrix& matrix, int32_t first, bool wide, Page* page) {
    const size_t cell = wide ? kWideCell : kSmallCell;
    std::string head = PadRight("  from", kLabel);
    for (size_t to = 0; to < matrix.groups(); ++to) {
        head += PadLeft(fmt::format("to {}", first + static_cast<int32_t>(to)), cell);
    }
    page->Raw(head);
    for (size_t from = 0; from < matrix.groups(); ++from) {
        std::string bytes =
            PadRight(fmt::format("  {}", first + static_cast<int32_t>(from)), kLabel);
        std::string counts(kLabel, ' ');
        for (size_t to = 0; to < matrix.groups(); ++to) {
            const Sum& sum = matrix.At(from, to);
            const int level = matrix.Level(sum);
            if (sum.messages == 0) {
                bytes += PadLeft("-", cell);
                counts += PadLeft("", cell);
                continue;
            }
            const std::string count = CountText(sum.messages);
            std::string text = BytesOf(sum);
            if (wide) text = fmt::format("{} {}", text, PadLeft(count, cell - 1 - 8 - 1));
            bytes += " ";
            bytes += page->Shaded(PadLeft(text, cell - 1), level);
            counts += " ";
            counts += page->Shaded(PadLeft(count, cell - 1), level);
        }
        page->Raw(bytes);
        if (!wide) page->Raw(counts);
    }
}

void RenderMap(const Matrix& matrix, int32_t first, size_t ranks, size_t per_group, Page* page) {
    for (size_t from = 0; from < matrix.groups(); ++from) {
        const auto begin = from * per_group;
        const auto end = std::min(ranks, begin + per_group) - 1;
        std::string label = std::to_string(first + static_cast<int64_t>(begin));
        if (end > begin) label += fmt::format("-{}", first + static_cast<int64_t>(end));
        std::string line = PadLeft(label, kLabel + 4) + ' ';
        uint64_t sent = 0;
        for (size_t to = 0; to < matrix.groups(); ++to) {
            const Sum& sum = matrix.At(from, to);
            sent += sum.bytes;
            line += page->Cell(matrix.Level(sum), kMapCell);
        }
        page->Raw(line + ' ' + PadLeft(sent == 0 ? "-" : BytesText(sent), 8));
    }
    std::string legend =
        matrix.least() == matrix.most()
            ? fmt::format("each {}", BytesText(matrix.most()))
            : fmt::format("{} {} {} {}", page->Cell(1, kMapCell), BytesText(matrix.least()),
                          page->Cell(Page::kShades, kMapCell), BytesText(matrix.most()));
    page->Raw(fmt::format("{} {}; across: receivers; right: bytes sent",
                          std::string(kLabel + 4, ' '), legend));
}

}  // namespace

void RenderMatrix(const Report& report, Page* page) {
    Sum all;
    int32_t first = 0;
    int32_t last = 0;
    for (const Report::RankTime& rank : report.ranks) last = std::max(last, rank.rank);
    for (const Report::Pair& pair : report.pairs) {
        all.messages += pair.messages;
        all.bytes += pair.bytes;
        all.has_bytes |= pair.has_bytes;
        first = std::min({first, pair.from, pair.to});
        last = std::max({last, pair.from, pair.to});
    }
    if (all.messages == 0) {
        page->Heading("Messages");
        page->Line("none between two ranks");
        return;
    }
    page->Heading("Messages: bytes and number, by sender and receiver",
                  fmt::format("{}, {}", BytesOf(all), CountText(all.messages)));
    const auto ranks = static_cast<size_t>(last - first) + 1;
    const size_t room = page->width() - kLabel;
    if (ranks * kSmallCell <= room) {
        RenderNumbers(Matrix(report, first, ranks, 1), first, ranks * kWideCell <= room, page);
        return;
    }
    const size_t most = std::min(kMostGroups, (room - 4 - 10) / kMapCell);
    const size_t per_group = (ranks + most - 1) / most;
    RenderMap(Matrix(report, first, ranks, per_group), first, ranks, per_group, page);
}

}  // namespace comshu::read
