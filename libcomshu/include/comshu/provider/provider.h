// A provider in C++ over the C table of comshu/rec/engine.h.
//
//     class Mine : public comshu::provider::IProvider {
//     public:
//         static constexpr const char* kName = "mine";
//         static constexpr uint16_t kFirstType = 400;
//         static constexpr uint16_t kLastType = 499;
//         void ReportLoss(uint32_t thread, uint64_t begin, uint64_t end) override { ... }
//         // Where its records are not in the schema of the engine's build:
//         static std::span<const uint8_t> Schema() { return kMineSchema; }
//     };
//     COMSHU_EXPORT_PROVIDER(Mine)
//
// The table has C linkage and C types only, so that nothing of C++ crosses the border between
// objects. The provider object is made when it is first asked for and is never destroyed: calls may
// come until the process is gone.
#ifndef COMSHU_PROVIDER_PROVIDER_H_
#define COMSHU_PROVIDER_PROVIDER_H_

#include <cstddef>
#include <cstdint>
#include <new>
#include <span>

#include "comshu/rec/engine.h"

namespace comshu::provider {

// Called by the engine; see comshu_provider for when, and on which thread.
class IProvider {
public:
    virtual void ReportLoss(uint32_t /*thread*/, uint64_t /*begin*/, uint64_t /*end*/) {}
    virtual void Overwriting(uint32_t /*thread*/, const void* /*records*/, size_t /*bytes*/) {}
    virtual void Forked() {}
    virtual void Ending() {}

protected:
    ~IProvider() = default;
};

// The one object of a provider's class.
template <typename Provider>
Provider& Instance() {
    alignas(Provider) static std::byte place[sizeof(Provider)];
    static Provider* const provider = new (place) Provider();
    return *provider;
}

template <typename Provider>
const comshu_provider* TableOf() {
    static const comshu_provider table = [] {
        comshu_provider t{};
        t.size = sizeof t;
        t.version = COMSHU_ENGINE_VERSION;
        t.name = Provider::kName;
        t.first_type = Provider::kFirstType;
        t.last_type = Provider::kLastType;
        if constexpr (requires { Provider::Schema(); }) {
            const std::span<const uint8_t> schema = Provider::Schema();
            t.schema = schema.data();
            t.schema_bytes = schema.size();
        }
        t.report_loss = [](uint32_t thread, uint64_t begin, uint64_t end) {
            Instance<Provider>().ReportLoss(thread, begin, end);
        };
        t.forked = [] { Instance<Provider>().Forked(); };
        t.ending = [] { Instance<Provider>().Ending(); };
        t.overwriting = [](uint32_t thread, const void* records, size_t bytes) {
            Instance<Provider>().Overwriting(thread, records, bytes);
        };
        return t;
    }();
    return &table;
}

}  // namespace comshu::provider

// At namespace scope in one source file of a provider's object: one line for `comshu list`. With it
// `comshu run -p NAME` finds libcomshu_NAME.so in the folders of COMSHU_PROVIDER_PATH; the object is
// read for it, not loaded.
#define COMSHU_PROVIDER_SHOWS(text) \
    __attribute__((used, retain, section(".comshu.shows"))) static const char comshu_shows[] = text;

// In one source file of a provider's object: whoever opens the object can ask what it is.
#define COMSHU_EXPORT_PROVIDER(Class)                                                              \
    extern "C" __attribute__((visibility("default"))) const comshu_provider* comshu_export(void) { \
        return comshu::provider::TableOf<Class>();                                                 \
    }

#endif  // COMSHU_PROVIDER_PROVIDER_H_
