// The events of a Chrome trace, one by one.
#ifndef COMSHU_FORMATS_CHROME_JSON_EVENTS_H_
#define COMSHU_FORMATS_CHROME_JSON_EVENTS_H_

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "text/line_source.h"

namespace comshu::format::chrome {

struct JsonEvent {
    // As text: numbers too, so that no digit is lost. Empty: not there.
    std::string phase, name, category, time, duration, pid, tid, id, binding;
    // Those in `args`; what is no text or number has no value.
    struct Argument {
        std::string name;
        std::string value;
        bool is_number = false;
    };
    std::vector<Argument> arguments;
    uint64_t left_out = 0;  // Other fields and arguments.
    bool bad_type = false;  // A field that should be text or a number is something else.

    void Clear();
};

struct JsonPlace {
    uint64_t line = 1;
    uint32_t column = 1;
};

struct JsonResult {
    std::string error;  // Why it is no JSON from some place on; empty: it is.
    JsonPlace place;
    bool cut = false;         // The file ends without its last brackets, which viewers allow.
    bool has_events = false;  // An array of events was there.
    bool stopped = false;
    uint64_t lines = 0;
    uint64_t bytes = 0;   // As they are without gzip. Those behind an error are counted, not read.
    uint64_t behind = 0;  // An error.
    uint64_t half_characters = 0;  // \ud800 without \udc00 behind it: read as U+FFFD.
};

// Calls `visit` with each event and the place of its end; false from it stops. Words that JSON does not have
// (NaN, Infinity, 1e999, 007) are read as null and given to `report`. Memory: one event.
using JsonVisit = std::function<bool(const JsonEvent&, const JsonPlace&)>;
using JsonReport = std::function<void(const JsonPlace&, const std::string&)>;
JsonResult ReadJsonEvents(ByteSource* source, const JsonVisit& visit, const JsonReport& report);

}  // namespace comshu::format::chrome

#endif  // COMSHU_FORMATS_CHROME_JSON_EVENTS_H_
