#include "mpi/comm_id.h"

#include <cstring>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace comshu::provider::mpi {

uint64_t HashMembers(const int32_t* world_ranks, size_t size) {
    if (world_ranks != nullptr) return XXH64(world_ranks, size * sizeof(int32_t), 0);
    XXH64_state_t state;
    XXH64_reset(&state, 0);
    int32_t part[256];
    for (size_t done = 0; done < size;) {
        size_t n = 0;
        while (n < 256 && done < size) part[n++] = static_cast<int32_t>(done++);
        XXH64_update(&state, part, n * sizeof(int32_t));
    }
    return XXH64_digest(&state);
}

uint64_t HashText(const char* text) {
    return XXH64(text, std::strlen(text), 0);
}

uint64_t HashGroupPair(uint64_t one, uint64_t other) {
    const uint64_t pair[2] = {one < other ? one : other, one < other ? other : one};
    return XXH64(pair, sizeof pair, 2);
}

uint64_t CommId(uint64_t parent, uint64_t members, uint64_t ordinal) {
    const uint64_t parts[3] = {parent, members, ordinal};
    const uint64_t id = XXH64(parts, sizeof parts, 0);
    return id == 0 ? 1 : id;
}

uint64_t CommOrdinals::Next(uint64_t parent, uint64_t members) {
    const uint64_t key = CommId(parent, members, 0);
    uint64_t* count = counts_.Find(key);
    if (count != nullptr) return ++*count;
    counts_.Insert(key, 0);
    return 0;
}

}  // namespace comshu::provider::mpi
