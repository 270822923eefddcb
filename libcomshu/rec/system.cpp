#include "system.h"

#include <ctime>

#include <linux/futex.h>

namespace comshu::rec {

int OpenFile(const char* path, int flags, unsigned mode) {
    long fd;
    do {
        fd = syscall(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC, mode);
    } while (fd < 0 && errno == EINTR);
    if (fd < 0 || fd >= kLowestDescriptor) return static_cast<int>(fd);
    const long high = syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, kLowestDescriptor);
    const int error = errno;
    syscall(SYS_close, fd);
    errno = error;
    return static_cast<int>(high);
}

void CloseFile(int fd) {
    if (fd >= 0) syscall(SYS_close, fd);
}

namespace {

// A write beyond the limit of file sizes also sends a signal, which would end the program as soon as
// it is not blocked any more.
void TakeBackSignal() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGXFSZ);
    const timespec none{};
    const int error = errno;
    syscall(SYS_rt_sigtimedwait, &set, nullptr, &none, _NSIG / 8);
    errno = error;
}

}  // namespace

bool WriteAll(int fd, iovec* parts, int count, size_t* written) {
    *written = 0;
    while (count > 0) {
        const long done = syscall(SYS_writev, fd, parts, count);
        if (done < 0) {
            if (errno == EINTR || errno == EAGAIN) continue;
            if (errno == EFBIG) TakeBackSignal();
            return false;
        }
        *written += static_cast<size_t>(done);
        size_t left = static_cast<size_t>(done);
        while (count > 0 && left >= parts->iov_len) {
            left -= parts->iov_len;
            ++parts;
            --count;
        }
        if (count > 0) {
            if (done == 0) {
                errno = ENOSPC;
                return false;
            }
            parts->iov_base = static_cast<char*>(parts->iov_base) + left;
            parts->iov_len -= left;
        }
    }
    return true;
}

int TakeSpace(int fd, uint64_t offset, uint64_t bytes) {
    long result;
    do {
        result = syscall(SYS_fallocate, fd, 0, offset, bytes);
    } while (result != 0 && errno == EINTR);
    if (result == 0) return 0;
    if (errno == EFBIG) TakeBackSignal();
    if (errno != EOPNOTSUPP && errno != ENOSYS) return errno;
    // A file system that cannot allocate ahead: written blocks are allocated too.
    static const char zeros[4096] = {};
    for (uint64_t at = offset; at < offset + bytes; at += sizeof zeros) {
        const uint64_t left = offset + bytes - at;
        const size_t part = left < sizeof zeros ? left : sizeof zeros;
        if (syscall(SYS_pwrite64, fd, zeros, part, at) != static_cast<long>(part)) {
            return errno != 0 ? errno : ENOSPC;
        }
    }
    return 0;
}

namespace {

void Wait(const void* word, int operation, uint32_t expected, uint64_t ns) {
    timespec limit;
    limit.tv_sec = static_cast<time_t>(ns / 1'000'000'000);
    limit.tv_nsec = static_cast<long>(ns % 1'000'000'000);
    syscall(SYS_futex, word, operation, expected, &limit, nullptr, 0);
}

}  // namespace

void FutexWait(const void* word, uint32_t expected, uint64_t ns) {
    Wait(word, FUTEX_WAIT_PRIVATE, expected, ns);
}

void FutexWakeAll(const void* word) {
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 0x7fffffff, nullptr, nullptr, 0);
}

void FutexWaitShared(const void* word, uint32_t expected, uint64_t ns) {
    Wait(word, FUTEX_WAIT, expected, ns);
}

void FutexWakeAllShared(const void* word) {
    syscall(SYS_futex, word, FUTEX_WAKE, 0x7fffffff, nullptr, nullptr, 0);
}

uint32_t ThreadId() {
    return static_cast<uint32_t>(syscall(SYS_gettid));
}

size_t ReadSmallFile(const char* path, char* buffer, size_t bytes) {
    const int fd = OpenFile(path, O_RDONLY, 0);
    size_t length = 0;
    if (fd >= 0) {
        while (length + 1 < bytes) {
            const long got = syscall(SYS_read, fd, buffer + length, bytes - 1 - length);
            if (got < 0 && errno == EINTR) continue;
            if (got <= 0) break;
            length += static_cast<size_t>(got);
        }
        CloseFile(fd);
    }
    buffer[length] = '\0';
    return length;
}

}  // namespace comshu::rec
