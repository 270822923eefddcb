// What an OTF2 archive says, as records of a capture.
#ifndef COMSHU_FORMATS_OTF2_ARCHIVE_EVENTS_H_
#define COMSHU_FORMATS_OTF2_ARCHIVE_EVENTS_H_

#include <otf2/otf2.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "stacked_lane.h"

namespace comshu::format::otf2 {

// Problem: definitions refer to each other by number in any order, events to definitions, and a damaged
// archive refers to what is not there. Idea: definitions are only kept; what an event needs of them is
// looked up when it comes, and a number without a definition is as good as any other. Nothing of the
// library is called here. Cost: memory for the definitions and what is open.
// Contract: all definitions, then EndDefinitions, then events, per location in order of time, then
// Finish.
class ArchiveEvents {
public:
    explicit ArchiveEvents(TraceSink* sink);

    // `start`: when `offset` was, in nanoseconds since 1970.
    void SetClock(uint64_t resolution, uint64_t offset, uint64_t start = OTF2_UNDEFINED_TIMESTAMP);
    void SetText(uint32_t id, const char* text) { texts_[id] = text == nullptr ? "" : text; }
    void SetGroupName(uint32_t group, uint32_t name) { processes_[group].name = name; }
    void SetLocation(uint64_t id, uint32_t name, uint32_t group, uint64_t events = 0);
    void SetRegion(uint32_t id, uint32_t name, OTF2_Paradigm paradigm);
    void SetMembers(uint32_t id, OTF2_GroupType type, const uint64_t* members, uint32_t count);
    void SetComm(uint32_t id, uint32_t name, uint32_t group) {
        comms_[id] = {name, group, group, false};
    }
    void SetInterComm(uint32_t id, uint32_t name, uint32_t group, uint32_t other) {
        comms_[id] = {name, group, other, true};
    }
    // Makes ranks: those of the world in its order, then the others; and communicators of them.
    void EndDefinitions();

    void Enter(uint64_t location, uint64_t time, uint32_t region);
    void Leave(uint64_t location, uint64_t time, uint32_t region);
    void Send(uint64_t location, uint64_t time, uint32_t peer, uint32_t comm, uint32_t tag,
              uint64_t bytes);
    void Receive(uint64_t location, uint64_t time, uint32_t peer, uint32_t comm, uint32_t tag,
                 uint64_t bytes);
    // The same of a request, and what it becomes.
    void StartSend(uint64_t location, uint64_t time, uint32_t peer, uint32_t comm, uint32_t tag,
                   uint64_t bytes, uint64_t request);
    void StartReceive(uint64_t location, uint64_t time, uint64_t request);
    void CompleteSend(uint64_t location, uint64_t time, uint64_t request);
    void CompleteReceive(uint64_t location, uint64_t time, uint32_t peer, uint32_t comm,
                         uint32_t tag, uint64_t bytes, uint64_t request);
    void Cancel(uint64_t location, uint64_t time, uint64_t request);
    void Collective(uint64_t location, uint64_t time, OTF2_CollectiveOp operation, uint32_t comm,
                    uint32_t root, uint64_t sent, uint64_t received);
    void CompleteCollective(uint64_t location, uint64_t time, OTF2_CollectiveOp operation,
                            uint32_t comm, uint32_t root, uint64_t sent, uint64_t received);
    // Ends all lanes and reports what was wrong.
    void Finish();

    std::vector<uint64_t> Locations() const;
    uint64_t EventsOf(uint64_t location) { return locations_[location].events; }
    const std::string& NameOf(uint64_t location) { return texts_[locations_[location].name]; }

private:
    // A request that a location started; others of its process may complete it.
    struct Request {
        uint64_t location = 0;
        std::shared_ptr<StackedLane::Started> started;
    };
    struct ProcessOf {
        uint32_t name = 0;
        int32_t rank = -1;
        uint32_t threads = 0;
        std::unordered_multimap<uint64_t, Request> requests;  // By their numbers in the archive.
    };
    struct LocationOf {
        uint32_t name = 0;
        uint32_t group = 0;
        uint64_t events = 0;
        std::unique_ptr<StackedLane> lane;
    };
    struct Region {
        uint32_t name = 0;
        OTF2_Paradigm paradigm = OTF2_PARADIGM_UNKNOWN;
        StateKind kind;
        bool known = false;
    };
    struct Group {
        OTF2_GroupType type = OTF2_GROUP_TYPE_UNKNOWN;
        std::vector<uint64_t> members;
    };
    struct Comm {
        uint32_t name = 0;
        uint32_t group = 0;
        uint32_t remote = 0;  // Where its peers are.
        bool is_inter = false;
    };

    // Counts a record; false: its time is none.
    bool ToNs(uint64_t time, int64_t* ns);
    StackedLane* LaneOf(uint64_t location);
    void AddLane(LocationOf* location);
    void EndLanes();
    const StateKind& KindOf(uint32_t id);
    uint64_t CommId(uint32_t comm);
    // Ranks of the capture by those of a group of ranks; kNoNumber: there is none.
    std::vector<int32_t> MembersOf(uint32_t group);
    void DefineComms(uint32_t ranks);
    void AddRequest(uint64_t location, uint64_t number,
                    std::shared_ptr<StackedLane::Started> started);
    std::shared_ptr<StackedLane::Started> TakeRequest(uint64_t location, uint64_t number,
                                                      bool is_receive);
    // A rank of a communicator as a rank of the capture.
    int32_t RankOf(uint64_t here, uint32_t comm, uint32_t rank);
    StackedLane::Message MessageOf(uint64_t location, uint32_t peer, uint32_t comm, uint32_t tag,
                                   uint64_t bytes);
    StackedLane::Collective CollectiveOf(OTF2_CollectiveOp operation, uint32_t comm, uint32_t root,
                                         uint64_t sent, uint64_t received);

    TraceSink& sink_;
    uint64_t resolution_ = 0;  // Ticks per second; 0: not told.
    double ns_per_tick_ = 1;
    uint64_t offset_ = 0;
    std::map<uint32_t, std::string> texts_;
    std::map<uint32_t, ProcessOf> processes_;
    std::map<uint64_t, LocationOf> locations_;
    std::map<uint32_t, Region> regions_;
    std::map<uint32_t, Group> groups_;
    std::map<uint32_t, Comm> comms_;
    std::vector<uint64_t> comm_locations_;
    int64_t world_ = -1;  // The communicator of all ranks in order; -1: there is none.
    uint32_t next_rank_ = 0;
    uint64_t last_location_ = 0;
    StackedLane* last_lane_ = nullptr;
    uint64_t send_name_ = 0;
    uint64_t receive_name_ = 0;
    uint64_t collective_name_ = 0;
    uint64_t wait_name_ = 0;
    uint64_t completed_ = 0;
    uint64_t not_started_ = 0;
    uint64_t too_late_ = 0;
    uint64_t bad_ends_ = 0;
    uint64_t bad_times_ = 0;
};

}  // namespace comshu::format::otf2

#endif  // COMSHU_FORMATS_OTF2_ARCHIVE_EVENTS_H_
