#include "comshu/read/file_bytes.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace comshu::read {

std::unique_ptr<FileBytes> FileBytes::Map(const std::string& path, std::string* error) {
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        *error = std::strerror(errno);
        return nullptr;
    }
    struct stat status {};
    if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
        *error = "not a regular file";
        close(fd);
        return nullptr;
    }
    const auto size = static_cast<size_t>(status.st_size);
    void* data = nullptr;
    if (size > 0) {
        data = mmap(nullptr, size, PROT_READ, MAP_SHARED, fd, 0);
        if (data == MAP_FAILED) {
            *error = std::string("cannot be mapped: ") + std::strerror(errno);
            close(fd);
            return nullptr;
        }
    }
    close(fd);
    return std::unique_ptr<FileBytes>(new FileBytes(static_cast<const uint8_t*>(data), size));
}

FileBytes::~FileBytes() {
    if (data_ != nullptr) munmap(const_cast<uint8_t*>(data_), size_);
}

}  // namespace comshu::read
