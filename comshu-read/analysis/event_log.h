// What happened in a window of a run, kept to be read backwards.
#ifndef COMSHU_ANALYSIS_EVENT_LOG_H_
#define COMSHU_ANALYSIS_EVENT_LOG_H_

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "event_order.h"

namespace comshu::analysis {

struct LoggedEvent {
    enum class Type : uint8_t { kEnter, kJoin, kExit };

    Type type = Type::kEnter;
    bool is_inside = true;  // Of an exit: in the window. The call begins there in any case.
    uint32_t lane = 0;
    int64_t time_ns = 0;
    // Of an exit:
    int64_t begin_ns = 0;
    uint32_t kind = 0;
    Release release;
    Ties ties;  // Without the indices of members.
};

// Problem: critical path and slack go from the end of the run to its beginning, and know only then what a
// call depends on, which is worked out from its beginning. Idea: events are put down in a file as they come, in
// about 10 bytes each, block after block, and the blocks are read in reverse. Memory: one block.
class EventLog : public EventVisitor {
public:
    static constexpr size_t kBlockBytes = size_t{1} << 20;

    // The rows outlive this.
    EventLog(const OrderedRows& rows, const Window& window, size_t block_bytes = kBlockBytes);

    void Enter(const CallRow& call, const Ties& ties) override;
    void Join(const CallRow& call, const Ties& ties) override;
    void Exit(const CallRow& call, const Ties& ties, const Release& release) override;

    // Calls `visit(event)` for each, the last first. False: the file failed.
    template <typename Visit>
    bool ForEachBackwards(Visit visit, std::string* error) {
        while (ReadLastBlock()) {
            for (size_t i = read_.size(); i-- > 0;) visit(read_[i]);
        }
        *error = error_;
        return error_.empty();
    }

    // Of a thread, at the end of the window.
    struct LaneEnd {
        bool has_calls = false;  // In the window.
        int64_t last_event_ns = 0;
        int64_t last_end_ns = 0;     // Of its last call, maybe behind the window.
        uint32_t next_kind = kNone;  // Of its first call behind the window.
    };
    const std::vector<LaneEnd>& ends() const { return ends_; }
    const std::vector<Lane>& lanes() const { return lanes_; }
    const Window& window() const { return window_; }

private:
    struct CloseFile {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };
    struct Block {
        uint64_t offset;
        size_t bytes;
    };

    void Put(uint64_t number);
    void PutSigned(int64_t number);
    void PutHead(LoggedEvent::Type type, bool is_inside, bool has_cause, const CallRow& call,
                 int64_t time_ns);
    void PutTies(const Ties& ties);
    uint64_t Get();
    int64_t GetSigned();
    void EndBlock();
    bool ReadLastBlock();
    void Decode();
    void Fail(const char* what);

    const std::vector<Lane>& lanes_;
    Window window_;
    size_t block_bytes_;
    std::string folder_;
    std::vector<LaneEnd> ends_;
    std::vector<uint8_t> buffer_;  // The block that is written, or read.
    size_t at_ = 0;
    int64_t last_ns_ = 0;  // Of the event before, in the block.
    std::vector<Block> blocks_;
    std::unique_ptr<std::FILE, CloseFile> file_;
    std::vector<LoggedEvent> read_;
    bool is_written_ = false;
    std::string error_;
};

}  // namespace comshu::analysis

#endif  // COMSHU_ANALYSIS_EVENT_LOG_H_
