#include "picl/line_1992.h"

#include <charconv>
#include <cmath>

#include <fmt/core.h>

#include "picl/values.h"

namespace comshu::format::picl {
namespace {

constexpr int64_t kNsPerSecond = 1'000'000'000;
constexpr int64_t kLargestProcess = 65535;

class Parser : private LineParser {
public:
    Parser(std::string_view line, Line1992* out, LineError* error)
        : LineParser(line, &out->keep_text, error), out_(*out) {}

    bool Parse() {
        if (!Number("record type", &out_.record)) return false;
        out_.event_column = tokens_.column();
        if (!Number("event type", &out_.event)) return false;
        if (out_.record > INT32_MAX || out_.record < -INT32_MAX || out_.event > INT32_MAX ||
            out_.event < -INT32_MAX) {
            return Fail(1, "a type of more than 32 bits");
        }
        const uint32_t time_column = tokens_.column();
        if (tokens_.done()) return Fail(time_column, "the line ends before the time");
        bool odd = false;
        const std::string_view time = tokens_.Next();
        if (!ParseSeconds(time, &out_.ns, &out_.decimals, &odd))
            return Fail(time_column, fmt::format("{} is not a time", time.substr(0, 40)));
        out_.keep_text |= odd;
        const uint32_t node_column = tokens_.column();
        if (!Number("processor", &out_.processor)) return false;
        if (out_.processor > kLargestNode)
            return Fail(node_column, fmt::format("there is no processor {}", out_.processor));
        if (out_.processor < -1) out_.keep_text = true;
        const uint32_t process_column = tokens_.column();
        if (!Number("process", &out_.process)) return false;
        if (out_.process > kLargestProcess || out_.process < -INT32_MAX)
            return Fail(process_column, fmt::format("there is no process {}", out_.process));
        const uint32_t fields_column = tokens_.column();
        if (!Number("number of data fields", &out_.fields)) return false;
        if (out_.fields < 0) return Fail(fields_column, "a negative number of data fields");
        return ParseData();
    }

private:
    bool ParseData() {
        if (tokens_.done()) {
            if (out_.fields == 0) return true;
            return Fail(tokens_.column(), "the line ends before the descriptor of its data");
        }
        if (tokens_.peek() == '"') return ParseFormat();
        int64_t descriptor = 0;
        if (!Number("descriptor", &descriptor)) return false;
        if (descriptor < 0 || descriptor > INT32_MAX)
            return Fail(tokens_.column(), fmt::format("there is no descriptor {}", descriptor));
        out_.descriptor = static_cast<int32_t>(descriptor);
        out_.data = tokens_.rest();
        uint64_t words = 0;
        while (!tokens_.done()) {
            const Tokens before = tokens_;
            int64_t value = 0;
            if (words < Line1992::kValues && words == out_.count && tokens_.NextInteger(&value)) {
                CheckDigits(before);
                out_.values[out_.count++] = value;
            } else {
                tokens_.Next();
                out_.keep_text = true;
            }
            ++words;
        }
        // A text is one field, whatever blanks are in it.
        const bool is_text = descriptor == 0 || descriptor == 1;
        if (!is_text && words < static_cast<uint64_t>(out_.fields)) {
            return Fail(tokens_.column(), fmt::format("{} data fields are announced, {} are there",
                                                      out_.fields, words));
        }
        if (is_text || words != static_cast<uint64_t>(out_.fields)) out_.keep_text = true;
        return true;
    }

    bool ParseFormat() {
        out_.keep_text = true;
        const std::string_view rest = tokens_.rest();
        const size_t end = rest.find('"', 1);
        if (end == rest.npos) return Fail(tokens_.column(), "a descriptor without its last quote");
        out_.format = rest.substr(1, end - 1);
        out_.data = Tokens(rest.substr(end + 1)).rest();
        return true;
    }

    Line1992& out_;
};

}  // namespace

bool ParseSeconds(std::string_view word, int64_t* ns, uint8_t* decimals, bool* odd) {
    const char* at = word.data();
    const char* const end = at + word.size();
    *odd = false;
    const bool negative = at != end && *at == '-';
    if (negative) ++at;
    const char* const digits = at;
    uint64_t whole = 0;
    while (at != end && static_cast<unsigned char>(*at - '0') < 10 && at - digits < 10)
        whole = whole * 10 + static_cast<unsigned char>(*at++ - '0');
    const auto whole_digits = at - digits;
    uint64_t part = 0;
    uint8_t count = 0;
    if (whole_digits > 0 && at != end && *at == '.') {
        ++at;
        while (at != end && static_cast<unsigned char>(*at - '0') < 10 && count < 9) {
            part = part * 10 + static_cast<unsigned char>(*at++ - '0');
            ++count;
        }
    }
    if (at == end && whole_digits > 0 && whole <= static_cast<uint64_t>(kMostSeconds)) {
        for (uint8_t i = count; i < 9; ++i) part *= 10;
        const auto value = static_cast<int64_t>(whole * kNsPerSecond + part);
        *ns = negative ? -value : value;
        *decimals = count;
        *odd = (negative && value == 0) || (whole_digits > 1 && digits[0] == '0') ||
               (count == 0 && digits[whole_digits - 1] == '.');
        if (count == 0 && word.back() == '.') *odd = true;
        return true;
    }
    // Exponents, more digits, a plus.
    std::string_view number = word;
    if (!number.empty() && number[0] == '+') number.remove_prefix(1);
    double seconds = 0;
    const auto [rest, code] =
        std::from_chars(number.data(), number.data() + number.size(), seconds);
    if (code != std::errc() || rest != number.data() + number.size() || !std::isfinite(seconds) ||
        std::abs(seconds) > static_cast<double>(kMostSeconds)) {
        return false;
    }
    *ns = static_cast<int64_t>(std::llround(seconds * 1e9));
    *decimals = 9;
    *odd = true;
    return true;
}

bool FirstNumber(const Line1992& line, double* value) {
    if (line.count > 0) {
        *value = static_cast<double>(line.values[0]);
        return true;
    }
    for (Tokens words(line.data); !words.done();) {
        std::string_view word = words.Next();
        if (word.size() > 2 && word.front() == '"' && word.back() == '"')
            word = word.substr(1, word.size() - 2);
        if (!word.empty() && word[0] == '+') word.remove_prefix(1);
        const auto [end, code] = std::from_chars(word.data(), word.data() + word.size(), *value);
        if (code == std::errc() && end == word.data() + word.size() && std::isfinite(*value))
            return true;
    }
    return false;
}

std::string_view LabelOf(const Line1992& line) {
    // Some writers put the label in the place of the format.
    if (line.data.empty() && line.format.find('%') == line.format.npos) return line.format;
    const std::string_view text = line.data;
    if (text.size() >= 2 && text.front() == '"' && text.back() == '"')
        return text.substr(1, text.size() - 2);
    return text;
}

bool ParseLine1992(std::string_view line, Line1992* out, LineError* error) {
    *out = Line1992{};
    return Parser(line, out, error).Parse();
}

}  // namespace comshu::format::picl
