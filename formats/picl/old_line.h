// Lines of the old PICL format, compact and verbose.
#ifndef COMSHU_FORMATS_PICL_OLD_LINE_H_
#define COMSHU_FORMATS_PICL_OLD_LINE_H_

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "picl/line_parser.h"

namespace comshu::format::picl {

// Record numbers.
enum OldRecord : int32_t {
    kTraceStart = 1,
    kOpen = 2,
    kLoad = 3,
    kSend = 4,
    kProbe = 5,
    kRecv = 6,
    kRecvBlocking = 7,
    kRecvWaking = 8,
    kMessage = 9,
    kSync = 10,
    kCompstats = 11,
    kCommstats = 12,
    kClose = 13,
    kTraceLevel = 14,
    kTraceMark = 15,
    kTraceMessage = 16,
    kTraceStop = 17,
    kTraceFlush = 18,
    kTraceExit = 19,
    kBlockBegin = 20,
    kBlockEnd = 21,
    kTraceMarkArray = 22,
    kClockSync = 23,
    kTraceFiles = 24,
    kLastOldRecord = kTraceFiles,
    kUnknownName = -1,  // A record name that is not known.
};

constexpr int64_t kHostNode = -32768;
constexpr int64_t kAllNodes = -1;

// What a trace_message says at the beginning of a file of ours, for numbers stand for names there:
// "block or mark 7 is NAME".
constexpr std::string_view kNameBegins = "block or mark ";
constexpr std::string_view kNameFollows = " is ";

struct OldRecordShape {
    std::string_view name;
    uint8_t fields;  // Numbers behind the node, in the compact form.
    bool has_text;   // The rest of the line is text.
    const char*
        labels;  // Of the verbose form, a blank between; "" of two numbers: no label before it.
};
// Of a record number 1..kLastOldRecord.
const OldRecordShape& ShapeOf(int32_t record);
// 0: none.
int32_t OldRecordByName(std::string_view name);

struct OldLine {
    static constexpr size_t kValues = 5;

    int32_t record = 0;
    bool verbose = false;
    int64_t seconds = 0;
    int64_t microseconds = 0;
    int64_t node = 0;
    uint8_t count = 0;  // Values that are there.
    std::array<int64_t, kValues> values{};
    // Numbers do not say it all: text, more values, digits that come out otherwise.
    bool keep_text = false;
    std::string_view text;   // Of records with text.
    uint32_t odd_label = 0;  // Column of a label that is not the one expected; 0: none.
    bool has_comment = false;
    uint32_t record_column = 0;
    uint32_t field_column = 0;  // Of the first field.

    int64_t ns() const { return seconds * 1'000'000'000 + microseconds * 1000; }
};

// False if it is not a record.
bool ParseOldLine(std::string_view line, OldLine* out, LineError* error);

}  // namespace comshu::format::picl

#endif  // COMSHU_FORMATS_PICL_OLD_LINE_H_
