#include "chrome/json_events.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <iterator>

#include <nlohmann/json.hpp>

namespace comshu::format::chrome {
namespace {

using Json = nlohmann::json;

// The bytes of a file, and where in it they are.
class Bytes {
public:
    explicit Bytes(ByteSource* source) : source_(*source), buffer_(size_t{1} << 18) { Fill(); }

    bool done() const { return at_ == end_; }
    char Get() const { return buffer_[at_]; }
    void Step() {
        if (buffer_[at_] == '\n') {
            ++place_.line;
            place_.column = 1;
        } else {
            ++place_.column;
        }
        if (++at_ == end_) Fill();
    }
    const JsonPlace& place() const { return place_; }
    uint64_t taken() const { return filled_ - (end_ - at_); }
    // Goes on to the end; returns how many bytes there were.
    uint64_t Drain() {
        while (!done()) Fill();
        return filled_;
    }

private:
    void Fill() {
        at_ = 0;
        end_ = source_.Read(buffer_.data(), buffer_.size());
        filled_ += end_;
    }

    ByteSource& source_;
    std::vector<char> buffer_;
    size_t at_ = 0;
    size_t end_ = 0;
    uint64_t filled_ = 0;
    JsonPlace place_;
};

bool IsWordCharacter(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '+' || c == '.' ||
           c == '_';
}

// A number as JSON writes it, that a double can hold.
bool IsNumber(const std::string& word) {
    const char* at = word.c_str();
    const auto digits = [&] {
        const char* const from = at;
        while (*at >= '0' && *at <= '9') ++at;
        return at - from;
    };
    at += *at == '-';
    const bool leading_zero = *at == '0';
    const auto whole = digits();
    if (whole == 0 || (leading_zero && whole > 1)) return false;
    if (*at == '\0' && whole < 300) return true;
    if (*at == '.' && (++at, digits() == 0)) return false;
    if (*at == 'e' || *at == 'E') {
        ++at;
        at += *at == '-' || *at == '+';
        if (digits() == 0) return false;
    }
    return *at == '\0' && std::isfinite(std::strtod(word.c_str(), nullptr));
}

// Problem: one NaN, as many a program writes for a value it does not have, and a parser of JSON reads nothing
// behind it. Half a character in a text, which a program wrote that cut a name, is the same. Idea: outside texts
// every word is looked at before the parser sees it, inside them every escape; a word that JSON does not have is
// null to it, half a character U+FFFD.
class Words {
public:
    Words(ByteSource* source, const JsonReport& report) : bytes_(source), report_(report) {
        Look();
    }

    bool done() const { return at_ == word_.size() && bytes_.done(); }
    char Get() const { return at_ < word_.size() ? word_[at_] : bytes_.Get(); }
    void Step() {
        if (at_ < word_.size()) {
            // Escapes may stand one behind the other, words cannot.
            if (++at_ == word_.size() && in_text_) LookAtEscape();
            return;
        }
        in_text_ = in_text_ != (bytes_.Get() == '"');
        bytes_.Step();
        if (in_text_)
            LookAtEscape();
        else
            Look();
    }
    const JsonPlace& place() const { return bytes_.place(); }
    uint64_t half_characters() const { return half_characters_; }
    // Bytes in front of what comes next.
    uint64_t taken() const { return at_ < word_.size() ? word_begin_ + at_ : bytes_.taken(); }
    uint64_t Drain() { return bytes_.Drain(); }

private:
    static constexpr size_t kMostBytes = 1024;
    static constexpr std::string_view kUnknownCharacter = "\\ufffd";

