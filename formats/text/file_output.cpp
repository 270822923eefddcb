#include "text/file_output.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace comshu::format {

FileOutput::FileOutput(const std::string& path)
    : path_(path),
      part_(fmt::format("{}.{}.part", path, getpid())),
      file_(std::fopen(part_.c_str(), "wb")) {
    if (file_ == nullptr)
        error_ = fmt::format("{}: cannot be made: {}", path, std::strerror(errno));
}

FileOutput::~FileOutput() {
    if (file_ == nullptr) return;
    std::fclose(file_);
    std::remove(part_.c_str());
}

void FileOutput::Flush() {
    if (error_.empty() && std::fwrite(buffer_.data(), 1, buffer_.size(), file_) != buffer_.size())
        error_ = fmt::format("{}: cannot be written: {}", path_, std::strerror(errno));
    buffer_.clear();
}

bool FileOutput::Finish(std::string* error) {
    Flush();
    if (file_ != nullptr) {
        const bool closed = std::fclose(file_) == 0;
        file_ = nullptr;
        if (error_.empty() && (!closed || std::rename(part_.c_str(), path_.c_str()) != 0))
            error_ = fmt::format("{}: cannot be written: {}", path_, std::strerror(errno));
        if (!error_.empty()) std::remove(part_.c_str());
    }
    *error = error_;
    return error_.empty();
}

}  // namespace comshu::format
