#include "launch/failure_note.h"

#include <fcntl.h>
#include <unistd.h>

#include <ctime>

namespace comshu::launch {
namespace {

std::string PathOf(const std::string& folder, const std::string& pass, const Job& job) {
    return folder + "/" + pass + "/" + job.host + ".failures";
}

}  // namespace

void NoteFailure(const std::string& folder, const std::string& pass, const Job& job,
                 const ChildEnd& end) {
    if (!end.started || (end.signal == 0 && end.exit_code == 0)) return;
    const int fd =
        open(PathOf(folder, pass, job).c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (fd < 0) return;
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    const std::string line = std::to_string(end.pid) + ' ' + std::to_string(end.signal) + ' ' +
                             std::to_string(end.exit_code) + ' ' +
                             std::to_string(now.tv_sec * 1'000'000'000 + now.tv_nsec) + '\n';
    const ssize_t ignored = write(fd, line.data(), line.size());
    static_cast<void>(ignored);
    close(fd);
}

void RemoveFailures(const std::string& folder, const std::string& pass, const Job& job) {
    unlink(PathOf(folder, pass, job).c_str());
}

}  // namespace comshu::launch
