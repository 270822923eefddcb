// Many threads: their numbers, their slots, their ends.
#include <algorithm>
#include <atomic>
#include <filesystem>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "testing/recording.h"

namespace comshu::rec {
namespace {

using schema::UserRegion;

class ThreadsTest : public Recording {
protected:
    Options Threads() const {
        Options options = Tiny();
        options.drain_thread = true;
        options.chunk_bytes = 1024;
        options.chunks = 4;
        options.block_records = 100;
        options.block_ms = 5;
        options.wait_ms = 60'000;
        options.wait_total_ms = 600'000;
        return options;
    }
};

// Every thread numbers its calls from 1; each must be there in order, with sums that agree.
void ExpectSound(const Captured& captured, size_t threads, uint64_t calls) {
    std::map<uint32_t, uint64_t> last;
    for (const CapturedRecord& record : captured.records) {
        if (record.type != schema::RecordTraits<UserRegion>::kType) continue;
        EXPECT_EQ(record.As<UserRegion>().name(), last[record.thread] + 1);
        last[record.thread] = record.As<UserRegion>().name();
        EXPECT_EQ(core::SpanThread(record.As<UserRegion>().head().span()), record.thread);
    }
    EXPECT_EQ(last.size(), threads);
    for (const auto& [thread, number] : last) EXPECT_EQ(number, calls) << "thread " << thread;
    const auto end = captured.All<schema::ProcessEnd>().at(0);
    EXPECT_EQ(end.recorded(), threads * calls);
    EXPECT_EQ(end.lost(), 0u);
    std::set<uint32_t> numbers;
    for (const auto& thread : captured.All<schema::Thread>()) numbers.insert(thread.thread());
    EXPECT_EQ(numbers.size(), threads);
    uint64_t recorded = 0;
    for (const auto& thread : captured.All<schema::ThreadEnd>()) recorded += thread.recorded();
    EXPECT_EQ(recorded, threads * calls);
}

TEST_F(ThreadsTest, SideBySide) {
    ASSERT_TRUE(Start(Threads()));
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t) {
        threads.emplace_back([] {
            for (uint64_t i = 1; i <= 2000; ++i) Call(i);
        });
    }
    for (std::thread& thread : threads) thread.join();
    ExpectSound(EndAndRead(), 8, 2000);
}

TEST_F(ThreadsTest, HundredsTakeTheSlotsOfTheDead) {
    ASSERT_TRUE(Start(Threads()));
    for (int round = 0; round < 100; ++round) {
        std::vector<std::thread> threads;
        for (int t = 0; t < 3; ++t) {
            threads.emplace_back([] {
                for (uint64_t i = 1; i <= 30; ++i) Call(i);
            });
        }
        for (std::thread& thread : threads) thread.join();
    }
    EXPECT_LE(RunningEngine()->live().header()->slots.load(), 8u);
    ExpectSound(EndAndRead(), 300, 30);
}

// Its records may be written, and its slot given away, long after.
TEST_F(ThreadsTest, AThreadEndsWhenItEnds) {
    Options options = Threads();
    options.drain_thread = false;
    ASSERT_TRUE(Start(options));
    Call(1);
    const uint64_t began = ReadTicks();
    std::thread([] { Call(1); }).join();
    const uint64_t joined = ReadTicks();
    const Captured captured = EndAndRead();
    uint64_t ended = 0;
    for (const auto& thread : captured.All<schema::ThreadEnd>()) {
        if (thread.thread() == 1) ended = thread.tick();
    }
    EXPECT_GT(ended, began);
    EXPECT_LE(ended, joined);
}

TEST_F(ThreadsTest, WhereNothingMayBeLostAThreadWithoutASlotEndsRecording) {
    for (const bool before : {true, false}) {
        Options options = Threads();
        options.largest_slots = 1;
        ASSERT_TRUE(Start(options));
        EXPECT_TRUE(Call(1));
        if (before) comshu_engine_keep_all();
        std::thread([] { EXPECT_FALSE(Call(1)); }).join();
        if (!before) comshu_engine_keep_all();
        EXPECT_FALSE(Call(2));
        const Captured captured = EndAndRead();
        std::vector<std::string> kinds;
        for (const auto& note : captured.All<schema::Note>())
            kinds.push_back(captured.text.at(note.kind()));
        EXPECT_NE(std::find(kinds.begin(), kinds.end(), "records_lost"), kinds.end()) << before;
        ResetAfterEnd();
        std::filesystem::remove_all(folder_.path() + "/run");
    }
}

TEST_F(ThreadsTest, AThreadWithoutASlotIsCounted) {
    Options options = Threads();
    options.largest_slots = 1;
    ASSERT_TRUE(Start(options));
    Call(1);
    std::thread([] {
        for (uint64_t i = 1; i <= 10; ++i) EXPECT_FALSE(Call(i));
    }).join();
    const Captured captured = EndAndRead();
    const auto end = captured.All<schema::ProcessEnd>().at(0);
    EXPECT_EQ(end.recorded(), 1u);
    EXPECT_EQ(end.lost(), 10u);
    uint64_t lost = 0;
    for (const auto& thread : captured.All<schema::ThreadEnd>()) lost += thread.lost();
    EXPECT_EQ(lost, 10u);
    EXPECT_EQ(captured.Count<schema::Thread>(), 2u);
    ASSERT_EQ(captured.Count<schema::Note>(), 1u);
    EXPECT_EQ(captured.text.at(captured.All<schema::Note>()[0].kind()), "no_space");
}

pthread_key_t late_key;

TEST_F(ThreadsTest, DestructorsOfOtherKeysMayStillRecord) {
    ASSERT_TRUE(Start(Threads()));
    ASSERT_EQ(pthread_key_create(&late_key, [](void*) { Call(2); }), 0);
    std::thread([] {
        Call(1);
        pthread_setspecific(late_key, &late_key);
    }).join();
    const Captured captured = EndAndRead();
    pthread_key_delete(late_key);
    const auto calls = captured.All<UserRegion>();
    ASSERT_EQ(calls.size(), 2u);
    EXPECT_EQ(calls[0].head().span() + 1, calls[1].head().span()) << "the same thread";
    EXPECT_EQ(captured.Count<schema::Thread>(), 1u);
}

TEST_F(ThreadsTest, AThreadThatIsCancelledLeavesItsCallUnwound) {
    ASSERT_TRUE(Start(Threads()));
    std::atomic<bool> inside{false};
    std::thread thread([&] {
        auto* call = Open<UserRegion>(__builtin_frame_address(0));
        call->mutate_name(1);
        Begin(call);
        inside = true;
        while (true) usleep(1000);
    });
    while (!inside) usleep(1000);
    pthread_cancel(thread.native_handle());
    thread.join();
    const auto calls = EndAndRead().All<UserRegion>();
    ASSERT_EQ(calls.size(), 1u);
    EXPECT_EQ(calls[0].head().flags(), schema::SpanFlags::unwound);
}

TEST_F(ThreadsTest, TheEndDoesNotWaitForThreadsThatRun) {
    ASSERT_TRUE(Start(Threads()));
    std::atomic<uint64_t> issued{0};
    std::atomic<int> begun{0};
    std::atomic<bool> stop{false};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&] {
            for (uint64_t i = 1; !stop; ++i) {
                if (!Call(i)) usleep(100);
                if (i == 1) ++begun;
                ++issued;
            }
        });
    }
    while (issued < 2000 || begun < 4) usleep(100);
    rec::End(kFinished, 0);
    stop = true;
    for (std::thread& thread : threads) thread.join();
    const Captured captured = Read();
    std::map<uint32_t, uint64_t> last;
    size_t open = 0;
    for (const CapturedRecord& record : captured.records) {
        if (record.type != schema::RecordTraits<UserRegion>::kType) continue;
        const auto& call = record.As<UserRegion>();
        EXPECT_EQ(call.name(), last[record.thread] + 1);
        last[record.thread] = call.name();
        open += call.head().end() == 0 ? 1 : 0;
    }
    EXPECT_EQ(last.size(), 4u);
    EXPECT_LE(open, 4u);
    EXPECT_EQ(captured.All<schema::ProcessEnd>().at(0).recorded() + open,
              captured.Count<UserRegion>());
}

