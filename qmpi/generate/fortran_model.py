"""The Fortran routines that the binding libraries of an MPI offer.

Each C function has up to four of them: the mpif.h / `use mpi` entry in several manglings, and for
`use mpi_f08` one without choice buffers (_f08), or with descriptors (_f08ts), each perhaps in a
large count form. A routine counts only when its profiling twin (pmpi_..., pmpir_...) exists too:
predefined callbacks such as mpi_dup_fn_ are compared by address and must stay what they are.
"""

import os
import re
from dataclasses import dataclass, field

from mpi_model import exported_symbols, library_paths

SUFFIXES = ("_f08ts_large", "_f08_large", "_f08ts", "_f08", "_cptr_f08", "_cptr", "")


@dataclass
class Routine:
    function: str  # name of the C function
    suffix: str
    canonical: str  # the usual mangling: mpi_send_
    twin: str
    names: list = field(default_factory=list)  # all manglings


def twin_of(name, symbols):
    candidates = ["p" + name] if name[0] == "m" else ["P" + name]
    candidates.append(re.sub("^mpi_", "pmpir_", name))
    return next((c for c in candidates if c in symbols and c != name), None)


def split_name(name, functions):
    """(C function, suffix) of a Fortran external name, or None."""
    stem = name.lower().rstrip("_")
    for suffix in SUFFIXES:
        if suffix and not stem.endswith(suffix):
            continue
        base = stem[: -len(suffix)] if suffix else stem
        function = functions.get(base)
        if function and suffix.endswith("_large"):
            function = functions.get(base + "_c", function)
        if function:
            return function, suffix.replace("_cptr_f08", "_f08_cptr")
    return None


def load_routines(fortran_compiler, mpi):
    """[Routine] sorted by canonical name; empty when there is no Fortran compiler or binding."""
    if not fortran_compiler:
        return []
    symbols = {}
    for path in library_paths(fortran_compiler):
        if os.path.realpath(path) == os.path.realpath(mpi.library):
            continue
        for name in exported_symbols(path):
            if re.match(r"p?mpi", name, re.IGNORECASE):
                symbols[name] = path
    functions = {f.name.lower(): f.name for f in mpi.functions}
    routines = {}
    for name in sorted(symbols):
        if name not in (name.lower(), name.upper()) or not re.match(r"mpix?_", name.lower()):
            continue
        parts, twin = split_name(name, functions), twin_of(name, symbols)
        if parts is None or twin is None:
            continue
        # Some libraries offer mpi_send_f08 without the underscore that compilers add: no one calls.
        routine = routines.setdefault(parts, Routine(*parts, canonical="", twin=""))
        routine.names.append(name)
        if re.fullmatch(r"mpix?_.*[^_]_", name) and name == name.lower():
            routine.canonical, routine.twin = name, twin
    return sorted((r for r in routines.values() if r.canonical), key=lambda r: r.canonical)
