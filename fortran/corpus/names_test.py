#!/usr/bin/python3
"""Names of the program's that what is inserted has too, and standards of Fortran that it is older than.
usage: names_test.py BUILD_FOLDER [unittest arguments]"""

import unittest

from commands import BUILD, MAIN, MODULE, CommandCase

OWN = """subroutine dbg_init(c)
  character(len=*) :: c
  !$omp critical
  print *, c
  !$omp end critical
end subroutine
subroutine dbg_before_parallel
  print *, 'end'
end subroutine
subroutine dbg_get_handle(a, b, c)
  stop 2
end subroutine
"""
NAMES = """module names
  integer :: dbgtid = 3, dbgint = 4
contains
  subroutine dbg_finalize(x)
    real :: x
    x = 0
  end subroutine
  subroutine dbg_omp_loop_event(x)
    real :: x
    x = 0
  end subroutine
end module names
"""
USER = """program p
{}  integer :: k
  k = 0
  !$omp parallel do reduction(+:k)
  do i = 1, 4
    k = k + i
  end do
  call other
  call dbg_before_parallel
  if (k /= 10) stop 1
end program
"""
OTHER = "subroutine other\n  call dbg_init('begin')\nend subroutine\n"
COUNTS = {"init": 1, "before_parallel": 1, "before_critical": 1, "before_omp_loop": 2, "finalize": 1}

# Each kind of statement whose data are told, in Fortran 95.
STANDARD = """module shapes
  implicit none
  type point
    integer :: a, b
  end type
contains
  subroutine scale(x, n)
    integer, intent(in) :: n
    real, intent(inout) :: x(n)
    integer :: i
    do i = 1, n
       x(i) = x(i) * 2.0
    end do
    where (x > 4.0)
       x = 0.0
    elsewhere
       x = x + 1.0
    end where
  end subroutine
  integer function twice(i)
    integer, intent(in) :: i
    twice = 2 * i
  end function
end module shapes
program p
  use shapes
  implicit none
  integer :: i, k, m(3, 4)
  real, allocatable :: z(:)
  type(point) :: q(2)
  character(len=5) :: word
  complex :: w
  logical :: l
  allocate(z(6))
  z = (/ (real(i), i = 1, 6) /)
  m = 1
  m(1:3:2, 2:4) = 5
  q(2)%a = 3
  q(1) = q(2)
  word = 'abc'
  w = (1.0, 2.0)
  l = word == 'abc' .and. w == (1.0, 2.0)
  if (.not. l) goto 10
  k = 0
  !$omp parallel do reduction(+:k)
  do i = 1, 4
     k = k + twice(i) + m(1, i)
  end do
  !$omp parallel
  !$omp critical
  k = k + 0
  !$omp end critical
  !$omp end parallel
  call scale(z, 6)
  if (k) 10, 10, 20
10 stop
20 print *, k, z, q(1)%a, word
  deallocate(z)
end program p
"""


