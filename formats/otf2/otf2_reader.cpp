#include "otf2/otf2_reader.h"

#include <otf2/otf2.h>

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <queue>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "otf2/archive_events.h"

namespace comshu::format::otf2 {
namespace {

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

// An event that waits for its turn.
struct Waiting {
    OTF2_LocationRef location = 0;
    OTF2_TimeStamp time = 0;
    std::array<uint64_t, 5> values{};
    void (*tell)(ArchiveEvents*, const Waiting&) = nullptr;  // Null: there is none.
};

// The events of a location: the next one, the one behind it, and how many have been read. Where a file is cut
// the library may take what is left of an event for a whole one: the last one before that is not taken.
struct LocationStream {
    OTF2_EvtReader* reader = nullptr;
    Waiting next;
    Waiting ahead;
    uint64_t read = 0;
};

// Problem: a global reader of the library ends where one location is damaged, and hides what the others hold
// behind that time. Idea: each location is read by itself, and events are taken in the order of their times
// here, those of one time in the order of locations, as the library does. Cost: two events per location beside
// what the library holds of it, and a step in a heap per event.
class ArchiveReader {
public:
    // `folder`: of the event files.
    ArchiveReader(OTF2_Reader* reader, TraceSink* sink, std::string folder)
        : reader_(reader), sink_(*sink), events_(sink), folder_(std::move(folder)) {}

    bool Read(const std::function<bool()>& stopped, std::string* error);

private:
    bool ReadDefinitions();
    std::vector<uint64_t> LocationsThatAreThere();
    void ReadLocalDefinitions(const std::vector<uint64_t>& locations);
    void Open(const std::vector<uint64_t>& locations);
    // Reads one event ahead, none at the end; false where its file is cut or damaged, which is told.
    bool Fetch(uint64_t location, LocationStream* stream);
    // To the next event; false: there is none.
    bool Step(uint64_t location, LocationStream* stream);
    bool ReadEvents(const std::function<bool()>& stopped, std::string* error);

