// Members of teams that are other threads each time.
#include <string>
#include <vector>

#include "openmp/openmp_program.h"

namespace comshu::read {
namespace {

// Both threads of a region start one of three inside, twice, with new threads each time.
TEST_F(OpenmpViews, RegionsInsideOfRegions) {
    OpenmpProgram program(folder_);
    program.Construct(10, OmpConstructKind::parallel, 5);
    program.Construct(11, OmpConstructKind::parallel, 6);
    uint64_t region = 0;
    uint32_t fresh = 2;
    for (int64_t t = 0; t < 2000; t += 1000) {
        const uint64_t outer = ++region;
        program.Region(0, t, 10, outer);
        for (uint32_t starter = 0; starter < 2; ++starter) {
            program.Task(starter, t, 10, outer);
            const uint64_t inner = ++region;
            program.Region(starter, t + 100, 11, inner);
            program.Member(starter, t + 100, 11, inner, 0, 3);
            program.Close(starter, t + 900);
            // One after the other: a team has its threads all the same.
            for (int64_t member = 0; member < 2; ++member) {
                program.Member(fresh, t + 100 + member * 400, 11, inner,
                               static_cast<uint32_t>(member) + 1, 3);
                program.Close(fresh++, t + 500 + member * 400);
            }
            program.Close(starter, t + 900);
            program.Close(starter, t + 1000);
        }
        program.Close(0, t + 1000);
    }
    program.End(2000);
    Read();
    EXPECT_EQ(Rows("SELECT begin_line, calls_count, used_threads, execution_time_ns, used_time_ns, "
                   "total_time_ns, lost_time_ns, round(efficiency, 6) FROM dbg_interval"),
              (std::vector<std::string>{"6 4 6 1600 6400 9600 3200 0.666667",
                                        "5 2 6 2000 7200 12000 4800 0.6",
                                        "0 1 6 2000 7200 12000 4800 0.6"}));
}

// Both threads of a region start one of two inside, three times, with a new thread each time: whoever
// starts it works 100 ns, the other 300.
TEST_F(OpenmpViews, NewThreadsInTheSamePlaceAreOneMember) {
    OpenmpProgram program(folder_);
    program.Construct(10, OmpConstructKind::parallel, 5);
    program.Construct(11, OmpConstructKind::parallel, 6);
    program.Construct(20, OmpConstructKind::omploop, 7);
    uint64_t region = 1;
    uint32_t fresh = 2;
    program.Region(0, 0, 10, 1);
    const auto work = [&](uint32_t thread, int64_t t, int64_t ns) {
        program.Loop(thread, t, 20, 2, kNoInt);
        program.Wait(thread, t + ns, t + 300, 20, OmpFunction::implicit_barrier_wait);
        program.Close(thread, t + 300);
        program.Close(thread, t + 300);
    };
    for (uint32_t starter = 0; starter < 2; ++starter) {
        program.Task(starter, 0, 10, 1);
        for (int64_t t = 0; t < 1200; t += 400) {
            program.Region(starter, t, 11, ++region);
            program.Member(starter, t, 11, region, 0, 2);
            work(starter, t, 100);
            program.Close(starter, t + 300);
            program.Member(fresh, t, 11, region, 1, 2);
            work(fresh++, t, 300);
        }
        program.Close(starter, 1200);
    }
    program.Close(0, 1200);
    program.End(1200);
    Read();
    const std::string what =
        " calls, threads, work_max_ns, work_min_ns, work_avg_ns, imbalance_ns, imbalance, "
        "execution_imbalance_ns, execution_imbalance, per_thread ";
    const std::string inner =
        " 6 2 1800 600 1200 1200 0.5 1200 0.5 "
        "[{'thread': 0, 'work_ns': 600}, {'thread': 1, 'work_ns': 1800}]";
    EXPECT_EQ(Rows("SELECT source," + what + "FROM dbg_region WHERE source = 'a.f90:6'"),
              std::vector<std::string>{"a.f90:6" + inner});
    EXPECT_EQ(Rows("SELECT source," + what + "FROM dbg_loop"),
              std::vector<std::string>{"a.f90:7" + inner});
    EXPECT_EQ(Rows("SELECT round(share, 6) FROM dbg_loop"), std::vector<std::string>{"1.5"});
    EXPECT_EQ(Rows("SELECT count(*), sum(work_ns) FROM dbg_thread WHERE kind = 'loop'"),
              std::vector<std::string>{"8 2400"});
    EXPECT_EQ(Rows("SELECT begin_line, calls_count, used_threads, used_time_ns, "
                   "load_imbalance_time_ns, thread_prod_max_ns, thread_prod_min_ns, "
                   "thread_prod_avg_ns FROM dbg_interval WHERE id = 2"),
              std::vector<std::string>{"6 6 4 3600 1200 900 300 600"});
}

// A region of two members, whose second works three times as long, then of four that work alike.
TEST_F(OpenmpViews, TeamsOfDifferentSizesAreLookedAtApart) {
    OpenmpProgram program(folder_);
    program.Construct(10, OmpConstructKind::parallel, 5);
    program.Construct(20, OmpConstructKind::omploop, 6);
    const auto member = [&](uint32_t thread, int64_t t, uint64_t region, uint32_t size,
                            int64_t ns) {
        program.Member(thread, t, 10, region, thread, size);
        program.Loop(thread, t, 20, 4, kNoInt);
        program.Close(thread, t + ns);
        program.Close(thread, t + ns);
    };
    program.Region(0, 0, 10, 1);
    member(0, 0, 1, 2, 100);
    program.Close(0, 300);
    member(1, 0, 1, 2, 300);
    program.Region(0, 300, 10, 2);
    for (uint32_t thread = 0; thread < 4; ++thread) member(thread, 300, 2, 4, 200);
    program.Close(0, 500);
    program.End(500);
    Read();
    const std::string what =
        "SELECT calls, threads, work_max_ns, work_min_ns, work_avg_ns, imbalance_ns, imbalance, "
        "execution_imbalance_ns, execution_imbalance FROM ";
    EXPECT_EQ(Rows(what + "dbg_region"),
              std::vector<std::string>{"2 4 500 300 400 200 0.25 200 0.25"});
    EXPECT_EQ(Rows(what + "dbg_loop"),
              std::vector<std::string>{"2 4 500 300 400 200 0.25 200 0.25"});
}

// A region of two that starts itself once more inside, on its first member.
TEST_F(OpenmpViews, ARegionInsideOfItselfIsItsOwnTeam) {
    OpenmpProgram program(folder_);
    program.Construct(10, OmpConstructKind::parallel, 5);
    program.Region(0, 0, 10, 1);
    program.Member(0, 0, 10, 1, 0, 2);
    program.Region(0, 100, 10, 2);
    program.Member(0, 100, 10, 2, 0, 2);
    program.Wait(0, 150, 200, 10, OmpFunction::critical_wait);
    program.Close(0, 200);
    program.Close(0, 200);
    program.Close(0, 300);
    program.Close(0, 300);
    program.Member(1, 0, 10, 1, 1, 2);
    program.Close(1, 200);
    program.Member(2, 100, 10, 2, 1, 2);
    program.Close(2, 200);
    program.End(300);
    Read();
    // Outer: 250 and 200; inner: 50 and 100.
    EXPECT_EQ(Rows("SELECT calls, threads, thread_time_ns, critical_wait_ns, work_max_ns, "
                   "work_min_ns, imbalance_ns, execution_imbalance_ns FROM dbg_region"),
              std::vector<std::string>{"2 2 600 50 350 250 100 100"});
    EXPECT_EQ(Rows("SELECT thread, time_ns, work_ns FROM dbg_thread ORDER BY thread"),
              (std::vector<std::string>{"0 300 250", "1 200 200", "2 100 100"}));
}

}  // namespace
}  // namespace comshu::read
