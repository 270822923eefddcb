// Any definitions and events, as the OTF2 library could tell them of an archive: nothing may crash, and
// every event is counted. The library itself is not there, see otf2_archive_fuzz.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "capture_writer.h"
#include "fuzz/temporary_folder.h"
#include "otf2/archive_events.h"
#include "trace_reader.h"

namespace comshu::format::otf2 {
namespace {

// A step is a byte for what is told, then what it needs. Numbers are small, so that they meet, or, from
// 0xf0 on, written out.
class Steps {
public:
    Steps(const uint8_t* data, size_t size) : data_(data), size_(size) {}

    bool done() const { return at_ >= size_; }
    uint8_t Byte() { return done() ? 0 : data_[at_++]; }
    uint64_t Number() {
        constexpr uint8_t kWrittenOut = 0xf0;
        const uint8_t first = Byte();
        if (first < kWrittenOut) return first;
        uint64_t number = 0;
        for (int i = 0; i < 8; ++i) number = number << 8 | Byte();
        return number;
    }
    uint32_t Id() { return static_cast<uint32_t>(Number()); }
    std::string Text() {
        std::string text;
        for (uint8_t left = Byte(); left > 0 && !done(); --left) text += static_cast<char>(Byte());
        return text;
    }

private:
    const uint8_t* data_;
    size_t size_;
    size_t at_ = 0;
};

void Define(Steps* steps, uint8_t what, ArchiveEvents* archive) {
    const uint32_t id = steps->Id();
    switch (what % 8) {
        case 0:
            return archive->SetClock(steps->Number(), id);
        case 1:
            return archive->SetText(id, steps->Text().c_str());
        case 2:
            return archive->SetGroupName(id, steps->Id());
        case 3: {
            const uint32_t name = steps->Id();
            return archive->SetLocation(id, name, steps->Id());
        }
        case 4: {
            const uint32_t name = steps->Id();
            return archive->SetRegion(id, name, static_cast<OTF2_Paradigm>(steps->Byte()));
        }
        case 5: {
            const auto type = static_cast<OTF2_GroupType>(steps->Byte());
            std::vector<uint64_t> members(steps->Byte());
            for (uint64_t& member : members) member = steps->Number();
            return archive->SetMembers(id, type, members.data(),
                                       static_cast<uint32_t>(members.size()));
        }
        case 6: {
            const uint32_t name = steps->Id();
            const uint32_t group = steps->Id();
            return archive->SetInterComm(id, name, group, steps->Id());
        }
        default: {
            const uint32_t name = steps->Id();
            return archive->SetComm(id, name, steps->Id());
        }
    }
}

void Tell(Steps* steps, uint8_t what, uint64_t* time, ArchiveEvents* archive) {
    const uint64_t location = steps->Number();
    *time += steps->Number();
    const uint32_t first = steps->Id();
    switch (what % 11) {
        case 0:
            return archive->Enter(location, *time, first);
        case 1:
            return archive->Leave(location, *time, first);
        case 2:
            return archive->StartReceive(location, *time, first);
        case 3:
            return archive->CompleteSend(location, *time, first);
        case 4:
            return archive->Cancel(location, *time, first);
        default:
            break;
    }
    const uint32_t comm = steps->Id();
    const uint32_t tag = steps->Id();
    const uint64_t bytes = steps->Number();
    const auto operation = static_cast<OTF2_CollectiveOp>(first);
    switch (what % 11) {
        case 5:
            return archive->Send(location, *time, first, comm, tag, bytes);
        case 6:
            return archive->Receive(location, *time, first, comm, tag, bytes);
        case 7:
            return archive->StartSend(location, *time, first, comm, tag, bytes, tag);
        case 8:
            return archive->CompleteReceive(location, *time, first, comm, tag, bytes, tag);
        case 9:
            return archive->Collective(location, *time, operation, comm, tag, bytes, bytes);
        default:
            return archive->CompleteCollective(location, *time, operation, comm, tag, bytes, bytes);
    }
}

void TellAll(Steps steps) {
    // Above it, definitions are over.
    constexpr uint8_t kEvents = 0x80;
    CaptureWriter writer(StreamFolder(), 0);
    TraceSink sink(&writer);
    ImportedFile file;
    sink.BeginFile(&file);
    ArchiveEvents archive(&sink);
    uint8_t what = steps.Byte();
    for (; what < kEvents && !steps.done(); what = steps.Byte()) Define(&steps, what, &archive);
    archive.EndDefinitions();
    uint64_t told = 0;
    for (uint64_t time = 0; !steps.done(); what = steps.Byte(), ++told)
        Tell(&steps, what, &time, &archive);
    archive.Finish();
    if (file.records != told || file.illegal + file.unknown > told) std::abort();
}

}  // namespace
}  // namespace comshu::format::otf2

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    comshu::format::otf2::TellAll({data, size});
    return 0;
}
