// Reads Chrome trace JSON: from events to spans, messages, marks and counters.
#ifndef COMSHU_FORMATS_CHROME_CHROME_READER_H_
#define COMSHU_FORMATS_CHROME_CHROME_READER_H_

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "chrome/json_events.h"
#include "chrome/slice_window.h"
#include "trace_reader.h"

namespace comshu::format::chrome {

// Processes are ranks and their threads threads, in the order in which they occur. A slice is a span; a
// slice named after a function of MPI is one of layer mpi. An arrow becomes a message: a send and a
// receive without length, named after the arrow, with a tag of its own.
// Cost: a window of slices per thread, and the arrows and asynchronous slices under way.
class ChromeReader {
public:
    explicit ChromeReader(TraceSink* sink) : sink_(*sink) {}

    void Event(const JsonEvent& event, const JsonPlace& place);
    void Finish();

private:
    struct Begun {
        int64_t begin = 0;
        uint64_t name = 0;
        int32_t function = -1;
        uint8_t category = 0;
        Place place;  // Of the event that says so.
    };
    struct ThreadState {
        Lane* lane = nullptr;
        int32_t rank = 0;
        SliceWindow slices;
        std::vector<Begun> open;
        uint64_t last_order = 0;
    };
    struct ProcessState {
        int32_t rank = 0;
        std::map<std::string, uint32_t> threads;
    };
    // One end of an arrow whose other end is to come.
    struct ArrowEnd {
        ThreadState* thread = nullptr;
        int64_t ns = 0;
        uint64_t name = 0;
        uint32_t next = 0;  // While it waits: the one behind it.
        bool is_start = false;
    };
    // A hash of category, name and id that no two arrows of a file share.
    struct ArrowKey {
        uint64_t low = 0;
        uint64_t high = 0;
        bool operator==(const ArrowKey&) const = default;
    };
    struct ArrowKeyHash {
        size_t operator()(const ArrowKey& key) const noexcept { return key.low; }
    };
    // Ends of one key that wait, in the order of the file: indexes into ends_.
    struct ArrowQueue {
        uint32_t first = 0;
        uint32_t last = 0;
    };

    ProcessState* GetProcess(const std::string& pid);
    ThreadState* GetThread(const JsonEvent& event);
    bool TimeOf(const JsonEvent& event, const std::string& text, const JsonPlace& place,
                int64_t* ns);
    void Describe(const JsonEvent& event);
    // The end of a slice, which is not before its beginning.
    int64_t EndOf(int64_t begin, int64_t end, const JsonPlace& place);
    void AddSlice(ThreadState* thread, const Begun& begun, int64_t end);
    uint64_t WriteSlice(ThreadState* thread, const Slice& slice, uint64_t parent);
    void Asynchronous(const JsonEvent& event, ThreadState* thread, int64_t ns,
                      const JsonPlace& place);
    void Arrow(const JsonEvent& event, ThreadState* thread, int64_t ns);
    void MeetArrow(ArrowQueue* waiting, const ArrowEnd& end);
    uint32_t KeepEnd(const ArrowEnd& end);
    void WriteMessage(const ArrowEnd& start, const ArrowEnd& end);
    void WriteArrowEnd(const ArrowEnd& end, int32_t peer, int32_t tag);
    Begun BegunBy(const JsonEvent& event, int64_t ns, const JsonPlace& place);
    void Counters(const JsonEvent& event, ThreadState* thread, int64_t ns);
    uint64_t NameId(const std::string& name);

    TraceSink& sink_;
    std::map<std::string, ProcessState> processes_;
    std::map<std::pair<int32_t, uint32_t>, std::unique_ptr<ThreadState>> threads_;
    std::unordered_map<std::string, uint64_t> names_;
    // In a file that is written rank after rank almost every arrow waits: a small entry for each.
    std::unordered_map<ArrowKey, ArrowQueue, ArrowKeyHash> arrows_;
    std::deque<ArrowEnd> ends_ = std::deque<ArrowEnd>(1);  // Index 0 is none.
    uint32_t free_end_ = 0;
    std::unordered_map<std::string, std::vector<std::pair<ThreadState*, Begun>>> asynchronous_;
    std::unordered_map<std::string, int32_t> functions_;
    int32_t last_tag_ = 0;
    uint64_t bad_ends_ = 0;
    uint64_t arguments_ = 0;
    uint64_t left_out_ = 0;
    uint64_t bad_values_ = 0;
};

// A decimal number of microseconds as ns, to the last digit.
bool ParseMicroseconds(const std::string& text, int64_t* ns);

}  // namespace comshu::format::chrome

#endif  // COMSHU_FORMATS_CHROME_CHROME_READER_H_
