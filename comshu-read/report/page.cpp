#include "report/page.h"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "comshu/read/number_text.h"

namespace comshu::read {
namespace {

constexpr const char* kReset = "\x1b[0m";
// Backgrounds from light to dark blue of the 256-colour palette, each with black text.
constexpr int kShadeColours[Page::kShades + 1] = {0, 195, 153, 117, 75, 69};

std::string Repeat(std::string_view piece, size_t times) {
    std::string text;
    for (size_t i = 0; i < times; ++i) text += piece;
    return text;
}

}  // namespace

void Page::Heading(std::string_view title, std::string_view right) {
    if (!text_.empty()) text_ += '\n';
    if (!right.empty() && ShownWidth(title) + 2 + ShownWidth(right) > style_.width) {
        text_ += Toned(Shorten(title, style_.width), Tone::kBold) + '\n';
        return Paragraph(right);
    }
    const size_t room = style_.width - std::min(style_.width, ShownWidth(right));
    const std::string left = Shorten(title, room);
    text_ += Toned(left, Tone::kBold);
    if (!right.empty()) {
        text_ += std::string(room - ShownWidth(left), ' ');
        text_ += Toned(right, Tone::kFaint);
    }
    text_ += '\n';
}

void Page::Line(std::string_view text) {
    text_ += "  ";
    text_ += Shorten(text, style_.width - 2);
    text_.resize(text_.find_last_not_of(' ') + 1);
    text_ += '\n';
}

void Page::Paragraph(std::string_view text, size_t hang) {
    size_t indent = 2;
    while (!text.empty()) {
        const size_t room = style_.width - indent;
        size_t end = text.size();
        if (ShownWidth(text) > room) {
            // Every character is at least a byte, so the last blank that fits is not beyond `room`
            // characters; words longer than a line are cut.
            size_t at = 0;
            size_t shown = 0;
            size_t blank = 0;
            while (shown < room) {
                if (text[at] == ' ') blank = at;
                do ++at;
                while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80);
                ++shown;
            }
            if (at < text.size() && text[at] == ' ') blank = at;
            end = blank > 0 ? blank : at;
        }
        text_ += std::string(indent, ' ');
        text_ += text.substr(0, end);
        text_ += '\n';
        text.remove_prefix(end);
        while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
        indent = 2 + hang;
    }
}

void Page::Raw(std::string_view line) {
    text_ += line;
    text_ += '\n';
}

std::string Page::Toned(std::string_view text, Tone tone) const {
    if (!style_.color || tone == Tone::kPlain) return std::string(text);
    const char* code = tone == Tone::kBold ? "1" : tone == Tone::kAlarm ? "1;31" : "2";
    return fmt::format("\x1b[{}m{}{}", code, text, kReset);
}

std::string Page::Bar(double share, size_t width) const {
    share = std::clamp(share, 0.0, 1.0);
    const auto filled = static_cast<size_t>(std::lround(share * static_cast<double>(width)));
    const std::string full = Repeat(style_.utf8 ? "\xe2\x96\x88" : "#", filled);
    const std::string rest = Repeat(style_.utf8 ? "\xe2\x96\x91" : ".", width - filled);
    if (!style_.color) return full + rest;
    return fmt::format("\x1b[36m{}{}\x1b[2m{}{}", full, kReset, rest, kReset);
}

std::string Page::Shaded(std::string_view text, int level) const {
    if (!style_.color || level <= 0) return std::string(text);
    return fmt::format("\x1b[38;5;16;48;5;{}m{}{}", kShadeColours[std::min(level, kShades)], text,
                       kReset);
}

std::string Page::Cell(int level, size_t width) const {
    static constexpr std::string_view kBlocks[] = {"\xc2\xb7",     "\xe2\x96\x91", "\xe2\x96\x92",
                                                   "\xe2\x96\x93", "\xe2\x96\x93", "\xe2\x96\x88"};
    static constexpr std::string_view kLetters[] = {".", ":", "+", "*", "%", "#"};
    const auto index = static_cast<size_t>(std::clamp(level, 0, kShades));
    if (style_.color && level > 0) return Shaded(std::string(width, ' '), level);
    const std::string_view piece = style_.utf8 ? kBlocks[index] : kLetters[index];
    if (index == 0) return PadLeft(piece, width);
    return Repeat(piece, width);
}

}  // namespace comshu::read
