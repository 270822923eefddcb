// Reads Paraver traces (.prv).
#ifndef COMSHU_FORMATS_PARAVER_PARAVER_READER_H_
#define COMSHU_FORMATS_PARAVER_PARAVER_READER_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "stacked_lane.h"
#include "trace_reader.h"

namespace comshu::format::paraver {

// Tasks are ranks, in the order of applications and tasks. States become spans; the event types of Extrae
// for MPI become calls; other event types become counters, which is what they are: a value from a
// time on. A message has both sides in one record.
class ParaverReader : public LineReader {
public:
    explicit ParaverReader(TraceSink* sink);

    void Line(std::string_view text, uint64_t number) override;
    void Finish() override;

private:
    struct Place {
        int64_t application = 0, task = 0, thread = 0;
    };
    struct LaneState {
        std::unique_ptr<StackedLane> lane;
        std::map<int64_t, uint64_t> open;  // Key of the call that an event type has open.
        uint64_t states = 0;
    };

    void Header(std::string_view text, uint64_t number);
    bool Fields(std::string_view text, uint64_t number);
    bool PlaceAt(size_t index, Place* place, uint64_t number);
    LaneState* GetLane(const Place& place);
    int32_t RankOf(const Place& place);
    int64_t Ns(int64_t time) const { return time * unit_ns_; }
    void State();
    void Events(const Place& place, uint64_t number);
    void Message(const Place& from, const Place& to);

    TraceSink& sink_;
    int64_t unit_ns_ = 1000;
    std::vector<int64_t> fields_;
    std::map<int64_t, int64_t> tasks_before_;  // Of an application.
    std::map<std::tuple<int32_t, int64_t>, LaneState> lanes_;
    std::unordered_map<int64_t, uint64_t> names_;
    uint64_t send_name_;
    uint64_t receive_name_;
};

}  // namespace comshu::format::paraver

#endif  // COMSHU_FORMATS_PARAVER_PARAVER_READER_H_
