// What the OpenMP runtime of the program says of the calling thread.
#ifndef COMSHU_PROVIDERS_OPENMP_OMP_CALLS_H_
#define COMSHU_PROVIDERS_OPENMP_OMP_CALLS_H_

#include <cstdint>

namespace comshu::provider::openmp {

// The functions are looked up in the program; one that is not there leaves its answer unknown.
struct OmpCalls {
    int (*get_level)() = nullptr;
    int (*get_ancestor_thread_num)(int) = nullptr;
    int (*get_thread_num)() = nullptr;
    int (*get_num_threads)() = nullptr;

    void Find();
    bool HasTeam() const { return get_thread_num != nullptr && get_num_threads != nullptr; }
    // Numbers of the calling thread in the teams around it, from the outermost, as a hash: the same for
    // whoever starts a region (`inner` 0) and for the members of its team (`inner` 1).
    uint64_t PathHash(int inner) const;
};

}  // namespace comshu::provider::openmp

#endif  // COMSHU_PROVIDERS_OPENMP_OMP_CALLS_H_
