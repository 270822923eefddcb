// Any bytes as a trace file of one format: nothing may crash, hang or read outside of them.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <memory>
#include <string>

#include "alog/alog_reader.h"
#include "capture_writer.h"
#include "chrome/chrome_reader.h"
#include "detect.h"
#include "fuzz/temporary_folder.h"
#include "paraver/paraver_reader.h"
#include "picl/old_reader.h"
#include "picl/reader_1992.h"
#include "text/line_source.h"
#include "trace_reader.h"

namespace comshu::format {
namespace {

[[maybe_unused]] void ReadLines(ByteSource* source, TraceSink* sink, LineReader* reader) {
    LineSource lines(source);
    std::string_view line;
    while (lines.Next(&line)) {
        if (lines.cut())
            sink->Illegal(lines.number(), 0, "cut");
        else
            reader->Line(line, lines.number());
    }
    reader->Finish();
}

void ReadTrace(ByteSource* source, TraceSink* sink) {
#if defined(FUZZ_PICL)
    picl::OldReader reader(sink, true);
    ReadLines(source, sink, &reader);
#elif defined(FUZZ_PICL_1992)
    picl::Reader1992 reader(sink);
    ReadLines(source, sink, &reader);
#elif defined(FUZZ_ALOG)
    alog::AlogReader reader(sink);
    ReadLines(source, sink, &reader);
#elif defined(FUZZ_PARAVER)
    paraver::ParaverReader reader(sink, nullptr);
    ReadLines(source, sink, &reader);
#elif defined(FUZZ_CHROME)
    chrome::ChromeReader reader(sink);
    chrome::ReadJsonEvents(
        source,
        [&](const chrome::JsonEvent& event, const chrome::JsonPlace& place) {
            reader.Event(event, place);
            return true;
        },
        [](const chrome::JsonPlace&, const std::string&) {});
    reader.Finish();
#endif
}

}  // namespace
}  // namespace comshu::format

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace comshu::format;
    DetectFormat({reinterpret_cast<const char*>(data), size});
    const int fd = memfd_create("trace", MFD_CLOEXEC);
    if (fd < 0) return 0;
    if (write(fd, data, size) == static_cast<ssize_t>(size)) {
        std::string error;
        const auto source = ByteSource::Open("/proc/self/fd/" + std::to_string(fd), &error);
        if (source != nullptr) {
            CaptureWriter writer(StreamFolder(), 0);
            TraceSink sink(&writer);
            ImportedFile file;
            sink.BeginFile(&file);
            ReadTrace(source.get(), &sink);
        }
    }
    close(fd);
    return 0;
}
