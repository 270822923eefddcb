#include "text/byte_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace comshu::format {
namespace {

constexpr size_t kBufferBytes = size_t{1} << 18;
constexpr unsigned char kGzip[] = {0x1f, 0x8b};

}  // namespace

class ByteSource::Unpacker {
public:
    Unpacker() {
        constexpr int kGzipOnly = 16 + MAX_WBITS;
        is_ready_ = inflateInit2(&stream_, kGzipOnly) == Z_OK;
    }
    ~Unpacker() {
        if (is_ready_) inflateEnd(&stream_);
    }
    Unpacker(const Unpacker&) = delete;
    Unpacker& operator=(const Unpacker&) = delete;

    bool is_ready() const { return is_ready_; }
    void Restart() { inflateReset(&stream_); }
    // Takes from [*from, from_end) and fills [*out, out_end); both move on.
    int Step(unsigned char** from, const unsigned char* from_end, char** out, const char* out_end) {
        stream_.next_in = *from;
        stream_.avail_in = static_cast<uInt>(from_end - *from);
        stream_.next_out = reinterpret_cast<unsigned char*>(*out);
        stream_.avail_out = static_cast<uInt>(out_end - *out);
        const int code = inflate(&stream_, Z_NO_FLUSH);
        *from = stream_.next_in;
        *out = reinterpret_cast<char*>(stream_.next_out);
        return code;
    }
    const char* error() const { return stream_.msg == nullptr ? "damaged data" : stream_.msg; }

private:
    z_stream stream_{};
    bool is_ready_ = false;
};

ByteSource::ByteSource() : buffer_(kBufferBytes) {}

ByteSource::~ByteSource() {
    if (fd_ >= 0) close(fd_);
}

std::unique_ptr<ByteSource> ByteSource::Open(const std::string& path, std::string* error,
                                             const std::string& name) {
    std::unique_ptr<ByteSource> source(new ByteSource());
    source->name_ = name.empty() ? path : name;
    source->fd_ = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat file;
    if (source->fd_ < 0 || fstat(source->fd_, &file) != 0) {
        *error = source->name_ + ": cannot be read: " + std::strerror(errno);
        return nullptr;
    }
    if (S_ISDIR(file.st_mode)) {
        *error = source->name_ + ": is a folder";
        return nullptr;
    }
    source->file_bytes_ = static_cast<uint64_t>(file.st_size);
    while (source->end_ < sizeof kGzip && source->Fill()) {
    }
    if (source->end_ >= sizeof kGzip &&
        std::memcmp(source->buffer_.data(), kGzip, sizeof kGzip) == 0) {
        source->unpacker_ = std::make_unique<Unpacker>();
        if (!source->unpacker_->is_ready()) {
            *error = source->name_ + ": cannot be read: " + std::strerror(ENOMEM);
            return nullptr;
        }
    }
    return source;
}

void ByteSource::Fail(const std::string& what) {
    if (error_.empty()) error_ = name_ + ": " + what;
    at_end_ = true;
}

size_t ByteSource::ReadFile(void* out, size_t bytes) {
    for (;;) {
        const ssize_t got = read(fd_, out, bytes);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) Fail(std::string("is cut or damaged: ") + std::strerror(errno));
        if (got <= 0) return 0;
        position_ += static_cast<uint64_t>(got);
        return static_cast<size_t>(got);
    }
}

bool ByteSource::Fill() {
    if (begin_ > 0) {
        std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
        end_ -= begin_;
        begin_ = 0;
    }
    const size_t got = ReadFile(buffer_.data() + end_, buffer_.size() - end_);
    end_ += got;
    return got > 0;
}

// To what follows a member; false at the end.
bool ByteSource::NextMember() {
    bool zeros = false;
    for (;;) {
        while (begin_ < end_ && buffer_[begin_] == 0) {
            ++begin_;
            zeros = true;
        }
        if (end_ - begin_ >= sizeof kGzip || !Fill()) break;
    }
    if (!zeros && end_ - begin_ >= sizeof kGzip &&
        std::memcmp(buffer_.data() + begin_, kGzip, sizeof kGzip) == 0) {
        unpacker_->Restart();
        return true;
    }
    if (begin_ < end_) Fail("what stands behind its gzip data is no gzip: left out");
    at_end_ = true;
    return false;
}

size_t ByteSource::Unpack(char* out, size_t bytes) {
    char* at = out;
    char* const out_end = out + bytes;
    while (at != out_end && !at_end_) {
        if (begin_ == end_ && !Fill()) {
            Fail("is cut or damaged: unexpected end of file");
            break;
        }
        unsigned char* from = buffer_.data() + begin_;
        const int code = unpacker_->Step(&from, buffer_.data() + end_, &at, out_end);
        begin_ = static_cast<size_t>(from - buffer_.data());
        if (code == Z_STREAM_END)
            NextMember();
        else if (code != Z_OK && code != Z_BUF_ERROR)
            Fail(std::string("is cut or damaged: ") + unpacker_->error());
    }
    return static_cast<size_t>(at - out);
}

size_t ByteSource::Read(char* out, size_t bytes) {
    if (unpacker_ != nullptr) return Unpack(out, bytes);
    size_t done = std::min(bytes, end_ - begin_);
    std::memcpy(out, buffer_.data() + begin_, done);
    begin_ += done;
    while (done < bytes && !at_end_) {
        const size_t got = ReadFile(out + done, bytes - done);
        if (got == 0) at_end_ = true;
        done += got;
    }
    return done;
}

}  // namespace comshu::format
