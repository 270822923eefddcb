// A copy of what the .live file of a process holds and its stream does not yet.
#ifndef COMSHU_READ_LIVE_READER_H_
#define COMSHU_READ_LIVE_READER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "comshu/core/clock.h"
#include "comshu/core/live_layout.h"

namespace comshu::read {

// Whole records of one thread, as they lay in one chunk of its ring.
struct LiveChunk {
    uint32_t thread = 0;
    uint64_t number = 0;
    std::vector<uint8_t> bytes;
};

// What a slot said of its thread.
struct LiveThread {
    uint32_t thread = 0;
    uint32_t tid = 0;
    core::SlotState state = core::SlotState::kFree;
    uint64_t recorded = 0;
    uint64_t lost = 0;
    // The chunk in use when the open spans were copied: what has ended since lies in it or behind it.
    uint64_t chunk = 0;
    // Records of the open spans (prefix and struct), outermost first.
    std::vector<std::vector<uint8_t>> open_spans;
};

// Problem: the file belongs to a process that may be running, so everything changes while it is
// read. Idea: settle first up to which chunk a thread is read; copy each piece, then look again at the
// number that says whose it was; what changed meanwhile has gone to the stream, so the stream must be
// mapped *after* this copy and what both hold be dropped by its position (thread, chunk, offset). The
// two together then hold all that a thread has recorded up to some moment. Assumes nothing of the
// file's content: a torn or damaged one gives less, never a crash. Cost: the size of the rings in use.
class LiveReader {
public:
    // Null and a reason in `error` if this is not a .live file that this build reads.
    static std::unique_ptr<LiveReader> Open(const std::string& path, std::string* error);

    // Reads a file's bytes in memory; they are only used inside the call.
    static std::unique_ptr<LiveReader> Copy(const uint8_t* data, size_t bytes, std::string* error);

    uint32_t pid() const { return pid_; }
    uint64_t start_time() const { return start_time_; }
    uint64_t ticks_per_second() const { return ticks_per_second_; }
    const core::Calibration& calibration() const { return calibration_; }
    // Ticks when the process was last seen alive; 0: not told.
    uint64_t last_alive() const { return last_alive_; }
    bool ended() const { return ended_; }
    uint64_t unslotted_lost() const { return unslotted_lost_; }
    uint64_t write_lost() const { return write_lost_; }

    // By thread and number, ascending.
    const std::vector<LiveChunk>& chunks() const { return chunks_; }
    const std::vector<LiveThread>& threads() const { return threads_; }

    // Definitions from this position (since the region's start) on.
    uint64_t definitions_begin() const { return definitions_begin_; }
    const std::vector<uint8_t>& definitions() const { return definitions_; }

private:
    class StackRooms;

    void CopyDefinitions(const core::LiveHeader& header, const uint8_t* region);
    bool CopyThread(const core::LiveHeader& header, const core::ThreadSlot& slot,
                    const uint8_t* ring, const StackRooms& stack);

    uint32_t pid_ = 0;
    uint64_t start_time_ = 0;
    uint64_t ticks_per_second_ = 0;
    core::Calibration calibration_;
    uint64_t last_alive_ = 0;
    bool ended_ = false;
    uint64_t unslotted_lost_ = 0;
    uint64_t write_lost_ = 0;
    std::vector<LiveChunk> chunks_;
    std::vector<LiveThread> threads_;
    uint64_t definitions_begin_ = 0;
    std::vector<uint8_t> definitions_;
};

}  // namespace comshu::read

#endif  // COMSHU_READ_LIVE_READER_H_
