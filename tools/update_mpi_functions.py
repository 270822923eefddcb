#!/usr/bin/python3
"""Appends what a newer mpi.h declares to the frozen list of functions, schema/mpi_function.fbs.

    tools/update_mpi_functions.py mpicc.mpich mpicc.openmpi ...

The numbers are in captures, so lines are only ever added, at the end; a run that finds nothing new
changes nothing. A new function also needs its argument roles (qmpi/generate/mpi_roles.txt), its number
(qmpi/generate/function_numbers.txt) and, if it is more than a plain call, a line in
providers/mpi/wrapper_kinds.txt.
"""

import os
import re
import sys

import repo

sys.path.insert(0, os.path.join(repo.ROOT, "qmpi", "generate"))

from mpi_model import ModelError, load_mpi  # noqa: E402

LIST = os.path.join(repo.ROOT, "schema", "mpi_function.fbs")


def listed(text):
    return re.findall(r"^\s+(MPIX?_\w+)", text, re.M)


def appended(text, names):
    """The list with those of `names` that it lacks, in order, before its closing brace."""
    new = [n for n in names if n not in set(listed(text))]
    head, brace, tail = text.rpartition("}")
    if not head.rstrip().endswith(",") and new:
        head = head.rstrip() + ",\n"
    return head + "".join(f"    {n},\n" for n in new) + brace + tail, new


def main(compilers):
    if not compilers:
        sys.exit(__doc__)
    names = []
    for compiler in compilers:
        try:
            names += [f.name for f in load_mpi(compiler).functions]
        except ModelError as error:
            sys.exit(f"update_mpi_functions.py: {error}")
    with open(LIST, encoding="ascii") as file:
        text = file.read()
    text, new = appended(text, sorted(set(names)))
    if new:
        with open(LIST, "w", encoding="ascii") as file:
            file.write(text)
    print("\n".join(new) if new else "nothing new")


if __name__ == "__main__":
    main(sys.argv[1:])
