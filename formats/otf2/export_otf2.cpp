// Export as an OTF2 archive.
#include <otf2/OTF2_GeneralDefinitions.h>
#include <otf2/otf2.h>

#include <algorithm>
#include <cctype>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <vector>

#include <fmt/core.h>

#include "child_process.h"
#include "comshu/format/export.h"
#include "comshu/read/pending_file.h"
#include "each_row.h"
#include "probed_messages.h"
#include "timeline/timeline.h"

namespace comshu::format {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kEventChunk = uint64_t{256} << 10;
constexpr uint64_t kDefinitionChunk = uint64_t{4} << 20;
constexpr OTF2_CommRef kWorld = 0;

OTF2_FlushType OnFlush(void*, OTF2_FileType, OTF2_LocationRef, void*, bool) {
    return OTF2_FLUSH;
}

struct CollectiveOf {
    const char* name;
    OTF2_CollectiveOp operation;
    OTF2_RegionRole role;
};
// A name that goes on (MPI_Bcast_c, MPI_Gatherv ...) is of the last one here that it begins with.
constexpr CollectiveOf kCollectives[] = {
    {"MPI_Barrier", OTF2_COLLECTIVE_OP_BARRIER, OTF2_REGION_ROLE_BARRIER},
    {"sync", OTF2_COLLECTIVE_OP_BARRIER, OTF2_REGION_ROLE_BARRIER},
    {"barrier", OTF2_COLLECTIVE_OP_BARRIER, OTF2_REGION_ROLE_BARRIER},
    {"MPI_Bcast", OTF2_COLLECTIVE_OP_BCAST, OTF2_REGION_ROLE_COLL_ONE2ALL},
    {"bcast", OTF2_COLLECTIVE_OP_BCAST, OTF2_REGION_ROLE_COLL_ONE2ALL},
    {"MPI_Gather", OTF2_COLLECTIVE_OP_GATHER, OTF2_REGION_ROLE_COLL_ALL2ONE},
    {"MPI_Gatherv", OTF2_COLLECTIVE_OP_GATHERV, OTF2_REGION_ROLE_COLL_ALL2ONE},
    {"MPI_Scatter", OTF2_COLLECTIVE_OP_SCATTER, OTF2_REGION_ROLE_COLL_ONE2ALL},
    {"MPI_Scatterv", OTF2_COLLECTIVE_OP_SCATTERV, OTF2_REGION_ROLE_COLL_ONE2ALL},
    {"MPI_Allgather", OTF2_COLLECTIVE_OP_ALLGATHER, OTF2_REGION_ROLE_COLL_ALL2ALL},
    {"MPI_Allgatherv", OTF2_COLLECTIVE_OP_ALLGATHERV, OTF2_REGION_ROLE_COLL_ALL2ALL},
    {"MPI_Alltoall", OTF2_COLLECTIVE_OP_ALLTOALL, OTF2_REGION_ROLE_COLL_ALL2ALL},
    {"MPI_Alltoallv", OTF2_COLLECTIVE_OP_ALLTOALLV, OTF2_REGION_ROLE_COLL_ALL2ALL},
    {"MPI_Alltoallw", OTF2_COLLECTIVE_OP_ALLTOALLW, OTF2_REGION_ROLE_COLL_ALL2ALL},
    {"MPI_Allreduce", OTF2_COLLECTIVE_OP_ALLREDUCE, OTF2_REGION_ROLE_COLL_ALL2ALL},
    {"MPI_Reduce", OTF2_COLLECTIVE_OP_REDUCE, OTF2_REGION_ROLE_COLL_ALL2ONE},
    {"global_op", OTF2_COLLECTIVE_OP_REDUCE, OTF2_REGION_ROLE_COLL_ALL2ONE},
    {"MPI_Reduce_scatter", OTF2_COLLECTIVE_OP_REDUCE_SCATTER, OTF2_REGION_ROLE_COLL_ALL2ALL},
    {"MPI_Reduce_scatter_block", OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK,
     OTF2_REGION_ROLE_COLL_ALL2ALL},
    {"MPI_Scan", OTF2_COLLECTIVE_OP_SCAN, OTF2_REGION_ROLE_COLL_OTHER},
    {"MPI_Exscan", OTF2_COLLECTIVE_OP_EXSCAN, OTF2_REGION_ROLE_COLL_OTHER},
};

// MPI_Ibcast is MPI_Bcast here.
std::string BlockingName(const std::string& name) {
    constexpr std::string_view kStarts = "MPI_I";
    if (!name.starts_with(kStarts) || name.size() == kStarts.size()) return name;
    return fmt::format("MPI_{}{}", static_cast<char>(std::toupper(name[kStarts.size()])),
                       name.substr(kStarts.size() + 1));
}

const CollectiveOf* FindCollective(const std::string& called) {
    const std::string name = BlockingName(called);
    const CollectiveOf* found = nullptr;
    for (const CollectiveOf& known : kCollectives) {
        if (name.starts_with(known.name)) found = &known;
    }
    return found;
}

class Archive : public TimelineVisitor {
public:
    // `start`: when time 0 was, since 1970.
    Archive(const Timeline& timeline, const std::string& folder, OTF2_TimeStamp start)
        : timeline_(timeline),
          start_(start),
          previous_(OTF2_Error_RegisterCallback(OnError, this)),
          archive_(OTF2_Archive_Open(folder.c_str(), "traces", OTF2_FILEMODE_WRITE, kEventChunk,
                                     kDefinitionChunk, OTF2_SUBSTRATE_POSIX,
                                     OTF2_COMPRESSION_NONE)) {
        if (archive_ == nullptr) return;
        is_open_ = true;
        static const OTF2_FlushCallbacks kFlush = {OnFlush, nullptr};
        Try(OTF2_Archive_SetFlushCallbacks, archive_, &kFlush, nullptr);
        Try(OTF2_Archive_SetSerialCollectiveCallbacks, archive_);
        Try(OTF2_Archive_SetCreator, archive_, "comshu");
        Try(OTF2_Archive_OpenEvtFiles, archive_);
        Text("");
        std::vector<int32_t> world;
        for (const TimelineProcess& process : timeline.processes()) {
            TimelineRow row;
            row.process_id = process.process_id;
            row.rank = process.rank;
            if (process.is_first_of_rank) world.push_back(process.rank);
            LocationOf(row);
        }
        comms_.push_back({WorldName(timeline.comms()), PlacesOf(world)});
        for (const Communicator& comm : timeline.comms().all()) {
            const bool is_world = timeline.comms().IsWorld(comm.id);
            comm_refs_.push_back(is_world ? kWorld : static_cast<OTF2_CommRef>(comms_.size()));
            if (!is_world) comms_.push_back({comm.name, PlacesOf(comm.members)});
        }
        for (const std::string& name : timeline.collective_names())
            operations_.push_back(FindCollective(name));
    }
    // Not closed here: that is done by Finish, in a copy of this process. What the library holds goes with
    // the process.
    ~Archive() override {
        OTF2_Error_RegisterCallback(previous_, nullptr);
        Left().push_back(archive_);
    }