TEST_F(ThreadsTest, DefinitionsFromManyThreads) {
    Options options = Threads();
    options.definitions_bytes = 512;  // Smaller than some of them.
    ASSERT_TRUE(Start(options));
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([t] {
            for (int i = 0; i < 200; ++i) {
                const std::string text(static_cast<size_t>(i * 5), static_cast<char>('a' + t));
                const uint64_t id = comshu_engine_intern(0, text.data(), text.size());
                Call(id);
                const std::string common = "common " + std::to_string(i);
                comshu_engine_intern(0, common.data(), common.size());
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    const Captured captured = EndAndRead();
    std::set<uint64_t> defined;
    for (const CapturedRecord& record : captured.records) {
        if (record.type == schema::RecordTraits<schema::Artifact>::kType) {
            EXPECT_TRUE(defined.insert(record.As<schema::Artifact>().id()).second)
                << "stored twice";
        } else if (record.type == schema::RecordTraits<UserRegion>::kType) {
            const uint64_t name = record.As<UserRegion>().name();
            EXPECT_TRUE(name == 0 || defined.count(name) == 1) << "used before it is defined";
        }
    }
    for (int t = 0; t < 4; ++t) {
        for (int i = 1; i < 200; ++i) {
            const std::string text(static_cast<size_t>(i * 5), static_cast<char>('a' + t));
            EXPECT_EQ(captured.text.at(
                          Definitions::Id(schema::ArtifactKind::text, text.data(), text.size())),
                      text);
        }
    }
}

}  // namespace
}  // namespace comshu::rec
