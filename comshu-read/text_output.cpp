#include "comshu/read/text_output.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <fmt/format.h>

#include "comshu/core/terminal.h"
#include "comshu/read/number_text.h"

namespace comshu::read {
namespace {

// Widths follow the first rows; later ones may stick out.
constexpr size_t kRowsForWidths = 1000;
constexpr size_t kNarrowest = 6;
constexpr size_t kMostDecimals = 3;

struct Row {
    std::vector<std::string> cells;
};

Row TakeRow(const Query& query) {
    Row row;
    for (size_t i = 0; i < query.columns().size(); ++i)
        row.cells.push_back(query.IsNull(i) ? "-" : Printable(query.Text(i)));
    return row;
}

// The first `width` code points, the last of them an ellipsis where something was cut.
std::string Cut(const std::string& text, size_t width) {
    if (TextWidth(text) <= width) return text;
    std::string out;
    size_t taken = 0;
    for (size_t i = 0; i < text.size() && taken + 1 < width; ++taken) {
        size_t next = i + 1;
        while (next < text.size() && (static_cast<unsigned char>(text[next]) & 0xc0) == 0x80)
            ++next;
        out += text.substr(i, next - i);
        i = next;
    }
    return out + "\xe2\x80\xa6";
}

bool IsDecimal(const std::string& text) {
    return text.find_first_not_of("-.0123456789") == std::string::npos;
}

class TablePrinter {
public:
    TablePrinter(const std::vector<ResultColumn>& columns, const OutputStyle& style, std::FILE* out)
        : columns_(columns), style_(style), out_(out) {}

    // Later rows keep to what the first ones need.
    void SetDecimals(const std::vector<Row>& rows) {
        decimals_.assign(columns_.size(), 0);
        for (size_t i = 0; i < columns_.size(); ++i) {
            if (columns_[i].value_class != ValueClass::kReal) continue;
            for (const Row& row : rows) {
                const std::string& cell = row.cells[i];
                if (cell == "-") continue;
                const size_t point = cell.find('.');
                const size_t count = !IsDecimal(cell)             ? kMostDecimals
                                     : point == std::string::npos ? 0
                                                                  : cell.size() - point - 1;
                decimals_[i] = std::max(decimals_[i], std::min(count, kMostDecimals));
            }
        }
    }

    void Round(Row* row) const {
        for (size_t i = 0; i < decimals_.size(); ++i) {
            std::string& cell = row->cells[i];
            if (columns_[i].value_class != ValueClass::kReal || cell == "-") continue;
            const double value = std::strtod(cell.c_str(), nullptr);
            if (std::isfinite(value)) cell = fmt::format("{:.{}f}", value, decimals_[i]);
        }
    }

    void SetWidths(const std::vector<Row>& rows) {
        for (size_t i = 0; i < columns_.size(); ++i) {
            size_t width = TextWidth(columns_[i].name);
            for (const Row& row : rows) width = std::max(width, TextWidth(row.cells[i]));
            widths_.push_back(width);
        }
        // The widest text gives way until the table fits the terminal.
        while (style_.width > 0 && Total() > static_cast<size_t>(style_.width)) {
            const auto widest = std::max_element(widths_.begin(), widths_.end());
            if (*widest <= kNarrowest) break;
            const size_t over = Total() - static_cast<size_t>(style_.width);
            *widest -= std::min(over, *widest - kNarrowest);
        }
    }

    void PrintHead() {
        Row row;
        for (const ResultColumn& column : columns_) row.cells.push_back(column.name);
        if (style_.color) std::fputs("\x1b[1m", out_);
        Print(row);
        if (style_.color) std::fputs("\x1b[0m", out_);
    }

    void Print(const Row& row) {
        std::string line;
        for (size_t i = 0; i < columns_.size(); ++i) {
            std::string cell = row.cells[i];
            std::replace_if(
                cell.begin(), cell.end(), [](char c) { return c == '\n' || c == '\t'; }, ' ');
            if (style_.width > 0) cell = Cut(cell, widths_[i]);
            const size_t pad = widths_[i] - std::min(widths_[i], TextWidth(cell));
            const bool right = columns_[i].value_class == ValueClass::kInteger ||
                               columns_[i].value_class == ValueClass::kReal;
            if (i > 0) line += "  ";
            if (right) line.append(pad, ' ');
            line += cell;
            if (!right && i + 1 < columns_.size()) line.append(pad, ' ');
        }
        line += '\n';
        std::fputs(line.c_str(), out_);
    }

private:
    size_t Total() const {
        size_t total = widths_.empty() ? 0 : 2 * (widths_.size() - 1);
        for (const size_t width : widths_) total += width;
        return total;
    }

