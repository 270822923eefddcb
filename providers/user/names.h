// Names that the program gives, as ids of artifacts.
#ifndef COMSHU_PROVIDERS_USER_NAMES_H_
#define COMSHU_PROVIDERS_USER_NAMES_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "comshu/rec/engine.h"
#include "comshu/schema/core_generated.h"

namespace comshu::provider::user {

// Problem: the engine stores a text once, behind a lock; a program passes the same few names again and
// again. Idea: the id of a text is a hash of it, so a table of ids that were stored needs no lock. Where
// its place is taken by another name, the engine is asked. Shared by all threads.
class Names {
public:
    static uint64_t Id(const char* name, size_t bytes) {
        const auto kind = static_cast<uint64_t>(schema::ArtifactKind::text);
        const uint64_t id = XXH64(name, bytes, kind);
        return id == 0 ? 1 : id;
    }
    // The id; the stream will hold the text.
    uint64_t Store(const char* name) {
        const size_t bytes = std::strlen(name);
        if (bytes == 0) return 0;
        std::atomic<uint64_t>& place = stored_[Id(name, bytes) % kPlaces];
        if (place.load(std::memory_order_relaxed) == Id(name, bytes)) return Id(name, bytes);
        const uint64_t id =
            comshu_engine_intern(static_cast<uint8_t>(schema::ArtifactKind::text), name, bytes);
        place.store(id, std::memory_order_relaxed);
        return id;
    }
    // In a forked child, whose stream holds nothing yet.
    void Forget() {
        for (std::atomic<uint64_t>& place : stored_) place.store(0, std::memory_order_relaxed);
    }

private:
    static constexpr size_t kPlaces = 1024;
    std::array<std::atomic<uint64_t>, kPlaces> stored_{};
};

}  // namespace comshu::provider::user

#endif  // COMSHU_PROVIDERS_USER_NAMES_H_
