// A lock that costs nothing until the program asks for MPI_THREAD_MULTIPLE: below that level MPI
// itself demands that calls come one at a time, and so do changes of our tables.
#ifndef COMSHU_PROVIDERS_MPI_LOCK_H_
#define COMSHU_PROVIDERS_MPI_LOCK_H_

#include <pthread.h>

#include <atomic>

namespace comshu::provider::mpi {

// Set before MPI_Init_thread returns to the program, so before its other threads may call MPI.
extern std::atomic<bool> thread_multiple;

inline bool IsThreadMultiple() {
    return thread_multiple.load(std::memory_order_relaxed);
}

// Plain mutex without a constructor, that a forked child may set up anew.
class Mutex {
public:
    void Lock() { pthread_mutex_lock(&mutex_); }
    void Unlock() { pthread_mutex_unlock(&mutex_); }
    void Reset() { mutex_ = PTHREAD_MUTEX_INITIALIZER; }

private:
    pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
};

// Always locks: for tables of the slow path.
class Guard {
public:
    explicit Guard(Mutex& mutex) : mutex_(mutex) { mutex_.Lock(); }
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;
    ~Guard() { mutex_.Unlock(); }

private:
    Mutex& mutex_;
};

// Locks under MPI_THREAD_MULTIPLE alone.
class ThreadGuard {
public:
    explicit ThreadGuard(Mutex& mutex) : mutex_(IsThreadMultiple() ? &mutex : nullptr) {
        if (mutex_ != nullptr) mutex_->Lock();
    }
    ThreadGuard(const ThreadGuard&) = delete;
    ThreadGuard& operator=(const ThreadGuard&) = delete;
    ~ThreadGuard() {
        if (mutex_ != nullptr) mutex_->Unlock();
    }

private:
    Mutex* mutex_;
};

}  // namespace comshu::provider::mpi

#endif  // COMSHU_PROVIDERS_MPI_LOCK_H_
