// A thread of a trace whose states begin and end by events of their own.
#ifndef COMSHU_FORMATS_STACKED_LANE_H_
#define COMSHU_FORMATS_STACKED_LANE_H_

#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

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
// yet; where there is none it becomes a call without length. What a receive gets may be known when a
// later call completes it, while its place is that of its start: its record waits (CaptureWriter). States
// may end in any order. Cost: constant per event, and memory for what is open.
class StackedLane {
public:
    StackedLane(TraceSink* sink, Lane* lane) : sink_(*sink), lane_(lane) {}
    StackedLane(const StackedLane&) = delete;
    StackedLane& operator=(const StackedLane&) = delete;

    struct Message {
        int32_t peer = kNoNumber;       // A rank of the capture.
        int32_t comm_peer = kNoNumber;  // One of the communicator; kNoNumber: the same number.
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

    // A send or receive that a later call completes.
    struct Started {
        uint64_t request = 0;
        bool is_receive = false;
        // Of a receive it may come when that is complete (Know).
        bool is_known = false;
        Message message;
        // Of a receive whose call has ended: its record, and where that waits to be made whole.
        Lane* lane = nullptr;
        uint64_t at = 0;
        schema::SpanHead head;
        uint64_t name = 0;
        schema::ImportCategory category = schema::ImportCategory::p2p;
    };
    struct Completion {
        int64_t ns = 0;
        uint64_t request = 0;
        bool is_receive = false;
        bool is_cancelled = false;
        Message message;  // Of a receive.
    };

    void Enter(int64_t ns, const StateKind& kind, const Place& place = {});
    // Ends the innermost state of this key; false if there is none.
    bool Leave(int64_t ns, uint64_t key);
    void Send(int64_t ns, const Message& message, uint64_t name);
    void Receive(int64_t ns, const Message& message, uint64_t name);
    void Start(int64_t ns, const std::shared_ptr<Started>& started, uint64_t name);
    // The same in a call of its own at a time that may have passed.
    void StartApart(int64_t ns, const std::shared_ptr<Started>& started, uint64_t name);
    // What a receive that was started gets, or that nothing will; false: that comes too late.
    bool Know(Started* started, const Message* message);
    // In the innermost open state, or a call without length of this name.
    void Complete(const Completion& completion, uint64_t name);
    // In a call of its own at a time that may have passed.
    void CompleteApart(const Completion& completion, uint64_t name);
    // The function of MPI that is innermost and has no message yet; -1: there is none.
    int32_t OpenFunction() const {
        const bool is_one = !open_.empty() && open_.back().role == Role::kPlain;
        return is_one ? open_.back().kind.function : -1;
    }
    // The function of MPI that is innermost, began then, and receives nothing yet; -1: there is none.
    int32_t CallThatBegan(int64_t ns) const {
        const bool is_one = !open_.empty() && open_.back().begin == ns &&
                            (open_.back().role == Role::kPlain || open_.back().role == Role::kSend);
        return is_one ? open_.back().kind.function : -1;
    }
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
    // The same, told to `ends`.
    void Finish(OpenEnds* ends);

    Lane* lane() const { return lane_; }
    // Of the outermost open state; null: nothing is open.
    const StateKind* OldestOpen(int64_t* ns) const {
        if (open_.empty()) return nullptr;
        *ns = open_.front().begin;
        return &open_.front().kind;
    }

private:
    enum class Role : uint8_t { kPlain, kSend, kReceive, kCollective, kStart };
    struct Open {
        uint64_t span = 0;
        int64_t begin = 0;
        Place place;  // Of its beginning.
        StateKind kind;
        Role role = Role::kPlain;
        Message message;
        Collective collective;
        std::shared_ptr<Started> started;
        std::vector<Completion> completions;
        std::list<Open>::iterator outer;  // The next one further out of the same key, or the end.
    };
    using OpenState = std::list<Open>::iterator;

    void Communicate(int64_t ns, Open what);
    // A call without length inside what is open.
    void Instant(int64_t ns, Open open);
    void Write(const Open& open, const schema::SpanHead& head);
    void WriteCall(const Open& open, const schema::SpanHead& head);
    void WriteStart(const Open& open, const schema::SpanHead& head);
    void WriteCompletion(const Completion& completion, const schema::SpanHead& head);
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
