// Bytes of a file, packed by gzip or not, in constant memory.
#ifndef COMSHU_FORMATS_TEXT_BYTE_SOURCE_H_
#define COMSHU_FORMATS_TEXT_BYTE_SOURCE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace comshu::format {

// Bytes of a file as they were before gzip: its members one after the other. What is no gzip behind them is
// left out and told, but for the zeros that some devices fill up with.
class ByteSource {
public:
    ~ByteSource();
    ByteSource(const ByteSource&) = delete;
    ByteSource& operator=(const ByteSource&) = delete;
    // Null and a reason when the file cannot be read. `name`: what errors call it; empty: by its path.
    static std::unique_ptr<ByteSource> Open(const std::string& path, std::string* error,
                                            const std::string& name = "");

    // Fills `bytes` unless the end or a failure comes before: error() tells.
    size_t Read(char* out, size_t bytes);
    const std::string& error() const { return error_; }
    // Bytes of the file behind us, for showing progress.
    uint64_t position() const { return position_; }
    uint64_t file_bytes() const { return file_bytes_; }

private:
    class Unpacker;

    ByteSource();
    // More bytes of the file in the buffer; false at the end.
    bool Fill();
    size_t ReadFile(void* out, size_t bytes);
    size_t Unpack(char* out, size_t bytes);
    bool NextMember();
    void Fail(const std::string& what);

    int fd_ = -1;
    uint64_t position_ = 0;
    uint64_t file_bytes_ = 0;
    std::string name_;
    std::string error_;
    std::vector<unsigned char> buffer_;
    size_t begin_ = 0;  // Of what of the buffer is not taken.
    size_t end_ = 0;
    bool at_end_ = false;  // Nothing comes any more.
    std::unique_ptr<Unpacker> unpacker_;
};

}  // namespace comshu::format

#endif  // COMSHU_FORMATS_TEXT_BYTE_SOURCE_H_
