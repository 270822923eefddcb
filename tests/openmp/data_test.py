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

# One statement a line, from line 12 on; reads and writes of each are in PLACES.
SHAPES = """program shapes
  implicit none
  type point
     integer :: x
     real(8) :: v(3)
  end type point
  type(point) :: p, q(2)
  integer :: i, n, k, a(4), b(2, 3)
  integer, allocatable :: c(:)
  character(len=4) :: word
  allocate (c(5))
  n = 3
  do i = 1, n
     k = i
  end do
  do while (n > 1)
     n = n - 1
  end do
  select case (k)
  case (3)
     p%x = k
  end select
  a = 7
  b = 1
  b(1, :) = 5
  b(:, 2) = a(1:2)
  q(1)%v = 0.5d0
  p%v(n) = q(n)%v(2)
  c = a(n) + p%x
  write (word, '(i4)') k
  read (word, *) i
  if (i == k) print *, p%x, sum(a), c(2)
  block
    integer :: inner
    inner = c(1)
    call take(inner * n, p%x)
  end block
  associate (other => q(2)%x)
    other = size(c)
  end associate
  do while (n < 2 .and. k > 0)
     if (i == 3) exit
  end do
  goto (10, 20), n
10 c(n) = maxval(b(:, n + 1))
20 continue
contains
  subroutine take(one, two)
    integer, intent(in) :: one, two
    if (one /= 10 .or. two /= 3) stop 1
  end subroutine take
end program shapes
"""
# Line: name, kind (read, begin or end of a write), bytes, how often.
PLACES = {
    12: "n begin 4 1, n end 4 1", 13: "n read 4 1", 14: "i read 4 3, k begin 4 3, k end 4 3",
    16: "n read 4 3", 17: "n begin 4 2, n end 4 2, n read 4 2", 19: "k read 4 1",
    21: "k read 4 1, p%x begin 4 1, p%x end 4 1", 23: "a begin 16 1, a end 16 1", 24: "b begin 24 1, b end 24 1",
    25: "b begin 4 3, b end 4 3", 26: "a read 8 1, b begin 8 1, b end 8 1",
    27: "q%v begin 24 1, q%v end 24 1", 28: "n read 4 1, p%v begin 8 1, p%v end 8 1, q%v read 8 1",
    29: "a read 4 1, c end 20 1, n read 4 1, p%x read 4 1", 30: "k read 4 1, word begin 4 1, word end 4 1",
    31: "i begin 4 1, i end 4 1, word read 4 1", 32: "a read 16 1, c read 4 1, i read 4 1, k read 4 1, p%x read 4 1",
    35: "c read 4 1, inner begin 4 1, inner end 4 1", 36: "inner read 4 1, n read 4 1",
    39: "other begin 4 1, other end 4 1", 41: "k read 4 1, n read 4 1", 42: "i read 4 1", 44: "n read 4 1",
    45: "b read 8 1, c begin 4 1, c end 4 1, n read 4 1", 50: "one read 4 1, two read 4 1"}

