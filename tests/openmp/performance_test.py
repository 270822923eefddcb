"""The performance views on real programs: what must hold whatever the machine does meanwhile."""

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


class Performance(OpenmpTest):
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
        self.assertEqual(self.query("c-d2", "SELECT thread, iterations, chunks FROM dbg_chunk ORDER BY thread"),
                         [("0", "1", "2"), ("1", "1", "2")])
        self.assertEqual(self.query("c-d2", "SELECT iterations, chunks, chunk_histogram FROM dbg_loop"),
                         [("4", "4", "[{'iterations': 1, 'chunks': 4}]")])

    def test_intervals(self):
        self.record(self.build("sleeps", SLEEPS), "c")
        rows = self.query("c", "SELECT id, parent_id, used_threads, in_parallel, file_name, begin_line, "
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
