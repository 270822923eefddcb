#include "otf2/otf2_reader.h"

#include <otf2/otf2.h>

#include <cstdarg>
#include <cstdio>
#include <map>
#include <memory>
#include <vector>

#include <fmt/core.h>

#include "comshu/core/count_text.h"
#include "stacked_lane.h"

namespace comshu::format::otf2 {
namespace {

using schema::ImportCategory;
using schema::MpiFunction;

constexpr uint64_t kEventsPerLook = 100'000;

// What the library says when something fails; it would print it otherwise.
OTF2_ErrorCode OnError(void* text, const char*, uint64_t, const char*, OTF2_ErrorCode code,
                       const char* format, va_list arguments) {
    char buffer[512];
    std::vsnprintf(buffer, sizeof buffer, format, arguments);
    auto* out = static_cast<std::string*>(text);
    if (out->empty() && code != OTF2_SUCCESS)
        *out = fmt::format("{}: {}", OTF2_Error_GetDescription(code), buffer);
    return code;
}

class ErrorText {
public:
    ErrorText() { previous_ = OTF2_Error_RegisterCallback(OnError, &text_); }
    ~ErrorText() { OTF2_Error_RegisterCallback(previous_, nullptr); }
    const std::string& text() const { return text_; }

private:
    std::string text_;
    OTF2_ErrorCallback previous_ = nullptr;
};

MpiFunction FunctionOf(OTF2_CollectiveOp operation) {
    switch (operation) {
        case OTF2_COLLECTIVE_OP_BARRIER:
            return MpiFunction::MPI_Barrier;
        case OTF2_COLLECTIVE_OP_BCAST:
            return MpiFunction::MPI_Bcast;
        case OTF2_COLLECTIVE_OP_GATHER:
            return MpiFunction::MPI_Gather;
        case OTF2_COLLECTIVE_OP_GATHERV:
            return MpiFunction::MPI_Gatherv;
        case OTF2_COLLECTIVE_OP_SCATTER:
            return MpiFunction::MPI_Scatter;
        case OTF2_COLLECTIVE_OP_SCATTERV:
            return MpiFunction::MPI_Scatterv;
        case OTF2_COLLECTIVE_OP_ALLGATHER:
            return MpiFunction::MPI_Allgather;
        case OTF2_COLLECTIVE_OP_ALLGATHERV:
            return MpiFunction::MPI_Allgatherv;
        case OTF2_COLLECTIVE_OP_ALLTOALL:
            return MpiFunction::MPI_Alltoall;
        case OTF2_COLLECTIVE_OP_ALLTOALLV:
            return MpiFunction::MPI_Alltoallv;
        case OTF2_COLLECTIVE_OP_ALLTOALLW:
            return MpiFunction::MPI_Alltoallw;
        case OTF2_COLLECTIVE_OP_REDUCE:
            return MpiFunction::MPI_Reduce;
        case OTF2_COLLECTIVE_OP_REDUCE_SCATTER:
        case OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK:
            return MpiFunction::MPI_Reduce_scatter;
        case OTF2_COLLECTIVE_OP_SCAN:
            return MpiFunction::MPI_Scan;
        case OTF2_COLLECTIVE_OP_EXSCAN:
            return MpiFunction::MPI_Exscan;
        default:
            return MpiFunction::MPI_Allreduce;
    }
}

class ArchiveReader {
public:
    explicit ArchiveReader(TraceSink* sink) : sink_(*sink) {
        send_name_ = sink_.writer().Text("send");
        receive_name_ = sink_.writer().Text("recv");
        collective_name_ = sink_.writer().Text("collective");
    }

    bool Read(OTF2_Reader* reader, const std::function<bool()>& stopped, std::string* error);