    bool ok() const { return is_open_ && !failed_; }
    // Why not, in the library's words.
    const std::string& reason() const { return reason_; }
    uint64_t events() const { return events_; }
    uint64_t marks() const { return marks_; }
    uint64_t counters() const { return counters_; }
    // Calls of collective operations that OTF2 does not know.
    uint64_t unknown() const { return unknown_; }
    // Messages and collectives, once per side, whose communicator is not in the archive.
    uint64_t on_world() const { return on_world_; }
    uint64_t cut_names() const { return cut_names_; }
    uint64_t sources() const { return sources_; }
    uint64_t unknown_bytes() const { return unknown_bytes_; }

    void Row(const TimelineRow& row, const std::string& name) override {
        Location& location = LocationOf(row);
        location.name = row.lane == 0 ? name : fmt::format("{} (overlap {})", name, row.lane);
    }

    void Begin(const TimelineSpan& span) override {
        if (failed_) return;
        Location& location = LocationOf(span.row);
        const auto time = static_cast<OTF2_TimeStamp>(span.begin_ns);
        if (span.is_notice) {
            const OTF2_CommRef comm = TransportOf(span.transport);
            for (const TimelineMessage& message : span.sends) Send(&location, time, comm, message);
            for (const TimelineMessage& message : span.receives)
                Receive(&location, time, comm, message);
            return;
        }
        sources_ += !span.source.empty();
        Try(OTF2_EvtWriter_Enter, location.writer, nullptr, time, RegionOf(span));
        for (const TimelineMessage& message : span.sends)
            Send(&location, time, CommOf(message), message);
        for (const TimelineMessage& message : span.posts) {
            Try(OTF2_EvtWriter_MpiIrecvRequest, location.writer, nullptr, time,
                NumberOf(RequestOf::kReceive, message.id));
        }
        for (const TimelineCollective& collective : span.starts) {
            if (Operation(collective) != nullptr && IsBlocking(span, collective))
                Try(OTF2_EvtWriter_MpiCollectiveBegin, location.writer, nullptr, time);
        }
    }

