// What the recorder can be told. A program under test gets it from the environment; tests set it
// directly, with limits so small that every edge is crossed.
#ifndef COMSHU_REC_OPTIONS_H_
#define COMSHU_REC_OPTIONS_H_

#include <cstdint>

namespace comshu::rec {

// What a thread does whose ring is full.
enum class OnFull : uint32_t {
    kWait = 0,  // Waits for the drain, within limits; then loses.
    kDrop = 1,  // Loses what is new.
    kNewest =
        2,  // Overwrites what is oldest: the ring is written when the run ends (or on a flush).
};

// How the drain writes when a thread is about to outrun it.
enum class Writing : uint32_t {
    kFaster = 0,  // By what the last chunks took.
    kEncoded = 1,
    kRaw = 2,
};

// For tests on one machine: this rank plays a host of its own, whose clock is wrong.
struct OtherHost {
    bool is_played = false;
    uint32_t number = 0;   // Part of what stands for its boot id.
    int64_t shift_ns = 0;  // How far its clock is ahead of ours when this machine booted,
    double drift_ppb = 0;  // and how much further from then on, in ns per second.
};

// Plain data: no allocation, so that it can be filled before anything else of the engine exists.
struct Options {
    char folder[3072] = {};  // COMSHU_DIR. Empty: nothing is recorded.
    char pass[64] = "run";   // COMSHU_PASS
    char host[72] = {};      // Empty: gethostname().
    // Where .live files go; empty: chosen by file system. COMSHU_LIVE_DIR
    char live_folder[1024] = {};
    char drain_cpus[256] = {};  // COMSHU_DRAIN_CPUS, as "0,2-5". Empty: chosen.

    // A ring is chunks x chunk_bytes (COMSHU_RING_KIB, divided by kChunks); one call with all that
    // belongs to it must fit in a chunk.
    uint32_t chunk_bytes = 128 * 1024;
    uint32_t chunks = 8;
    uint32_t definitions_bytes = 256 * 1024;
    uint32_t largest_slots = 1u << 16;  // Threads that may hold a ring at a time.

    uint32_t block_records = 16384;
    uint32_t block_ms = 1000;
    Writing writing = Writing::kFaster;

    OnFull on_full = OnFull::kWait;  // COMSHU_ON_FULL = wait | drop | newest; COMSHU_WINDOW
    uint64_t keep_ns = 0;         // Of kNewest: what ended earlier need not be kept; 0: no limit.
    uint64_t largest_stream = 0;  // Bytes after which recording stops; 0: no limit. COMSHU_MAX_SIZE
    uint32_t wait_ms = 100;       // At most this at a time,
    uint32_t wait_total_ms = 5000;  // and per thread at most this in all
    uint32_t wait_percent = 2;      // or this share of the run so far, whichever is more.

    uint32_t stacks = 0;        // COMSHU_STACKS: calls of a stack that are recorded; 0: no stacks.
    bool start_paused = false;  // COMSHU_START = on | paused
    bool rank_unknown = false;  // COMSHU_RANKS says which ranks, and nothing says which this is.
    bool monotonic = false;     // Ticks are CLOCK_MONOTONIC even if the counter is constant.
                                // COMSHU_CLOCK = monotonic
    OtherHost other_host;
    bool drain_thread = true;  // False: only Flush() and the end write.
};

Options OptionsFromEnvironment();
// COMSHU_TEST_HOSTS = RANK:SHIFT_NS:DRIFT_PPB,...
OtherHost OtherHostFromEnvironment();

// Starts recording in this process with these options, without waiting for a first traced call.
// False: it cannot, or it is on already.
bool Start(const Options& options);

// Writes all that is published.
void Flush();

// The orderly end: writes everything, removes the .live file, recording is off. `reason` as
// schema::EndReason. Called by the engine itself when the process ends.
void End(uint8_t reason, int32_t exit_code);

// For tests that record several times in one process: forgets the end, so that Start works again.
// No other thread may be recording.
void ResetAfterEnd();

}  // namespace comshu::rec

#endif  // COMSHU_REC_OPTIONS_H_
