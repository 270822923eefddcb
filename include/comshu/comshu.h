/* What a program tells comshu of itself: regions, marks, counters, messages of a transport of its own,
 * and when to record. For C and C++; comshu.f90 beside it is the same for Fortran.
 *
 *     comshu_region_begin("solve");
 *     ...
 *     comshu_region_end("solve");
 *
 * Nothing is linked: a program that runs without `comshu run -p user` finds nobody who listens, once,
 * and from then on a call costs a load and a branch. With COMSHU_DISABLE defined there is nothing at
 * all. Any thread may call, not signal handlers; names are copied. docs/user.md has examples. */
#ifndef COMSHU_COMSHU_H_
#define COMSHU_COMSHU_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define COMSHU_API_VERSION 1u

/* What libcomshu_user.so offers. Later versions add at the end, and `size` tells how far it goes. */
struct comshu_api {
    uint32_t size;
    uint32_t version;
    /* With `no_source` the place of the call is not told. */
    void (*region_begin)(const char* name, int no_source);
    void (*region_end)(const char* name);
    void (*mark)(const char* name, double value);
    void (*counter)(const char* name, double value);
    void (*message)(int received, const char* transport, int peer, int tag, uint64_t bytes,
                    int no_source);
    void (*rank)(int rank, int size);
    void (*pause)(void);
    void (*resume)(void);
    void (*flush)(void);
};

/* Inlined even without optimisation: the place of a call is in the program, not in this file. */
#define COMSHU_INLINE_ static inline __attribute__((always_inline, unused))

#ifdef COMSHU_DISABLE

#define COMSHU_CALL_(call)

#else

/* References that may stay open: static programs have no dlsym. */
extern void* comshu_dlsym_(void* handle, const char* name) __asm__("dlsym") __attribute__((weak));
extern char* comshu_dlerror_(void) __asm__("dlerror") __attribute__((weak));

typedef const struct comshu_api* (*comshu_user_api_function)(uint32_t version);

/* Null: nobody listens. 1: not looked yet. */
__attribute__((unused)) static const struct comshu_api* comshu_api_ = (const struct comshu_api*)1;

__attribute__((unused, noinline, cold)) static const struct comshu_api* comshu_look_(void) {
    const struct comshu_api* api = 0;
    if (comshu_dlsym_) {
        union {
            void* object;
            comshu_user_api_function function;
        } found;
        found.object = comshu_dlsym_(0, "comshu_user_api");
        if (found.object)
            api = found.function(COMSHU_API_VERSION);
        else if (comshu_dlerror_)
            comshu_dlerror_();
    }
    __atomic_store_n(&comshu_api_, api, __ATOMIC_RELEASE);
    return api;
}

#define COMSHU_CALL_(call)                                                               \
    do {                                                                                 \
        const struct comshu_api* api_ = __atomic_load_n(&comshu_api_, __ATOMIC_ACQUIRE); \
        if (__builtin_expect(api_ != 0, 0)) {                                            \
            if (api_ == (const struct comshu_api*)1) api_ = comshu_look_();              \
            if (api_) api_->call;                                                        \
        }                                                                                \
    } while (0)

#endif

/* Regions of one thread nest. An end closes the innermost region of this name on the thread, and those
 * inside of it that were left without an end; without such a region it does nothing. */
COMSHU_INLINE_ void comshu_region_begin(const char* name) {
    (void)name;
    COMSHU_CALL_(region_begin(name, 0));
}
COMSHU_INLINE_ void comshu_region_end(const char* name) {
    (void)name;
    COMSHU_CALL_(region_end(name));
}

/* A point in time. */
COMSHU_INLINE_ void comshu_mark(const char* name, double value) {
    (void)name, (void)value;
    COMSHU_CALL_(mark(name, value));
}

/* The value that something has from now on. */
COMSHU_INLINE_ void comshu_counter(const char* name, double value) {
    (void)name, (void)value;
    COMSHU_CALL_(counter(name, value));
}

/* Messages of a transport that comshu does not know. `to` and `from` are ranks (of MPI_COMM_WORLD
 * where there is MPI); the k-th message sent to a rank with a tag is the k-th one received. */
COMSHU_INLINE_ void comshu_message_sent(const char* transport, int to, int tag, uint64_t bytes) {
    (void)transport, (void)to, (void)tag, (void)bytes;
    COMSHU_CALL_(message(0, transport, to, tag, bytes, 0));
}
COMSHU_INLINE_ void comshu_message_received(const char* transport, int from, int tag,
                                            uint64_t bytes) {
    (void)transport, (void)from, (void)tag, (void)bytes;
    COMSHU_CALL_(message(1, transport, from, tag, bytes, 0));
}

/* The rank of this process, in a program without MPI. Once. */
COMSHU_INLINE_ void comshu_rank(int rank, int size) {
    (void)rank, (void)size;
    COMSHU_CALL_(rank(rank, size));
}

/* Recording stops in the whole process, for all layers, and goes on. */
COMSHU_INLINE_ void comshu_pause(void) {
    COMSHU_CALL_(pause());
}
COMSHU_INLINE_ void comshu_resume(void) {
    COMSHU_CALL_(resume());
}

/* What is recorded so far is in the file when this returns. */
COMSHU_INLINE_ void comshu_flush(void) {
    COMSHU_CALL_(flush());
}

#ifdef __cplusplus
} /* extern "C" */

namespace comshu {

// A region from here to the end of the scope, however that is left. The name must live as long.
class Region {
public:
    __attribute__((always_inline)) explicit Region(const char* name) : name_(name) {
        comshu_region_begin(name);
    }
    __attribute__((always_inline)) ~Region() { comshu_region_end(name_); }
    Region(const Region&) = delete;
    Region& operator=(const Region&) = delete;

private:
    const char* name_;
};

}  // namespace comshu
#endif

#endif /* COMSHU_COMSHU_H_ */
