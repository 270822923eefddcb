#include "text/line_source.h"

#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace comshu::format {

std::unique_ptr<ByteSource> ByteSource::Open(const std::string& path, std::string* error) {
    std::error_code code;
    if (std::filesystem::is_directory(path, code)) {
        *error = path + ": is a folder";
        return nullptr;
    }
    errno = 0;
    gzFile file = gzopen(path.c_str(), "rb");
    if (file == nullptr) {
        *error = path + ": cannot be read: " + std::strerror(errno == 0 ? ENOMEM : errno);
        return nullptr;
    }
    gzbuffer(file, 1 << 18);
    std::unique_ptr<ByteSource> source(new ByteSource());
    source->file_ = file;
    source->path_ = path;
    source->file_bytes_ = std::filesystem::file_size(path, code);
    if (code) source->file_bytes_ = 0;
    return source;
}

ByteSource::~ByteSource() {
    if (file_ != nullptr) gzclose(static_cast<gzFile>(file_));
}

size_t ByteSource::Read(char* out, size_t bytes) {
    auto file = static_cast<gzFile>(file_);
    const int got = gzread(file, out, static_cast<unsigned>(bytes));
    int code = Z_OK;
    const char* text = gzerror(file, &code);
    if (code != Z_OK && code != Z_STREAM_END && error_.empty()) {
        error_ = path_ + ": is cut or damaged: " + (code == Z_ERRNO ? std::strerror(errno) : text);
    }
    return got > 0 ? static_cast<size_t>(got) : 0;
}

uint64_t ByteSource::position() const {
    const z_off_t at = gzoffset(static_cast<gzFile>(file_));
    return at > 0 ? static_cast<uint64_t>(at) : 0;
}

bool LineSource::Fill() {
    if (begin_ > 0) {
        std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
        end_ -= begin_;
        begin_ = 0;
    }
    const size_t got = bytes_.Read(buffer_.data() + end_, buffer_.size() - end_);
    end_ += got;
    if (got == 0) at_end_ = true;
    return got > 0;
}

bool LineSource::Next(std::string_view* line) {
    size_t searched = 0;
    for (;;) {
        const char* from = buffer_.data() + begin_;
        const auto* end =
            static_cast<const char*>(std::memchr(from + searched, '\n', end_ - begin_ - searched));
        const size_t available = end_ - begin_;
        if (end == nullptr && available >= kLongestLine) {
            if (skip_rest_) {
                begin_ = end_;
                searched = 0;
                if (!at_end_) Fill();
                continue;
            }
            ++number_;
            cut_ = true;
            skip_rest_ = true;
            *line = {from, kLongestLine};
            begin_ += kLongestLine;
            return true;
        }
        if (end == nullptr && !at_end_) {
            searched = available;
            Fill();
            continue;
        }
        if (end == nullptr && available == 0) return false;
        size_t length = end == nullptr ? available : static_cast<size_t>(end - from);
        begin_ += length + (end == nullptr ? 0 : 1);
        searched = 0;
        if (skip_rest_) {
            skip_rest_ = false;
            if (end == nullptr) return false;
            continue;
        }
        if (length > 0 && from[length - 1] == '\r') --length;
        ++number_;
        cut_ = length > kLongestLine;
        *line = {from, cut_ ? kLongestLine : length};
        return true;
    }
}

}  // namespace comshu::format