    OTF2_Reader* reader_;
    TraceSink& sink_;
    ArchiveEvents events_;
    const std::string folder_;
    std::vector<std::unique_ptr<LocationStream>> streams_;
};

ArchiveEvents& Of(void* user) {
    return *static_cast<ArchiveEvents*>(user);
}

constexpr auto kGoOn = OTF2_CALLBACK_SUCCESS;
using Attributes = OTF2_AttributeList*;

template <auto kHandle, typename... Values>
OTF2_CallbackCode Wait(void* user, OTF2_LocationRef at, OTF2_TimeStamp time, Values... values) {
    auto& stream = *static_cast<LocationStream*>(user);
    stream.ahead = {at, time, {static_cast<uint64_t>(values)...}, nullptr};
    stream.ahead.tell = [](ArchiveEvents* events, const Waiting& event) {
        [&]<size_t... kAt>(std::index_sequence<kAt...>) {
            (events->*kHandle)(event.location, event.time,
                               static_cast<Values>(event.values[kAt])...);
        }
        (std::index_sequence_for<Values...>());
    };
    return kGoOn;
}

template <auto kHandle>
OTF2_CallbackCode OnRegion(OTF2_LocationRef at, OTF2_TimeStamp time, uint64_t, void* user,
                           Attributes, OTF2_RegionRef region) {
    return Wait<kHandle>(user, at, time, region);
}

// Nonblocking ones have the number of their request besides.
template <auto kHandle, typename... Request>
OTF2_CallbackCode OnMessage(OTF2_LocationRef at, OTF2_TimeStamp time, uint64_t, void* user,
                            Attributes, uint32_t peer, OTF2_CommRef comm, uint32_t tag,
                            uint64_t bytes, Request... request) {
    return Wait<kHandle>(user, at, time, peer, comm, tag, bytes, request...);
}

template <auto kHandle>
OTF2_CallbackCode OnRequest(OTF2_LocationRef at, OTF2_TimeStamp time, uint64_t, void* user,
                            Attributes, uint64_t request) {
    return Wait<kHandle>(user, at, time, request);
}

template <auto kHandle, typename... Request>
OTF2_CallbackCode OnCollective(OTF2_LocationRef at, OTF2_TimeStamp time, uint64_t, void* user,
                               Attributes, OTF2_CollectiveOp operation, OTF2_CommRef comm,
                               uint32_t root, uint64_t sent, uint64_t received, Request...) {
    return Wait<kHandle>(user, at, time, operation, comm, root, sent, received);
}

bool ArchiveReader::ReadDefinitions() {
    OTF2_GlobalDefReader* definitions = OTF2_Reader_GetGlobalDefReader(reader_);
    OTF2_GlobalDefReaderCallbacks* calls = OTF2_GlobalDefReaderCallbacks_New();
    OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(
        calls, [](void* user, uint64_t resolution, uint64_t offset, uint64_t, uint64_t start) {
            Of(user).SetClock(resolution, offset, start);
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
        calls, [](void* user, OTF2_CommRef self, OTF2_StringRef name, OTF2_GroupRef group,
                  OTF2_CommRef, OTF2_CommFlag) {
            Of(user).SetComm(self, name, group);
            return kGoOn;
        });
    OTF2_GlobalDefReaderCallbacks_SetInterCommCallback(
        calls, [](void* user, OTF2_CommRef self, OTF2_StringRef name, OTF2_GroupRef group,
                  OTF2_GroupRef other, OTF2_CommRef, OTF2_CommFlag) {
            Of(user).SetInterComm(self, name, group, other);
            return kGoOn;
        });
    OTF2_Reader_RegisterGlobalDefCallbacks(reader_, definitions, calls, &events_);
    OTF2_GlobalDefReaderCallbacks_Delete(calls);
    uint64_t count = 0;
    const bool read =
        OTF2_Reader_ReadAllGlobalDefinitions(reader_, definitions, &count) == OTF2_SUCCESS;
    OTF2_Reader_CloseGlobalDefReader(reader_, definitions);
    events_.EndDefinitions();
    return read;
}

// The library reads nothing at all where one file is missing. An archive in other files than one per
// location has none of these.
std::vector<uint64_t> ArchiveReader::LocationsThatAreThere() {
    const std::vector<uint64_t> all = events_.Locations();
    std::vector<uint64_t> there;
    std::vector<uint64_t> missing;
    for (const uint64_t id : all) {
        std::error_code code;
        const auto size = std::filesystem::file_size(fmt::format("{}/{}.evt", folder_, id), code);
        (code || size == 0 ? missing : there).push_back(id);
    }
    if (there.empty()) return all;
    for (const uint64_t id : missing) {
        if (events_.EventsOf(id) == 0) continue;
        sink_.Report(0, 0,
                     fmt::format("the events of location {} ({}) are missing: no file {}.evt", id,
                                 events_.NameOf(id), id));
    }
    return there;
}

// How a location's own numbers and clock become those of the archive: without it events may have other names.
void ArchiveReader::ReadLocalDefinitions(const std::vector<uint64_t>& locations) {
    const bool has_local = OTF2_Reader_OpenDefFiles(reader_) == OTF2_SUCCESS;
    std::vector<uint64_t> lost;
    for (const uint64_t id : locations) {
        OTF2_DefReader* local = has_local ? OTF2_Reader_GetDefReader(reader_, id) : nullptr;
        uint64_t count = 0;
        const bool is_read = local != nullptr && OTF2_Reader_ReadAllLocalDefinitions(
                                                     reader_, local, &count) == OTF2_SUCCESS;
        if (!is_read) lost.push_back(id);
        if (local != nullptr) OTF2_Reader_CloseDefReader(reader_, local);
    }
    if (has_local) OTF2_Reader_CloseDefFiles(reader_);
    const auto has_file = [&](uint64_t id) {
        std::error_code code;
        return std::filesystem::exists(fmt::format("{}/{}.def", folder_, id), code);
    };
    // Some archives have none.
    if (std::none_of(locations.begin(), locations.end(), has_file)) return;
    for (const uint64_t id : lost) {
        sink_.Report(
            0, 0,
            fmt::format("the definitions of location {} ({}) are {}: its events may have "
                        "wrong names and times",
                        id, events_.NameOf(id),
                        has_file(id) ? "damaged" : fmt::format("missing: no file {}.def", id)));
    }
}

void ArchiveReader::Open(const std::vector<uint64_t>& locations) {
    for (const uint64_t id : locations) OTF2_Reader_SelectLocation(reader_, id);
    ReadLocalDefinitions(locations);
    OTF2_Reader_OpenEvtFiles(reader_);
    OTF2_EvtReaderCallbacks* calls = OTF2_EvtReaderCallbacks_New();
    OTF2_EvtReaderCallbacks_SetEnterCallback(calls, OnRegion<&ArchiveEvents::Enter>);
    OTF2_EvtReaderCallbacks_SetLeaveCallback(calls, OnRegion<&ArchiveEvents::Leave>);
    OTF2_EvtReaderCallbacks_SetMpiSendCallback(calls, OnMessage<&ArchiveEvents::Send>);
    OTF2_EvtReaderCallbacks_SetMpiIsendCallback(calls,
                                                OnMessage<&ArchiveEvents::StartSend, uint64_t>);
    OTF2_EvtReaderCallbacks_SetMpiIsendCompleteCallback(calls,
                                                        OnRequest<&ArchiveEvents::CompleteSend>);
    OTF2_EvtReaderCallbacks_SetMpiRecvCallback(calls, OnMessage<&ArchiveEvents::Receive>);
    OTF2_EvtReaderCallbacks_SetMpiIrecvRequestCallback(calls,
                                                       OnRequest<&ArchiveEvents::StartReceive>);
    OTF2_EvtReaderCallbacks_SetMpiIrecvCallback(
        calls, OnMessage<&ArchiveEvents::CompleteReceive, uint64_t>);
    OTF2_EvtReaderCallbacks_SetMpiRequestCancelledCallback(calls,
                                                           OnRequest<&ArchiveEvents::Cancel>);
    OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback(calls,
                                                        OnCollective<&ArchiveEvents::Collective>);
    OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback(
        calls, OnCollective<&ArchiveEvents::CompleteCollective, uint64_t>);
    for (const uint64_t id : locations) {
        streams_.push_back(std::make_unique<LocationStream>());
        LocationStream* const stream = streams_.back().get();
        stream->reader = OTF2_Reader_GetEvtReader(reader_, id);
        if (stream->reader == nullptr) continue;
        OTF2_EvtReader_ApplyMappingTables(stream->reader, true);
        OTF2_EvtReader_ApplyClockOffsets(stream->reader, true);
        OTF2_Reader_RegisterEvtCallbacks(reader_, stream->reader, calls, stream);
    }
    OTF2_EvtReaderCallbacks_Delete(calls);
}

bool ArchiveReader::Fetch(uint64_t location, LocationStream* stream) {
    stream->ahead.tell = nullptr;
    bool sound = stream->reader != nullptr;
    for (uint64_t read = 1; sound && read == 1 && stream->ahead.tell == nullptr;) {
        sound = OTF2_Reader_ReadLocalEvents(reader_, stream->reader, 1, &read) == OTF2_SUCCESS;
        if (sound) stream->read += read;
    }
    if (sound && stream->ahead.tell != nullptr) return true;
    // To the library a file that is cut may be one that ends.
    const uint64_t all = events_.EventsOf(location);
    if (sound && stream->read >= all) return true;
    sink_.Report(0, 0,
                 fmt::format("the events of location {} ({}) are cut or damaged behind the first {}"
                             " of {}: the others of it are missing",
                             location, events_.NameOf(location),
                             stream->read - std::min<uint64_t>(1, stream->read), all));
    return false;
}

bool ArchiveReader::Step(uint64_t location, LocationStream* stream) {
    stream->next = stream->ahead;
    return stream->next.tell != nullptr && Fetch(location, stream);
}

bool ArchiveReader::ReadEvents(const std::function<bool()>& stopped, std::string* error) {
    const std::vector<uint64_t> locations = LocationsThatAreThere();
    Open(locations);
    using Turn = std::pair<OTF2_TimeStamp, size_t>;
    std::priority_queue<Turn, std::vector<Turn>, std::greater<>> turns;
    const auto step = [&](size_t i) {
        if (Step(locations[i], streams_[i].get())) turns.emplace(streams_[i]->next.time, i);
    };
    for (size_t i = 0; i < locations.size(); ++i) {
        if (Fetch(locations[i], streams_[i].get())) step(i);
    }
    for (uint64_t count = 1; !turns.empty(); ++count) {
        const size_t i = turns.top().second;
        turns.pop();
        const Waiting& event = streams_[i]->next;
        event.tell(&events_, event);
        step(i);
        if (count % kEventsPerLook == 0 && stopped && stopped()) {
            *error = "stopped";
            return false;
        }
    }
    OTF2_Reader_CloseEvtFiles(reader_);
    return true;
}

bool ArchiveReader::Read(const std::function<bool()>& stopped, std::string* error) {
    if (!ReadDefinitions() || !ReadEvents(stopped, error)) return false;
    events_.Finish();
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
    const std::filesystem::path path(anchor);
    ArchiveReader archive(reader, sink, (path.parent_path() / path.stem()).string());
    const bool read = archive.Read(stopped, error);
    OTF2_Reader_Close(reader);
    if (!read && error->empty())
        *error = fmt::format("{}: cannot be read: {}", anchor, said.text());
    return read;
}

}  // namespace comshu::format::otf2
