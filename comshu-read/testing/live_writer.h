// Writes .live files with chosen content: one slot per thread.
#ifndef COMSHU_READ_TESTING_LIVE_WRITER_H_
#define COMSHU_READ_TESTING_LIVE_WRITER_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "stream_writer.h"

namespace comshu::read::testing {

class LiveWriter {
public:
    // The process must be dead to be packed: the start time is no real one.
    explicit LiveWriter(std::string path, uint32_t pid = 1000, uint64_t start_time = 5)
        : path_(std::move(path)), pid_(pid), start_time_(start_time) {}

    // Chunk `number` (from 1) of the thread's ring of four.
    void AddChunk(uint32_t thread, uint64_t number,
                  const std::function<void(std::vector<std::byte>*)>& append);

    template <typename Record>
    void PushSpan(uint32_t thread, const Record& record) {
        std::vector<std::byte> image;
        AppendRecord(record, &image);
        threads_[thread].stack.push_back(std::move(image));
    }

    template <typename Record>
    void Define(const Record& record) {
        AppendRecord(record, &definitions_);
    }

    // Position of the first definition, and how far the stream has them.
    void SetDefinitionsBegin(uint64_t begin) { definitions_begin_ = begin; }
    void SetLastAlive(uint64_t ticks) { last_alive_ = ticks; }

    std::vector<std::byte> Bytes() const;
    void Write() const;

private:
    struct LiveThread {
        std::map<uint64_t, std::vector<std::byte>> chunks;
        std::vector<std::vector<std::byte>> stack;
    };

    std::string path_;
    uint32_t pid_;
    uint64_t start_time_;
    std::map<uint32_t, LiveThread> threads_;
    std::vector<std::byte> definitions_;
    uint64_t definitions_begin_ = 0;
    uint64_t last_alive_ = 0;
};

}  // namespace comshu::read::testing

#endif  // COMSHU_READ_TESTING_LIVE_WRITER_H_
