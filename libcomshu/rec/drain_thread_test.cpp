// What a program meets of the thread that drains: its priority, its end, its lock.
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <thread>

#include <sys/resource.h>

#include "testing/recording.h"

namespace comshu::rec {
namespace {

using schema::UserRegion;

std::optional<id_t> FindDrainThread() {
    std::error_code error;
    for (const auto& task : std::filesystem::directory_iterator("/proc/self/task", error)) {
        std::string name;
        std::getline(std::ifstream(task.path() / "comm"), name);
        if (name == "comshu-drain")
            return static_cast<id_t>(std::stoul(task.path().filename().string()));
    }
    return std::nullopt;
}

class DrainThreadTest : public Recording {
protected:
    // Nothing wakes the drain by itself.
    Options Asleep() const {
        Options options = Tiny();
        options.drain_thread = true;
        options.chunks = 16;
        options.block_ms = 3'600'000;
        return options;
    }
    static id_t AwaitDrainThread() {
        while (true) {
            if (const auto found = FindDrainThread()) return *found;
            std::this_thread::yield();
        }
    }
};

TEST_F(DrainThreadTest, HasThePriorityOfItsProgramUntilThereIsWork) {
    ASSERT_TRUE(Start(Asleep()));
    ASSERT_TRUE(Call(1));
    const id_t thread = AwaitDrainThread();
    EXPECT_EQ(getpriority(PRIO_PROCESS, thread), getpriority(PRIO_PROCESS, 0));
    while (getpriority(PRIO_PROCESS, thread) != 19) {
        Call(2);
        std::this_thread::yield();
    }
}

TEST_F(DrainThreadTest, IsGoneWhenRecordingHasEnded) {
    ASSERT_TRUE(Start(Asleep()));
    for (uint64_t i = 1; i <= 3; ++i) ASSERT_TRUE(Call(i));
    AwaitDrainThread();
    EXPECT_EQ(EndAndRead().Count<UserRegion>(), 3u);
    // Ended, but perhaps not yet taken off the list.
    for (int i = 0; i < 60'000 && FindDrainThread(); ++i) usleep(1000);
    EXPECT_FALSE(FindDrainThread());
}

TEST_F(DrainThreadTest, LetsInWhoWaitsAfterTheBlockUnderWay) {
    Options options = Asleep();
    options.drain_thread = false;
    ASSERT_TRUE(Start(options));
    for (uint64_t i = 1; i <= 20; ++i) ASSERT_TRUE(Call(i));
    Drain& drain = RunningEngine()->drain();
    const Slot* slot = SlotOf(comshu_thread);
    drain.lock().Lock();
    std::thread waiting([&] { const Locked locked(&drain.lock()); });
    while (!drain.lock().IsWanted()) std::this_thread::yield();
    drain.Look(SlotOf(comshu_thread), true, Drain::Pace::kHandsOver);
    EXPECT_GT(slot->written, 0u);
    EXPECT_LT(slot->written, 20u);
    drain.Look(SlotOf(comshu_thread), true);
    EXPECT_EQ(slot->written, 20u);
    drain.lock().Unlock();
    waiting.join();
    EXPECT_EQ(EndAndRead().Count<UserRegion>(), 20u);
}

}  // namespace
}  // namespace comshu::rec
