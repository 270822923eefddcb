// Times, imbalance and intervals of programs whose times are chosen.
#include <bit>
#include <string>
#include <vector>

#include "openmp/openmp_program.h"

namespace comshu::read {
namespace {

TEST_F(OpenmpViews, TimesOfARegion) {
    WriteSharedLoop();
    Read();
    EXPECT_EQ(Rows("SELECT source, calls, time_ns, round(share, 6), serial_before_ns, threads, "
                   "work_max_ns, work_min_ns, imbalance_ns, barrier_wait_ns, end_wait_ns, "
                   "critical_wait_ns, critical_hold_ns FROM dbg_region"),
              std::vector<std::string>{"a.f90:5 1 900 0.818182 100 2 690 430 260 380 210 50 50"});
}

TEST_F(OpenmpViews, ImbalanceOfALoop) {
    WriteSharedLoop();
    Read();
    EXPECT_EQ(Rows("SELECT source, schedule, calls, threads, work_max_ns, work_min_ns, "
                   "work_avg_ns, imbalance_ns, round(imbalance, 6), iterations, chunks, "
                   "chunk_histogram FROM dbg_loop"),
              std::vector<std::string>{"a.f90:6 DYNAMIC 1 2 670 400 535 270 0.252336 8 4 "
                                       "[{'iterations': 2, 'chunks': 4}]"});
    EXPECT_EQ(Rows("SELECT thread, work_ns, iterations FROM dbg_thread WHERE kind = 'loop' "
                   "ORDER BY thread"),
              (std::vector<std::string>{"0 400 4", "1 670 4"}));
    // Where none is told.
    EXPECT_EQ(Rows("SELECT count(*), count(iterations), count(chunks) FROM dbg_thread "
                   "WHERE kind = 'parallel'"),
              std::vector<std::string>{"2 0 0"});
    EXPECT_EQ(Rows("SELECT thread, iterations, chunks FROM dbg_chunk ORDER BY thread"),
              (std::vector<std::string>{"0 2 2", "1 2 2"}));
}

// The same iterations on one thread, under schedules that cut them differently.
TEST_F(OpenmpViews, ChunksOfSchedules) {
    OpenmpProgram program(folder_);
    int64_t ns = 0;
    const auto loop = [&](uint64_t construct, const std::string& schedule, int32_t chunk) {
        program.Construct(construct, OmpConstructKind::omploop, static_cast<uint32_t>(construct),
                          "1*type=omploop*" + schedule + "line2=9**");
        program.Loop(0, ns, construct, 12, chunk);
        program.Iterations(0, ns + 1, {1, 2, 3, 4, 5, 9, 10});
        program.Close(0, ns += 10);
    };
    loop(20, "schedule=STATIC*chunk_size=2*", 2);
    loop(21, "schedule=STATIC*", kNoInt);
    loop(22, "schedule=DYNAMIC*chunk_size=3*", 3);
    loop(23, "schedule=DYNAMIC*", kNoInt);
    loop(24, "schedule=GUIDED*chunk_size=2*", 2);
    loop(25, "", kNoInt);
    program.End(ns);
    Read();
    EXPECT_EQ(
        Rows("SELECT source, iterations, chunks, chunk_histogram FROM dbg_loop ORDER BY "
             "source"),
        (std::vector<std::string>{
            "a.f90:20 7 4 [{'iterations': 1, 'chunks': 1}, {'iterations': 2, 'chunks': 3}]",
            "a.f90:21 7 2 [{'iterations': 2, 'chunks': 1}, {'iterations': 5, 'chunks': 1}]",
            "a.f90:22 7 4 [{'iterations': 1, 'chunks': 2}, {'iterations': 2, 'chunks': 1}, "
            "{'iterations': 3, 'chunks': 1}]",
            "a.f90:23 7 7 [{'iterations': 1, 'chunks': 7}]",
            "a.f90:24 7 2 [{'iterations': 2, 'chunks': 1}, {'iterations': 5, 'chunks': 1}]",
            "a.f90:25 7 2 [{'iterations': 2, 'chunks': 1}, {'iterations': 5, 'chunks': 1}]"}));
}

// Twice 300 of one thread and 100 of the other, in turn: even in the sum.
TEST_F(OpenmpViews, ImbalanceOfSingleExecutions) {
    OpenmpProgram program(folder_);
    program.Construct(10, OmpConstructKind::parallel, 5);
    program.Construct(20, OmpConstructKind::omploop, 6);
    program.Region(0, 0, 10, 1);
    for (uint32_t thread = 0; thread < 2; ++thread) {
        program.Task(thread, 0, 10, 1);
        for (uint32_t turn = 0; turn < 2; ++turn) {
            const int64_t begin = turn * 400, work = thread == turn ? 300 : 100;
            program.Loop(thread, begin, 20, 8, kNoInt);
            program.Wait(thread, begin + work, begin + 300, 20, OmpFunction::implicit_barrier_wait);
            program.Close(thread, begin + 300);
        }
        program.Close(thread, 800);
    }
    program.Close(0, 800);
    program.End(800);
    Read();
    EXPECT_EQ(Rows("SELECT work_max_ns, imbalance_ns, execution_imbalance_ns, "
                   "execution_imbalance FROM dbg_loop"),
              std::vector<std::string>{"400 0 400 0.5"});
    EXPECT_EQ(Rows("SELECT imbalance_ns, execution_imbalance_ns FROM dbg_region"),
              std::vector<std::string>{"0 0"});
}

TEST_F(OpenmpViews, ValuesOfAccesses) {
    OpenmpProgram program(folder_);
    program.Construct(1, OmpConstructKind::file_name, 9);
    program.Variable(41, 1);
    program.Variable(42, 2);
    program.Variable(43, 3);
    program.Variable(44, 4);
    program.Variable(45, 5);
    program.Variable(46, 6);
    program.Variable(40, 0);
    program.Access(1, 41, uint32_t(-5), 0, 4);
    program.Access(2, 42, uint64_t(-7'000'000'000), 0, 8);
    program.Access(3, 43, std::bit_cast<uint32_t>(-1.5f), 0, 4);
    program.Access(4, 44, std::bit_cast<uint64_t>(0.1), 0, 8);
    program.Access(5, 44, std::bit_cast<uint64_t>(5e-324), 0, 8);
    program.Access(6, 44, std::bit_cast<uint64_t>(-1e308 * 10), 0, 8);
    program.Access(7, 44, std::bit_cast<uint64_t>(1.7976931348623157e308), 0, 8);
    program.Access(8, 43, std::bit_cast<uint32_t>(1.17549435e-38f / 4), 0, 4);
    program.Access(9, 45,
                   std::bit_cast<uint32_t>(2.0f) | uint64_t{std::bit_cast<uint32_t>(-3.25f)} << 32,
                   0, 8);
    program.Access(10, 46, std::bit_cast<uint64_t>(0.0), std::bit_cast<uint64_t>(1e-3), 16);
    program.Access(11, 40, 77, 0, 40, schema::OmpValueKind::hash);
    program.Access(12, 44, 0, 0, 8, schema::OmpValueKind::none);
    program.End(1000);
    Read();
    const auto values = [&](int64_t ns) {
        return Rows(
                   "SELECT coalesce(integer_value::VARCHAR, '-'), "
                   "coalesce(real_value::VARCHAR, '-'), "
                   "coalesce(imaginary_value::VARCHAR, '-') FROM dbg_access WHERE time_ns = " +
                   std::to_string(ns))
            .at(0);
    };
    EXPECT_EQ(values(1), "-5 - -");
    EXPECT_EQ(values(2), "-7000000000 - -");
    EXPECT_EQ(values(3), "- -1.5 -");
    EXPECT_EQ(values(4), "- 0.1 -");
    EXPECT_EQ(values(5), "- 5e-324 -");
    EXPECT_EQ(values(6), "- -inf -");
    EXPECT_EQ(values(7), "- 1.7976931348623157e+308 -");
    EXPECT_EQ(Rows("SELECT real_value = 1.17549435082228751e-38::DOUBLE / 4 FROM dbg_access "
                   "WHERE time_ns = 8"),
              std::vector<std::string>{"true"});
    EXPECT_EQ(values(9), "- 2.0 -3.25");
    EXPECT_EQ(values(10), "- 0.0 0.001");
    EXPECT_EQ(values(11), "- - -");
    EXPECT_EQ(values(12), "- - -");
    EXPECT_EQ(Rows("SELECT source, kind, address, bytes, value, value_kind, variable, construct "
                   "FROM dbg_access WHERE time_ns >= 11 ORDER BY time_ns"),
              (std::vector<std::string>{"a.f90:9 write end 4096 40 77 hash 40 1",
                                        "a.f90:9 write end 4096 8  none 44 1"}));
}

TEST_F(OpenmpViews, TheCharacteristicsOfIntervals) {
    WriteSharedLoop();
    Read();
    EXPECT_EQ(
        Rows("SELECT * EXCLUDE (efficiency, rank, process_id, construct, interval_number), "
             "round(efficiency, 6) "
             "FROM dbg_interval"),
        (std::vector<std::string>{
            "1 1 0 900 380 1660 2 50 0 210 260 690 430 560 1800 570 1230 140 true 5 a.f90 0 "
            "0.683333",
            "0 1 0 1100 380 1860 2 50 0 210 0 1860 1860 1860 2200 770 1430 340 false 0 MAIN -1 "
            "0.65"}));
    EXPECT_EQ(Rows("SELECT \"calls count\", \"execution time\", \"used threads\", \"in parallel\", "
                   "\"begin line\", \"parent id\" FROM dbg_interval_csv"),
              (std::vector<std::string>{"1 0.000001 2 1 5 0", "1 0.000001 2 0 0 -1"}));
}

// Intervals of the program's own: around a region, and inside of one on two threads.
TEST_F(OpenmpViews, IntervalsMakeATree) {
    OpenmpProgram program(folder_);
    program.Construct(10, OmpConstructKind::parallel, 5);
    program.Construct(40, OmpConstructKind::interval, 3);
    program.Construct(41, OmpConstructKind::interval, 6);
    program.Construct(50, OmpConstructKind::io, 4);
    program.Interval(0, 0, 40);
    for (int64_t i = 0; i < 2; ++i) {
        const int64_t t = i * 1000;
        program.Block(0, t + 10, t + 30, 50, OmpFunction::io);
        program.Region(0, t + 100, 10, static_cast<uint64_t>(i) + 1);
        program.Task(0, t + 100, 10, static_cast<uint64_t>(i) + 1);
        program.Interval(0, t + 200, 41);
        program.Close(0, t + 300);
        program.Close(0, t + 500);
        program.Close(0, t + 500);
        program.Task(1, t + 100, 10, static_cast<uint64_t>(i) + 1);
        program.Interval(1, t + 250, 41);
        program.Wait(1, t + 300, t + 340, 10, OmpFunction::critical_wait);
        program.Close(1, t + 450);
        program.Close(1, t + 500);
    }
    program.Close(0, 2000);
    program.End(2000);
    Read();
    EXPECT_EQ(Rows("SELECT id, parent_id, begin_line, calls_count, io_time_ns, execution_time_ns, "
                   "used_time_ns, used_threads, idle_critical_time_ns, in_parallel, "
                   "load_imbalance_time_ns FROM dbg_interval"),
              (std::vector<std::string>{
                  "3 2 6 4 0 500 600 2 80 true 120", "2 1 5 2 0 800 1600 2 80 true 80",
                  "1 0 3 1 40 2000 2800 2 80 false 0", "0 -1 0 1 40 2000 2800 2 80 false 0"}));
}

// Iterations are told by levels that tell no implicit barriers.
TEST_F(OpenmpViews, BarriersThatNobodyTellsAreNull) {
    OpenmpProgram program(folder_);
    program.Construct(10, OmpConstructKind::parallel, 5);
    program.Construct(20, OmpConstructKind::omploop, 6, "1*type=omploop*line2=9**");
    program.Construct(21, OmpConstructKind::omploop, 7, "1*type=omploop*nowait=1*line2=9**");
    program.Construct(22, OmpConstructKind::omploop, 5, "1*type=omploop*line2=9**");
    program.Construct(23, OmpConstructKind::sections, 8, "1*type=sections*line2=9**");
    program.Construct(24, OmpConstructKind::omploop, 10, "1*type=omploop*line2=12**");
    program.Region(0, 0, 10, 1);
    program.Task(0, 0, 10, 1);
    for (uint64_t loop = 20; loop < 23; ++loop) {
        program.Loop(0, 0, loop, 2, kNoInt);
        if (loop == 20) program.Iterations(0, 1, {1, 2});
        program.Close(0, 10);
    }
    program.Block(0, 10, 20, 23, OmpFunction::sections);
    program.Loop(0, 20, 24, 2, kNoInt);
    program.Wait(0, 25, 30, 24, OmpFunction::implicit_barrier_wait);
    program.Close(0, 30);
    program.Close(0, 30);
    program.Close(0, 30);
    program.End(30);
    Read();
    EXPECT_EQ(Rows("SELECT source, coalesce(barrier_wait_ns, -1) FROM dbg_loop ORDER BY construct"),
              (std::vector<std::string>{"a.f90:6 -1", "a.f90:7 0", "a.f90:5 0", "a.f90:8 -1",
                                        "a.f90:10 5"}));
}

// Tasks run while threads wait: in a barrier, in TASKWAIT, and behind their parts of the region, where those
// of the member are in no span.
TEST_F(OpenmpViews, TasksInsideOfWaitsAreNoWaiting) {
    OpenmpProgram program(folder_);
    program.Construct(10, OmpConstructKind::parallel, 5);
    program.Construct(20, OmpConstructKind::barrier, 6);
    program.Construct(21, OmpConstructKind::taskwait, 7);
    program.Construct(22, OmpConstructKind::task, 8);
    program.Construct(30, OmpConstructKind::critical, 9);
    const auto wait = [&](uint32_t thread, uint64_t construct, OmpFunction function, int64_t begin,
                          int64_t task_end, int64_t end) {
        program.Open(thread, begin, schema::OmpWait({}, 0, construct, function));
        program.Block(thread, begin, task_end, 22, OmpFunction::task);
        program.Close(thread, end);
    };
    program.Region(0, 0, 10, 1);
    program.Task(0, 0, 10, 1);
    wait(0, 20, OmpFunction::barrier_wait, 100, 280, 300);
    wait(0, 21, OmpFunction::taskwait_wait, 300, 400, 400);
    program.Close(0, 500);
    wait(0, 10, OmpFunction::implicit_barrier_wait, 500, 970, 1000);
    program.Close(0, 1000);
    program.Task(1, 0, 10, 1);
    wait(1, 20, OmpFunction::barrier_wait, 150, 290, 300);
    program.Close(1, 400);
    program.Open(1, 400, schema::OmpBlock({}, 0, 22, 0, OmpFunction::task));
    program.Wait(1, 500, 550, 30, OmpFunction::critical_wait);
    program.Close(1, 940);
    program.End(1000);
    Read();
    EXPECT_EQ(Rows("SELECT begin_line, used_threads, used_time_ns, idle_barrier_time_ns, "
                   "idle_critical_time_ns, idle_parallel_ns, thread_prod_max_ns, "
                   "thread_prod_min_ns, lost_time_ns, efficiency FROM dbg_interval WHERE id = 1"),
              std::vector<std::string>{"5 2 1940 30 50 90 950 880 140 0.93"});
    EXPECT_EQ(Rows("SELECT work_max_ns, work_min_ns, barrier_wait_ns, end_wait_ns, "
                   "critical_wait_ns, execution_imbalance_ns FROM dbg_region"),
              std::vector<std::string>{"950 880 30 90 50 70"});
    EXPECT_EQ(Rows("SELECT thread, name, begin_ns, wait_ns FROM wait_state "
                   "WHERE kind = 'OpenMP wait' ORDER BY thread, begin_ns"),
              (std::vector<std::string>{"0 barrier 100 20", "0 implicit barrier 500 30",
                                        "1 barrier 150 10", "1 implicit barrier 400 60",
                                        "1 critical 500 50"}));
    // However many tasks there are, none is compared with all parts of regions.
    std::string plan;
    for (const std::string& row : Rows("EXPLAIN SELECT count(*) FROM span")) plan += row;
    EXPECT_NE(plan.find("ASOF_JOIN"), plan.npos);
    EXPECT_EQ(plan.find("NESTED_LOOP_JOIN"), plan.npos);
}

// A loop and a barrier in a region whose source was left alone.
TEST_F(OpenmpViews, WorkOfARegionThatWasNotTold) {
    OpenmpProgram program(folder_);
    program.Construct(1, OmpConstructKind::function, 1);
    program.Construct(20, OmpConstructKind::omploop, 6, "1*type=omploop*line2=9**");
    program.Construct(21, OmpConstructKind::barrier, 9);
    program.Procedure(0, 0, 1);
    program.Loop(0, 100, 20, 2, kNoInt);
    program.Wait(0, 300, 600, 21, OmpFunction::implicit_barrier_wait);
    program.Close(0, 600);
    program.Close(0, 1000);
    program.Loop(1, 100, 20, 2, kNoInt);
    program.Wait(1, 590, 600, 21, OmpFunction::implicit_barrier_wait);
    program.Close(1, 600);
    program.Wait(1, 600, 1000, 21, OmpFunction::barrier_wait);
    program.End(1000);
    Read();
    EXPECT_EQ(Rows("SELECT calls, threads, work_max_ns, work_min_ns, imbalance_ns, "
                   "execution_imbalance IS NULL FROM dbg_loop"),
              std::vector<std::string>{"1 2 490 200 290 true"});
    EXPECT_EQ(Rows("SELECT used_threads, execution_time_ns, used_time_ns, idle_barrier_time_ns, "
                   "productive_time_ns, insufficient_parallelism_ns, efficiency, "
                   "thread_prod_max_ns, thread_prod_min_ns, load_imbalance_time_ns "
                   "FROM dbg_interval"),
              std::vector<std::string>{"2 1000 1900 710 1190 100 0.595 700 490 210"});
}

// Nine iterations on two threads. Where the program works out the chunks, a runtime tells the first of each
// thread, whole even if the loop ends inside of it; else all, the last as it is.
TEST_F(OpenmpViews, ChunksOfStaticSchedules) {
    OpenmpProgram program(folder_);
    program.Construct(10, OmpConstructKind::parallel, 5);
    program.Region(0, 0, 10, 1);
    const auto loop = [&](uint32_t thread, uint64_t construct,
                          const std::vector<std::pair<int64_t, uint64_t>>& chunks) {
        program.StaticLoop(thread, 0, construct, 9);
        for (const auto& [first, iterations] : chunks) program.Chunk(thread, 1, first, iterations);
        program.Close(thread, 10);
    };
    for (const uint32_t thread : {0, 1}) {
        const bool is_first = thread == 0;
        program.Task(thread, 0, 10, 1);
        loop(thread, 21, {{is_first ? 0 : 2, 2}});                 // static,2
        loop(thread, 22, {{is_first ? 0 : 5, is_first ? 5 : 4}});  // static
        loop(thread, 23, {{is_first ? 0 : 8, 8}});                 // static,8
        if (is_first) {                                            // runtime: static,4
            loop(thread, 24, {{0, 4}, {8, 1}});
        } else {
            loop(thread, 24, {{4, 4}});
        }
        program.Close(thread, 100);
    }
    program.Close(0, 100);
    program.End(100);
    Read();
    EXPECT_EQ(
        Rows("SELECT construct, thread, iterations, chunks FROM dbg_chunk ORDER BY ALL"),
        (std::vector<std::string>{"21 0 1 1", "21 0 2 2", "21 1 2 2", "22 0 5 1", "22 1 4 1",
                                  "23 0 8 1", "23 1 1 1", "24 0 1 1", "24 0 4 1", "24 1 4 1"}));
    EXPECT_EQ(Rows("SELECT DISTINCT iterations FROM dbg_loop"), std::vector<std::string>{"9"});
}

// Threads are numbered as they come; the second here is number 2 of the team. The fourth is in a team inside
// of a team alone.
TEST_F(OpenmpViews, NumbersOfThreadsInTheOutermostTeam) {
    OpenmpProgram program(folder_);
    program.Construct(10, OmpConstructKind::parallel, 5);
    program.Construct(11, OmpConstructKind::parallel, 6);
    program.Region(0, 0, 10, 1);
    program.Member(0, 0, 10, 1, 0, 3);
    program.Member(1, 0, 10, 1, 2, 3);
    program.Member(2, 0, 10, 1, 1, 3);
    program.Region(1, 10, 11, 2);
    program.Member(1, 10, 11, 2, 0, 2);
    program.Member(3, 10, 11, 2, 1, 2);
    for (const uint32_t thread : {1, 1, 3, 2, 1, 0, 0}) program.Close(thread, 100);
    program.End(100);
    Read();
    EXPECT_EQ(Rows("SELECT DISTINCT thread, coalesce(omp_thread::VARCHAR, '-') FROM dbg_thread "
                   "ORDER BY thread"),
              (std::vector<std::string>{"0 0", "1 2", "2 1", "3 -"}));
}

TEST_F(OpenmpViews, IntervalsHaveTheirNumbers) {
    OpenmpProgram program(folder_);
    program.Construct(40, OmpConstructKind::interval, 3);
    for (int64_t i = 0; i < 3; ++i) {
        program.Interval(0, i * 100, 40, 7 + i % 2);
        program.Close(0, i * 100 + 50);
    }
    program.End(300);
    Read();
    EXPECT_EQ(Rows("SELECT id, coalesce(interval_number::VARCHAR, '-'), calls_count, "
                   "execution_time_ns FROM dbg_interval"),
              (std::vector<std::string>{"2 8 1 50", "1 7 2 100", "0 - 1 250"}));
    EXPECT_EQ(Rows("SELECT count(*) FROM (DESCRIBE dbg_interval_csv)"),
              std::vector<std::string>{"23"});
}

// Rows of one process cannot be told from those of another by the peers' columns.
TEST_F(OpenmpViews, IntervalsOfSeveralProcessesSayWhose) {
    for (const char* name : {"node0.1000.0.cst", "node0.1001.0.cst"}) {
        OpenmpProgram program(folder_, name);
        program.Construct(1, OmpConstructKind::function, 1);
        program.Procedure(0, 0, 1);
        program.Close(0, 100);
        program.End(100);
    }
    Read();
    EXPECT_EQ(Rows("SELECT \"file name\", \"process id\" FROM dbg_interval_csv"),
              (std::vector<std::string>{"MAIN 0", "MAIN 1"}));
}

TEST_F(OpenmpViews, WaitsOfMembersAreInSpan) {
    WriteSharedLoop();
    Read();
    EXPECT_EQ(Rows("SELECT thread, name, source, begin_ns, duration_ns FROM span "
                   "WHERE category = 'wait' ORDER BY thread, begin_ns"),
              (std::vector<std::string>{
                  "0 implicit barrier a.f90:9 520 360", "0 implicit barrier a.f90:5 900 100",
                  "1 critical a.f90:7 200 50", "1 implicit barrier a.f90:9 860 20",
                  "1 implicit barrier a.f90:5 890 110"}));
}

}  // namespace
}  // namespace comshu::read
