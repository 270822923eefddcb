// Which parallel region a thread of a team works in.
#ifndef COMSHU_PROVIDERS_OPENMP_REGIONS_H_
#define COMSHU_PROVIDERS_OPENMP_REGIONS_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace comshu::provider::openmp {

// Problem: the thread that starts a region and the members of its team say the name of the construct
// alone; with nested parallelism many regions of one construct run at once.
// Idea: a key of the construct and the place of the team in the tree of teams; no two regions that run
// have the same one, unless the program has several initial threads: then the newest is found.
// Cost: a look at 16 neighbouring places. Without a free place the region stays unknown. Any threads;
// a region is opened before its team looks for it and closed after.
class Regions {
public:
    // Number of the new region, from 1.
    uint64_t Open(uint64_t key);
    // 0: not known.
    uint64_t Find(uint64_t key) const;
    void Close(uint64_t key, uint64_t region);

    static uint64_t Key(uint64_t construct, uint64_t path) {
        const uint64_t key = (construct ^ path * 0x9e3779b97f4a7c15) * 0xff51afd7ed558ccd;
        return key == 0 ? 1 : key;
    }

private:
    static constexpr size_t kPlaces = 4096;
    static constexpr size_t kLook = 16;
    struct Place {
        std::atomic<uint64_t> key{0};
        std::atomic<uint64_t> region{0};
    };
    Place& At(uint64_t key, size_t i) { return places_[((key >> 32) + i) % kPlaces]; }
    const Place& At(uint64_t key, size_t i) const { return places_[((key >> 32) + i) % kPlaces]; }

    std::array<Place, kPlaces> places_{};
    std::atomic<uint64_t> next_{1};
};

}  // namespace comshu::provider::openmp

#endif  // COMSHU_PROVIDERS_OPENMP_REGIONS_H_
