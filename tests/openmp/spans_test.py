"""Spans of instrumented programs: which there are, where they lie, that each waiting time is told once."""

import re
import shutil
import subprocess

from harness import COMMAND, MPIS, OpenmpTest, ROOT, main

COUNTS = "SELECT name, category, count(*) FROM span WHERE layer = 'openmp' GROUP BY ALL ORDER BY ALL"

CONSTRUCTS = """program constructs
  implicit none
  integer :: i, s
  s = 0
  !$omp parallel num_threads(3) reduction(+:s)
  !$omp do schedule(static, 2)
  do i = 1, 12
     s = s + i
  end do
  !$omp end do
  !$omp barrier
  !$omp single
  s = s + 1
  !$omp end single
  !$omp critical (lock)
  s = s + 1
  !$omp end critical (lock)
  !$omp sections
  !$omp section
  s = s + 1
  !$omp section
  s = s + 1
  !$omp end sections nowait
  !$omp master
  s = s + 1
  !$omp end master
  !$omp end parallel
  call last(s)
contains
  subroutine last(n)
    integer, intent(in) :: n
    if (n < 0) stop 1
  end subroutine last
end program constructs
"""

NESTED = """program nested
  implicit none
  integer :: n, k
  n = 0
  do k = 1, 3
     !$omp parallel num_threads(2) reduction(+:n)
     !$omp parallel num_threads(2) reduction(+:n)
     n = n + 1
     !$omp end parallel
     !$omp end parallel
  end do
  if (n /= 12) stop 1
end program nested
"""

TASKS = """program tasks
  implicit none
  integer :: i, n
  n = 0
  !$omp parallel num_threads(2)
  !$omp single
  do i = 1, 5
     !$omp task untied shared(n)
     !$omp atomic
     n = n + 1
     !$omp end task
  end do
  !$omp taskwait
  !$omp end single
  !$omp end parallel
  if (n /= 5) stop 1
end program tasks
"""

HYBRID = """program hybrid
  use mpi
  implicit none
  integer :: i, s, error, provided
  call mpi_init_thread(MPI_THREAD_FUNNELED, provided, error)
  s = 0
  !$omp parallel do reduction(+:s) num_threads(2)
  do i = 1, 100
     s = s + i
  end do
  !$omp end parallel do
  !$omp parallel num_threads(2)
  !$omp master
  call mpi_barrier(MPI_COMM_WORLD, error)
  !$omp end master
  !$omp end parallel
  call mpi_finalize(error)
end program hybrid
"""

# Regions of the program's own: opened here, and by a procedure for its caller.
REGIONS = """program regions
  use comshu
  implicit none
  integer :: i, s
  s = 0
  call comshu_region_begin('outer')
  do i = 1, 10
     s = s + i
  end do
  call opened('inner')
  call work()
  call comshu_region_end('inner')
  call work()
  call comshu_region_end('outer')
  call comshu_region_begin('last')
  call closed('last')
  if (s /= 58) stop 1
contains
  subroutine closed(name)
    character(*), intent(in) :: name
    call work()
    call comshu_region_end(name)
  end subroutine closed
  subroutine opened(name)
    character(*), intent(in) :: name
    call comshu_region_begin(name)
  end subroutine opened
  subroutine work()
    s = s + 1
  end subroutine work
end program regions
"""

