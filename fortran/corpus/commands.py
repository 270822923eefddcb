"""What tests of the commands share: a folder of their own, the commands, a program of two parts."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

BUILD = pathlib.Path(sys.argv.pop(1)).resolve()

MODULE = """module counting
  implicit none
  integer :: total = 0
contains
  subroutine count(n)
    integer, intent(in) :: n
    !$omp critical
    total = total + n
    !$omp end critical
  end subroutine count
end module counting
"""
MAIN = """program main
  use counting
  integer :: i
  !$omp parallel do
  do i = 1, 10
     call count(i)
  end do
  print *, total
end program main
"""


class CommandCase(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.work = pathlib.Path(self.folder.name)

    def tearDown(self):
        self.folder.cleanup()

    def write(self, name, text, mode="w"):
        path = self.work / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    def run_in(self, *words, code=0, env=None):
        result = subprocess.run([str(w) for w in words], cwd=self.work, capture_output=True, text=True,
                                errors="replace", timeout=120, env=dict(os.environ, **(env or {})))
        if code is not None:
            self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        return result

    def fc(self, *words, code=0, env=None):
        return self.run_in(BUILD / "bin/comshu-fc", *words, code=code, env=env)

    def instrument(self, *words, code=0):
        return self.run_in(BUILD / "bin/comshu-instrument", *words, code=code)

    def checked(self, program, output, **counts):
        """Runs it without and with a provider."""
        self.assertEqual(self.run_in(f"./{program}").stdout.split(), output.split())
        report = self.work / "report"
        env = {"LD_PRELOAD": str(BUILD / "test/libcomshu_dbg_check.so"), "COMSHU_DBG_CHECK": str(report),
               "OMP_NUM_THREADS": "2"}
        self.assertEqual(self.run_in(f"./{program}", env=env).stdout.split(), output.split())
        found = dict(line.split(" ", 1) for line in report.read_text().splitlines())
        self.assertNotIn("error", found)
        for entry, count in counts.items():
            self.assertEqual(found.get(entry), str(count), entry)
