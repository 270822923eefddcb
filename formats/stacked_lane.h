// A thread of a trace whose states begin and end by events of their own.
#ifndef COMSHU_FORMATS_STACKED_LANE_H_
#define COMSHU_FORMATS_STACKED_LANE_H_

#include <cstdint>
#include <list>
#include <string>
#include <unordered_map>

#include "trace_reader.h"

namespace comshu::format {

// The function of MPI of this name; -1: none.
int32_t MpiFunctionNumber(const std::string& name);

// What kind of work a function of MPI does, as far as its name tells without knowing them all.
schema::ImportCategory CategoryOfMpi(const std::string& name);

struct StateKind {
    uint64_t key = 0;   // What its end names.
    uint64_t name = 0;  // The id of a text.
    int32_t function = -1;
    schema::ImportCategory category = schema::ImportCategory::user;
};

// Problem: these formats have states on one side and messages on the other, and a capture wants the call
// that sent. Idea: a message belongs to the innermost open state that is a function of MPI and has none
// yet; where there is none it becomes a call without length. States may end in any order. Cost: constant
// per event, and memory for what is open.
class StackedLane {
public:
    StackedLane(TraceSink* sink, Lane* lane) : sink_(*sink), lane_(lane) {}
    StackedLane(const StackedLane&) = delete;
    StackedLane& operator=(const StackedLane&) = delete;

    struct Message {
        int32_t peer = kNoNumber;
        int32_t tag = kNoNumber;
        uint64_t bytes = kNoBytes;
        uint64_t comm = CaptureWriter::kWorld;
    };
    struct Collective {
        schema::MpiFunction function = schema::MpiFunction::MPI_Barrier;
        uint64_t comm = CaptureWriter::kWorld;
        uint64_t sent = kNoBytes;
        uint64_t received = kNoBytes;
        int32_t root = kNoNumber;
    };

    void Enter(int64_t ns, const StateKind& kind);
    // Ends the innermost state of this key; false if there is none.
    bool Leave(int64_t ns, uint64_t key);
    void Send(int64_t ns, const Message& message, uint64_t name);
    void Receive(int64_t ns, const Message& message, uint64_t name);
    // Of the innermost open state; false if there is none.
    bool Collect(const Collective& collective);
    // What is known of the innermost open state as a collective; null: it is none.
    Collective* OpenCollective() {
        const bool is_one = !open_.empty() && open_.back().role == Role::kCollective;
        return is_one ? &open_.back().collective : nullptr;
    }
    // What began before is done now: of the innermost open state, or, where that has something already,
    // a call without length of this name.
    void Complete(int64_t ns, const Collective& collective, uint64_t name);
    void Mark(int64_t ns, uint64_t name, double value);
    void Count(int64_t ns, uint64_t name, double value);

    // What is open stays open; returns how many.
    uint64_t Finish();

    Lane* lane() const { return lane_; }

private:
    enum class Role : uint8_t { kPlain, kSend, kReceive, kCollective };
    struct Open {
        uint64_t span = 0;
        int64_t begin = 0;
        StateKind kind;
        Role role = Role::kPlain;
        Message message;
        Collective collective;
        std::list<Open>::iterator outer;  // The next one further out of the same key, or the end.
    };
    using OpenState = std::list<Open>::iterator;

    void Communicate(int64_t ns, Role role, const Message& message, uint64_t name);
    // A call without length inside what is open.
    void Instant(int64_t ns, Open open);
    void Write(const Open& open, const schema::SpanHead& head);
    template <typename Record>
    void Put(const Record& record, bool is_open) {
        if (is_open)
            sink_.writer().AddOpen(lane_, record);
        else
            sink_.writer().Add(lane_, record);
    }

    TraceSink& sink_;
    Lane* lane_;
    std::list<Open> open_;   // Innermost last.
    std::list<Open> spare_;  // Ended ones, whose memory serves those that begin.
    std::unordered_map<uint64_t, OpenState> innermost_;  // By key.
};

}  // namespace comshu::format

#endif  // COMSHU_FORMATS_STACKED_LANE_H_