    // Definitions.
    void SetClock(uint64_t resolution, uint64_t offset) {
        ns_per_tick_ = resolution == 0 ? 1.0 : 1e9 / static_cast<double>(resolution);
        offset_ = offset;
    }
    void SetText(uint32_t id, const char* text) { texts_[id] = text; }
    void SetGroupName(uint32_t group, uint32_t name) { processes_[group].name = name; }
    void SetLocation(uint64_t id, uint32_t name, uint32_t group, uint64_t events) {
        LocationOf& location = locations_[id];
        location.name = name;
        location.group = group;
        location.events = events;
    }
    void SetRegion(uint32_t id, uint32_t name, OTF2_Paradigm paradigm) {
        Region& region = regions_[id];
        region.name = name;
        region.mpi = paradigm == OTF2_PARADIGM_MPI;
    }
    void SetMembers(uint32_t id, OTF2_GroupType type, const uint64_t* members, uint32_t count) {
        Group& group = groups_[id];
        group.type = type;
        group.members.assign(members, members + count);
        if (type == OTF2_GROUP_TYPE_COMM_LOCATIONS) comm_locations_ = group.members;
    }
    void SetComm(uint32_t id, uint32_t group) { comms_[id] = group; }

    // Events.
    void Enter(uint64_t location, uint64_t time, uint32_t region) {
        Lane(location)->Enter(Ns(time), KindOf(region));
    }
    void Leave(uint64_t location, uint64_t time, uint32_t region) {
        if (!Lane(location)->Leave(Ns(time), uint64_t{region} + 1)) ++bad_ends_;
    }
    void Send(uint64_t location, uint64_t time, uint32_t peer, uint32_t comm, uint32_t tag,
              uint64_t bytes) {
        Lane(location)->Send(Ns(time), MessageOf(location, peer, comm, tag, bytes), send_name_);
    }
    void Receive(uint64_t location, uint64_t time, uint32_t peer, uint32_t comm, uint32_t tag,
                 uint64_t bytes) {
        Lane(location)->Receive(Ns(time), MessageOf(location, peer, comm, tag, bytes),
                                receive_name_);
    }
    void Collective(uint64_t location, uint64_t, OTF2_CollectiveOp operation, uint32_t comm,
                    uint32_t root, uint64_t sent, uint64_t received) {
        if (!Lane(location)->Collect(CollectiveOf(operation, comm, root, sent, received)))
            ++sink_.file().unknown;
    }
    void CompleteCollective(uint64_t location, uint64_t time, OTF2_CollectiveOp operation,
                            uint32_t comm, uint32_t root, uint64_t sent, uint64_t received) {
        Lane(location)->Complete(Ns(time), CollectiveOf(operation, comm, root, sent, received),
                                 collective_name_);
    }

private:
    struct ProcessOf {
        uint32_t name = 0;
        int32_t rank = -1;
        uint32_t threads = 0;
    };
    struct LocationOf {
        uint32_t name = 0;
        uint32_t group = 0;
        uint64_t events = 0;
        std::unique_ptr<StackedLane> lane;
    };
    struct Region {
        uint32_t name = 0;
        bool mpi = false;
        StateKind kind;
        bool known = false;
    };
    struct Group {
        OTF2_GroupType type = OTF2_GROUP_TYPE_UNKNOWN;
        std::vector<uint64_t> members;
    };

