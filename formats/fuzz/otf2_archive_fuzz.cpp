// Any bytes as the files of an OTF2 archive, read by the library in a process of its own, as the import
// does. What the library does not survive is counted and no finding; a fault of ours is.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "capture_writer.h"
#include "child_process.h"
#include "fuzz/library_faults.h"
#include "fuzz/temporary_folder.h"
#include "otf2/otf2_reader.h"
#include "trace_reader.h"

// More than it is never needed by an input of some kilobytes.
extern "C" const char* __asan_default_options() {
    return "max_allocation_size_mb=512:handle_abort=0";
}

namespace comshu::format {
namespace {

constexpr unsigned kSeconds = 8;

struct Counts {
    uint64_t read = 0;
    uint64_t refused = 0;
    uint64_t library_faults = 0;
    ~Counts() {
        std::fprintf(stderr,
                     "stat::archives_read: %llu\nstat::archives_refused: %llu\n"
                     "stat::library_faults: %llu\n",
                     static_cast<unsigned long long>(read),
                     static_cast<unsigned long long>(refused),
                     static_cast<unsigned long long>(library_faults));
    }
};

// The input is a sequence of files (pack_archive.py): which one it is, two bytes for its length, what is
// in it.
void WriteArchive(const uint8_t* data, size_t size, const std::string& folder) {
    constexpr const char* kNames[] = {"/a.otf2",  "/a.def",   "/a/0.evt", "/a/0.def",
                                      "/a/1.evt", "/a/1.def", "/a/2.evt", "/a/2.def"};
    constexpr size_t kHead = 3;
    std::filesystem::create_directories(folder + "/a");
    while (size >= kHead) {
        const char* name = kNames[data[0] % std::size(kNames)];
        const size_t length = std::min<size_t>(data[1] | data[2] << 8, size - kHead);
        std::ofstream(folder + name, std::ios::binary)
            .write(reinterpret_cast<const char*>(data + kHead),
                   static_cast<std::streamsize>(length));
        data += kHead + length;
        size -= kHead + length;
    }
}

std::string Read(const std::string& anchor) {
    CaptureWriter writer(StreamFolder(), 0);
    TraceSink sink(&writer);
    ImportedFile file;
    sink.BeginFile(&file);
    std::string error;
    const bool read = otf2::ReadArchive(anchor, &sink, {}, &error);
    if (!read && error.empty()) std::abort();  // Refused without a word.
    return read ? "read" : "refused";
}

ChildEnd ReadApart(const std::string& anchor, bool quiet) {
    return RunInChild(
        [&] {
            EndInFault("libopen-trace-format2", kSeconds, quiet);
            std::string said = Read(anchor);
            HandOverCoverage();
            return said;
        },
        {});
}

}  // namespace
}  // namespace comshu::format

extern "C" int LLVMFuzzerInitialize(int*, char***) {
    comshu::format::ShareCoverage();
    return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace comshu::format;
    static Counts counts;
    static const TemporaryFolder folder;
    StreamFolder();
    const std::string archive = folder.path() + "/archive";
    WriteArchive(data, size, archive);
    const std::string anchor = archive + "/a.otf2";
    const ChildEnd end = ReadApart(anchor, true);
    if (end.text == "read") {
        ++counts.read;
    } else if (end.text == "refused") {
        ++counts.refused;
    } else if (end.error == "ended with code " + std::to_string(kLibraryFault)) {
        ++counts.library_faults;
    } else {
        std::fprintf(stderr, "a fault of ours (%s, signal %d)\n", end.error.c_str(), end.signal);
        std::fputs(ReadApart(anchor, false).said.c_str(), stderr);
        std::abort();
    }
    std::filesystem::remove_all(archive);
    return 0;
}
