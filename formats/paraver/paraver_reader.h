// Reads Paraver traces (.prv).
#ifndef COMSHU_FORMATS_PARAVER_PARAVER_READER_H_
#define COMSHU_FORMATS_PARAVER_PARAVER_READER_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "paraver/pcf_names.h"
#include "stacked_lane.h"
#include "trace_reader.h"

namespace comshu::format::paraver {

// Tasks are ranks, in the order of applications and tasks. States become spans; the event types of Extrae
// for MPI become calls, its user functions regions; other event types become counters, which is what they
// are: a value from a time on. A message has both sides in one record, at the time of its sender: each with
// where its call begins (logical) and ends (physical). Its sides go to the calls that begin and end there;
// where the trace has none they are calls of their own. Who sent what a receive got is said by the record, and
// stays: messages that cross are put on communicators of their own, as the k-th send of one meets the k-th
// receive.
class ParaverReader : public LineReader {
public:
    // `names`: of the trace, or null where there are none.
    ParaverReader(TraceSink* sink, const PcfNames* names);

    void Line(std::string_view text, uint64_t number) override;
    void Finish() override;

private:
    struct Place {
        int64_t application = 0, task = 0, thread = 0;
    };
    // A message that comes by a call that has not begun.
    struct Coming {
        int64_t end_ns = 0;
        StackedLane::Message message;
    };
    struct LaneState {
        std::unique_ptr<StackedLane> lane;
        std::map<int64_t, uint64_t> open;  // Key of the call that an event type has open.
        std::vector<uint64_t> regions;     // Keys of those that are open.
        uint64_t states = 0;
        bool has_calls = false;                   // That send or receive.
        std::multimap<int64_t, Coming> receives;  // By the beginning of their calls.
        // Receives that were started, by the end of the call that completes them.
        std::multimap<int64_t, std::shared_ptr<StackedLane::Started>> started;
    };

    void Header(std::string_view text, uint64_t number);
    bool Fields(std::string_view text, uint64_t number);
    bool PlaceAt(size_t index, Place* place, uint64_t number);
    LaneState* GetLane(const Place& place);
    int32_t RankOf(const Place& place) const;
    int64_t Ns(int64_t time) const { return time * unit_ns_; }
    void State();
    void Communicator(std::string_view text, uint64_t number);
    void Events(const Place& place, uint64_t number);
    void Call(LaneState* state, int64_t ns, int64_t type, int64_t value, uint64_t number);
    void Region(LaneState* state, int64_t ns, int64_t value, uint64_t number);
    bool OfCollective(LaneState* state, int64_t type, int64_t value);
    uint64_t CommId(int64_t comm) const;
    uint64_t CommOfMessage(int32_t from, const StackedLane::Message& message, int64_t receive_ns);
    void Message(const Place& from, const Place& to);
    StackedLane::Message MessageTo(const Place& peer) const;
    void WriteSend(const Place& from, int64_t ns, const StackedLane::Message& message);
    void WriteReceive(LaneState* state, int64_t ns, const Coming& coming);
    // In the call that has just begun; false: that receives nothing.
    bool ReceiveInCall(LaneState* state, int64_t ns, const Coming& coming);
    // What no call took until `ns`.
    void Settle(LaneState* state, int64_t ns);

    TraceSink& sink_;
    const PcfNames* names_of_file_;
    const bool is_ours_;  // Written by an export.
    int64_t unit_ns_ = 1000;
    std::vector<int64_t> fields_;
    std::map<int64_t, int64_t> tasks_before_;  // Of an application.
    std::map<std::tuple<int32_t, int64_t>, LaneState> lanes_;
    std::unordered_map<int64_t, uint64_t> names_;  // Of states and event types.
    std::unordered_map<int64_t, uint64_t> region_names_;
    int64_t tasks_ = 0;
    int64_t world_ = 0;  // The number of the communicator of all tasks; 0: there is none.
    // By sender, receiver and tag: when the last message of each order was received, which falls from one
    // order to the next.
    std::map<std::tuple<int32_t, int32_t, int32_t>, std::vector<int64_t>> orders_;
    uint64_t crossing_ = 0;
    uint64_t without_names_ = 0;
    uint64_t bad_states_ = 0;
    uint64_t send_name_;
    uint64_t receive_name_;
    uint64_t wait_name_;
};

}  // namespace comshu::format::paraver

#endif  // COMSHU_FORMATS_PARAVER_PARAVER_READER_H_
