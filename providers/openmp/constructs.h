// The constructs of the program: what their handles mean.
#ifndef COMSHU_PROVIDERS_OPENMP_CONSTRUCTS_H_
#define COMSHU_PROVIDERS_OPENMP_CONSTRUCTS_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <pthread.h>

#include "comshu/fortran/dbg_table.h"
#include "openmp/fact_table.h"

namespace comshu::provider::openmp {

// Problem: context strings come before main, when nothing may be started, and must be in the stream of
// every process that records, also of a forked child.
// Idea: keep them until the first event; then, and whatever comes later, define each once. Units stay
// where they are; strings of programs that register one by one are copied.
// Cost: a lock, and parsing, per construct; nothing per event. Any threads.
class Constructs {
public:
    void Add(const comshu_dbg_unit* unit);
    void Remove(const comshu_dbg_unit* unit);
    // For programs that ask for handles: the same text gets the same one.
    int64_t Add(std::string_view text);
    // Writes all there are, and from now on what comes.
    void Define();
    // In a forked child: nothing is defined, and no thread of the parent holds the lock.
    void Forget();
    // Known once it is defined.
    Facts FactsOf(int64_t handle) const { return facts_.Get(handle); }

private:
    struct Single {
        int64_t handle;
        Single* next;
        Facts facts;
        size_t bytes;
        char text[1];
    };
    bool Has(int64_t single) const;
    void DefineUnit(const comshu_dbg_unit& unit);
    void DefineSingle(Single* single);

    pthread_mutex_t lock_ = PTHREAD_MUTEX_INITIALIZER;
    const comshu_dbg_unit** units_ = nullptr;
    size_t unit_count_ = 0;
    size_t unit_room_ = 0;
    Single* singles_ = nullptr;
    bool is_defined_ = false;
    FactTable facts_;
};

}  // namespace comshu::provider::openmp

#endif  // COMSHU_PROVIDERS_OPENMP_CONSTRUCTS_H_
