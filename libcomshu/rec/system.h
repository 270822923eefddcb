// System calls as the engine makes them, and the scope its slow paths run in.
//
// Files are opened and written by raw system calls: a tool that interposes open() or write() must
// not see the recorder, and a raw call is no point where a thread can be cancelled.
#ifndef COMSHU_REC_SYSTEM_H_
#define COMSHU_REC_SYSTEM_H_

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>

#include <fcntl.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

namespace comshu::rec {

// Descriptors from here up: programs use low ones by number.
constexpr int kLowestDescriptor = 21;

// The calling thread cannot be interrupted by a signal handler or cancelled, and keeps its errno.
// What holds a lock of the engine lives in such a scope: a handler that exits the process, or
// records, would otherwise meet the lock of its own thread. About 2 us.
class SlowPath {
public:
    SlowPath() : errno_(errno) {
        pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_);
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &signals_);
    }
    ~SlowPath() {
        pthread_sigmask(SIG_SETMASK, &signals_, nullptr);
        pthread_setcancelstate(cancel_, nullptr);
        errno = errno_;
    }
    SlowPath(const SlowPath&) = delete;
    SlowPath& operator=(const SlowPath&) = delete;

private:
    int errno_;
    int cancel_ = 0;
    sigset_t signals_;
};

class Mutex {
public:
    void Lock() {
        wanted_.fetch_add(1, std::memory_order_relaxed);
        pthread_mutex_lock(&mutex_);
        wanted_.fetch_sub(1, std::memory_order_relaxed);
    }
    bool TryLock() { return pthread_mutex_trylock(&mutex_) == 0; }
    void Unlock() { pthread_mutex_unlock(&mutex_); }
    // Somebody waits: who takes the lock again and again steps back for a moment.
    bool IsWanted() const { return wanted_.load(std::memory_order_relaxed) != 0; }

private:
    pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
    std::atomic<uint32_t> wanted_{0};
};

class Locked {
public:
    explicit Locked(Mutex* mutex) : mutex_(mutex) { mutex_->Lock(); }
    ~Locked() { mutex_->Unlock(); }
    Locked(const Locked&) = delete;
    Locked& operator=(const Locked&) = delete;

private:
    Mutex* mutex_;
};

// A descriptor that is above the low ones and closed on exec; -1: errno says why.
int OpenFile(const char* path, int flags, unsigned mode);
void CloseFile(int fd);

// Writes all parts, or returns false with errno set and `written` bytes done.
bool WriteAll(int fd, iovec* parts, int count, size_t* written);

// Takes space for [offset, offset + bytes) so that a later store cannot fail. 0 or an errno.
int TakeSpace(int fd, uint64_t offset, uint64_t bytes);

// Sleeps while *word == expected, at most so long; wakes all sleepers.
void FutexWait(const void* word, uint32_t expected, uint64_t ns);
void FutexWakeAll(const void* word);
// The same on a word in memory that other processes have mapped too.
void FutexWaitShared(const void* word, uint32_t expected, uint64_t ns);
void FutexWakeAllShared(const void* word);

// The kernel's number of the calling thread.
uint32_t ThreadId();

// Reads a small file of /proc into `buffer` (kept zero-terminated); returns its length, 0: cannot.
size_t ReadSmallFile(const char* path, char* buffer, size_t bytes);

}  // namespace comshu::rec

#endif  // COMSHU_REC_SYSTEM_H_