    void End(const TimelineSpan& span) override {
        if (span.is_notice || failed_) return;
        Location& location = LocationOf(span.row);
        const auto time = static_cast<OTF2_TimeStamp>(span.end_ns);
        for (const TimelineMessage& message : span.sent) {
            Try(OTF2_EvtWriter_MpiIsendComplete, location.writer, nullptr, time,
                NumberOf(RequestOf::kSend, message.id));
        }
        for (const TimelineMessage& message : span.receives)
            Receive(&location, time, CommOf(message), message);
        for (const TimelineCollective& collective : span.starts) {
            if (Operation(collective) == nullptr) {
                ++unknown_;
            } else if (!IsBlocking(span, collective)) {
                Try(OTF2_EvtWriter_NonBlockingCollectiveRequest, location.writer, nullptr, time,
                    NumberOf(RequestOf::kCollective, collective.id));
            }
        }
        for (const TimelineCollective& collective : span.completes)
            Complete(&location, time, collective, IsBlocking(span, collective));
        Try(OTF2_EvtWriter_Leave, location.writer, nullptr, time, RegionOf(span));
    }
    void Mark(const TimelineEvent&) override { ++marks_; }
    void Counter(const TimelineEvent&) override { ++counters_; }

    // Closes the archive. The library ends its process (it frees what it has freed) when what it closes
    // cannot be written: to be called in a copy of it.
    void Finish() {
        for (auto& [row, location] : locations_) {
            if (failed_) return;
            Try(OTF2_EvtWriter_GetNumberOfEvents, location.writer, &location.events);
            events_ += location.events;
            Try(OTF2_Archive_CloseEvtWriter, archive_, location.writer);
        }
        Try(OTF2_Archive_CloseEvtFiles, archive_);
        Try(OTF2_Archive_OpenDefFiles, archive_);
        for (const auto& [row, location] : locations_) {
            if (failed_) return;
            OTF2_DefWriter* writer = OTF2_Archive_GetDefWriter(archive_, location.id);
            if (writer != nullptr) Try(OTF2_Archive_CloseDefWriter, archive_, writer);
        }
        Try(OTF2_Archive_CloseDefFiles, archive_);
        if (!failed_) WriteDefinitions();
        if (failed_) return;
        Try(OTF2_Archive_Close, archive_);
    }

private:
    // What the library says on the way is not all in what it returns.
    static OTF2_ErrorCode OnError(void* archive, const char*, uint64_t, const char*,
                                  OTF2_ErrorCode code, const char* format, va_list values) {
        auto* const self = static_cast<Archive*>(archive);
        if (code <= OTF2_SUCCESS) return code;
        self->failed_ = true;
        if (!self->reason_.empty()) return code;
        // The first is what the others come from.
        char text[256];
        std::vsnprintf(text, sizeof text, format, values);
        self->reason_ = fmt::format("{}: {}", OTF2_Error_GetDescription(code), text);
        return code;
    }
    // Never destroyed: what it names is in use, as leak checkers see it.
    static std::vector<OTF2_Archive*>& Left() {
        static auto* const left = new std::vector<OTF2_Archive*>;
        return *left;
    }
    using Key = std::tuple<uint32_t, uint32_t, uint32_t>;
    struct Location {
        OTF2_LocationRef id = 0;
        OTF2_EvtWriter* writer = nullptr;
        std::string name;
        uint32_t process = 0;
        uint64_t events = 0;
    };
    struct Region {
        OTF2_RegionRef id = 0;
        OTF2_RegionRole role = OTF2_REGION_ROLE_FUNCTION;
        OTF2_Paradigm paradigm = OTF2_PARADIGM_USER;
    };