    void Begin() {
        word_begin_ = bytes_.taken();
        word_.clear();
        at_ = 0;
    }
    // Takes what stands there into the word. Of \uXXXX the number, else 0.
    uint32_t TakeEscape() {
        std::string_view rest = "\\u0000";
        uint32_t number = 0;
        for (; !rest.empty() && !bytes_.done(); rest.remove_prefix(1)) {
            const char c = bytes_.Get();
            const bool is_digit = std::isxdigit(static_cast<unsigned char>(c)) != 0;
            if (rest.front() == '0' && !is_digit) return 0;
            bytes_.Step();
            word_ += c;
            if (rest.front() == 'u' && c != 'u') return 0;
            if (rest.front() == '0')
                number =
                    number << 4 | static_cast<uint32_t>(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
        }
        return rest.empty() ? number : 0;
    }
    void LookAtEscape() {
        if (bytes_.done() || bytes_.Get() != '\\') return;
        Begin();
        const auto is_first = [](uint32_t half) { return half >= 0xd800 && half < 0xdc00; };
        const auto is_second = [](uint32_t half) { return half >= 0xdc00 && half < 0xe000; };
        for (uint32_t half = TakeEscape(); is_first(half) || is_second(half);) {
            const size_t end = word_.size();
            const bool goes_on = !bytes_.done() && bytes_.Get() == '\\';
            const uint32_t next = is_first(half) && goes_on ? TakeEscape() : 0;
            if (is_first(half) && is_second(next)) return;
            word_.replace(end - kUnknownCharacter.size(), kUnknownCharacter.size(),
                          kUnknownCharacter);
            ++half_characters_;
            half = next;
        }
    }
    void Look() {
        if (bytes_.done() || !IsWordCharacter(bytes_.Get())) return;
        const JsonPlace place = bytes_.place();
        Begin();
        bool cut = false;
        for (; !bytes_.done() && IsWordCharacter(bytes_.Get()); bytes_.Step()) {
            cut = word_.size() == kMostBytes;
            if (!cut) word_ += bytes_.Get();
        }
        const bool known = word_ == "true" || word_ == "false" || word_ == "null";
        if (!cut && (known || IsNumber(word_))) return;
        // The beginning of one may be what a file ends with.
        if (!bytes_.done())
            report_(place, word_.substr(0, 40) + " is no value of JSON: taken as none");
        word_ = "null";
    }

    Bytes bytes_;
    const JsonReport& report_;
    std::string word_;
    size_t at_ = 0;            // In `word_`; at its end, what comes next is in `bytes_`.
    uint64_t word_begin_ = 0;  // Bytes in front of it.
    uint64_t half_characters_ = 0;
    bool in_text_ = false;
};

class ByteIterator {
public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = char;

    explicit ByteIterator(Words* bytes = nullptr) : bytes_(bytes) {}
    char operator*() const { return bytes_->Get(); }
    ByteIterator& operator++() {
        bytes_->Step();
        return *this;
    }
    ByteIterator operator++(int) {
        ByteIterator before = *this;
        bytes_->Step();
        return before;
    }
    // Only the end is ever asked for.
    bool operator==(const ByteIterator& other) const {
        return (bytes_ == nullptr || bytes_->done()) ==
               (other.bytes_ == nullptr || other.bytes_->done());
    }

private:
    Words* bytes_;
};

// Follows the nesting: events are what is one level inside the array of events.
class Handler : public nlohmann::json_sax<Json> {
public:
    Handler(const Words& bytes, const JsonVisit& visit, JsonResult* result)
        : bytes_(bytes), visit_(visit), result_(*result) {}

    // A time of null is none; of other fields it means that they are not there.
    bool null() override {
        if (InArguments()) return Value("", false);
        if (InFields() && (key_ == "ts" || key_ == "dur")) *Field() = "null";
        return true;
    }
    bool boolean(bool) override {
        if (InArguments()) return Value("", false);
        if (InFields()) Misplaced();
        return true;
    }
    bool number_integer(number_integer_t value) override {
        return Value(std::to_string(value), true);
    }
    bool number_unsigned(number_unsigned_t value) override {
        return Value(std::to_string(value), true);
    }
    bool number_float(number_float_t, const string_t& text) override { return Value(text, true); }
    bool string(string_t& text) override { return Value(text, false); }
    bool binary(binary_t&) override { return true; }

