#include "picl/old_line.h"

#include <algorithm>

#include <fmt/core.h>

#include "picl/values.h"

namespace comshu::format::picl {
namespace {

// By record number - 1. A label stands before the number at its place; "-" is none.
constexpr OldRecordShape kShapes[] = {
    {"trace_start", 3, false, "event compstats commstats"},
    {"open", 0, false, ""},
    {"load", 0, false, ""},
    {"send", 3, false, "to type lth"},
    {"probe", 1, false, "type"},
    {"recv", 3, false, "from type lth"},
    {"recv_blocking", 1, false, "type"},
    {"recv_waking", 3, false, "from type lth"},
    {"message", 0, false, ""},
    {"sync", 0, false, ""},
    {"compstats", 2, false, "busy - idle -"},
    {"commstats", 5, false, "received volume sent volume probed"},
    {"close", 0, false, ""},
    {"trace_level", 3, false, "event compstats commstats"},
    {"trace_mark", 1, false, "type"},
    {"trace_message", 0, true, ""},
    {"trace_stop", 0, true, ""},
    {"trace_flush", 2, false, "finished -"},
    {"trace_exit", 1, false, "space"},
    {"block_begin", 3, false, "block_type location_type parameter_type"},
    {"block_end", 3, false, "block_type location_type parameter_type"},
    {"trace_mark_array", 1, true, "size"},
    {"clock_sync", 0, false, ""},
    {"trace_files", 2, false, "finished -"},
};

constexpr int64_t kMicrosecondsPerSecond = 1'000'000;

class OldLineParser : private LineParser {
public:
    OldLineParser(std::string_view line, OldLine* out, LineError* error)
        : LineParser(line, &out->keep_text, error), out_(*out) {}

    bool Parse() {
        out_.record_column = tokens_.column();
        if (!ParseRecord()) return false;
        if (out_.verbose) SkipLabel("clock");
        if (!Number("seconds", &out_.seconds)) return false;
        if (!Number("microseconds", &out_.microseconds)) return false;
        if (out_.seconds > kMostSeconds || out_.seconds < -kMostSeconds)
            return Fail(tokens_.column(), "a time of more than a century");
        if (out_.microseconds < 0 || out_.microseconds >= kMicrosecondsPerSecond ||
            out_.seconds < 0) {
            out_.keep_text = true;
            if (out_.microseconds > 1'000'000'000'000 || out_.microseconds < -1'000'000'000'000)
                return Fail(tokens_.column(), "a time of more than a century");
        }
        if (out_.verbose) SkipLabel("node");
        const uint32_t node_column = tokens_.column();
        if (!Number("node", &out_.node)) return false;
        if (out_.node > kLargestNode ||
            (out_.node < 0 && out_.node != kHostNode && out_.node != kAllNodes)) {
            return Fail(node_column, fmt::format("there is no node {}", out_.node));
        }
        return ParseFields();
    }

private:
    bool ParseRecord() {
        const uint32_t column = out_.record_column;
        const char first = tokens_.peek();
        int64_t number = 0;
        if ((first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z')) {
            const std::string_view name = tokens_.Next();
            out_.verbose = true;
            out_.record = OldRecordByName(name);
            if (out_.record == 0) {
                // Only the word `clock` tells a record that we do not know from any other text.
                Tokens look = tokens_;
                if (look.Next() != "clock")
                    return Fail(column, fmt::format("{} is not a record", name.substr(0, 40)));
                out_.record = kUnknownName;
                out_.keep_text = true;
            }
            return true;
        }
        if (!tokens_.NextInteger(&number))
            return Fail(column, fmt::format("{} is not a record", tokens_.rest().substr(0, 40)));
        if (number < 1 || number > INT32_MAX)
            return Fail(column, fmt::format("{} is not the number of a record", number));
        out_.record = static_cast<int32_t>(number);
        return true;
    }

    // Any word that is not a number; of LABEL=NUMBER the label.
    void SkipLabel(std::string_view expected) {
        while (!tokens_.done()) {
            const Tokens before = tokens_;
            int64_t ignored = 0;
            const bool is_number = tokens_.NextInteger(&ignored);
            tokens_ = before;
            if (is_number) return;
            const std::string_view word = tokens_.Next();
            if (word == expected) continue;
            if (out_.odd_label == 0) out_.odd_label = before.column();
            out_.keep_text = true;
            const size_t sign = word.find_last_of("=:");
            if (sign == word.npos) continue;
            Tokens number = before;
            number.Skip(sign + 1);
            const Tokens value = number;
            if (number.NextInteger(&ignored)) {
                tokens_ = value;
                return;
            }
        }
    }

    bool ParseFields() {
        if (out_.record == kUnknownName || out_.record > kLastOldRecord) {
            out_.keep_text = true;
            return true;
        }
        const OldRecordShape& shape = ShapeOf(out_.record);
        std::string_view labels = shape.labels;
        const bool stats = out_.record == kCompstats;
        for (uint8_t i = 0; i < shape.fields || (stats && i < 4); ++i) {
            const size_t blank = std::min(labels.find(' '), labels.size());
            const std::string_view label = labels.substr(0, blank);
            labels.remove_prefix(std::min(blank + 1, labels.size()));
            if (out_.verbose && (label != "-" || stats)) {
                // Only idle time may be there, as in the compact form.
                SkipLabel(stats && i == 0 && tokens_.peek() == 'i' ? "idle" : label);
            }
            if (i == 0) out_.field_column = tokens_.column();
            if (stats && i >= 2) {
                if (!tokens_.NextInteger(&out_.values[i])) break;
            } else if (!Number(out_.verbose && label != "-" ? LabelText(label) : "next field",
                               &out_.values[i])) {
                return false;
            }
            ++out_.count;
        }
        if (stats && out_.count == 3) out_.count = 2;
        if (shape.has_text) {
            out_.text = tokens_.rest();
            out_.keep_text = true;
        } else if (!tokens_.done()) {
            out_.has_comment = true;
            // Some version wrote more here.
            if (out_.record == kLoad || out_.record == kOpen) out_.keep_text = true;
        }
        return Check();
    }

    const char* LabelText(std::string_view label) {
        label_.assign(label);
        return label_.c_str();
    }

    bool Check() {
        if ((out_.record == kBlockBegin || out_.record == kBlockEnd) && out_.values[0] < -4)
            return Fail(out_.field_column,
                        fmt::format("there is no block type {}", out_.values[0]));
        if (out_.record == kSend || out_.record == kRecv || out_.record == kRecvWaking) {
            const int64_t peer = out_.values[0];
            if (peer > kLargestNode || (peer < 0 && peer != kHostNode && peer != kAllNodes))
                return Fail(out_.field_column, fmt::format("there is no node {}", peer));
        }
        return true;
    }

    OldLine& out_;
    std::string label_;
};

}  // namespace

const OldRecordShape& ShapeOf(int32_t record) {
    return kShapes[record - 1];
}

int32_t OldRecordByName(std::string_view name) {
    // As the header file of the first readers calls it, and their slip of the pen.
    if (name == "trace_marks") return kTraceMarkArray;
    if (name == "tract_exit") return kTraceExit;
    const auto found =
        std::find_if(std::begin(kShapes), std::end(kShapes),
                     [&](const OldRecordShape& shape) { return shape.name == name; });
    return found == std::end(kShapes) ? 0 : static_cast<int32_t>(found - std::begin(kShapes)) + 1;
}

bool ParseOldLine(std::string_view line, OldLine* out, LineError* error) {
    *out = OldLine{};
    return OldLineParser(line, out, error).Parse();
}

}  // namespace comshu::format::picl