    // Nothing more is done after a failure.
    template <typename Call, typename... Arguments>
    void Try(Call call, Arguments... arguments) {
        if (failed_) return;
        const OTF2_ErrorCode code = call(arguments...);
        if (code == OTF2_SUCCESS) return;
        failed_ = true;
        if (reason_.empty()) reason_ = OTF2_Error_GetDescription(code);
    }

    Location& LocationOf(const TimelineRow& row) {
        const Key key(row.process_id, row.thread, row.lane);
        if (key == last_key_ && last_ != nullptr) return *last_;
        const auto [found, is_new] = locations_.try_emplace(key);
        Location& location = found->second;
        if (is_new) {
            location.id = locations_.size() - 1;
            location.process = row.process_id;
            location.writer = OTF2_Archive_GetEvtWriter(archive_, location.id);
            failed_ |= location.writer == nullptr;
        }
        last_key_ = key;
        last_ = &location;
        return location;
    }

    // Each rank's place in a communicator.
    using Places = std::map<int32_t, uint32_t>;
    struct Comm {
        std::string name;
        Places places;
    };

    static Places PlacesOf(const std::vector<int32_t>& members) {
        Places places;
        for (const int32_t rank : members)
            places.emplace(rank, static_cast<uint32_t>(places.size()));
        return places;
    }
    // Of communicators whose members were not all recorded, that of all ranks.
    // Formats without communicators have it as `world`.
    static std::string WorldName(const Communicators& comms) {
        const auto world = static_cast<size_t>(comms.world());
        const std::string name = comms.world() < 0 ? "" : comms.all()[world].name;
        return name.empty() || name == "world" ? "MPI_COMM_WORLD" : name;
    }
    OTF2_CommRef CommOf(int64_t number) {
        on_world_ += number < 0;
        return number < 0 ? kWorld : comm_refs_[static_cast<size_t>(number)];
    }
    OTF2_CommRef CommOf(const TimelineMessage& message) {
        const OTF2_CommRef comm = CommOf(message.comm);
        if (comms_[comm].places.contains(static_cast<int32_t>(message.peer))) return comm;
        ++on_world_;
        return kWorld;
    }
    // The program's own transport is a communicator of all ranks.
    OTF2_CommRef TransportOf(const std::string& name) {
        const auto [found, is_new] =
            transports_.try_emplace(name, static_cast<OTF2_CommRef>(comms_.size()));
        if (is_new) comms_.push_back({name, comms_[kWorld].places});
        return found->second;
    }
    uint32_t PlaceOf(int64_t rank, OTF2_CommRef comm) const {
        const auto found = comms_[comm].places.find(static_cast<int32_t>(rank));
        return found == comms_[comm].places.end() ? 0 : found->second;
    }

    // Requests of all kinds share their numbers.
    enum class RequestOf : uint8_t { kSend, kReceive, kCollective };
    static uint64_t NumberOf(RequestOf kind, uint64_t id) {
        return id << 2 | static_cast<uint64_t>(kind);
    }

    void Send(Location* location, OTF2_TimeStamp time, OTF2_CommRef comm,
              const TimelineMessage& message) {
        const uint32_t peer = PlaceOf(message.peer, comm);
        const auto tag = static_cast<uint32_t>(message.tag);
        const uint64_t bytes = Bytes(message.bytes);
        if (message.is_request) {
            Try(OTF2_EvtWriter_MpiIsend, location->writer, nullptr, time, peer, comm, tag, bytes,
                NumberOf(RequestOf::kSend, message.id));
        } else {
            Try(OTF2_EvtWriter_MpiSend, location->writer, nullptr, time, peer, comm, tag, bytes);
        }
    }
    void Receive(Location* location, OTF2_TimeStamp time, OTF2_CommRef comm,
                 const TimelineMessage& message) {
        const uint32_t peer = PlaceOf(message.peer, comm);
        const auto tag = static_cast<uint32_t>(message.tag);
        const uint64_t bytes = Bytes(message.received);
        if (message.is_request) {
            Try(OTF2_EvtWriter_MpiIrecv, location->writer, nullptr, time, peer, comm, tag, bytes,
                NumberOf(RequestOf::kReceive, message.id));
        } else {
            Try(OTF2_EvtWriter_MpiRecv, location->writer, nullptr, time, peer, comm, tag, bytes);
        }
    }