# What a statement goes through by itself, from line 14 on.
INSIDE = """program inside
  implicit none
  type point
     integer :: x
     real(8) :: v(3)
     integer, allocatable :: list(:)
  end type point
  type(point) :: p, q(2)
  integer :: i, n, unit, k(3), a(6), b(2, 3)
  logical :: there
  character(len=20) :: word
  integer, allocatable :: c(:)
  real(8), allocatable :: none(:)
  n = 3
  a = [(2 * i, i = 1, 6)]
  b = reshape([((a(i) + n, i = 1, 2), n = 1, 3)], [2, 3])
  k = [(a(7 - i), i = 1, n)]
  write (word, '(6i3)') (a(i), i = 1, 2 * n, 2)
  read (word, *) n, (a(i), i = 1, 2)
  n = 3
  k = [6, 1, 4]
  a(k) = 7
  b(1, :) = a(k)
  forall (i = 1:n, k(i) > 1) a(k(i)) = b(2, i)
  forall (i = 1:2)
     a(i) = k(i)
     k(i) = 0
  end forall
  a = [1, 9, 9, 2, 9, 3]
  where (a > 3) a = a + n
  where (a(1:3) > 5)
     b(1, :) = k
  elsewhere
     b(2, :) = 0
  end where
  p%x = 1
  q(2) = p
  q = p
  open (newunit=unit, status='scratch')
  inquire (unit, opened=there)
  close (unit)
  allocate (c(4), none(0))
  c = 0
  call take(c, a(2:6:2), none)
contains
  subroutine take(x, y, z)
    integer, intent(in) :: x(:), y(:)
    real(8), intent(in), optional :: z(:)
    if (size(x) + size(y) + size(z) /= 7) stop 1
  end subroutine take
end program inside
"""
INSIDE_PLACES = {
    14: "n begin 4 1, n end 4 1", 15: "a begin 24 1, a end 24 1",
    16: "a read 4 6, b begin 24 1, b end 24 1", 17: "a read 4 3, k begin 12 1, k end 12 1, n read 4 1",
    18: "a read 4 3, n read 4 1, word begin 20 1, word end 20 1",
    19: "a begin 4 2, a end 4 2, n begin 4 1, n end 4 1, word read 20 1", 20: "n begin 4 1, n end 4 1",
    21: "k begin 12 1, k end 12 1", 22: "a begin 4 3, a end 4 3, k read 12 1",
    23: "a read 4 3, b begin 4 3, b end 4 3, k read 12 1",
    24: "a begin 4 2, a end 4 2, b read 4 2, k read 4 5, n read 4 1",
    25: "a begin 4 2, a end 4 2, k begin 4 2, k end 4 2, k read 4 2", 29: "a begin 24 1, a end 24 1",
    # 9 9 beside each other, and one 9.
    30: "a begin 4 1, a begin 8 1, a end 4 1, a end 8 1, a read 4 1, a read 8 1, a read 24 1, n read 4 1",
    31: "a read 12 1, b begin 4 3, b end 4 3, k read 8 1",
    36: "p%x begin 4 1, p%x end 4 1", 37: "p read 96 1, q begin 96 1, q end 96 1",
    38: "p read 96 1, q begin 192 1, q end 192 1", 39: "unit begin 4 1, unit end 4 1",
    40: "there begin 4 1, there end 4 1, unit read 4 1", 41: "unit read 4 1", 43: "c end 16 1"}

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
        program = self.build("values", VALUES, "-d3")
        self.record(program, "c")
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
        # Addresses differ from run to run, values and places do not: what a comparison of runs goes by.
        self.record(program, "again")
        trace = "SELECT source, name, kind, bytes, value, value_high, value_kind FROM dbg_access WHERE " \
                "value_kind <> 'none' ORDER BY time_ns"
        self.assertEqual(self.query("c", trace), self.query("again", trace))

    def places(self, folder):
        found = {}
        for line, *access in self.query(folder, "SELECT regexp_extract(source, ':(\\d+)$', 1), name, split_part(kind, "
                                                "' ', -1), bytes, count(*) FROM dbg_access GROUP BY ALL ORDER BY ALL"):
            found.setdefault(int(line), []).append(" ".join(access))
        return {line: ", ".join(accesses) for line, accesses in found.items()}

    def test_what_a_statement_goes_through(self):
        """Implied loops, FORALL, WHERE, vectors as subscripts; objects of derived types; arrays as arguments."""
        self.record(self.build("inside", INSIDE, "-d3", compiler=("gfortran", "-fopenmp", "-fcheck=all")), "c")
        self.assertEqual(self.places("c"), INSIDE_PLACES)
        # An argument is told before and behind the call; one without elements is nowhere.
        self.assertEqual(self.query("c", "SELECT position, count(*), count(DISTINCT address) FROM omp_argument "
                                         "GROUP BY ALL ORDER BY ALL"), [("1", "2", "1"), ("2", "2", "1")])

    def test_whatever_is_read_and_written(self):
        program = self.build("shapes", SHAPES, "-d3")
        self.assertEqual(self.execute(program).stdout.split(), ["3", "28", "10"])
        self.record(program, "c")
        self.assertEqual(self.places("c"), PLACES)
        # A stretch of an array has no value of its own but a hash.
        self.assertEqual(self.query("c", "SELECT DISTINCT value_kind FROM dbg_access WHERE name = 'a' AND bytes > 4 AND "
                                         "kind <> 'write begin'"), [("hash",)])
        self.assertEqual(self.query("c", "SELECT DISTINCT integer_value FROM dbg_access WHERE source LIKE '%:25' AND "
                                         "kind = 'write end'"), [("5",)])

    def test_data_of_a_fragment(self):
        """-d3:LIST tells the data of what the source numbers so, and nothing of the rest."""
        lines = SHAPES.splitlines(keepends=True)
        lines.insert(22, "  !dvm$ debug 7\n")
        lines.insert(30, "  !dvm$ enddebug 7\n")
        self.record(self.build("part", "".join(lines), "-d2", "-d3:5-7"), "c")
        self.assertEqual(self.query("c", "SELECT DISTINCT regexp_extract(source, ':(\\d+)$', 1)::INT AS line FROM "
                                         "dbg_access ORDER BY line"), [(str(line),) for line in range(24, 31)])

    def test_chosen_iterations(self):
        told = "SELECT i.index, count(*) FROM omp_iteration i JOIN span s ON s.span_id = i.span_id AND s.name = 'loop' " \
               "WHERE i.kind = 0 GROUP BY ALL ORDER BY ALL"
        writes = "SELECT count(*) FROM dbg_access WHERE name = 't' AND kind = 'write end' AND bytes = 4"
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
                section = self.execute(COMMAND, "read", folder, "--section", "openmp").stdout
                self.assertIn("The program asked which iterations are to tell their data", section)
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
        self.assertEqual(self.number("c", "SELECT count(*) FROM dbg_access WHERE name = 't' AND kind = 'write end' "
                                          "AND bytes = 4"), 6 + 10)

    def test_static_variables(self):
        """Where what a loop keeps would be one for all threads, conditions do not hold and fc says so."""
        (self.work / "loops.f90").write_text(LOOPS)
        done = self.execute(COMMAND, "fc", "-d3", "-dbif1", "gfortran", "-fopenmp", "-fno-automatic", "loops.f90",
                            "-o", "loops")
        self.assertIn("-dbif1 and -dbif2 do not hold", done.stderr)


if __name__ == "__main__":
    main()