    int64_t Ns(uint64_t time) {
        ++sink_.file().records;
        const auto ticks = static_cast<int64_t>(time - offset_);
        return ns_per_tick_ == 1.0
                   ? ticks
                   : static_cast<int64_t>(static_cast<double>(ticks) * ns_per_tick_);
    }
    const std::string& TextOf(uint32_t id) { return texts_[id]; }
    StackedLane* Lane(uint64_t location) {
        if (location == last_location_ && last_lane_ != nullptr) return last_lane_;
        LocationOf& known = locations_[location];
        if (known.lane == nullptr) AddLane(&known);
        last_location_ = location;
        last_lane_ = known.lane.get();
        return last_lane_;
    }
    void AddLane(LocationOf* location) {
        ProcessOf& process = processes_[location->group];
        if (process.rank < 0) process.rank = static_cast<int32_t>(next_rank_++);
        format::Lane* lane = sink_.writer().GetLane(process.rank, process.threads++);
        sink_.writer().NameRank(process.rank, TextOf(process.name));
        sink_.writer().NameThread(lane, TextOf(location->name));
        location->lane = std::make_unique<StackedLane>(&sink_, lane);
    }
    const StateKind& KindOf(uint32_t id) {
        Region& region = regions_[id];
        if (!region.known) {
            const std::string& name = TextOf(region.name);
            region.known = true;
            region.kind.key = uint64_t{id} + 1;
            region.kind.name = sink_.writer().Text(name);
            if (region.mpi) {
                // Of a name that MPI does not have, some function that moves nothing.
                region.kind.function = MpiFunctionNumber(name);
                if (region.kind.function < 0)
                    region.kind.function = static_cast<int32_t>(MpiFunction::MPI_Pcontrol);
                region.kind.category = CategoryOfMpi(name);
            }
        }
        return region.kind;
    }
    uint64_t CommId(uint32_t comm) {
        const auto found = comms_.find(comm);
        if (found == comms_.end()) return 0x0f2'0000'0000ULL | comm;
        const Group& group = groups_[found->second];
        return group.members.size() == comm_locations_.size() && first_comm_ == comm
                   ? CaptureWriter::kWorld
                   : 0x0f2'0000'0000ULL | comm;
    }
    // A rank of a communicator as a rank of the capture.
    int32_t RankOf(uint64_t here, uint32_t comm, uint32_t rank) {
        const auto found = comms_.find(comm);
        if (found == comms_.end()) return static_cast<int32_t>(rank);
        const Group& group = groups_[found->second];
        uint64_t location = here;
        if (group.type == OTF2_GROUP_TYPE_COMM_GROUP) {
            if (rank >= group.members.size()) return kNoNumber;
            const uint64_t member = group.members[rank];
            if (member >= comm_locations_.size()) return kNoNumber;
            location = comm_locations_[member];
        }
        Lane(location);
        return processes_[locations_[location].group].rank;
    }
    StackedLane::Message MessageOf(uint64_t location, uint32_t peer, uint32_t comm, uint32_t tag,
                                   uint64_t bytes) {
        StackedLane::Message message;
        message.peer = RankOf(location, comm, peer);
        message.tag = tag > INT32_MAX ? kNoNumber : static_cast<int32_t>(tag);
        message.bytes = bytes;
        message.comm = CommId(comm);
        return message;
    }

    StackedLane::Collective CollectiveOf(OTF2_CollectiveOp operation, uint32_t comm, uint32_t root,
                                         uint64_t sent, uint64_t received) {
        StackedLane::Collective collective;
        collective.function = FunctionOf(operation);
        collective.comm = CommId(comm);
        collective.sent = sent;
        collective.received = received;
        if (root < OTF2_COLLECTIVE_ROOT_THIS_GROUP) collective.root = static_cast<int32_t>(root);
        return collective;
    }

    bool ReadDefinitions(OTF2_Reader* reader);
    bool ReadEvents(OTF2_Reader* reader, const std::function<bool()>& stopped, std::string* error);

