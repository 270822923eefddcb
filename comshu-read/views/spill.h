// Records put down in files, by part.
#ifndef COMSHU_READ_VIEWS_SPILL_H_
#define COMSHU_READ_VIEWS_SPILL_H_

#include <cstdint>
#include <map>
#include <string>
#include <type_traits>
#include <vector>

namespace comshu::read {

// Each part has a file, which is opened only to append what has gathered or to be read: there may be
// many parts. A failure is kept until the end of what is done: what is added after it is dropped.
// Files are removed when they are read, or with the folder.
class SpillFiles {
public:
    // Files `folder`/`name`.<part>; the folder is there.
    SpillFiles(std::string folder, std::string name)
        : folder_(std::move(folder)), name_(std::move(name)) {}

    void Add(uint32_t part, const void* record, size_t bytes);
    // Calls `visit` for every record of the part, in the order in which they were added.
    template <typename Record, typename Visit>
    void Take(uint32_t part, Visit visit) {
        static_assert(std::is_trivially_copyable_v<Record>);
        std::vector<Record> records(kReadBytes / sizeof(Record) + 1);
        Open(part);
        for (size_t count; (count = Read(records.data(), sizeof(Record), records.size())) != 0;) {
            for (size_t i = 0; i < count; ++i) visit(records[i]);
        }
        Close(part);
    }

    // Empty: nothing failed.
    const std::string& error() const { return error_; }

private:
    static constexpr size_t kBufferBytes = size_t{64} << 10;
    static constexpr size_t kReadBytes = size_t{1} << 20;

    std::string PathOf(uint32_t part) const;
    void Write(uint32_t part, std::vector<uint8_t>* buffer);
    void Open(uint32_t part);
    size_t Read(void* records, size_t record_bytes, size_t count);
    void Close(uint32_t part);
    void Fail(const std::string& path);

    std::string folder_;
    std::string name_;
    std::map<uint32_t, std::vector<uint8_t>> buffers_;
    int file_ = -1;  // That is being read.
    std::string error_;
};

}  // namespace comshu::read

#endif  // COMSHU_READ_VIEWS_SPILL_H_
