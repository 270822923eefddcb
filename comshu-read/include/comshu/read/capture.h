// A capture, opened for reading: one or several folders as one.
#ifndef COMSHU_READ_CAPTURE_H_
#define COMSHU_READ_CAPTURE_H_

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "comshu/core/block_decoder.h"
#include "comshu/core/record.h"
#include "comshu/read/artifacts.h"
#include "comshu/read/host_clock.h"
#include "comshu/read/problem.h"
#include "comshu/read/process.h"
#include "comshu/read/record_table.h"

namespace comshu::read {

// One thread's run of records: a frame of a stream, or what waited in a .live file.
struct Block {
    uint32_t process = 0;  // Index into Capture::processes().
    core::FrameHeader header;
    const uint8_t* payload = nullptr;
    // Records of spans that were open when the process ended or was read: their `end` is null.
    bool open_spans = false;

    bool definitions() const { return header.thread == core::kDefinitionsThread; }
};

struct BlockFilter {
    std::optional<int64_t> t0_ns;  // Blocks that end before it are left out,
    std::optional<int64_t> t1_ns;  // and those that begin after it.
    std::vector<int32_t> ranks;    // Empty: all.
};

// A line of the program's source, of an address.
struct SourcePosition {
    uint32_t process = 0;
    uint64_t address = 0;
    std::string file;
    std::string function;
    std::string module;
    uint32_t line = 0;  // 0: not known.
};

// Problem: a run leaves one stream per process image, maybe a .live file beside it, maybe damaged,
// maybe still growing, and readers want one set of tables on one clock. Idea: opening maps every
// stream, walks headers, reads the definitions alone (processes, threads, artifacts, worlds, notes)
// and numbers ranks and span ids for the whole capture; records are decoded block by block when
// asked for. What is damaged costs itself only and is told by problems(). After opening everything
// is read-only but the list of problems, which is locked: safe to share between threads.
// Cost of opening: 128 bytes per block, the definitions, and the rings of .live files.
class Capture {
public:
    // Folders of captures, folders of single passes or stream files. Null and a reason in `error`
    // when a path does not exist or holds no capture.
    // `curves`: makes those of the logical clock, from the capture by the measured one; null: they are taken
    // from the links that are kept beside it, or else the capture is matched for them.
    using CurveMaker = std::function<LogicalCurves(const Capture& capture)>;
    static std::unique_ptr<Capture> Open(const std::vector<std::string>& paths, std::string* error,
                                         ClockChoice clock = ClockChoice::kMeasured,
                                         const CurveMaker& curves = nullptr);

    const std::vector<std::unique_ptr<Process>>& processes() const { return processes_; }
    const Artifacts& artifacts() const { return artifacts_; }
    const std::vector<RecordTable>& tables() const { return tables_; }
    const RecordTable* FindTable(std::string_view name) const;
    const std::vector<SourcePosition>& sources() const { return sources_; }
    const std::vector<std::string>& paths() const { return paths_; }

    // By process, thread and position; definitions and open spans after the rest of a process.
    const std::vector<Block>& blocks() const { return blocks_; }
    bool Passes(const Block& block, const BlockFilter& filter) const;

    // False if the block is damaged: then it is told as a problem, once.
    bool OpenBlock(const Block& block, core::BlockDecoder* decoder) const;

    // Reads all bytes of all blocks, on all cores, so that whatever is damaged is among the problems.
    void CheckBlocks() const;

    // A column of an opened block proved damaged: the block is left out from now on.
    void AddDamagedBlock(const Block& block, const std::string& reason) const;

    // Whether the block may hold records of this name of record type; false is certain.
    bool MayHold(const Block& block, const std::string& record) const;

    // Decoder for the blocks of a process.
    core::BlockDecoder DecoderFor(const Block& block) const;

    // Calls `visit` for every sound block that passes, from `threads` threads at once (0: one per
    // core); `worker` tells them apart. Blocks are handed out in order.
    using Visit =
        std::function<void(size_t worker, const Block& block, core::BlockDecoder& decoder)>;
    void ForEachBlock(const BlockFilter& filter, size_t threads, const Visit& visit) const;

    // The number that stands for a communicator: worlds that share one have numbers of their own for it.
    uint64_t CommNumber(uint64_t comm) const {
        const auto found = comm_numbers_.find(comm);
        return found == comm_numbers_.end() ? comm : found->second;
    }
    bool HasCommNumbers() const { return !comm_numbers_.empty(); }

    // The process that a span of the capture is of, of those with threads.
    const Process* ProcessOfSpan(uint64_t span) const;

    ClockChoice clock_choice() const { return clock_choice_; }
    const std::deque<HostClock>& clocks() const { return clocks_; }
    // As the clocks have them.
    LogicalCurves logical_curves() const;

    // ns of CLOCK_REALTIME at the start of the run, where times count from.
    int64_t start_realtime_ns() const { return start_realtime_ns_; }
    // The largest distance of a calibration pair from the clock it was fitted to.
    double clock_error_ns() const { return clock_error_ns_; }

    // Whether any of its processes runs, as far as can be seen from this host.
    bool IsRunning() const;

    // Time of the last record of a process, or now for one that runs.
    int64_t LastNs(const Process& process) const;
    // Until when it may have stood in a call that never returned: now for one that runs, the end of
    // the run for one that was killed, or, where nobody saw that, when its recorder was last seen
    // alive, else its own end.
    int64_t StoodUntilNs(const Process& process) const;

    // Whether an unknown number of records of the process is missing: its stream is cut, or damaged, as far
    // as its blocks have been opened.
    bool HasGap(const Process& process) const;
    // Files of which nothing could be read: whose they are is not known.
    size_t unreadable_streams() const { return unreadable_streams_; }

    // What is damaged or missing, one line each, with the file's name.
    std::vector<Problem> problems() const;
    void AddProblem(ProblemKind kind, const std::string& text) const;

private:
    friend class CaptureBuilder;
    Capture() = default;
    void CountUnknown(const Block& block, const core::BlockDecoder& decoder) const;

    std::vector<std::string> paths_;
    std::vector<std::unique_ptr<Process>> processes_;
    std::vector<Block> blocks_;
    // Bytes of the blocks that were made of .live files.
    std::vector<std::vector<uint8_t>> live_payloads_;
    Artifacts artifacts_;
    std::vector<RecordTable> tables_;
    std::vector<SourcePosition> sources_;
    std::unordered_map<uint64_t, uint64_t> comm_numbers_;
    ClockChoice clock_choice_ = ClockChoice::kMeasured;
    std::deque<HostClock> clocks_;
    uint64_t given_up_ = 0;  // By the logical clock.
    int64_t start_realtime_ns_ = 0;
    double clock_error_ns_ = 0;
    size_t unreadable_streams_ = 0;

    // Per block: not looked at yet, sound, damaged.
    enum Check : uint8_t { kUnchecked, kSound, kDamaged };
    std::unique_ptr<std::atomic<uint8_t>[]> checks_;
    mutable std::mutex problems_mutex_;
    mutable std::vector<Problem> problems_;
    // Records whose type their stream does not describe, by process and type.
    mutable std::map<std::pair<uint32_t, uint16_t>, uint64_t> unknown_;
};

}  // namespace comshu::read

#endif  // COMSHU_READ_CAPTURE_H_