    bool key(string_t& name) override {
        key_ = name;
        return true;
    }
    bool start_object(std::size_t) override {
        if (depth_ == events_depth_) {
            event_.Clear();
            in_event_ = true;
        } else if (InFields()) {
            in_arguments_ = key_ == "args";
            if (!in_arguments_) Misplaced();
        } else if (InArguments()) {
            Value("", false);
        }
        ++depth_;
        return true;
    }
    bool end_object() override {
        --depth_;
        if (in_event_ && depth_ == events_depth_ + 1) in_arguments_ = false;
        if (!in_event_ || depth_ != events_depth_) return true;
        in_event_ = false;
        if (visit_(event_, bytes_.place())) return true;
        result_.stopped = true;
        return false;
    }
    bool start_array(std::size_t) override {
        if (events_depth_ == kNoDepth && (depth_ == 0 || (depth_ == 1 && key_ == "traceEvents"))) {
            events_depth_ = depth_ + 1;
            result_.has_events = true;
        } else if (InFields()) {
            Misplaced();
        } else if (InArguments()) {
            Value("", false);
        }
        ++depth_;
        return true;
    }
    bool end_array() override {
        if (depth_-- == events_depth_) events_depth_ = kNoEvents;
        return true;
    }
    bool parse_error(std::size_t, const std::string& token,
                     const nlohmann::detail::exception& failure) override {
        result_.place = bytes_.place();
        // Between two events at the end of the file.
        if (bytes_.done() && !in_event_ && depth_ > 0 &&
            (depth_ == events_depth_ || events_depth_ == kNoEvents)) {
            result_.cut = true;
            return false;
        }
        const std::string_view what = failure.what();
        const size_t reason = what.rfind("; ");
        result_.error = bytes_.done()         ? "the file ends inside an event"
                        : reason == what.npos ? "no JSON at " + token.substr(0, 40)
                                              : "no JSON: " + std::string(what.substr(reason + 2));
        return false;
    }

private:
    static constexpr int kNoDepth = -1;
    static constexpr int kNoEvents = -2;  // They have ended.

    bool InFields() const { return in_event_ && depth_ == events_depth_ + 1; }
    bool InArguments() const { return in_arguments_ && depth_ == events_depth_ + 2; }

    bool Value(const std::string& value, bool is_number) {
        if (InArguments()) {
            if (event_.arguments.size() < kMostArguments)
                event_.arguments.push_back({key_, value, is_number});
            else
                ++event_.left_out;
        } else if (InFields()) {
            std::string* const field = Field();
            if (field != nullptr)
                *field = value;
            else
                LeaveOut();
        }
        return true;
    }
    void Misplaced() {
        if (Field() != nullptr)
            event_.bad_type = true;
        else
            LeaveOut();
    }
    // How far an instant is drawn (s) is a matter of viewers.
    void LeaveOut() { event_.left_out += key_ != "s"; }
    std::string* Field() {
        if (key_ == "ph") return &event_.phase;
        if (key_ == "name") return &event_.name;
        if (key_ == "cat") return &event_.category;
        if (key_ == "ts") return &event_.time;
        if (key_ == "dur") return &event_.duration;
        if (key_ == "pid") return &event_.pid;
        if (key_ == "tid") return &event_.tid;
        if (key_ == "id") return &event_.id;
        if (key_ == "bp") return &event_.binding;
        return nullptr;
    }

    static constexpr size_t kMostArguments = 64;

    const Words& bytes_;
    const JsonVisit& visit_;
    JsonResult& result_;
    JsonEvent event_;
    std::string key_;
    int depth_ = 0;
    int events_depth_ = kNoDepth;
    bool in_event_ = false;
    bool in_arguments_ = false;
};

}  // namespace

void JsonEvent::Clear() {
    for (std::string* field :
         {&phase, &name, &category, &time, &duration, &pid, &tid, &id, &binding})
        field->clear();
    arguments.clear();
    left_out = 0;
    bad_type = false;
}

JsonResult ReadJsonEvents(ByteSource* source, const JsonVisit& visit, const JsonReport& report) {
    JsonResult result;
    Words bytes(source, report);
    Handler handler(bytes, visit, &result);
    Json::sax_parse(ByteIterator(&bytes), ByteIterator(), &handler);
    result.lines = bytes.place().line;
    result.half_characters = bytes.half_characters();
    const uint64_t read = bytes.taken();
    result.bytes = result.error.empty() ? read : bytes.Drain();
    result.behind = result.bytes - std::min(read, result.bytes);
    return result;
}

}  // namespace comshu::format::chrome
