// Reads ALOG, the text format of MPE's first logs.
#ifndef COMSHU_FORMATS_ALOG_ALOG_READER_H_
#define COMSHU_FORMATS_ALOG_ALOG_READER_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "stacked_lane.h"
#include "trace_reader.h"

namespace comshu::format::alog {

// A line is an event: type process task data cycle timestamp [comment], the time being
// cycle * rollover + timestamp in microseconds. Negative types describe the log: states by the numbers
// of the events that begin and end them, names of events; -101 and -102 are messages. A state that is
// defined twice begins and ends by either pair of numbers. A process is a rank.
class AlogReader : public LineReader {
public:
    explicit AlogReader(TraceSink* sink);

    void Line(std::string_view text, uint64_t number) override;
    void Finish() override;

private:
    struct Event {
        int64_t type = 0, process = 0, task = 0, data = 0, cycle = 0, time = 0;
        std::string_view comment;
    };

    StackedLane* GetLane(int64_t process);
    void Describe(const Event& event);
    // `column`: of what is wrong, if something is.
    void Message(const Event& event, int64_t ns, uint64_t number, uint32_t column);

    TraceSink& sink_;
    int64_t rollover_ = 0;
    std::unordered_map<int64_t, StateKind> begins_;  // By the event that begins it.
    std::unordered_map<int64_t, uint64_t> ends_;     // Key of the state that it ends.
    std::unordered_map<int64_t, uint64_t> names_;    // Of events that are no state's.
    std::map<int64_t, std::unique_ptr<StackedLane>> lanes_;
    uint64_t send_name_;
    uint64_t receive_name_;
};

}  // namespace comshu::format::alog

#endif  // COMSHU_FORMATS_ALOG_ALOG_READER_H_
