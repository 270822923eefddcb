// A provider to copy (docs/providers.md): how long a program waits for its files to reach the disk.
//
// It stands before fsync() and fdatasync() of the C library and records each call as a span. Nothing
// happens before the first call; without an engine that records, calls go straight on.
#include <dlfcn.h>

#include <cerrno>
#include <span>

#include "comshu/provider/provider.h"
#include "comshu/rec/thread_state.h"
#include "template_records.h"

namespace template_provider {
namespace {

namespace rec = comshu::rec;

class Template : public comshu::provider::IProvider {
public:
    static constexpr const char* kName = "template";
    static constexpr uint16_t kFirstType = 1000;
    static constexpr uint16_t kLastType = 1009;
    static std::span<const uint8_t> Schema() { return kSchema; }
};

// The range is claimed once; when it is refused the engine leaves a note that says why.
bool IsAccepted() {
    static const bool accepted =
        comshu_engine_declare_provider(comshu::provider::TableOf<Template>()) == 0;
    return accepted;
}

using Sync = int (*)(int);

int Record(Sync real, FileFunction function, int file, void* frame, void* caller) {
    FileSync* call =
        rec::Current() != nullptr && IsAccepted() ? rec::Open<FileSync>(frame) : nullptr;
    if (call == nullptr) return real(file);
    call->mutate_caller(reinterpret_cast<uint64_t>(caller));
    call->mutate_file(file);
    call->mutate_function(function);
    rec::Begin(call);
    const int result = real(file);
    const int error = errno;
    rec::Stop(call);
    call->mutate_result(result);
    rec::End(call);
    errno = error;
    return result;
}

}  // namespace
}  // namespace template_provider

using namespace template_provider;

COMSHU_PROVIDER_SHOWS("waiting for files to reach the disk: fsync, fdatasync")
COMSHU_EXPORT_PROVIDER(Template)

extern "C" __attribute__((visibility("default"))) int fsync(int file) {
    static const auto real = reinterpret_cast<Sync>(dlsym(RTLD_NEXT, "fsync"));
    return Record(real, FileFunction::fsync, file, __builtin_frame_address(0),
                  __builtin_return_address(0));
}

extern "C" __attribute__((visibility("default"))) int fdatasync(int file) {
    static const auto real = reinterpret_cast<Sync>(dlsym(RTLD_NEXT, "fdatasync"));
    return Record(real, FileFunction::fdatasync, file, __builtin_frame_address(0),
                  __builtin_return_address(0));
}
