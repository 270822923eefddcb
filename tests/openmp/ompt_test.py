"""The provider ompt: an uninstrumented program whose OpenMP runtime is LLVM's."""

import os
import shutil
import unittest

from harness import COMMAND, OpenmpTest, main

RUNTIMES = {name: os.environ[variable] for name, variable in (("14", "COMSHU_TEST_LIBOMP"), (
    "19", "COMSHU_TEST_LIBOMP_19")) if variable in os.environ}
PROGRAM = """program plain
  implicit none
  integer :: i, s
  s = 0
  !$omp parallel num_threads(3) reduction(+:s)
  !$omp do schedule(dynamic, 2)
  do i = 1, 12
     s = s + i
  end do
  !$omp end do
  !$omp critical (lock)
  s = s + 1
  !$omp end critical (lock)
  !$omp single
  !$omp task
  call sub()
  !$omp end task
  !$omp taskwait
  !$omp end single
  !$omp end parallel
  if (s /= 81) stop 1
contains
  subroutine sub()
  end subroutine sub
end program plain
"""
# Each of three threads is in the region for at least 36 + 10 + 5 + 5 ms.
CLANG = """#include <unistd.h>
int main(void) {
    int s = 0;
#pragma omp parallel num_threads(3) reduction(+:s)
    {
#pragma omp for schedule(static, 1)
        for (int i = 0; i < 6; ++i) s += i;
#pragma omp critical
        usleep(12000);
#pragma omp barrier
#pragma omp single
        {
#pragma omp taskloop
            for (int i = 0; i < 2; ++i) s += 0;
            usleep(10000);
        }
#pragma omp sections
        {
#pragma omp section
        usleep(5000);
#pragma omp section
        s += 0;
        }
        usleep(5000);
    }
    return s != 15;
}
"""