    TraceSink& sink_;
    double ns_per_tick_ = 1;
    uint64_t offset_ = 0;
    std::map<uint32_t, std::string> texts_;
    std::map<uint32_t, ProcessOf> processes_;
    std::map<uint64_t, LocationOf> locations_;
    std::map<uint32_t, Region> regions_;
    std::map<uint32_t, Group> groups_;
    std::map<uint32_t, uint32_t> comms_;
    std::vector<uint64_t> comm_locations_;
    uint32_t first_comm_ = 0;
    uint32_t next_rank_ = 0;
    uint64_t last_location_ = 0;
    StackedLane* last_lane_ = nullptr;
    uint64_t send_name_ = 0;
    uint64_t receive_name_ = 0;
    uint64_t collective_name_ = 0;
    uint64_t bad_ends_ = 0;
};

ArchiveReader& Of(void* user) {
    return *static_cast<ArchiveReader*>(user);
}

constexpr auto kGoOn = OTF2_CALLBACK_SUCCESS;
using Attributes = OTF2_AttributeList*;

template <auto kHandle>
OTF2_CallbackCode OnRegion(OTF2_LocationRef at, OTF2_TimeStamp time, void* user, Attributes,
                           OTF2_RegionRef region) {
    (Of(user).*kHandle)(at, time, region);
    return kGoOn;
}

// Nonblocking ones have the number of their request besides.
template <auto kHandle, typename... Request>
OTF2_CallbackCode OnMessage(OTF2_LocationRef at, OTF2_TimeStamp time, void* user, Attributes,
                            uint32_t peer, OTF2_CommRef comm, uint32_t tag, uint64_t bytes,
                            Request...) {
    (Of(user).*kHandle)(at, time, peer, comm, tag, bytes);
    return kGoOn;
}

template <auto kHandle, typename... Request>
OTF2_CallbackCode OnCollective(OTF2_LocationRef at, OTF2_TimeStamp time, void* user, Attributes,
                               OTF2_CollectiveOp operation, OTF2_CommRef comm, uint32_t root,
                               uint64_t sent, uint64_t received, Request...) {
    (Of(user).*kHandle)(at, time, operation, comm, root, sent, received);
    return kGoOn;
}

bool ArchiveReader::ReadDefinitions(OTF2_Reader* reader) {
    OTF2_GlobalDefReader* definitions = OTF2_Reader_GetGlobalDefReader(reader);
    OTF2_GlobalDefReaderCallbacks* calls = OTF2_GlobalDefReaderCallbacks_New();
    OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(
        calls, [](void* user, uint64_t resolution, uint64_t offset, uint64_t, uint64_t) {
            Of(user).SetClock(resolution, offset);
            return kGoOn;
        });
    OTF2_GlobalDefReaderCallbacks_SetStringCallback(
        calls, [](void* user, OTF2_StringRef self, const char* text) {
            Of(user).SetText(self, text);
            return kGoOn;
        });
    OTF2_GlobalDefReaderCallbacks_SetLocationGroupCallback(
        calls, [](void* user, OTF2_LocationGroupRef self, OTF2_StringRef name,
                  OTF2_LocationGroupType, OTF2_SystemTreeNodeRef, OTF2_LocationGroupRef) {
            Of(user).SetGroupName(self, name);
            return kGoOn;
        });
    OTF2_GlobalDefReaderCallbacks_SetLocationCallback(
        calls, [](void* user, OTF2_LocationRef self, OTF2_StringRef name, OTF2_LocationType,
                  uint64_t events, OTF2_LocationGroupRef group) {
            Of(user).SetLocation(self, name, group, events);
            return kGoOn;
        });
    OTF2_GlobalDefReaderCallbacks_SetRegionCallback(
        calls, [](void* user, OTF2_RegionRef self, OTF2_StringRef name, OTF2_StringRef,
                  OTF2_StringRef, OTF2_RegionRole, OTF2_Paradigm paradigm, OTF2_RegionFlag,
                  OTF2_StringRef, uint32_t, uint32_t) {
            Of(user).SetRegion(self, name, paradigm);
            return kGoOn;
        });
    OTF2_GlobalDefReaderCallbacks_SetGroupCallback(
        calls, [](void* user, OTF2_GroupRef self, OTF2_StringRef, OTF2_GroupType type,
                  OTF2_Paradigm, OTF2_GroupFlag, uint32_t count, const uint64_t* members) {
            Of(user).SetMembers(self, type, members, count);
            return kGoOn;
        });
    OTF2_GlobalDefReaderCallbacks_SetCommCallback(
        calls, [](void* user, OTF2_CommRef self, OTF2_StringRef, OTF2_GroupRef group, OTF2_CommRef,
                  OTF2_CommFlag) {
            Of(user).SetComm(self, group);
            return kGoOn;
        });
    OTF2_Reader_RegisterGlobalDefCallbacks(reader, definitions, calls, this);
    OTF2_GlobalDefReaderCallbacks_Delete(calls);
    uint64_t count = 0;
    const bool read =
        OTF2_Reader_ReadAllGlobalDefinitions(reader, definitions, &count) == OTF2_SUCCESS;
    OTF2_Reader_CloseGlobalDefReader(reader, definitions);
    if (!comms_.empty()) first_comm_ = comms_.begin()->first;
    // Ranks in the order of the world, then the others.
    for (const uint64_t location : comm_locations_) Lane(location);
    for (auto& [id, location] : locations_) Lane(id);
    return read;
}

bool ArchiveReader::ReadEvents(OTF2_Reader* reader, const std::function<bool()>& stopped,
                               std::string* error) {
    for (const auto& [id, location] : locations_) OTF2_Reader_SelectLocation(reader, id);
    const bool has_local = OTF2_Reader_OpenDefFiles(reader) == OTF2_SUCCESS;
    OTF2_Reader_OpenEvtFiles(reader);
    for (const auto& [id, location] : locations_) {
        OTF2_DefReader* local = has_local ? OTF2_Reader_GetDefReader(reader, id) : nullptr;
        if (local != nullptr) {
            uint64_t count = 0;
            OTF2_Reader_ReadAllLocalDefinitions(reader, local, &count);
            OTF2_Reader_CloseDefReader(reader, local);
        }
        OTF2_Reader_GetEvtReader(reader, id);
    }
    if (has_local) OTF2_Reader_CloseDefFiles(reader);
    OTF2_GlobalEvtReader* events = OTF2_Reader_GetGlobalEvtReader(reader);
    OTF2_GlobalEvtReaderCallbacks* calls = OTF2_GlobalEvtReaderCallbacks_New();
    OTF2_GlobalEvtReaderCallbacks_SetEnterCallback(calls, OnRegion<&ArchiveReader::Enter>);
    OTF2_GlobalEvtReaderCallbacks_SetLeaveCallback(calls, OnRegion<&ArchiveReader::Leave>);
    OTF2_GlobalEvtReaderCallbacks_SetMpiSendCallback(calls, OnMessage<&ArchiveReader::Send>);
    OTF2_GlobalEvtReaderCallbacks_SetMpiIsendCallback(calls,
                                                      OnMessage<&ArchiveReader::Send, uint64_t>);
    OTF2_GlobalEvtReaderCallbacks_SetMpiRecvCallback(calls, OnMessage<&ArchiveReader::Receive>);
    OTF2_GlobalEvtReaderCallbacks_SetMpiIrecvCallback(calls,
                                                      OnMessage<&ArchiveReader::Receive, uint64_t>);
    OTF2_GlobalEvtReaderCallbacks_SetMpiCollectiveEndCallback(
        calls, OnCollective<&ArchiveReader::Collective>);
    OTF2_GlobalEvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback(
        calls, OnCollective<&ArchiveReader::CompleteCollective, uint64_t>);
    OTF2_Reader_RegisterGlobalEvtCallbacks(reader, events, calls, this);
    OTF2_GlobalEvtReaderCallbacks_Delete(calls);
    bool done = true;
    for (uint64_t read = kEventsPerLook; done && read == kEventsPerLook;) {
        done = OTF2_Reader_ReadGlobalEvents(reader, events, kEventsPerLook, &read) == OTF2_SUCCESS;
        if (stopped && stopped()) {
            *error = "stopped";
            done = false;
        }
    }
    OTF2_Reader_CloseGlobalEvtReader(reader, events);
    OTF2_Reader_CloseEvtFiles(reader);
    return done;
}

bool ArchiveReader::Read(OTF2_Reader* reader, const std::function<bool()>& stopped,
                         std::string* error) {
    if (!ReadDefinitions(reader)) return false;
    const bool whole = ReadEvents(reader, stopped, error);
    if (*error == "stopped") return false;
    if (!whole) sink_.Report(0, 0, "the events are cut or damaged: what comes behind is missing");
    uint64_t never_ended = 0;
    for (auto& [id, location] : locations_) {
        if (location.lane != nullptr) never_ended += location.lane->Finish();
    }
    if (never_ended > 0) sink_.Report(0, 0, NeverEnded(never_ended, "region"));
    if (bad_ends_ > 0)
        sink_.Report(0, 0,
                     core::Plural(bad_ends_, "region ends that has not begun",
                                  "regions end that have not begun"));
    return true;
}

}  // namespace

bool ReadArchive(const std::string& anchor, TraceSink* sink, const std::function<bool()>& stopped,
                 std::string* error) {
    const ErrorText said;
    OTF2_Reader* reader = OTF2_Reader_Open(anchor.c_str());
    if (reader == nullptr) {
        *error = fmt::format("{}: no OTF2 archive: {}", anchor, said.text());
        return false;
    }
    OTF2_Reader_SetSerialCollectiveCallbacks(reader);
    ArchiveReader archive(sink);
    const bool read = archive.Read(reader, stopped, error);
    OTF2_Reader_Close(reader);
    if (!read && error->empty())
        *error = fmt::format("{}: cannot be read: {}", anchor, said.text());
    return read;
}

}  // namespace comshu::format::otf2
