// Lines of text of a fixed width, with colour and blocks where the output can show them.
#ifndef COMSHU_READ_REPORT_PAGE_H_
#define COMSHU_READ_REPORT_PAGE_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "comshu/read/report.h"

namespace comshu::read {

class Page {
public:
    explicit Page(const ReportStyle& style) : style_(style) {}

    size_t width() const { return style_.width; }
    const std::string& text() const { return text_; }

    // A title with an empty line before it; `right` stands at the right margin.
    void Heading(std::string_view title, std::string_view right = {});
    // Indented by two; cut at the margin if it is too long.
    void Line(std::string_view text);
    // The same, broken at blanks into as many lines as it needs; further lines are indented by `hang`.
    void Paragraph(std::string_view text, size_t hang = 2);
    // As it is, for lines that hold colours.
    void Raw(std::string_view line);

    enum class Tone { kPlain, kBold, kAlarm, kFaint };
    std::string Toned(std::string_view text, Tone tone) const;

    // `share` of 0 to 1 as a bar of `width` characters; the rest of it is shown too.
    std::string Bar(double share, size_t width) const;
    // The text with a background of `level` 0 (none) to kShades.
    static constexpr int kShades = 5;
    std::string Shaded(std::string_view text, int level) const;
    // A cell of the given width that shows the level alone.
    std::string Cell(int level, size_t width) const;

private:
    const ReportStyle style_;
    std::string text_;
};

}  // namespace comshu::read

#endif  // COMSHU_READ_REPORT_PAGE_H_
