#include "text/file_output.h"

#include <cerrno>
#include <cstring>

namespace comshu::format {

FileOutput::FileOutput(const std::string& path) : path_(path), pending_(path), file_(nullptr) {
    if (pending_.part().empty()) {
        error_ = pending_.error();
        return;
    }
    file_ = std::fopen(pending_.part().c_str(), "wb");
    if (file_ == nullptr)
        error_ = fmt::format("{}: cannot be made: {}", path, std::strerror(errno));
}

FileOutput::~FileOutput() {
    if (file_ != nullptr) std::fclose(file_);
}

void FileOutput::Flush() {
    if (buffer_.size() == 0) return;
    if (error_.empty() && std::fwrite(buffer_.data(), 1, buffer_.size(), file_) != buffer_.size())
        error_ = fmt::format("{}: cannot be written: {}", path_, std::strerror(errno));
    buffer_.clear();
}

bool FileOutput::Close(std::string* error) {
    Flush();
    if (file_ != nullptr) {
        const bool closed = std::fclose(file_) == 0;
        file_ = nullptr;
        if (error_.empty() && !closed)
            error_ = fmt::format("{}: cannot be written: {}", path_, std::strerror(errno));
    }
    *error = error_;
    return error_.empty();
}

bool FileOutput::Finish(std::string* error) {
    if (!Close(error)) return false;
    if (!committed_) pending_.Commit(&error_);
    committed_ = true;
    *error = error_;
    return error_.empty();
}

}  // namespace comshu::format
