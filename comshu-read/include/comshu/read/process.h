// What a capture knows of one process image.
#ifndef COMSHU_READ_PROCESS_H_
#define COMSHU_READ_PROCESS_H_

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "comshu/read/clock_fit.h"
#include "comshu/read/live_reader.h"
#include "comshu/read/stream_reader.h"

namespace comshu::read {

// kCut: its stream ends in the middle of a frame and nothing tells what came after.
enum class ProcessState : uint8_t { kFinished, kExited, kKilled, kRunning, kCut };
const char* StateName(ProcessState state);

struct Thread {
    uint32_t thread = 0;
    uint32_t tid = 0;
    std::string name;
    uint64_t begin = 0;  // Ticks; 0: not known.
    uint64_t end = 0;
    uint64_t recorded = 0;
    uint64_t lost = 0;
};

struct Module {
    uint64_t begin = 0;
    uint64_t end = 0;
    uint64_t load_bias = 0;
    std::string path;
    std::string build_id;
};

struct Note {
    uint64_t tick = 0;
    std::string kind;
    std::string text;
};

// The place of a process in a world of MPI.
struct WorldRank {
    uint64_t world = 0;
    uint64_t parent_world = 0;  // 0: none, or not told.
    std::string parent_job;     // Empty: none, or not told.
    int32_t rank = 0;
    int32_t size = 0;
    int32_t thread_level = 0;
    uint64_t tick = 0;
    std::string job;
    std::string library;
};

// This process's clock beside that of a rank on another host (schema MpiClockSync).
struct ClockSync {
    uint64_t sent = 0;
    uint64_t received = 0;
    uint64_t peer_ticks = 0;  // Of the other clock.
    uint64_t world = 0;
    int32_t peer = 0;
};

constexpr int32_t kNoRank = std::numeric_limits<int32_t>::min();

struct Process {
    uint32_t id = 0;   // Its number in the capture: column process_id.
    std::string path;  // Of the stream; of the .live file where there is no stream.
    std::string pass;  // Name of the folder that the stream lies in.
    std::unique_ptr<StreamReader> stream;  // Null when only a .live file is left.
    std::unique_ptr<LiveReader> live;      // Null when all is in the stream.
    std::string live_path;

    bool described = false;  // The record of the process was found.
    bool imported = false;   // It tells of a trace file of another program.
    uint64_t begin = 0;      // Ticks.
    uint32_t pid = 0;
    uint32_t parent_pid = 0;
    uint64_t start_time = 0;
    uint16_t exec_number = 0;
    uint8_t clock = 0;
    uint64_t ticks_per_second = 0;
    std::string host;
    std::string boot_id;
    std::string executable;
    std::string command;
    std::string working_directory;

    bool ended = false;  // The record of its end was found.
    uint64_t end = 0;
    uint8_t end_reason = 0;
    int32_t exit_code = std::numeric_limits<int32_t>::min();
    uint64_t recorded = 0;
    uint64_t lost = 0;
    uint64_t waited = 0;  // Ticks.
    ProcessState state = ProcessState::kKilled;
    uint64_t last_tick = 0;    // The last time that any of its records names.
    int64_t run_ended_ns = 0;  // When its run ended (capture.json), CLOCK_REALTIME; 0: not known.
    // As comshu run saw it end by a signal or with a code other than 0, in ns from the start of the run.
    std::optional<int64_t> failed_ns;
    int signal = 0;

    std::string chosen_ranks;  // Ranks that were to be recorded, as 0,4-7; empty: all.

    std::vector<WorldRank> worlds;
    int32_t own_rank = kNoRank;  // What the program itself said, without MPI.
    int32_t rank = kNoRank;      // In the capture.

    std::map<uint32_t, Thread> threads;
    std::vector<Module> modules;
    std::vector<Note> notes;

    std::vector<ClockSync> clock_syncs;
    uint32_t clock_id = 0;  // Index into Capture::clocks().
    TickScale scale;        // To ns from the start of the run,
    TickScale host_scale;   // and the same by its host's own clock.
    uint64_t first_thread_id =
        0;  // Added to the thread number of a span id: unique in the capture.

    const core::Schema& schema() const {
        return stream ? stream->schema() : core::Schema::BuiltIn();
    }
    uint64_t CaptureSpanId(uint64_t span) const { return span + (first_thread_id << 40); }
};

}  // namespace comshu::read

#endif  // COMSHU_READ_PROCESS_H_