    const std::vector<ResultColumn>& columns_;
    OutputStyle style_;
    std::FILE* out_;
    std::vector<size_t> widths_;
    std::vector<size_t> decimals_;  // Of each column; none: nothing is rounded.
};

void PrintTable(Query* query, bool rounded, std::FILE* out) {
    std::vector<Row> first;
    while (first.size() < kRowsForWidths && query->Next()) first.push_back(TakeRow(*query));
    TablePrinter printer(query->columns(), OutputStyle::Of(out), out);
    if (rounded) printer.SetDecimals(first);
    for (Row& row : first) printer.Round(&row);
    printer.SetWidths(first);
    printer.PrintHead();
    for (const Row& row : first) printer.Print(row);
    if (first.size() < kRowsForWidths) return;
    while (query->Next()) {
        Row row = TakeRow(*query);
        printer.Round(&row);
        printer.Print(row);
    }
}

void PrintCsv(Query* query, std::FILE* out) {
    std::string line;
    for (const ResultColumn& column : query->columns()) {
        if (!line.empty()) line += ',';
        line += CsvText(column.name);
    }
    line += '\n';
    while (true) {
        std::fputs(line.c_str(), out);
        if (!query->Next()) return;
        line.clear();
        for (size_t i = 0; i < query->columns().size(); ++i) {
            if (i > 0) line += ',';
            if (!query->IsNull(i)) line += CsvText(query->Text(i));
        }
        line += '\n';
    }
}

std::string JsonValue(const Query& query, size_t column) {
    if (query.IsNull(column)) return "null";
    const std::string text = query.Text(column);
    switch (query.columns()[column].value_class) {
        case ValueClass::kText:
            return JsonText(text);
        case ValueClass::kReal:
            // JSON has no word for what is not finite.
            return text.find_first_of("an") == std::string::npos ? text : "null";
        default:
            return text;
    }
}

void PrintJson(Query* query, std::FILE* out) {
    std::fputc('[', out);
    const char* before = "\n";
    while (query->Next()) {
        std::string line = std::string(before) + "{";
        for (size_t i = 0; i < query->columns().size(); ++i) {
            if (i > 0) line += ", ";
            line += JsonText(query->columns()[i].name) + ": " + JsonValue(*query, i);
        }
        std::fputs((line + "}").c_str(), out);
        before = ",\n";
    }
    std::fputs("\n]\n", out);
}

}  // namespace

OutputStyle OutputStyle::Of(std::FILE* out) {
    OutputStyle style;
    const int fd = fileno(out);
    if (fd < 0 || !core::IsTerminal(fd)) return style;
    style.color = core::IsColorWanted();
    winsize size{};
    style.width = ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
    return style;
}

std::string JsonText(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\')
            (out += '\\') += c;
        else if (c == '\n')
            out += "\\n";
        else if (c == '\t')
            out += "\\t";
        else if (static_cast<unsigned char>(c) < 0x20)
            out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
        else
            out += c;
    }
    return out + '"';
}

std::string CsvText(std::string_view text) {
    if (text.find_first_of(",\"\n\r") == std::string_view::npos) return std::string(text);
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"') out += '"';
        out += c;
    }
    return out + '"';
}

size_t TextWidth(std::string_view text) {
    return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
    }));
}

bool PrintResult(Query* query, ResultFormat format, std::FILE* out, std::string* error) {
    switch (format) {
        case ResultFormat::kTable:
            PrintTable(query, false, out);
            break;
        case ResultFormat::kRounded:
            PrintTable(query, true, out);
            break;
        case ResultFormat::kCsv:
            PrintCsv(query, out);
            break;
        case ResultFormat::kJson:
            PrintJson(query, out);
            break;
    }
    if (!query->error().empty()) {
        *error = query->error();
        return false;
    }
    if (std::fflush(out) != 0 || std::ferror(out) != 0) {
        *error = std::string("the result cannot be written: ") + std::strerror(errno);
        return false;
    }
    return true;
}

}  // namespace comshu::read