# 20, 18 and 20 iterations of loops made one, 4 of a loop that others are tied to, none.
COLLAPSED = """program collapsed
  implicit none
  integer :: i, j, k, n, t(8, 8)
  integer(8) :: s
  n = 3
  s = 0
  t = 0
  !$omp parallel num_threads(2) default(none) shared(n, t) private(i, j, k) reduction(+:s)
  !$omp do collapse(2) schedule(static, 3)
  do i = 1, n + 1
     do j = 10, 2, -2
        s = s + i * j
     end do
  end do
  !$omp do collapse(3) schedule(dynamic, 4)
  do i = 1, 2
     do j = 0, n - 1
        do k = 1, 5, 2
           s = s + k
        end do
     end do
  end do
  !$omp do collapse(2) schedule(guided, 2)
  do i = -1, 2
     do j = 1, 5
        s = s + 1
     end do
  end do
  !$omp do ordered(2) schedule(static, 1)
  do i = 2, 5
     do j = 2, 7
        !$omp ordered depend(sink: i - 1, j)
        t(i, j) = t(i - 1, j) + 1
        !$omp ordered depend(source)
     end do
  end do
  !$omp do collapse(2) schedule(static, 3)
  do i = 1, 5
     do j = n, 1
        s = s + 1
     end do
  end do
  !$omp end parallel
  if (s /= 374 .or. t(5, 7) /= 4) stop 1
end program collapsed
"""

STOP = """program stopping
  implicit none
  !$omp parallel num_threads(2)
  !$omp critical
  stop 3
  !$omp end critical
  !$omp end parallel
end program stopping
"""

# One thread stops the program while the others are at work, and wait for room where every access is told.
STOP_AT_WORK = """program at_work
  implicit none
  integer :: i, k, s
  real :: a(1000)
  a = 0
  s = 0
  !$omp parallel num_threads(4) private(i, k)
  do k = 1, 200
     !$omp do
     do i = 1, 1000
        a(i) = a(i) + i
     end do
     !$omp end do nowait
     !$omp critical
     s = s + 1
     if (s == 301) stop 3
     !$omp end critical
  end do
  !$omp end parallel
end program at_work
"""

# Entries from threads of the program's own; DBG_Finalize from all of them meanwhile, at the end, or never.
FINALIZE = """#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>
void DBG_Init(int64_t*), DBG_Finalize(void), DBG_Get_Handle(int64_t*, const char*, int64_t);
void DBG_BeforeOMPLoop(int64_t*, int64_t*, int64_t*, int64_t*, int64_t*, int*), DBG_AfterOMPLoop(int64_t*, int64_t*);
void DBG_OMPIter(int64_t*, int64_t*, int64_t*), DBG_WriteVarEnd(int64_t*, int64_t*, void*, int64_t*);
enum { kThreads = 6 };
static int64_t loop, variable, place, last = 2000;
static int finalizes;
static pthread_barrier_t together;
static void* Work(void* number) {
    int64_t id = -1, one = 1, i;
    int chunk = -1;
    double x = 0;
    pthread_barrier_wait(&together);
    DBG_BeforeOMPLoop(&loop, &id, &one, &last, &one, &chunk);
    for (i = 1; i <= last; ++i) {
        DBG_OMPIter(&loop, &id, &i);
        DBG_WriteVarEnd(&place, &id, &x, &variable);
        if (finalizes && i % 100 == (intptr_t)number) DBG_Finalize();
    }
    DBG_AfterOMPLoop(&loop, &id);
    if (finalizes) DBG_Finalize();
    return 0;
}
static void Register(int64_t* handle, const char* text) { DBG_Get_Handle(handle, text, strlen(text)); }
int main(int argc, char** argv) {
    pthread_t threads[kThreads];
    int64_t id = -1;
    finalizes = argc == 1;
    DBG_Init(&id);
    Register(&loop, "40*type=omploop*file=a.f*line1=5*line2=9**");
    Register(&variable, "49*type=var_name*file=a.f*line1=2*name1=x*vtype=4**");
    Register(&place, "34*type=file_name*file=a.f*line1=6**");
    pthread_barrier_init(&together, 0, kThreads);
    for (intptr_t i = 0; i < kThreads; ++i) pthread_create(threads + i, 0, Work, (void*)i);
    for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], 0);
    if (argc > 2) _exit(0);
    return 0;
}
"""

NOT_ENDED = "SELECT count(*) FROM span WHERE unwound OR end_ns IS NULL"
NOT_INSIDE = "SELECT count(*) FROM span s JOIN span p ON p.span_id = s.parent_id WHERE s.begin_ns < p.begin_ns OR " \
             "s.end_ns > p.end_ns"


