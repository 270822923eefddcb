#include "otf2/archive_events.h"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "comshu/core/count_text.h"

namespace comshu::format::otf2 {
namespace {

using schema::MpiFunction;

// A communicator of the archive in the numbers of a capture.
constexpr uint64_t kCommBase = 0x0f2'0000'0000ULL;

int32_t NumberOf(uint32_t number) {
    return number > INT32_MAX ? kNoNumber : static_cast<int32_t>(number);
}

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

}  // namespace

ArchiveEvents::ArchiveEvents(TraceSink* sink)
    : sink_(*sink),
      send_name_(sink->writer().Text("send")),
      receive_name_(sink->writer().Text("recv")),
      collective_name_(sink->writer().Text("collective")),
      wait_name_(sink->writer().Text("wait")) {}

void ArchiveEvents::SetClock(uint64_t resolution, uint64_t offset, uint64_t start) {
    constexpr uint64_t kLatestStart = uint64_t{1} << 62;  // In the year 2116.
    if (start < kLatestStart) sink_.writer().SetZeroRealtime(static_cast<int64_t>(start));
    resolution_ = resolution;
    ns_per_tick_ = resolution == 0 ? 1.0 : 1e9 / static_cast<double>(resolution);
    offset_ = offset;
}

void ArchiveEvents::SetLocation(uint64_t id, uint32_t name, uint32_t group, uint64_t events) {
    LocationOf& location = locations_[id];
    location.name = name;
    location.group = group;
    location.events = events;
}

void ArchiveEvents::SetRegion(uint32_t id, uint32_t name, OTF2_Paradigm paradigm) {
    Region& region = regions_[id];
    region.name = name;
    region.paradigm = paradigm;
}

void ArchiveEvents::SetMembers(uint32_t id, OTF2_GroupType type, const uint64_t* members,
                               uint32_t count) {
    Group& group = groups_[id];
    group.type = type;
    group.members.assign(members, members + count);
    if (type == OTF2_GROUP_TYPE_COMM_LOCATIONS) comm_locations_ = group.members;
}

void ArchiveEvents::EndDefinitions() {
    for (const uint64_t location : comm_locations_) LaneOf(location);
    const uint32_t ranks = next_rank_;
    for (const uint64_t location : Locations()) LaneOf(location);
    DefineComms(ranks);
}

std::vector<int32_t> ArchiveEvents::MembersOf(uint32_t id) {
    const Group& group = groups_[id];
    std::vector<int32_t> members;
    if (group.type != OTF2_GROUP_TYPE_COMM_GROUP) return members;
    for (const uint64_t member : group.members) {
        const bool is_known = member < comm_locations_.size();
        members.push_back(is_known ? processes_[locations_[comm_locations_[member]].group].rank
                                   : kNoNumber);
    }
    return members;
}

// Of several of all `ranks` in order the one that is called so is the world, or the first.
void ArchiveEvents::DefineComms(uint32_t ranks) {
    std::map<uint32_t, std::vector<int32_t>> members_of;
    for (const auto& [id, comm] : comms_) {
        if (comm.is_inter) continue;
        const std::vector<int32_t>& members = members_of[id] = MembersOf(comm.group);
        bool is_world = members.size() == ranks;
        for (size_t i = 0; i < members.size(); ++i)
            is_world = is_world && members[i] == static_cast<int32_t>(i);
        if (!is_world) continue;
        const bool is_called_so = texts_[comm.name] == "MPI_COMM_WORLD";
        if (world_ < 0 || is_called_so) world_ = id;
        if (is_called_so) break;
    }
    if (world_ >= 0) {
        const std::string& name = texts_[comms_[static_cast<uint32_t>(world_)].name];
        if (!name.empty()) sink_.writer().NameWorld(name);
    }
    for (const auto& [id, members] : members_of) {
        if (id == world_) continue;
        const uint64_t name = sink_.writer().Text(texts_[comms_[id].name]);
        for (size_t i = 0; i < members.size(); ++i) {
            if (members[i] < 0) continue;
            sink_.writer().Define(
                members[i],
                schema::MpiComm(kTickZero, CommId(id), CaptureWriter::kWorld, 0, 0, name,
                                static_cast<uint32_t>(members.size()), static_cast<int32_t>(i)));
        }
    }
}

std::vector<uint64_t> ArchiveEvents::Locations() const {
    std::vector<uint64_t> ids;
    ids.reserve(locations_.size());
    for (const auto& [id, location] : locations_) ids.push_back(id);
    return ids;
}

bool ArchiveEvents::ToNs(uint64_t time, int64_t* ns) {
    ++sink_.file().records;
    const auto ticks = static_cast<int64_t>(time - offset_);
    const double about = static_cast<double>(ticks) * ns_per_tick_;
    if (std::abs(about) >= static_cast<double>(kLongestNs)) {
        ++bad_times_;
        ++sink_.file().illegal;
        return false;
    }
    *ns = ns_per_tick_ == 1.0 ? ticks : static_cast<int64_t>(about);
    return true;
}

StackedLane* ArchiveEvents::LaneOf(uint64_t location) {
    if (location == last_location_ && last_lane_ != nullptr) return last_lane_;
    LocationOf& known = locations_[location];
    if (known.lane == nullptr) AddLane(&known);
    last_location_ = location;
    last_lane_ = known.lane.get();
    return last_lane_;
}

void ArchiveEvents::AddLane(LocationOf* location) {
    ProcessOf& process = processes_[location->group];
    if (process.rank < 0) process.rank = static_cast<int32_t>(next_rank_++);
    format::Lane* lane = sink_.writer().GetLane(process.rank, process.threads++);
    sink_.writer().NameRank(process.rank, texts_[process.name]);
    sink_.writer().NameThread(lane, texts_[location->name]);
    location->lane = std::make_unique<StackedLane>(&sink_, lane);
}

const StateKind& ArchiveEvents::KindOf(uint32_t id) {
    Region& region = regions_[id];
    if (!region.known) {
        const std::string& name = texts_[region.name];
        region.known = true;
        region.kind.key = uint64_t{id} + 1;
        region.kind.name = sink_.writer().Text(name);
        // Some tools (EZTrace) write functions of MPI as functions of the user.
        region.kind.function = MpiFunctionNumber(name);
        // Of a name that MPI does not have, some function that moves nothing.
        if (region.kind.function < 0 && region.paradigm == OTF2_PARADIGM_MPI)
            region.kind.function = static_cast<int32_t>(MpiFunction::MPI_Pcontrol);
        if (region.kind.function >= 0) region.kind.category = CategoryOfMpi(name);
    }
    return region.kind;
}

uint64_t ArchiveEvents::CommId(uint32_t comm) {
    return comm == world_ ? CaptureWriter::kWorld : kCommBase | comm;
}

int32_t ArchiveEvents::RankOf(uint64_t here, uint32_t comm, uint32_t rank) {
    const auto found = comms_.find(comm);
    if (found == comms_.end()) return NumberOf(rank);
    uint32_t peers = found->second.remote;
    if (found->second.is_inter) {
        const std::vector<uint64_t>& remote = groups_[peers].members;
        const bool is_there = std::any_of(remote.begin(), remote.end(), [&](uint64_t member) {
            return member < comm_locations_.size() &&
                   locations_[comm_locations_[member]].group == locations_[here].group;
        });
        if (is_there) peers = found->second.group;
    }
    const Group& group = groups_[peers];
    uint64_t location = here;
    if (group.type == OTF2_GROUP_TYPE_COMM_GROUP) {
        if (rank >= group.members.size()) return kNoNumber;
        const uint64_t member = group.members[rank];
        if (member >= comm_locations_.size()) return kNoNumber;
        location = comm_locations_[member];
    }
    LaneOf(location);
    return processes_[locations_[location].group].rank;
}

StackedLane::Message ArchiveEvents::MessageOf(uint64_t location, uint32_t peer, uint32_t comm,
                                              uint32_t tag, uint64_t bytes) {
    StackedLane::Message message;
    message.peer = RankOf(location, comm, peer);
    message.comm_peer = NumberOf(peer);
    message.tag = NumberOf(tag);
    message.bytes = bytes;
    message.comm = CommId(comm);
    return message;
}

StackedLane::Collective ArchiveEvents::CollectiveOf(OTF2_CollectiveOp operation, uint32_t comm,
                                                    uint32_t root, uint64_t sent,
                                                    uint64_t received) {
    StackedLane::Collective collective;
    collective.function = FunctionOf(operation);
    collective.comm = CommId(comm);
    collective.sent = sent;
    collective.received = received;
    collective.root = NumberOf(root);  // The words for "none" and "self" are too large to be one.
    return collective;
}

void ArchiveEvents::Enter(uint64_t location, uint64_t time, uint32_t region) {
    int64_t ns = 0;
    if (ToNs(time, &ns)) LaneOf(location)->Enter(ns, KindOf(region));
}

void ArchiveEvents::Leave(uint64_t location, uint64_t time, uint32_t region) {
    int64_t ns = 0;
    if (ToNs(time, &ns) && !LaneOf(location)->Leave(ns, uint64_t{region} + 1)) ++bad_ends_;
}

void ArchiveEvents::Send(uint64_t location, uint64_t time, uint32_t peer, uint32_t comm,
                         uint32_t tag, uint64_t bytes) {
    int64_t ns = 0;
    if (!ToNs(time, &ns)) return;
    const StackedLane::Message message = MessageOf(location, peer, comm, tag, bytes);
    LaneOf(location)->Send(ns, message, send_name_);
}

void ArchiveEvents::Receive(uint64_t location, uint64_t time, uint32_t peer, uint32_t comm,
                            uint32_t tag, uint64_t bytes) {
    int64_t ns = 0;
    if (!ToNs(time, &ns)) return;
    const StackedLane::Message message = MessageOf(location, peer, comm, tag, bytes);
    LaneOf(location)->Receive(ns, message, receive_name_);
}

void ArchiveEvents::AddRequest(uint64_t location, uint64_t number,
                               std::shared_ptr<StackedLane::Started> started) {
    processes_[locations_[location].group].requests.emplace(number,
                                                            Request{location, std::move(started)});
}

// Where several locations have that number, their own comes first.
std::shared_ptr<StackedLane::Started> ArchiveEvents::TakeRequest(uint64_t location, uint64_t number,
                                                                 bool is_receive) {
    auto& requests = processes_[locations_[location].group].requests;
    const auto [first, last] = requests.equal_range(number);
    auto found = requests.end();
    for (auto it = first; it != last; ++it) {
        if (it->second.started->is_receive != is_receive) continue;
        if (found == requests.end() || it->second.location == location) found = it;
    }
    if (found == requests.end()) return nullptr;
    std::shared_ptr<StackedLane::Started> started = std::move(found->second.started);
    requests.erase(found);
    return started;
}

void ArchiveEvents::StartSend(uint64_t location, uint64_t time, uint32_t peer, uint32_t comm,
                              uint32_t tag, uint64_t bytes, uint64_t request) {
    int64_t ns = 0;
    if (!ToNs(time, &ns)) return;
    const auto started = std::make_shared<StackedLane::Started>();
    started->request = sink_.NextRequest();
    started->is_known = true;
    started->message = MessageOf(location, peer, comm, tag, bytes);
    LaneOf(location)->Start(ns, started, send_name_);
    AddRequest(location, request, started);
}

void ArchiveEvents::StartReceive(uint64_t location, uint64_t time, uint64_t request) {
    int64_t ns = 0;
    if (!ToNs(time, &ns)) return;
    const auto started = std::make_shared<StackedLane::Started>();
    started->request = sink_.NextRequest();
    started->is_receive = true;
    LaneOf(location)->Start(ns, started, receive_name_);
    AddRequest(location, request, started);
}

void ArchiveEvents::CompleteSend(uint64_t location, uint64_t time, uint64_t request) {
    int64_t ns = 0;
    if (!ToNs(time, &ns)) return;
    const auto started = TakeRequest(location, request, false);
    if (started == nullptr) {
        ++not_started_;
        return;
    }
    LaneOf(location)->Complete({ns, started->request, false, false, {}}, wait_name_);
}

// Writers that tell of no start of it have its place where it is complete.
void ArchiveEvents::CompleteReceive(uint64_t location, uint64_t time, uint32_t peer, uint32_t comm,
                                    uint32_t tag, uint64_t bytes, uint64_t request) {
    const auto started = TakeRequest(location, request, true);
    if (started == nullptr) return Receive(location, time, peer, comm, tag, bytes);
    int64_t ns = 0;
    if (!ToNs(time, &ns)) return;
    const StackedLane::Message message = MessageOf(location, peer, comm, tag, bytes);
    StackedLane* const lane = LaneOf(location);
    too_late_ += !lane->Know(started.get(), &message);
    lane->Complete({ns, started->request, true, false, message}, wait_name_);
}

void ArchiveEvents::Cancel(uint64_t location, uint64_t time, uint64_t request) {
    int64_t ns = 0;
    if (!ToNs(time, &ns)) return;
    auto started = TakeRequest(location, request, true);
    if (started == nullptr) started = TakeRequest(location, request, false);
    if (started == nullptr) {
        ++not_started_;
        return;
    }
    StackedLane* const lane = LaneOf(location);
    if (started->is_receive) lane->Know(started.get(), nullptr);
    lane->Complete({ns, started->request, started->is_receive, true, {}}, wait_name_);
}

void ArchiveEvents::Collective(uint64_t location, uint64_t time, OTF2_CollectiveOp operation,
                               uint32_t comm, uint32_t root, uint64_t sent, uint64_t received) {
    int64_t ns = 0;
    if (!ToNs(time, &ns)) return;
    if (!LaneOf(location)->Collect(CollectiveOf(operation, comm, root, sent, received)))
        ++sink_.file().unknown;
}

void ArchiveEvents::CompleteCollective(uint64_t location, uint64_t time,
                                       OTF2_CollectiveOp operation, uint32_t comm, uint32_t root,
                                       uint64_t sent, uint64_t received) {
    int64_t ns = 0;
    if (!ToNs(time, &ns)) return;
    ++completed_;
    LaneOf(location)->Complete(ns, CollectiveOf(operation, comm, root, sent, received),
                               collective_name_);
}

// An archive has no lines: the first one that never ends is told by its place in the run.
void ArchiveEvents::EndLanes() {
    uint64_t never_ended = 0;
    int64_t first_ns = 0;
    std::string first;
    for (auto& [id, location] : locations_) {
        if (location.lane == nullptr) continue;
        int64_t ns = 0;
        const StateKind* open = location.lane->OldestOpen(&ns);
        if (open != nullptr && (first.empty() || ns < first_ns)) {
            first_ns = ns;
            const auto region = static_cast<uint32_t>(open->key - 1);
            first = fmt::format("{} of rank {}, thread {}, at {} ns", texts_[regions_[region].name],
                                location.lane->lane()->rank, location.lane->lane()->thread, ns);
        }
        never_ended += location.lane->Finish();
    }
    if (never_ended > 0)
        sink_.Report(0, 0, NeverEnded(never_ended, "region") + "; the first is " + first);
}

void ArchiveEvents::Finish() {
    EndLanes();
    if (resolution_ > 1'000'000'000 && sink_.first_ns() <= sink_.last_ns())
        sink_.file().remarks.push_back(fmt::format(
            "its clock has {} ticks per second: times are cut to nanoseconds", resolution_));
    if (completed_ > 0)
        sink_.file().remarks.push_back(core::Plural(completed_,
                                                    "call of a nonblocking collective is",
                                                    "calls of nonblocking collectives are") +
                                       " taken as blocking ones of the call that completed them");
    if (bad_ends_ > 0)
        sink_.Report(0, 0,
                     core::Plural(bad_ends_, "region ends that has not begun",
                                  "regions end that have not begun"));
    if (not_started_ > 0)
        sink_.Report(0, 0,
                     core::Plural(not_started_, "request is complete that was not started",
                                  "requests are complete that were not started"));
    if (too_late_ > 0)
        sink_.file().remarks.push_back(
            core::Plural(too_late_, "receive is complete", "receives are complete") +
            " so long after its start that it is taken as one of any source over the "
            "communicator of all ranks");
    if (bad_times_ > 0)
        sink_.Report(0, 0,
                     core::Plural(bad_times_, "event is left out: its time is none",
                                  "events are left out: their times are none"));
}

}  // namespace comshu::format::otf2
