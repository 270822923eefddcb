#include "views/spill.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace comshu::read {

std::string SpillFiles::PathOf(uint32_t part) const {
    return folder_ + "/" + name_ + "." + std::to_string(part);
}

void SpillFiles::Fail(const std::string& path) {
    if (error_.empty()) error_ = path + ": " + std::strerror(errno);
}

void SpillFiles::Add(uint32_t part, const void* record, size_t bytes) {
    std::vector<uint8_t>& buffer = buffers_[part];
    const auto* begin = static_cast<const uint8_t*>(record);
    buffer.insert(buffer.end(), begin, begin + bytes);
    if (buffer.size() >= kBufferBytes) Write(part, &buffer);
}

void SpillFiles::Write(uint32_t part, std::vector<uint8_t>* buffer) {
    const std::string path = PathOf(part);
    const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (file < 0) Fail(path);
    for (size_t at = 0; error_.empty() && at < buffer->size();) {
        const ssize_t written = write(file, buffer->data() + at, buffer->size() - at);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) Fail(path);
        at += static_cast<size_t>(std::max<ssize_t>(written, 0));
    }
    if (file >= 0 && close(file) != 0) Fail(path);
    buffer->clear();
}

void SpillFiles::Open(uint32_t part) {
    const auto found = buffers_.find(part);
    if (found == buffers_.end()) return;  // Nothing was added.
    if (!found->second.empty()) Write(part, &found->second);
    buffers_.erase(found);
    file_ = open(PathOf(part).c_str(), O_RDONLY | O_CLOEXEC);
    if (file_ < 0) Fail(PathOf(part));
}

// Records are whole in the file, but a read may end within one.
size_t SpillFiles::Read(void* records, size_t record_bytes, size_t count) {
    if (file_ < 0) return 0;
    auto* out = static_cast<uint8_t*>(records);
    size_t bytes = 0;
    while (bytes < record_bytes * count) {
        const ssize_t got = ::read(file_, out + bytes, record_bytes * count - bytes);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) Fail(folder_ + "/" + name_);
        if (got <= 0) break;
        bytes += static_cast<size_t>(got);
    }
    return bytes / record_bytes;
}

void SpillFiles::Close(uint32_t part) {
    if (file_ < 0) return;
    close(file_);
    file_ = -1;
    unlink(PathOf(part).c_str());
}

}  // namespace comshu::read