    // An archive has no word for what is not known.
    uint64_t Bytes(int64_t bytes) {
        unknown_bytes_ += bytes == TimelineMessage::kUnknown;
        return bytes == TimelineMessage::kUnknown ? 0 : static_cast<uint64_t>(bytes);
    }

    const CollectiveOf* Operation(const TimelineCollective& collective) const {
        return operations_[static_cast<size_t>(collective.name)];
    }
    static bool IsBlocking(const TimelineSpan& span, const TimelineCollective& collective) {
        const auto is_it = [&](const TimelineCollective& other) {
            return other.id == collective.id;
        };
        return std::any_of(span.starts.begin(), span.starts.end(), is_it) &&
               std::any_of(span.completes.begin(), span.completes.end(), is_it);
    }
    void Complete(Location* location, OTF2_TimeStamp time, const TimelineCollective& collective,
                  bool is_blocking) {
        const CollectiveOf* operation = Operation(collective);
        if (operation == nullptr) return;
        const OTF2_CommRef comm = CommOf(collective.comm);
        const uint32_t root = collective.root == TimelineCollective::kNoRoot
                                  ? static_cast<uint32_t>(OTF2_COLLECTIVE_ROOT_NONE)
                                  : static_cast<uint32_t>(collective.root);
        const auto in = Bytes(collective.bytes_in);
        const auto out = Bytes(collective.bytes_out);
        if (is_blocking) {
            Try(OTF2_EvtWriter_MpiCollectiveEnd, location->writer, nullptr, time,
                operation->operation, comm, root, in, out);
        } else {
            Try(OTF2_EvtWriter_NonBlockingCollectiveComplete, location->writer, nullptr, time,
                operation->operation, comm, root, in, out,
                NumberOf(RequestOf::kCollective, collective.id));
        }
    }

    // Texts of an archive end at their first NUL.
    OTF2_StringRef Text(const std::string& text) {
        const auto [found, is_new] =
            texts_.emplace(text, static_cast<OTF2_StringRef>(texts_.size()));
        cut_names_ += is_new && text.find('\0') != text.npos;
        return found->second;
    }

    OTF2_RegionRef RegionOf(const TimelineSpan& span) {
        const auto [found, is_new] = regions_.try_emplace({span.layer, span.name});
        if (is_new) {
            Region& region = found->second;
            region.id = static_cast<OTF2_RegionRef>(regions_.size() - 1);
            if (span.layer == "mpi") {
                region.paradigm = OTF2_PARADIGM_MPI;
                if (span.category == "p2p") region.role = OTF2_REGION_ROLE_POINT2POINT;
                const CollectiveOf* known = FindCollective(span.name);
                if (span.category == "collective" && known != nullptr) region.role = known->role;
            } else if (span.layer == "openmp") {
                region.paradigm = OTF2_PARADIGM_OPENMP;
            }
        }
        return found->second.id;
    }