class Names(CommandCase):
    def link_by_hand(self, *texts, units=True):
        lib = BUILD / "lib/comshu"
        self.run_in("gfortran", "-fopenmp", *texts, *(text + ".c" for text in texts if units), f"-L{lib}", "-lcomshu_dbg",
                    f"-Wl,-rpath,{lib}", "-o", "prog")

    def sources(self, **sources):
        for name, text in sources.items():
            self.write(name + ".f90", text)
        return [name + ".f90" for name in sources]

    def by_hand(self, sources, *words):
        """The instrumented texts, with what they register when a second one has come."""
        for _ in range(2):
            for source in sources:
                self.instrument(source, *words, "-o", "dbg_" + source)
        return ["dbg_" + source for source in sources]

    def test_linked_by_hand(self):
        """Procedures of the program have names of entries: what is inserted does not meet them."""
        sources = self.sources(own=OWN, main=USER.format("  use names\n"), other=OTHER)
        self.write("names.f90", NAMES)
        self.run_in("gfortran", "-c", "names.f90")
        for words in (("-dperf",), ("-d3",)):
            self.link_by_hand(*self.by_hand(sources, *words, "--names", "mine"))
            self.checked("prog", "begin end", **COUNTS)
        # Those of a module in the source are seen.
        sources = self.sources(own=OWN, all=NAMES + USER.format("  use names\n"), other=OTHER)
        self.link_by_hand(*self.by_hand(sources, "-d3"))
        self.checked("prog", "begin end", **COUNTS)

    def test_documented_scheme(self):
        sources = self.sources(own=OWN, all=NAMES + USER.format("  use names\n"), other=OTHER)
        texts = self.by_hand(sources, "--dbg-includes", ".")
        self.link_by_hand(*texts, units=False)
        self.checked("prog", "begin end", **COUNTS)
        # The module lies elsewhere, and nobody says which names it has.
        self.write("names.f90", NAMES)
        self.run_in("gfortran", "-c", "names.f90")
        sources = self.sources(own=OWN, main=USER.format("  use names\n"), other=OTHER)
        (self.work / "dbg_init.h").unlink()
        texts = self.by_hand(sources, "--dbg-includes", ".", "--names", "mine")
        self.link_by_hand(*texts, units=False)
        self.checked("prog", "begin end", **COUNTS)

    def test_names_of_the_documented_files(self):
        for line, text in ((2, "module m\n  integer :: istat_mp\nend module m\n"), (1, "subroutine dbg_init_handles\nend\n"),
                           (3, "subroutine s\n  real :: x\n  common /DBG_Stat/ x\n!$omp barrier\nend\n")):
            self.write("a.f90", text)
            with self.subTest(text):
                result = self.instrument("a.f90", "--dbg-includes", ".", "-o", "out.f90", code=1)
                self.assertIn(f"a.f90:{line}: dbg_vars.h and dbg_init.h of the documented scheme declare `", result.stderr)
                self.assertFalse((self.work / "out.f90").exists())
                self.instrument("a.f90", "-o", "out.f90")
                (self.work / "out.f90").unlink()
        self.write("a.f90", MODULE + MAIN.replace("integer :: i", "integer :: i, istat_mp"))
        words = ("--dbg-includes", ".", "gfortran", "-fopenmp", "a.f90", "-o", "prog")
        self.assertIn("a.f90 is not in dbg_vars.h and dbg_init.h", self.fc(*words).stderr)
        self.checked("prog", "55", before_critical=10)
        self.fc("--strict", *words, code=1)
        self.fc("--dbg-includes", "no/where", *words[2:], code=1)

    def report(self, program):
        self.checked(program, self.run_in(f"./{program}").stdout)
        return sorted(line for line in (self.work / "report").read_text().splitlines() if not line.startswith("thread"))

    def test_older_standards(self):
        """What is inserted is told in them as in the newest."""
        self.write("a.f90", STANDARD)
        for level in (("-dperf",), ("-d0",), ("-d1",), ("-d2",), ("-d3",), ("-d4",), ("-d3", "-dbif1"), ("-d3", "-dbif2")):
            reports = []
            for standard in ("gnu", "f95", "f2003", "f2008"):
                self.fc("--strict", *level, "gfortran", "-fopenmp", f"-std={standard}", "a.f90", "-o", "prog")
                reports.append(self.report("prog"))
                with self.subTest(level=level, standard=standard):
                    self.assertEqual(reports[0], reports[-1])
            if level[0] in ("-d3", "-d4"):
                self.assertTrue(any(line.startswith("write_whole_begin ") for line in reports[0]), reports[0])
        self.assertEqual([p.name for p in self.work.glob("*.mod")], ["shapes.mod"])

    def test_what_a_later_standard_would_change(self):
        """Names of later intrinsics are the program's own ones, and deleted features stay."""
        self.write("a.f90", "integer function rank(x)\n  integer :: x\n  rank = x + 1\nend function\nprogram p\n  integer :: k, rank, i\n"
                            "  external rank\n  k = 0\n  do 10 i = 1, 3\n10 k = k + rank(i)\n  if (k - 9) 20, 30, 20\n20 stop 1\n30 print *, k\nend\n")
        for standard in ("f95", "f2003", "f2008"):
            for level in ("-dperf", "-d3"):
                self.fc("--strict", level, "gfortran", f"-std={standard}", "a.f90", "-o", "prog")
                self.checked("prog", "9", init=1, finalize=1)
        self.write("b.f90", "program b\n  real :: x\n  x = gamma(5.0)\n  print *, nint(x)\nend program b\nreal function gamma(x)\n"
                            "  real :: x\n  gamma = x + 1\nend function\n")
        self.fc("--strict", "-d3", "gfortran", "-std=f95", "b.f90", "-o", "prog")
        self.checked("prog", "6", init=1, finalize=1)

    def test_a_text_of_an_older_standard_by_hand(self):
        self.write("a.f90", STANDARD)
        self.instrument("a.f90", "-d3", "--standard", "f95", "-o", "out.f90")
        self.run_in("gfortran", "-fsyntax-only", "comshu_dbg_entries.f90")
        self.run_in("gfortran", "-std=f95", "-pedantic-errors", "-fopenmp", "-c", "out.f90")
        self.instrument("a.f90", "--standard", "f77", code=2)


if __name__ == "__main__":
    unittest.main()
