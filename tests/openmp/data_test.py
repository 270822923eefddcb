"""Reads and writes of instrumented programs: where, what and which value; those of chosen iterations alone."""

from harness import COMMAND, OpenmpTest, main

VALUES = """program values
  implicit none
  integer :: i, total
  integer(8) :: wide
  real :: x
  real(8) :: y, a(4)
  complex(8) :: z
  logical :: found
  character(len=20) :: word
  character(len=3) :: code
  integer(2) :: short
  total = -3
  wide = 5000000000_8
  x = 1.5
  y = -0.25d0
  z = (1.0d0, -2.0d0)
  found = .true.
  word = "twenty characters ab"
  code = "abc"
  short = -2
  do i = 1, 4
     a(i) = y * i
  end do
  y = a(3)
  if (word(1:1) /= "t" .or. code /= "abc" .or. short > 0) stop 1
  if (total > 0 .or. wide < 0 .or. x > 2 .or. real(z) > 1.5 .or. .not. found) stop 2
end program values
"""

# 100 iterations; each reads and writes t once, inner loops of 10 do so too.
LOOPS = """program loops
  implicit none
  integer :: i, j, t(100)
  t = 0
  !$omp parallel num_threads(4) private(j)
  !$omp do schedule(dynamic, 7)
  do i = 1, 100
     t(i) = t(i) + i
     do j = 3, 22, 2
        t(i) = t(i) + j
     end do
  end do
  !$omp end do
  !$omp end parallel
  if (sum(t) /= 17050) stop 1
end program loops
"""


class Data(OpenmpTest):
    def test_values(self):
        self.record(self.build("values", VALUES, "-d3"), "c")
        rows = self.query("c", "SELECT name, bytes, integer_value, real_value, imaginary_value FROM dbg_access WHERE "
                               "kind = 'write end' AND value_kind = 'bits' AND name NOT IN ('a', 'code', 'short') "
                               "ORDER BY time_ns")
        self.assertEqual(rows, [("total", "4", "-3", "", ""), ("wide", "8", "5000000000", "", ""),
                                ("x", "4", "", "1.5", ""), ("y", "8", "", "-0.25", ""),
                                ("z", "16", "", "1", "-2"), ("found", "4", "1", "", ""),
                                ("y", "8", "", "-0.75", "")])
        rows = self.query("c", "SELECT name, bytes, value, value_kind FROM dbg_access WHERE kind = 'write end' AND "
                               "name IN ('code', 'short') ORDER BY time_ns")
        self.assertEqual(rows, [("code", "3", str(int.from_bytes(b"abc", "little")), "bits"),
                                ("short", "2", "65534", "bits")])
        self.assertEqual(self.query("c", "SELECT bytes, value_kind FROM dbg_access WHERE name = 'word' AND "
                                         "kind <> 'write begin'")[0], ("20", "hash"))
        # Elements lie behind each other, and what was written last is what is read next.
        self.assertEqual(self.query("c", "SELECT real_value, address - min(address) OVER () FROM dbg_access WHERE "
                                         "name = 'a' AND kind = 'write end' ORDER BY address"),
                         [("-0.25", "0"), ("-0.5", "8"), ("-0.75", "16"), ("-1", "24")])
        self.assertEqual(self.query("c", "SELECT parse_filename(source), real_value FROM dbg_access WHERE name = 'a' AND "
                                         "kind = 'read'"), [("values.f90:24", "-0.75")])
        self.assertEqual(self.number("c", "SELECT count(*) FROM dbg_access WHERE kind = 'write begin' AND "
                                          "value_kind <> 'none'"), 0)

    def test_same_values_in_two_runs(self):
        """Addresses differ, values and places do not: what a comparison of runs goes by."""
        program = self.build("values", VALUES, "-d3")
        trace = "SELECT source, name, kind, bytes, value, value_high, value_kind FROM dbg_access WHERE " \
                "value_kind <> 'none' ORDER BY time_ns"
        for folder in ("one", "two"):
            self.record(program, folder)
        self.assertEqual(self.query("one", trace), self.query("two", trace))

    def test_chosen_iterations(self):
        told = "SELECT i.index, count(*) FROM omp_iteration i JOIN span s ON s.span_id = i.span_id AND s.name = 'loop' " \
               "WHERE i.kind = 0 GROUP BY ALL ORDER BY ALL"
        writes = "SELECT count(*) FROM dbg_access WHERE name = 't' AND kind = 'write end'"
        for variant in ("-dbif1", "-dbif2"):
            with self.subTest(variant):
                program = self.build("loops", LOOPS, "-d3", variant)
                self.execute(program, OMP_NUM_THREADS="4")
                folder = "c" + variant
                self.record(program, folder)
                # The first and the last iteration, and of each inner loop that stands in one of them as well.
                self.assertEqual(self.query(folder, told), [("1", "1"), ("100", "1")])
                self.assertEqual(self.number(folder, writes), 2 * 3)
                self.assertEqual(self.query(folder, "SELECT DISTINCT index FROM omp_iteration WHERE kind = 0 AND index "
                                                    "NOT IN (1, 100) ORDER BY 1"), [("3",), ("21",)])
                self.assertEqual(self.query(folder, "SELECT iterations FROM dbg_loop WHERE kind = 'loop'"), [("100",)])
                self.record(program, folder + "all", "--openmp.iterations", "all")
                self.assertEqual(self.number(folder + "all", writes), 100 * 11)
        # Without the option nothing is left out.
        self.record(self.build("loops", LOOPS, "-d3"), "whole")
        self.assertEqual(self.number("whole", writes), 100 * 11)

    def test_a_fragment_with_conditions(self):
        text = LOOPS.replace("  !$omp parallel", "  !dvm$ debug 1\n  !$omp parallel").replace(
            "  if (sum", "  !dvm$ enddebug 1\n  do i = 1, 10\n     t(i) = 2 * t(i)\n  end do\n  if (sum").replace(
                "17050", "18305")
        program = self.build("part", text, "-d3", "-dbif1:1")
        self.execute(program)
        self.record(program, "c")
        self.assertEqual(self.number("c", "SELECT count(*) FROM dbg_access WHERE name = 't' AND kind = 'write end'"),
                         6 + 10)

    def test_static_variables(self):
        """Where what a loop keeps would be one for all threads, conditions do not hold and fc says so."""
        (self.work / "loops.f90").write_text(LOOPS)
        done = self.execute(COMMAND, "fc", "-d3", "-dbif1", "gfortran", "-fopenmp", "-fno-automatic", "loops.f90",
                            "-o", "loops")
        self.assertIn("-dbif1 and -dbif2 do not hold", done.stderr)


if __name__ == "__main__":
    main()
