// The bytes of a file, mapped read-only.
#ifndef COMSHU_READ_FILE_BYTES_H_
#define COMSHU_READ_FILE_BYTES_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace comshu::read {

// Maps what the file holds at the time of opening; what is appended later is not seen. A file that is
// shortened while it is mapped makes reading fault: streams are only ever appended to or replaced by
// rename, .live files are never shortened.
class FileBytes {
public:
    // Null and a reason in `error` if the file cannot be read.
    static std::unique_ptr<FileBytes> Map(const std::string& path, std::string* error);
    ~FileBytes();
    FileBytes(const FileBytes&) = delete;
    FileBytes& operator=(const FileBytes&) = delete;

    const uint8_t* data() const { return data_; }
    size_t size() const { return size_; }

private:
    FileBytes(const uint8_t* data, size_t size) : data_(data), size_(size) {}

    const uint8_t* data_;
    size_t size_;
};

}  // namespace comshu::read

#endif  // COMSHU_READ_FILE_BYTES_H_
