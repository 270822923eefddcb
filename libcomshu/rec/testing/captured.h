// What a capture holds, for tests of the recorder: every frame of every stream and, where a .live
// file is left, what only that has.
#ifndef COMSHU_REC_TESTING_CAPTURED_H_
#define COMSHU_REC_TESTING_CAPTURED_H_

#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "comshu/core/frame.h"
#include "comshu/core/layout.h"
#include "comshu/schema/record_traits.h"

namespace comshu::rec {

struct CapturedRecord {
    uint16_t type = 0;
    uint32_t thread = 0;
    std::vector<std::byte> bytes;  // The struct, and the content of an artifact behind it.

    template <typename Record>
    const Record& As() const {
        return *reinterpret_cast<const Record*>(bytes.data());
    }
};

struct Captured {
    std::vector<core::FrameHeader> frames;
    std::vector<CapturedRecord> records;     // In the order of the stream, then of the live file.
    std::vector<CapturedRecord> open_calls;  // Span stacks of the live file.
    std::map<uint64_t, std::string> text;    // Artifacts of any kind, by id.
    std::vector<std::string> problems;       // Empty: everything was sound.
    bool has_live = false;
    uint64_t live_lost = 0;

    template <typename Record>
    std::vector<Record> All() const {
        std::vector<Record> out;
        for (const CapturedRecord& record : records) {
            if (record.type == schema::RecordTraits<Record>::kType)
                out.push_back(record.As<Record>());
        }
        return out;
    }
    template <typename Record>
    size_t Count() const {
        return All<Record>().size();
    }
};

// Reads one stream (`path`.cst without the ending) and its live file.
Captured ReadCapture(const std::string& path);

// Paths (without .cst) of all streams in a folder.
std::vector<std::string> FindStreams(const std::string& folder);

// A folder of its own for one test, removed at the end.
class TestFolder {
public:
    explicit TestFolder(const char* under = nullptr);
    ~TestFolder();
    const std::string& path() const { return path_; }

private:
    std::string path_;
};

}  // namespace comshu::rec

#endif  // COMSHU_REC_TESTING_CAPTURED_H_
