#include "text/spool.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

namespace comshu::format {
namespace {

constexpr int kStreamLookMs = 100;
constexpr size_t kHeadBytes = size_t{64} << 10;

class StreamDescriptor {
public:
    explicit StreamDescriptor(int fd) : fd_(fd) {}
    ~StreamDescriptor() {
        if (fd_ >= 0) close(fd_);
    }
    StreamDescriptor(const StreamDescriptor&) = delete;
    StreamDescriptor& operator=(const StreamDescriptor&) = delete;
    int get() const { return fd_; }

private:
    int fd_;
};

int OpenStream(const std::string& path) {
    // A writer that has not come is waited for below, not here.
    const int fd = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    // A socket cannot be opened by a path.
    if (fd < 0 && errno == ENXIO && path == "/dev/stdin")
        return fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
    return fd;
}

bool WriteAll(int fd, const char* bytes, size_t size) {
    while (size > 0) {
        const ssize_t put = write(fd, bytes, size);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return false;
        bytes += put;
        size -= static_cast<size_t>(put);
    }
    return true;
}

}  // namespace

bool IsStream(const std::string& path) {
    struct stat file;
    return stat(path.c_str(), &file) == 0 &&
           (S_ISFIFO(file.st_mode) || S_ISSOCK(file.st_mode) || S_ISCHR(file.st_mode));
}

bool Spool(const std::string& path, const std::string& to,
           const std::function<bool(std::string_view)>& accepts,
           const std::function<bool()>& stopped, std::string* error) {
    const auto fail = [&](const std::string& of, const char* what) {
        *error = of + what + std::strerror(errno);
        return false;
    };
    const StreamDescriptor in(OpenStream(path));
    if (in.get() < 0) return fail(path, ": cannot be read: ");
    const StreamDescriptor out(open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (out.get() < 0) return fail(to, ": cannot be written: ");
    std::vector<char> buffer(size_t{1} << 18);
    std::string head;
    bool is_accepted = false;
    for (;;) {
        if (stopped && stopped()) {
            *error = "stopped";
            return false;
        }
        pollfd ready{in.get(), POLLIN, 0};
        if (poll(&ready, 1, kStreamLookMs) <= 0) continue;
        const ssize_t got = read(in.get(), buffer.data(), buffer.size());
        if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (got < 0) return fail(path, ": cannot be read: ");
        if (!is_accepted) {
            head.append(buffer.data(), static_cast<size_t>(got));
            is_accepted = head.size() >= kHeadBytes || got == 0;
            if (is_accepted && !accepts(head)) return false;
        }
        if (got == 0) return true;
        if (!WriteAll(out.get(), buffer.data(), static_cast<size_t>(got)))
            return fail(to, ": cannot be written: ");
    }
}

}  // namespace comshu::format