@unittest.skipUnless(RUNTIMES, "no libomp.so.5")
class Ompt(OpenmpTest):
    def compile(self):
        (self.work / "plain.f90").write_text(PROGRAM)
        self.execute("gfortran", "-g", "-fopenmp", "plain.f90", "-o", "plain")

    def test_gfortran_under_libomp(self):
        self.compile()
        for name, runtime in RUNTIMES.items():
            with self.subTest(name):
                shutil.rmtree(self.work / "c", ignore_errors=True)
                self.execute(COMMAND, "run", "-p", "ompt", "-o", "c", "--", "./plain", LD_PRELOAD=runtime)
                self.check_plain()

    def check_plain(self):
        counts = {(name, category): int(n) for name, category, n in self.query(
            "c", "SELECT name, category, count(*) FROM span GROUP BY ALL")}
        for span, count in {("parallel", "region"): 1, ("implicit task", "region"): 3, ("loop", "loop"): 3,
                            ("critical", "wait"): 3, ("critical", "critical"): 3, ("single body", "single"): 1,
                            ("task", "task"): 1, ("taskwait", "wait"): 1}.items():
            self.assertEqual(counts.get(span), count, f"{span} of {counts}")
        self.assertGreaterEqual(counts["implicit barrier", "wait"], 6)
        self.assertEqual(self.number("c", "SELECT count(*) FROM span WHERE unwound OR end_ns IS NULL"), 0)
        self.assertEqual(self.query("c", "SELECT count(DISTINCT thread), max(thread_num), count(DISTINCT region), "
                                         "min(team_size) FROM omp_implicit_task"), [("3", "2", "1", "3")])
        self.assertTrue(self.query("c", "SELECT source FROM span WHERE name = 'parallel'")[0][0].endswith("plain.f90:5"))
        self.assertEqual(self.query("c", "SELECT calls, threads, text FROM dbg_region"),
                         [("1", "3", "!$omp parallel num_threads(3) reduction(+:s)")])
        # gfortran makes one construct of a region and the loop that it begins with. Members are not told where it is.
        for view in ("dbg_region", "dbg_loop WHERE kind = 'loop'"):
            self.assertEqual(self.query("c", f"SELECT parse_filename(source), calls, threads FROM {view}"),
                             [("plain.f90:5", "1", "3")])
        self.assertEqual(self.query("c", "SELECT id, parse_filename(file_name), begin_line FROM dbg_interval ORDER BY id"),
                         [("0", "MAIN", "0"), ("1", "plain.f90", "5")])

    def test_what_each_needs(self):
        """A program of gfortran as it is: neither provider sees it, and each says what would do."""
        self.compile()
        done = self.execute(COMMAND, "run", "-p", "openmp", "-o", "c", "--", "./plain")
        self.assertIn("plain was not built by `comshu fc`, so openmp will record nothing of it", done.stderr)
        done = self.execute(COMMAND, "run", "-p", "ompt", "-o", "c2", "--", "./plain")
        self.assertIn("LD_PRELOAD=libomp.so.5 comshu run -p ompt", done.stderr)
        self.assertIn("no tools interface, as GNU's", done.stderr)

    @unittest.skipUnless("19" in RUNTIMES, "tools/fetch_libomp.sh has not run")
    def test_chunks(self):
        """Newer runtimes tell the chunks that they give: six of two iterations, wherever they went."""
        self.compile()
        self.execute(COMMAND, "run", "-p", "ompt", "-o", "c", "--", "./plain", LD_PRELOAD=RUNTIMES["19"])
        self.assertEqual(self.query("c", "SELECT first, iterations FROM omp_chunk ORDER BY first"),
                         [(str(first), "2") for first in range(1, 12, 2)])
        self.assertEqual(self.query("c", "SELECT iterations, chunks, chunk_histogram FROM dbg_loop WHERE kind = 'loop'"),
                         [("12", "6", "[{'iterations': 2, 'chunks': 6}]")])

    @unittest.skipUnless(shutil.which("clang"), "no clang")
    def test_clang(self):
        """Lines of a program of clang, which writes no index of addresses."""
        (self.work / "c.c").write_text(CLANG)
        self.execute("clang", "-g", "-fopenmp", "c.c", "-o", "c")
        for name, runtime in RUNTIMES.items():
            with self.subTest(name):
                self.execute(COMMAND, "run", "-p", "ompt", "-o", name, "--", "./c", LD_PRELOAD=runtime)
                self.assertEqual(
                    self.query(name, "SELECT name, category, parse_filename(source), count(*) FROM span WHERE name IN "
                                     "('parallel', 'loop', 'barrier', 'critical', 'sections') GROUP BY ALL ORDER BY ALL"),
                    [("barrier", "wait", "c.c:10", "3"), ("critical", "critical", "c.c:8", "3"),
                     ("critical", "wait", "c.c:8", "3"), ("loop", "loop", "c.c:6", "3"),
                     ("parallel", "region", "c.c:4", "1"), ("sections", "sections", "c.c:17", "3")])
                # Runtimes of before OpenMP 5.1 call all barriers alike that stand in no directive.
                self.assertEqual(
                    self.query(name, "SELECT p.name, count(*) FROM omp_wait w JOIN span p ON p.span_id = w.parent_id "
                                     "JOIN span s ON s.span_id = w.span_id WHERE s.name = 'implicit barrier' "
                                     "GROUP BY ALL ORDER BY ALL"),
                    [("implicit task", "9"), ("parallel", "1")])
                self.assertEqual(self.query(name, "SELECT count(*), min(duration_ns) >= 56e6 FROM span WHERE name = "
                                                  "'implicit task'"), [("3", "true")])
                # A taskloop may stand in SINGLE.
                self.assertEqual(self.query(name, "SELECT count(*), min(duration_ns) >= 10e6 FROM span WHERE name = "
                                                  "'single body'"), [("1", "true")])
                if name == "19":
                    self.assertEqual(self.query(name, "SELECT iterations, chunk_histogram FROM dbg_loop WHERE kind = "
                                                      "'loop'"), [("6", "[{'iterations': 1, 'chunks': 6}]")])

    def test_both_providers(self):
        """One of the two records, and a note says why the other does not."""
        program = self.build("instrumented", PROGRAM)
        self.execute(COMMAND, "run", "-p", "openmp,ompt", "-o", "c", "--", program, LD_PRELOAD=list(RUNTIMES.values())[-1])
        self.assertEqual(self.number("c", "SELECT count(*) FROM omp_region"), 1)
        self.assertEqual(self.number("c", "SELECT count(*) FROM note"), 1)


if __name__ == "__main__":
    main()