class Spans(OpenmpTest):
    def test_constructs(self):
        program = self.build("constructs", CONSTRUCTS)
        plain = self.execute(program)
        self.assertEqual(self.record(program, "c").stdout, plain.stdout)
        self.assertEqual(self.query("c", COUNTS), [
            ("barrier", "wait", "3"), ("call last", "function", "1"),
            ("critical", "critical", "3"), ("critical", "wait", "3"),
            ("implicit barrier", "wait", "9"),  # of DO and SINGLE, and at the end of the region
            ("implicit task", "region", "3"), ("last", "function", "1"), ("loop", "loop", "3"),
            ("master", "master", "1"), ("parallel", "region", "1"), ("section", "sections", "2"),
            ("sections", "sections", "3"), ("single", "single", "3"), ("single body", "single", "1")])
        # The directive's line; of a barrier that a construct brings, the line of its END.
        self.assertEqual(self.query("c", "SELECT DISTINCT name, parse_filename(source) FROM span WHERE layer = 'openmp' AND "
                                         "name NOT IN ('section', 'call last', 'last') ORDER BY ALL"), [
            ("barrier", "constructs.f90:11"), ("critical", "constructs.f90:15"),
            ("implicit barrier", "constructs.f90:10"), ("implicit barrier", "constructs.f90:14"),
            ("implicit barrier", "constructs.f90:5"), ("implicit task", "constructs.f90:5"),
            ("loop", "constructs.f90:6"), ("master", "constructs.f90:24"), ("parallel", "constructs.f90:5"),
            ("sections", "constructs.f90:18"), ("single", "constructs.f90:12"),
            ("single body", "constructs.f90:12")])
        # One process, three threads, each with a number of its own in the team, all in one region.
        self.assertEqual(self.query("c", "SELECT count(DISTINCT thread), min(thread_num), max(thread_num), "
                                         "count(DISTINCT region), min(team_size) FROM omp_implicit_task"),
                         [("3", "0", "2", "1", "3")])
        self.assertEqual(self.query("c", "SELECT first, last, step, chunk, requested, condition, team_size FROM omp_loop, "
                                         "omp_region"), [("1", "12", "1", "2", "3", "", "3")] * 3)
        self.assertEqual(self.numbers(
            "c",
            # Waits of a thread do not overlap, and none outlasts the region.
            """SELECT count(*) FROM span a JOIN span b ON a.thread = b.thread AND a.category = 'wait' AND
               b.category = 'wait' AND a.span_id < b.span_id AND a.begin_ns < b.end_ns AND b.begin_ns < a.end_ns""",
            """SELECT count(*) FROM span w, span r WHERE w.category = 'wait' AND r.name = 'parallel' AND
               (w.end_ns > r.end_ns OR w.begin_ns < r.begin_ns)""",
            # What is inside of a thread's part of the region has it as an ancestor.
            """SELECT count(*) FROM span s LEFT JOIN span p ON p.span_id = s.parent_id WHERE s.name IN
               ('loop', 'barrier', 'sections', 'single', 'master', 'critical') AND
               p.name IS DISTINCT FROM 'implicit task'""",
            NOT_ENDED), [0, 0, 0, 0])
        self.execute(COMMAND, "read", "c")
        self.check_windows("c")

    def check_windows(self, folder):
        begin, end, all_waits, whole = self.query(folder, """SELECT any_value(begin_ns) FILTER (name = 'parallel'),
            any_value(end_ns) FILTER (name = 'parallel'), count(*) FILTER (category = 'wait'), count(*) FROM span""")[0]
        self.assertEqual(self.numbers(
            folder, "SELECT count(*) FROM span(NULL, NULL)",
            f"SELECT count(*) FROM span({begin}, {end}) WHERE category = 'wait'",
            f"SELECT count(*) FROM span({end} + 1, NULL) WHERE category = 'wait'",
            f"SELECT count(*) FROM span(NULL, {begin}) WHERE category = 'wait'"), [int(whole), int(all_waits), 0, 0])

    def test_levels(self):
        """At a level that tells no ends inside of constructs the spans are the same, but for barriers."""
        program = self.build("constructs", CONSTRUCTS, "-d2")
        self.record(program, "d2")
        self.assertEqual(self.number("d2", NOT_ENDED), 0)
        counts = {(name, category): int(n) for name, category, n in self.query("d2", COUNTS)}
        self.assertEqual(counts["implicit barrier", "wait"], 3)
        self.assertEqual(counts["section", "sections"], 2)
        self.assertEqual(counts["critical", "critical"], 3)
        self.assertEqual(counts["single body", "single"], 1)
        # Each iteration of the loop, on the thread that its schedule gives it.
        self.assertEqual(self.query("d2", """SELECT t.thread_num, list(i.index ORDER BY i.index) FROM omp_iteration i
            JOIN omp_implicit_task t ON t.thread = i.thread GROUP BY ALL ORDER BY ALL"""),
                         [("0", "[1, 2, 7, 8]"), ("1", "[3, 4, 9, 10]"), ("2", "[5, 6, 11, 12]")])

    def test_collapsed_loops(self):
        """Iterations and chunks of loops that COLLAPSE makes one are counted by their numbers, from 0."""
        self.record(self.build("collapsed", COLLAPSED, "-d2"), "c")
        self.assertEqual(self.query("c", "SELECT DISTINCT line, first, last, step FROM omp_loop JOIN omp_construct USING "
                                         "(construct) ORDER BY line"),
                         [("9", "0", "19", "1"), ("15", "0", "17", "1"), ("23", "0", "19", "1"), ("29", "2", "5", "1"),
                          ("37", "0", "-1", "1")])
        self.assertEqual(self.query("c", "SELECT regexp_extract(source, ':(\\d+)$', 1)::INT AS line, iterations, chunks, "
                                         "chunk_histogram FROM dbg_loop WHERE schedule <> 'GUIDED' ORDER BY line"), [
            ("9", "20", "7", "[{'iterations': 2, 'chunks': 1}, {'iterations': 3, 'chunks': 6}]"),
            ("15", "18", "5", "[{'iterations': 2, 'chunks': 1}, {'iterations': 4, 'chunks': 4}]"),
            ("29", "4", "4", "[{'iterations': 1, 'chunks': 4}]"), ("37", "", "", "")])
        self.assertEqual(self.query("c", "SELECT iterations FROM dbg_loop WHERE schedule = 'GUIDED'"), [("20",)])
        self.assertEqual(self.query("c", "SELECT line, list(index ORDER BY index) = range(count(*)::BIGINT) FROM "
                                         "omp_iteration i JOIN omp_loop l ON l.span_id = i.span_id JOIN omp_construct c "
                                         "ON c.construct = l.construct WHERE line <> 29 GROUP BY line ORDER BY line"),
                         [("9", "true"), ("15", "true"), ("23", "true")])

    def test_regions_of_the_program(self):
        """What a program tells of itself is no call to be seen, and its regions last as long as it says."""
        program = self.build("regions", REGIONS, "-d2",
                             compiler=("gfortran", "-fopenmp", ROOT / "include" / "comshu" / "comshu.f90"))
        self.execute(COMMAND, "run", "-p", "openmp,user", "-o", "r", "--", program)
        self.assertEqual(self.query("r", "SELECT s.name, coalesce(p.name, '-'), s.unwound FROM span s LEFT JOIN span p ON "
                                         "p.span_id = s.parent_id ORDER BY s.begin_ns"), [
            ("outer", "-", "false"), ("sequential loop", "outer", "false"), ("call opened", "outer", "false"),
            ("opened", "call opened", "false"), ("inner", "outer", "false"), ("call work", "inner", "false"),
            ("work", "call work", "false"), ("call work", "outer", "false"), ("work", "call work", "false"),
            ("last", "-", "false"), ("call closed", "-", "false"), ("closed", "call closed", "false"),
            ("call work", "closed", "false"), ("work", "call work", "false")])
        between = "SELECT count(*) FROM span a JOIN span b ON a.name = '{}' AND b.name = '{}' AND a.end_ns {} b.begin_ns"
        self.assertEqual(self.numbers("r", NOT_INSIDE, between.format("call opened", "inner", ">"),
                                      between.format("last", "call closed", "=")), [0, 0, 1])

    def test_procedures_without_an_end(self):
        """Level 1 tells that a procedure began: a point, not a span that stays open."""
        calls = "program p\n  integer :: i\n  do i = 1, 100\n     call one()\n     call two()\n  end do\ncontains\n" \
                "  subroutine one()\n  end subroutine one\n  subroutine two()\n    real :: a(1000)\n    a = 1\n" \
                "    call one()\n  end subroutine two\nend program p\n"
        done = self.record(self.build("points", calls, "-d1"), "d1")
        self.assertIn("note: sources instrumented at -d1 tell where procedures begin (table omp_point)", done.stderr)
        self.assertEqual(self.query("d1", "SELECT count(*) FROM span"), [("0",)])
        self.assertEqual(self.query("d1", "SELECT c.name, count(*) FROM omp_point JOIN omp_construct c USING (construct) "
                                          "GROUP BY ALL ORDER BY ALL"), [("one", "200"), ("two", "100")])

    def test_deep_recursion(self):
        """However deep calls nest: each is there, inside of the one that made it."""
        calls = "program p\n  call down(20000)\ncontains\n  recursive subroutine down(n)\n    integer, intent(in) :: n\n" \
                "    if (n > 0) call down(n - 1)\n  end subroutine down\nend program p\n"
        for level in ("-d2", "-d3"):
            self.record(self.build("deep" + level, calls, level), "r" + level)
            self.assertEqual(self.numbers("r" + level, "SELECT count(*) FROM span", "SELECT sum(lost) FROM rank",
                                          NOT_ENDED, NOT_INSIDE, "SELECT count(DISTINCT parent_id) FROM span"),
                             [40002, 0, 0, 0, 40001])

    def test_data(self):
        program = self.build("constructs", CONSTRUCTS, "-d3")
        self.record(program, "d3")
        self.assertEqual(self.query("d3", """SELECT c.name, a.kind, count(*) FROM omp_access a JOIN omp_construct c ON
            c.construct = a.variable WHERE c.name = 's' AND a.construct IN (SELECT construct FROM omp_construct
            WHERE line = 8) GROUP BY ALL ORDER BY ALL"""), [("s", "0", "12"), ("s", "1", "12"), ("s", "2", "12")])

    def test_data_is_kept_whole(self):
        """A ring that is much too small: threads wait for it."""
        text = "program many\n  integer :: i, s\n  s = 0\n  do i = 1, 50000\n     s = s + i\n  end do\n" \
               "  if (s == 0) stop 1\nend program many\n"
        self.record(self.build("many", text, "-d3"), "m", "--ring", "64")
        self.assertEqual(self.query("m", "SELECT sum(lost) FROM rank"), [("0",)])
        self.assertEqual(self.query("m", """SELECT a.kind, count(*) FROM omp_access a JOIN omp_construct c ON
            c.construct = a.variable WHERE c.name = 's' AND a.construct IN (SELECT construct FROM omp_construct
            WHERE line = 5) GROUP BY ALL ORDER BY ALL"""), [("0", "50000"), ("1", "50000"), ("2", "50000")])

    def test_data_that_cannot_be_kept(self):
        """The disk is full: recording ends for good, the program does not notice, and the capture says it."""
        text = "program many\n  integer :: i, s\n  s = 0\n  do i = 1, 200000\n     s = s + i\n  end do\n" \
               "  print *, s /= 0\nend program many\n"
        program = self.build("many", text, "-d3")
        fails = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=writev", "-e",
                 "inject=writev:error=ENOSPC:when=3+"]
        if not shutil.which("strace") or subprocess.run([*fails, program], check=False, capture_output=True).returncode:
            self.skipTest("strace cannot make writes fail here")
        done = self.record(program, "f", launcher=fails)
        self.assertEqual(done.stdout.split(), ["T"])
        self.assertIn("checks of data on this capture are void", done.stderr)
        recorded, lost = self.query("f", "SELECT sum(recorded), sum(lost) FROM rank")[0]
        self.assertLess(int(recorded), 800_000)
        self.assertEqual(lost, "1")

    def test_documented_scheme(self):
        """Code that asks for its handles, as the original instrumentor's does; regions are intervals there."""
        (self.work / "doc.f90").write_text(CONSTRUCTS)
        self.execute(COMMAND, "instrument", "doc.f90", "-o", "doc.dbg.f90", "--dbg-includes", ".")
        library = COMMAND.parent.parent / "lib" / "comshu"
        self.execute("gfortran", "-fopenmp", "doc.dbg.f90", f"-L{library}", "-lcomshu_dbg", f"-Wl,-rpath,{library}",
                     "-o", "doc")
        self.record(self.work / "doc", "d")
        counts = {(name, category): int(n) for name, category, n in self.query("d", COUNTS)}
        self.assertEqual(counts["parallel", "region"], 1)
        self.assertEqual(counts["implicit barrier", "wait"], 9)
        self.assertEqual(counts["interval", "other"], 1)
        self.assertEqual(self.query("d", "SELECT DISTINCT source FROM span WHERE name = 'loop'"), [("doc.f90:6",)])
        self.assertEqual(self.query("d", "SELECT begin_line, calls_count, used_threads, parent_id FROM dbg_interval"),
                         [("5", "1", "3", "0"), ("0", "1", "3", "-1")])

    def test_nested(self):
        program = self.build("nested", NESTED)
        self.record(program, "n")
        self.assertEqual(self.numbers("n", "SELECT count(*) FROM omp_region", "SELECT count(DISTINCT region) FROM "
                                           "omp_region", "SELECT count(*) FROM span WHERE name = 'implicit barrier'"),
                         [9, 9, 18])
        # Two members in each region, one of them whoever started it.
        self.assertEqual(self.query("n", """SELECT count(*), count(DISTINCT t.thread),
            count(*) FILTER (t.thread = r.thread) FROM omp_implicit_task t JOIN omp_region r USING (region)
            GROUP BY region"""), [("2", "2", "1")] * 9)
        # However many threads libgomp makes for the inner ones.
        self.assertEqual(self.query("n", "SELECT calls, threads, len(per_thread) FROM dbg_region ORDER BY calls"),
                         [("3", "2", "2"), ("6", "2", "2")])

    def test_tasks(self):
        program = self.build("tasks", TASKS)
        self.record(program, "t")
        counts = {(name, category): int(n) for name, category, n in self.query("t", COUNTS)}
        self.assertEqual(counts["task", "task"], 5)
        self.assertEqual(counts["task create", "task"], 5)
        self.assertEqual(counts["atomic", "critical"], 5)
        self.assertEqual(counts["taskwait", "wait"], 1)
        self.assertEqual(self.number("t", NOT_ENDED), 0)

    def test_a_stop_inside(self):
        program = self.build("stopping", STOP)
        self.execute(program, code=3)
        self.execute(COMMAND, "run", "-p", "openmp", "-o", "s", "--", program, code=3)
        self.assertEqual(self.numbers("s", "SELECT count(*) FROM span WHERE name = 'critical' AND category = 'wait' AND "
                                           "end_ns IS NOT NULL", "SELECT sum(lost) FROM rank"), [1, 0])
        self.assertRegex(self.execute(COMMAND, "read", "s").stdout, r"rank 0 .* critical; exit code 3 .* stopping.f90:4\n")
        section = " ".join(self.execute(COMMAND, "read", "s", "--section", "openmp").stdout.split())
        self.assertRegex(section, r"A region had not ended \(first: \S*stopping.f90:3\): what was open there counts up to")

    def test_a_stop_while_others_are_at_work(self):
        program = self.build("at_work", STOP_AT_WORK, "-d3")
        self.execute(COMMAND, "run", "-p", "openmp", "-o", "w", "--", program, code=3)
        # Whoever stops told all; of the others each is somewhere in the region, and nothing is missing around what they
        # told.
        self.assertEqual(self.numbers("w", "SELECT count(*) FROM omp_region", "SELECT count(*) FROM span WHERE parent_id NOT "
                                           "IN (SELECT span_id FROM span)", "SELECT count(*) FROM span WHERE name = "
                                           "'critical' AND category = 'critical'", "SELECT sum(lost) FROM rank",
                                      "SELECT count(*) FROM note"), [1, 0, 301, 0, 0])

    def test_finalize_from_several_threads_or_none(self):
        (self.work / "finalize.c").write_text(FINALIZE)
        libraries = COMMAND.parent.parent / "lib/comshu"
        self.execute("cc", "-O1", "finalize.c", "-o", "finalize", f"-L{libraries}", "-lcomshu_dbg", f"-Wl,-rpath,{libraries}",
                     "-pthread")
        for way in ((), ("never",), ("never", "_exit")):
            with self.subTest(way):
                folder = "f" + "".join(way)
                self.execute(COMMAND, "run", "-p", "openmp", "-o", folder, "--", self.work / "finalize", *way)
                self.assertEqual(self.numbers(folder, "SELECT count(*) FROM omp_iteration", "SELECT count(*) FROM omp_access",
                                              "SELECT count(*) FROM omp_loop", "SELECT count(DISTINCT thread) FROM omp_loop",
                                              NOT_ENDED, "SELECT sum(lost) FROM rank", "SELECT count(*) FROM note"),
                                 [12000, 12000, 6, 6, 0, 0, 0])

    def test_with_mpi(self):
        for mpi, (launcher, compiler) in MPIS.items():
            with self.subTest(mpi):
                program = self.build("hybrid", HYBRID, compiler=(compiler, "-fopenmp", "-g"))
                done = self.execute(COMMAND, "run", "-p", "mpi,openmp", "-o", mpi, "--", launcher, "-n", "2",
                                    program)
                self.assertEqual(self.query(mpi, """SELECT rank, count(*) FILTER (name = 'implicit task'),
                    count(*) FILTER (name = 'loop'), count(DISTINCT thread) FROM span WHERE layer = 'openmp'
                    GROUP BY rank ORDER BY rank"""), [("0", "4", "2", "2"), ("1", "4", "2", "2")])
                self.assertEqual(self.query(mpi, """SELECT s.rank, p.name FROM span s JOIN span p ON
                    p.span_id = s.parent_id WHERE s.name = 'MPI_Barrier' ORDER BY 1"""),
                                 [("0", "call mpi_barrier"), ("1", "call mpi_barrier")])
                # Places are told alike in all layers, and what was recorded is counted alike by all verbs.
                self.assertEqual(self.query(mpi, f"""SELECT DISTINCT layer FROM span WHERE
                    starts_with(source, '{self.work}/hybrid.f90:') ORDER BY 1"""), [("mpi",), ("openmp",)])
                counted = re.search(r"(\d+) calls", done.stderr).group(1)
                report = self.execute(COMMAND, "read", mpi).stdout
                self.assertRegex(report, rf"recorded +{counted} calls in")
                shown, waits = re.search(r"([\d,]+) in all, ([\d,]+) waits worked out", report).groups()
                self.assertEqual(int(shown) - int(waits), int(counted))


if __name__ == "__main__":
    main()
