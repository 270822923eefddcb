// Records of a Paraver trace in order of time.
#ifndef COMSHU_FORMATS_PARAVER_RECORD_WRITER_H_
#define COMSHU_FORMATS_PARAVER_RECORD_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <unordered_map>
#include <utility>

#include "text/file_output.h"

namespace comshu::format::paraver {

// Where something happens: a task and its thread, from 0.
struct Place {
    int64_t rank = 0;
    int64_t thread = 0;
    auto operator<=>(const Place&) const = default;
};

struct Message {
    Place from;
    Place to;
    int64_t sent_ns = 0;  // The call that sends it begins, and ends,
    int64_t send_end_ns = 0;
    int64_t posted_ns = 0;  // as the receive does.
    int64_t received_ns = 0;
    int64_t bytes = 0;
    int64_t tag = 0;
};

// Problem: a thread runs from one call of MPI to the next, and a trace in order of time names the end of
// that state where it begins. Idea: what happens is given in order of time; records wait behind a state
// whose end is not known. When more than `held` wait, running states are cut at the current time and go on
// as a record of their own: memory is bounded, and the picture is the same.
// At one time states come first, then events, then messages, each by rank and thread. Times below 0 count
// as 0.
class RecordWriter {
public:
    static constexpr size_t kHeld = size_t{1} << 20;

    // `end_ns`: of the run.
    RecordWriter(FileOutput* out, int64_t end_ns, size_t held = kHeld)
        : out_(*out), end_ns_(end_ns), held_(held) {}

    // It runs from here on, unless a call of it came before.
    void ThreadStarts(int64_t t, Place place);
    // A call of MPI. One within another (`parent`: its number) changes no state.
    void CallBegins(int64_t t, Place place, uint64_t call, uint64_t parent, int64_t call_end_ns,
                    int state);
    void CallEnds(int64_t t, Place place, uint64_t call);
    void Event(int64_t t, Place place, int64_t type, int64_t value);
    void Send(const Message& message);
    // The last: everything is written.
    void Finish();

    uint64_t records() const { return records_; }

private:
    enum class Kind : uint8_t { kState, kEvent, kMessage };
    struct Record {
        int64_t t;
        Kind kind;
        bool is_pending = false;  // A state whose end is not known.
        Place place;
        int64_t a = 0;  // State: end, number. Event: type, value. Message: received, bytes.
        int64_t b = 0;
        int64_t tag = 0;
        Place to{};
        int64_t send_end = 0;
        int64_t posted = 0;
    };
    struct Lane {
        static constexpr size_t kNone = ~size_t{0};
        size_t pending = kNone;  // Its running state, counted from the first record ever.
        int64_t outer_calls = 0;
        bool is_seen = false;
    };

    void Add(const Record& record);
    void Run(int64_t t, Place place);
    void EndRun(int64_t t, Lane* lane);
    void CloseTime();
    void CutRuns(int64_t t);
    void WriteReady();
    void Write(const Record& record);

    FileOutput& out_;
    const int64_t end_ns_;
    const size_t held_;
    std::deque<Record> waiting_;
    size_t written_ = 0;     // What was in front of `waiting_`.
    size_t time_begin_ = 0;  // The first record of the current time, counted like `pending`.
    std::map<Place, Lane> lanes_;
    std::unordered_map<uint64_t, bool> open_;  // Calls; true: in no other.
    uint64_t records_ = 0;
};

}  // namespace comshu::format::paraver

#endif  // COMSHU_FORMATS_PARAVER_RECORD_WRITER_H_
