"""The performance views on real programs: what must hold whatever the machine does meanwhile."""

import json

from harness import COMMAND, OpenmpTest, main

# Thread 0 sleeps 2 x 50 ms, the other does not.
SLEEPS = """program sleeps
  use iso_c_binding
  implicit none
  interface
     integer(c_int) function usleep(us) bind(c)
       import :: c_int
       integer(c_int), value :: us
     end function usleep
  end interface
  integer :: i, s
  s = 0
  !$omp parallel num_threads(2)
  !$omp do schedule(static, 1) reduction(+:s)
  do i = 1, 4
     if (mod(i, 2) == 1) s = s + usleep(50000)
  end do
  !$omp end do
  !$omp end parallel
  if (s /= 0) stop 1
end program sleeps
"""

# Thread 0 sleeps four times as long as the other; each takes the time of its iteration, and of the whole loop from
# outside.
UNEVEN = """program uneven
  use iso_c_binding
  use omp_lib
  implicit none
  interface
     integer(c_int) function usleep(us) bind(c)
       import :: c_int
       integer(c_int), value :: us
     end function usleep
  end interface
  integer :: i, me, failed(0:1)
  double precision :: begin, start, inside(0:1), outside(0:1)
  !$omp parallel num_threads(2) private(me, begin, start)
  me = omp_get_thread_num()
  begin = omp_get_wtime()
  !$omp do schedule(static, 1)
  do i = 1, 2
     start = omp_get_wtime()
     failed(me) = usleep(merge(80000, 20000, me == 0))
     inside(me) = omp_get_wtime() - start
  end do
  !$omp end do nowait
  outside(me) = omp_get_wtime() - begin
  !$omp end parallel
  print '(4f20.9)', inside, outside
end program uneven
"""


class Performance(OpenmpTest):
    def test_a_known_imbalance(self):
        """What a thread works lies between what the program itself measured inside and outside, however long that
        took; and so does the imbalance."""
        done = self.record(self.build("uneven", UNEVEN), "c", threads=2)
        times = [float(word) * 1e9 for word in done.stdout.split()]
        inside, outside = times[:2], times[2:]
        rows = self.query("c", "SELECT work_ns FROM dbg_thread WHERE kind = 'loop' ORDER BY thread")
        clock = 1.001  # The two clocks run alike to some millionths.
        for (work,), least, most in zip(rows, inside, outside, strict=True):
            self.assertLessEqual(least, int(work) * clock)
            self.assertLessEqual(int(work), most * clock)
        least = 2 * max(inside) / sum(outside) - 1
        most = 2 * max(outside) / sum(inside) - 1
        imbalance, sum_ns, execution = map(float, self.query(
            "c", "SELECT imbalance, imbalance_ns, execution_imbalance FROM dbg_loop")[0])
        self.assertLessEqual((1 + least) / clock, 1 + imbalance)
        self.assertLessEqual(1 + imbalance, (1 + most) * clock)
        self.assertAlmostEqual(imbalance, execution)  # There was one execution.
        works = [int(work) for work, in rows]
        self.assertEqual(sum_ns, 2 * max(works) - sum(works))

    def test_answers_without_rows_are_sentences(self):
        self.record(self.build("sleeps", SLEEPS), "c")
        shown = self.execute(COMMAND, "read", "c", "--section", "efficiency,path,waits").stdout
        words = " ".join(shown.split())
        self.assertIn("efficiency: No rank called MPI, whose calls it is worked out from. Nothing of MPI was recorded; "
                      "`comshu run -p mpi` records its calls. There is OpenMP in it: `--section openmp` has", words)
        self.assertNotIn("load_balance", shown)
        self.assertNotIn("slack_ms", shown)
        self.assertIn("Who was waited for none", words)  # Of waits there are some.
        done = self.execute(COMMAND, "read", "c", "--section", "path", "--json")
        self.assertEqual(json.loads(done.stdout), {"path": {"by_call": [], "by_rank": [], "remarks": []}})
        self.assertIn("comshu read: note: path: No rank called MPI", done.stderr)
        report = self.execute(COMMAND, "read", "c").stdout
        self.assertIn("comshu read c --section openmp", report)
        self.assertNotIn("in MPI", report)

    def test_sleeping_iterations(self):
        for level in ("-dperf", "-d2"):
            with self.subTest(level):
                folder = "c" + level
                self.record(self.build("sleeps", SLEEPS, level), folder)
                threads = self.query(folder, "SELECT work_ns, barrier_wait_ns, time_ns, calls FROM dbg_thread WHERE "
                                             "kind = 'loop' ORDER BY thread")
                self.assertEqual([calls for *_, calls in threads], ["1", "1"])
                busiest = max(int(work) for work, *_ in threads)
                self.assertGreaterEqual(busiest, 100_000_000)
                for work, wait, time, _ in threads:
                    self.assertEqual(int(work) + int(wait), int(time))
                text, schedule, most, imbalance, same = self.query(
                    folder, "SELECT text, schedule, work_max_ns, imbalance, imbalance = work_max_ns / (SELECT "
                            "avg(w.work_ns) FROM (SELECT unnest(per_thread) AS w FROM dbg_loop)) - 1 FROM dbg_loop")[0]
                self.assertEqual((text, schedule, most, same), ("!$omp do schedule(static, 1) reduction(+:s)",
                                                                "STATIC", str(busiest), "true"))
                self.assertGreaterEqual(float(imbalance), 0)
        # Waiting at the end of loops is told by -dperf alone, and a section that lacks it says so.
        for folder, lacks in (("c-dperf", False), ("c-d2", True)):
            shown = self.execute(COMMAND, "read", folder, "--section", "openmp").stdout
            self.assertEqual("tells no implicit barriers" in " ".join(shown.split()), lacks, shown)
        self.assertEqual(self.query("c-d2", "SELECT thread, iterations, chunks FROM dbg_chunk ORDER BY thread"),
                         [("0", "1", "2"), ("1", "1", "2")])
        self.assertEqual(self.query("c-d2", "SELECT iterations, chunks, chunk_histogram FROM dbg_loop"),
                         [("4", "4", "[{'iterations': 1, 'chunks': 4}]")])

    def test_intervals(self):
        self.record(self.build("sleeps", SLEEPS), "c")
        rows = self.query("c", "SELECT id, parent_id, used_threads, in_parallel, parse_filename(file_name), begin_line, "
                               "execution_time_ns >= 100000000, total_time_ns = execution_time_ns * used_threads, "
                               "total_time_ns = used_time_ns + insufficient_parallelism_ns, lost_time_ns = "
                               "idle_barrier_time_ns + idle_critical_time_ns + flush_time_ns + "
                               "insufficient_parallelism_ns FROM dbg_interval")
        self.assertEqual(rows, [("1", "0", "2", "true", "sleeps.f90", "12", *["true"] * 4),
                                ("0", "-1", "2", "false", "MAIN", "0", *["true"] * 4)])
        header, *lines = self.execute(COMMAND, "sql", "c", "FROM dbg_interval_csv", "--format",
                                      "csv").stdout.splitlines()
        self.assertEqual(header, "id,calls count,io time,execution time,idle barrier time,used time,used threads,"
                                 "idle critical time,flush time,idle parallel,load imbalance time,thread prod max,"
                                 "thread prod min,thread prod avg,total time,lost time,productive time,"
                                 "insufficient parallelism,efficiency,in parallel,begin line,file name,parent id")
        self.assertEqual(len(lines), 2)


if __name__ == "__main__":
    main()
