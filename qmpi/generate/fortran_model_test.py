"""Every Fortran routine reaches the C function that the layer waits for, or has its own wrapper.

    fortran_model_test.py MPICC MPIFORT

The layer counts a Fortran call when the binding calls the C function of the routine's name. Whether
the installed bindings do is read from their machine code: calls are followed from the profiling
twin through the binding libraries.
"""

import bisect
import collections
import re
import subprocess
import sys
import unittest

from emit_fortran import is_direct
from fortran_model import load_routines, split_name, twin_of
from mpi_model import library_paths, load_mpi

MPICC, MPIFORT = sys.argv[1:3]
BRANCH = re.compile(r"\s*([0-9a-f]+):\s+(call|jmp)\s+([0-9a-f]+) <(.*?)(@plt)?(\+0x[0-9a-f]+)?>")


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


class CallGraph:
    """Functions as (library, address); calls lead to such a function or to an imported name."""

    def __init__(self, libraries):
        self.address = {}
        self.calls = collections.defaultdict(list)
        for library in libraries:
            self.read(library)

    def read(self, library):
        exported = {}
        for line in output("nm", "-D", "--defined-only", library).splitlines():
            address, kind, name = line.split()
            if kind in "TW":
                exported[int(address, 16)] = name
                self.address[name] = (library, int(address, 16))
        branches = []
        for line in output("objdump", "-d", "--no-show-raw-insn", library).splitlines():
            match = BRANCH.match(line)
            if match:
                at, kind, target, name, is_import, _ = match.groups()
                branches.append((int(at, 16), kind, int(target, 16), name if is_import else None))
        starts = sorted(set(exported) | {t for _, kind, t, name in branches
                                         if kind == "call" and not name})
        for at, kind, target, name in branches:
            position = bisect.bisect_right(starts, at) - 1
            if position < 0:
                continue
            caller = (library, starts[position])
            if name:
                self.calls[caller].append(name)
            elif kind == "call" or (target in exported and target != caller[1]):
                self.calls[caller].append((library, target))

    def imports_reached(self, name):
        reached, waiting, seen = set(), [self.address[name]], set()
        while waiting:
            function = waiting.pop()
            if function in seen:
                continue
            seen.add(function)
            for call in self.calls.get(function, ()):
                if isinstance(call, tuple):
                    waiting.append(call)
                elif call in self.address:
                    waiting.append(self.address[call])
                else:
                    reached.add(call)
        return reached


class FortranBindings(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.mpi = load_mpi(MPICC)
        cls.routines = load_routines(MPIFORT, cls.mpi)

    def test_each_routine_reaches_its_function(self):
        if subprocess.run(["uname", "-m"], capture_output=True, text=True).stdout != "x86_64\n":
            self.skipTest("reads x86-64 code")
        graph = CallGraph(p for p in library_paths(MPIFORT) if p != self.mpi.library
                          and re.search(r"fort|mpifh|usempi", p))
        self.assertGreater(len(self.routines), 600)
        for routine in self.routines:
            if not is_direct(routine.function):
                reached = graph.imports_reached(routine.twin)
                wanted = {routine.function, "P" + routine.function}
                self.assertTrue(reached & wanted, f"{routine.canonical} reaches {sorted(reached)}")

    def test_predefined_callbacks_keep_their_addresses(self):
        names = {name for routine in self.routines for name in routine.names}
        for name in ("mpi_dup_fn_", "mpi_comm_dup_fn_", "mpi_null_copy_fn_",
                     "mpi_conversion_fn_null_", "mpi_sizeof_"):
            self.assertNotIn(name, names)
        for name in ("mpi_send_", "mpi_send", "mpi_send__", "MPI_SEND"):
            self.assertIn(name, names)

    def test_names(self):
        functions = {"mpi_send": "MPI_Send", "mpi_send_c": "MPI_Send_c", "mpi_wtime": "MPI_Wtime"}
        for name, parts in [("mpi_send_", ("MPI_Send", "")), ("MPI_SEND", ("MPI_Send", "")),
                            ("mpi_send_f08_", ("MPI_Send", "_f08")),
                            ("mpi_send_f08ts_large_", ("MPI_Send_c", "_f08ts_large")),
                            ("mpi_wtime_", ("MPI_Wtime", "")), ("mpi_dup_fn_", None)]:
            self.assertEqual(split_name(name, functions), parts)
        self.assertEqual(twin_of("mpi_send_", {"mpi_send_", "pmpi_send_"}), "pmpi_send_")
        self.assertEqual(twin_of("mpi_send_f08ts_", {"pmpir_send_f08ts_"}), "pmpir_send_f08ts_")
        self.assertIsNone(twin_of("mpi_dup_fn_", {"mpi_dup_fn_"}))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