    void WriteDefinitions() {
        OTF2_GlobalDefWriter* out = OTF2_Archive_GetGlobalDefWriter(archive_);
        if (out == nullptr) {
            failed_ = true;
            return;
        }
        constexpr uint64_t kTicks = 1'000'000'000;
        Try(OTF2_GlobalDefWriter_WriteClockProperties, out, kTicks, 0,
            static_cast<uint64_t>(timeline_.end_ns()) + 1, start_);
        const OTF2_StringRef node = Text("node");
        for (const Comm& comm : comms_) Text(comm.name);
        std::map<uint32_t, OTF2_StringRef> process_names;
        for (const TimelineProcess& process : timeline_.processes())
            process_names[process.process_id] = Text(process.name);
        for (const auto& [row, location] : locations_) Text(location.name);
        for (const auto& [key, region] : regions_) Text(key.second);
        for (const auto& [text, id] : texts_)
            Try(OTF2_GlobalDefWriter_WriteString, out, id, text.c_str());
        Try(OTF2_GlobalDefWriter_WriteSystemTreeNode, out, 0, node, node,
            OTF2_UNDEFINED_SYSTEM_TREE_NODE);
        std::vector<uint64_t> members;
        for (const TimelineProcess& process : timeline_.processes()) {
            Try(OTF2_GlobalDefWriter_WriteLocationGroup, out, process.process_id,
                process_names[process.process_id], OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                OTF2_UNDEFINED_LOCATION_GROUP);
            if (process.is_first_of_rank)
                members.push_back(locations_.at(Key(process.process_id, 0, 0)).id);
        }
        for (const auto& [row, location] : locations_) {
            Try(OTF2_GlobalDefWriter_WriteLocation, out, location.id, Text(location.name),
                OTF2_LOCATION_TYPE_CPU_THREAD, location.events, location.process);
        }
        std::vector<decltype(regions_)::const_pointer> in_order(regions_.size());
        for (const auto& one : regions_) in_order[one.second.id] = &one;
        for (const auto* one : in_order) {
            const Region& region = one->second;
            const OTF2_StringRef name = Text(one->first.second);
            Try(OTF2_GlobalDefWriter_WriteRegion, out, region.id, name, name, Text(""), region.role,
                region.paradigm, OTF2_REGION_FLAG_NONE, Text(""), 0, 0);
        }
        Try(OTF2_GlobalDefWriter_WriteGroup, out, 0, Text(""), OTF2_GROUP_TYPE_COMM_LOCATIONS,
            OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, static_cast<uint32_t>(members.size()),
            members.data());
        // Also those that no event names: readers want numbers without holes.
        for (OTF2_CommRef ref = 0; ref < comms_.size(); ++ref) WriteComm(out, ref);
    }

