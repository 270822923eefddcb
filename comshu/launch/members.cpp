#include "launch/members.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace comshu::launch {
namespace {

// Launchers start all ranks of a host together; who has not come by then comes without comshu.
constexpr auto kAllComeWithin = std::chrono::seconds(5);

}  // namespace

Members::Members(const std::string& folder, const std::string& pass, const Job& job)
    : job_(job), path_(PathOf(folder, pass, job)) {
    fd_ = open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (fd_ < 0) return;
    flock(fd_, LOCK_SH);
    // One byte per member that ever came.
    ssize_t ignored = write(fd_, "+", 1);
    static_cast<void>(ignored);
}

Members::~Members() {
    if (fd_ < 0) return;
    if (last_) unlink(path_.c_str());
    close(fd_);
}

std::string Members::PathOf(const std::string& folder, const std::string& pass, const Job& job) {
    return folder + "/" + pass + "/" + job.host + ".members";
}

bool Members::AllHaveCome(int fd, const Job& job, std::chrono::steady_clock::time_point since) {
    struct stat status;
    return job.local_ranks == 0 || fstat(fd, &status) != 0 || status.st_size >= job.local_ranks ||
           std::chrono::steady_clock::now() - since > kAllComeWithin;
}

bool Members::LeaveAsLast() {
    if (fd_ < 0) return true;
    flock(fd_, LOCK_UN);
    last_ = flock(fd_, LOCK_EX | LOCK_NB) == 0 && AllHaveCome(fd_, job_, joined_);
    return last_;
}

}  // namespace comshu::launch
