#include "openmp/omp_calls.h"

#include <dlfcn.h>

namespace comshu::provider::openmp {
namespace {

template <typename Function>
void Look(const char* name, Function* function) {
    *function = reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
}

}  // namespace

void OmpCalls::Find() {
    Look("omp_get_level", &get_level);
    Look("omp_get_ancestor_thread_num", &get_ancestor_thread_num);
    Look("omp_get_thread_num", &get_thread_num);
    Look("omp_get_num_threads", &get_num_threads);
}

uint64_t OmpCalls::PathHash(int inner) const {
    if (get_level == nullptr || get_ancestor_thread_num == nullptr) return 0;
    const int level = get_level() - inner;
    uint64_t hash = static_cast<uint64_t>(level);
    for (int i = 1; i <= level; ++i) {
        hash = (hash ^ static_cast<uint64_t>(get_ancestor_thread_num(i))) * 0x9e3779b97f4a7c15;
        hash ^= hash >> 29;
    }
    return hash;
}

}  // namespace comshu::provider::openmp