    // Its group has the communicator's number, after that of the locations.
    void WriteComm(OTF2_GlobalDefWriter* out, OTF2_CommRef ref) {
        const Places& world = comms_[kWorld].places;
        std::vector<uint64_t> members(comms_[ref].places.size());
        for (const auto& [rank, place] : comms_[ref].places) {
            const auto found = world.find(rank);
            members[place] = found == world.end() ? 0 : found->second;
        }
        Try(OTF2_GlobalDefWriter_WriteGroup, out, ref + 1, Text(""), OTF2_GROUP_TYPE_COMM_GROUP,
            OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, static_cast<uint32_t>(members.size()),
            members.data());
        Try(OTF2_GlobalDefWriter_WriteComm, out, ref, Text(comms_[ref].name), ref + 1,
            OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
    }

    const Timeline& timeline_;
    OTF2_TimeStamp start_;
    bool failed_ = false;
    std::string reason_;
    OTF2_ErrorCallback previous_;
    OTF2_Archive* archive_;
    std::map<Key, Location> locations_;
    Key last_key_;
    Location* last_ = nullptr;
    std::vector<Comm> comms_;              // By their numbers in the archive.
    std::vector<OTF2_CommRef> comm_refs_;  // Of those of the timeline.
    std::map<std::string, OTF2_CommRef> transports_;
    std::vector<const CollectiveOf*> operations_;  // By the names of the timeline.
    std::map<std::pair<std::string, std::string>, Region> regions_;
    std::map<std::string, OTF2_StringRef> texts_;
    uint64_t events_ = 0;
    uint64_t marks_ = 0;
    uint64_t counters_ = 0;
    bool is_open_ = false;
    uint64_t unknown_ = 0;
    uint64_t on_world_ = 0;
    uint64_t cut_names_ = 0;
    uint64_t sources_ = 0;
    uint64_t unknown_bytes_ = 0;
};

constexpr char kDone = '+';
constexpr char kFailed = '-';

// Of the copy of the process that closes the archive: how many events and names it found, or why it failed.
std::string Closed(Archive* archive) {
    archive->Finish();
    return archive->ok() ? fmt::format("{}{} {}", kDone, archive->events(), archive->cut_names())
                         : fmt::format("{}{}", kFailed, archive->reason());
}

void SetClosed(const std::string& text, ExportResult* result) {
    char* rest = nullptr;
    result->records = std::strtoull(text.c_str() + 1, &rest, 10);
    result->Say(std::strtoull(rest, nullptr, 10), "name", "names",
                " cut: an archive has them up to their first NUL");
}

std::string FirstLine(const std::string& text) {
    return text.substr(0, text.find('\n'));
}

void Tell(const Timeline& timeline, const Archive& archive, ExportResult* result) {
    TimelineRemarks(timeline, false, result);
    result->Say(timeline.notices(), "side of a message of the program's own transport is",
                "sides of messages of the program's own transport are",
                " of MPI, on a communicator of its name");
    result->Say(archive.unknown(),
                "call of a collective operation that OTF2 does not have: a region alone",
                "calls of collective operations that OTF2 does not have: regions alone");
    result->Say(
        archive.on_world(), "side of a message or collective is",
        "sides of messages or collectives are",
        " on the communicator of all ranks: theirs has two groups of ranks, or was not recorded "
        "whole");
    result->Say(archive.unknown_bytes(), "length of a message or collective is not known: 0",
                "lengths of messages or collectives are not known: 0");
    result->Say(archive.sources(), "source line of a call left out",
                "source lines of calls left out");
    result->Say(archive.marks(), "mark left out", "marks left out");
    result->Say(archive.counters(), "value of a counter left out", "values of counters left out");
}

bool FindStart(read::Database* database, OTF2_TimeStamp* start, std::string* error) {
    *start = OTF2_UNDEFINED_TIMESTAMP;
    constexpr const char* kSql = "SELECT coalesce(min(start_realtime_ns), 0) FROM capture";
    return EachRow(database, kSql, error, [&](const read::Query& row) {
        if (row.Integer(0) > 0) *start = static_cast<OTF2_TimeStamp>(row.Integer(0));
    });
}

// OTF2 has events for these, too.
bool TellRegionsAlone(read::Database* database, ExportResult* result, std::string* error) {
    constexpr const char* kSql = R"(SELECT count(*) FILTER (category = 'rma'),
    count(*) FILTER (category = 'io') FROM span WHERE layer = 'mpi' AND bytes IS NOT NULL)";
    return EachRow(database, kSql, error, [&](const read::Query& row) {
        result->Say(row.Unsigned(0), "one-sided operation is a region alone, without",
                    "one-sided operations are regions alone, without", " target and bytes");
        result->Say(row.Unsigned(1), "access to a file is a region alone, without",
                    "accesses to files are regions alone, without", " file and bytes");
    });
}

}  // namespace

bool ExportOtf2(read::Database* database, const std::string& folder, ExportResult* result,
                std::string* error) {
    std::error_code code;
    if (fs::exists(folder, code)) {
        *error = folder + ": exists; give a folder that does not";
        return false;
    }
    Timeline timeline(database, folder);
    timeline.WithCollectives();
    timeline.WithRequests();
    OTF2_TimeStamp start = OTF2_UNDEFINED_TIMESTAMP;
    if (!timeline.Prepare(error) || !FindStart(database, &start, error)) return false;
    read::PendingFile pending(folder);
    // Ours to make: why it cannot be made the library does not say.
    if (!fs::create_directory(pending.part(), code)) {
        *error = fmt::format("{}: cannot be made: {}", folder, code.message());
        return false;
    }
    Archive archive(timeline, pending.part(), start);
    bool done = archive.ok() && timeline.Visit(&archive, error) && archive.ok();
    std::string reason = archive.reason();
    if (done) {
        const ChildEnd end = RunInChild([&] { return Closed(&archive); }, {});
        done = !end.text.empty() && end.text.front() == kDone;
        if (done) SetClosed(end.text, result);
        reason = end.text.empty() ? FirstLine(end.said) : end.text.substr(1);
    }
    if (error->empty() && !done) {
        *error = fmt::format("{}: the OTF2 library cannot write it{}{}", folder,
                             reason.empty() ? "" : ": ", reason);
    }
    Tell(timeline, archive, result);
    ProbedMessages probed;
    done = done && TellRegionsAlone(database, result, error) && probed.Load(database, error);
    probed.TellLost(result);
    return done && pending.Commit(error);
}

}  // namespace comshu::format
