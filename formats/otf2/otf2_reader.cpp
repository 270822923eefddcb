#include "otf2/otf2_reader.h"

#include <otf2/otf2.h>

#include <cstdarg>
#include <cstdio>
#include <filesystem>
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

class ArchiveReader {
public:
    // `folder`: of the event files.
    ArchiveReader(OTF2_Reader* reader, TraceSink* sink, std::string folder)
        : reader_(reader), sink_(*sink), events_(sink), folder_(std::move(folder)) {}

    bool Read(const std::function<bool()>& stopped, std::string* error);

private:
    bool ReadDefinitions();
    std::vector<uint64_t> LocationsThatAreThere();
    bool ReadEvents(const std::function<bool()>& stopped, std::string* error);

    OTF2_Reader* reader_;
    TraceSink& sink_;
    ArchiveEvents events_;
    const std::string folder_;
};

ArchiveEvents& Of(void* user) {
    return *static_cast<ArchiveEvents*>(user);
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
                            Request... request) {
    (Of(user).*kHandle)(at, time, peer, comm, tag, bytes, request...);
    return kGoOn;
}

template <auto kHandle>
OTF2_CallbackCode OnRequest(OTF2_LocationRef at, OTF2_TimeStamp time, void* user, Attributes,
                            uint64_t request) {
    (Of(user).*kHandle)(at, time, request);
    return kGoOn;
}

template <auto kHandle, typename... Request>
OTF2_CallbackCode OnCollective(OTF2_LocationRef at, OTF2_TimeStamp time, void* user, Attributes,
                               OTF2_CollectiveOp operation, OTF2_CommRef comm, uint32_t root,
                               uint64_t sent, uint64_t received, Request...) {
    (Of(user).*kHandle)(at, time, operation, comm, root, sent, received);
    return kGoOn;
}

bool ArchiveReader::ReadDefinitions() {
    OTF2_GlobalDefReader* definitions = OTF2_Reader_GetGlobalDefReader(reader_);
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

bool ArchiveReader::ReadEvents(const std::function<bool()>& stopped, std::string* error) {
    const std::vector<uint64_t> locations = LocationsThatAreThere();
    for (const uint64_t id : locations) OTF2_Reader_SelectLocation(reader_, id);
    const bool has_local = OTF2_Reader_OpenDefFiles(reader_) == OTF2_SUCCESS;
    OTF2_Reader_OpenEvtFiles(reader_);
    for (const uint64_t id : locations) {
        OTF2_DefReader* local = has_local ? OTF2_Reader_GetDefReader(reader_, id) : nullptr;
        if (local != nullptr) {
            uint64_t count = 0;
            OTF2_Reader_ReadAllLocalDefinitions(reader_, local, &count);
            OTF2_Reader_CloseDefReader(reader_, local);
        }
        OTF2_Reader_GetEvtReader(reader_, id);
    }
    if (has_local) OTF2_Reader_CloseDefFiles(reader_);
    OTF2_GlobalEvtReader* events = OTF2_Reader_GetGlobalEvtReader(reader_);
    OTF2_GlobalEvtReaderCallbacks* calls = OTF2_GlobalEvtReaderCallbacks_New();
    OTF2_GlobalEvtReaderCallbacks_SetEnterCallback(calls, OnRegion<&ArchiveEvents::Enter>);
    OTF2_GlobalEvtReaderCallbacks_SetLeaveCallback(calls, OnRegion<&ArchiveEvents::Leave>);
    OTF2_GlobalEvtReaderCallbacks_SetMpiSendCallback(calls, OnMessage<&ArchiveEvents::Send>);
    OTF2_GlobalEvtReaderCallbacks_SetMpiIsendCallback(
        calls, OnMessage<&ArchiveEvents::StartSend, uint64_t>);
    OTF2_GlobalEvtReaderCallbacks_SetMpiIsendCompleteCallback(
        calls, OnRequest<&ArchiveEvents::CompleteSend>);
    OTF2_GlobalEvtReaderCallbacks_SetMpiRecvCallback(calls, OnMessage<&ArchiveEvents::Receive>);
    OTF2_GlobalEvtReaderCallbacks_SetMpiIrecvRequestCallback(
        calls, OnRequest<&ArchiveEvents::StartReceive>);
    OTF2_GlobalEvtReaderCallbacks_SetMpiIrecvCallback(
        calls, OnMessage<&ArchiveEvents::CompleteReceive, uint64_t>);
    OTF2_GlobalEvtReaderCallbacks_SetMpiRequestCancelledCallback(calls,
                                                                 OnRequest<&ArchiveEvents::Cancel>);
    OTF2_GlobalEvtReaderCallbacks_SetMpiCollectiveEndCallback(
        calls, OnCollective<&ArchiveEvents::Collective>);
    OTF2_GlobalEvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback(
        calls, OnCollective<&ArchiveEvents::CompleteCollective, uint64_t>);
    OTF2_Reader_RegisterGlobalEvtCallbacks(reader_, events, calls, &events_);
    OTF2_GlobalEvtReaderCallbacks_Delete(calls);
    bool done = true;
    for (uint64_t read = kEventsPerLook; done && read == kEventsPerLook;) {
        done = OTF2_Reader_ReadGlobalEvents(reader_, events, kEventsPerLook, &read) == OTF2_SUCCESS;
        if (stopped && stopped()) {
            *error = "stopped";
            done = false;
        }
    }
    OTF2_Reader_CloseGlobalEvtReader(reader_, events);
    OTF2_Reader_CloseEvtFiles(reader_);
    return done;
}

bool ArchiveReader::Read(const std::function<bool()>& stopped, std::string* error) {
    if (!ReadDefinitions()) return false;
    const bool whole = ReadEvents(stopped, error);
    if (*error == "stopped") return false;
    if (!whole) sink_.Report(0, 0, "the events are cut or damaged: what comes behind is missing");
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
