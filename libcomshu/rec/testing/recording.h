// What tests of the recorder share: tiny limits, calls with numbers, one capture per test.
#ifndef COMSHU_REC_TESTING_RECORDING_H_
#define COMSHU_REC_TESTING_RECORDING_H_

#include <cstdio>

#include <gtest/gtest.h>

#include "captured.h"
#include "comshu/rec/engine.h"
#include "comshu/rec/options.h"
#include "comshu/rec/thread_state.h"
#include "engine_impl.h"
#include "process.h"

namespace comshu::rec {

constexpr auto kFinished = static_cast<uint8_t>(schema::EndReason::finished);

constexpr uint32_t kCallBytes = core::RecordBytes(sizeof(schema::UserRegion));
constexpr uint32_t kGapBytes = core::RecordBytes(sizeof(schema::Gap));
constexpr uint32_t kSmallestChunk = 256;  // Holds four calls, or a gap and three.
static_assert((kSmallestChunk - sizeof(core::ChunkHeader)) / kCallBytes >= 3);

// One call with a number of its own, so that the test knows what must be there; its frame is its own
// as well. True: recorded.
[[gnu::noinline]] inline bool Call(uint64_t number, uint64_t inner = 0) {
    auto* call = Open<schema::UserRegion>(__builtin_frame_address(0));
    if (call == nullptr) return false;
    call->mutate_name(number);
    Begin(call);
    if (inner != 0) Instant(schema::Counter(schema::EventHead(), inner, 1.5));
    Stop(call);
    return End(call);
}

// Keeps everybody from writing to the stream.
class HeldDrain {
public:
    HeldDrain() { RunningEngine()->drain().lock().Lock(); }
    ~HeldDrain() { RunningEngine()->drain().lock().Unlock(); }
};

// Records in this process; nothing is written but at Flush and at the end, unless a test says so.
class Recording : public testing::Test {
protected:
    Options Tiny() const {
        Options options;
        std::snprintf(options.folder, sizeof options.folder, "%s", folder_.path().c_str());
        options.drain_thread = false;
        options.chunk_bytes = kSmallestChunk;
        options.chunks = 2;
        options.block_records = 3;
        return options;
    }
    void TearDown() override {
        rec::End(kFinished, 0);
        ResetAfterEnd();
    }
    // The stream of this process.
    Captured Read() const {
        const auto streams = FindStreams(folder_.path() + "/run");
        EXPECT_EQ(streams.size(), 1u);
        Captured captured = ReadCapture(streams.at(0));
        EXPECT_TRUE(captured.problems.empty()) << captured.problems.at(0);
        return captured;
    }
    Captured EndAndRead(int32_t exit_code = 0) {
        rec::End(kFinished, exit_code);
        return Read();
    }
    TestFolder folder_;
};

}  // namespace comshu::rec

#endif  // COMSHU_REC_TESTING_RECORDING_H_
