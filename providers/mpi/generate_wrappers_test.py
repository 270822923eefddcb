"""The generator: a wrapper for each function that the MPI has, and tables that name real functions.

    generate_wrappers_test.py FUNCTIONS.fbs MPICC...
"""

import os
import re
import sys
import tempfile

import generate_wrappers as generator
from mpi_model import load_mpi
from mpi_roles import load_roles
from wrapper_templates import KINDS, VOLUMES


def check(good, what):
    if not good:
        sys.exit(f"FAILED: {what}")


def wrapped(folder):
    names = set()
    for name in os.listdir(folder):
        with open(os.path.join(folder, name), encoding="ascii") as file:
            text = file.read()
        made = re.findall(r"^static .*\bWrap_(MPIX?_\w+)\(QMPI_Context", text, re.M)
        registered = re.findall(r"reinterpret_cast<void \(\*\)\(\)>\(Wrap_(\w+)\)", text)
        check(sorted(made) == sorted(registered), f"{name}: wrappers made and registered")
        check(not names & set(made), f"{name}: a wrapper is made twice")
        names |= set(made)
        # Each argument goes on: the call of the next tool has as many as the wrapper.
        for function, arguments in re.findall(r"NextFunction<Q(MPIX?_\w+)_t>\([^)]*\)\(context, "
                                              r"next_\w+\.tool_id((?:, \w+)*)\)", text):
            own = re.search(rf"Wrap_{function}\(QMPI_Context context, int((?:, .*)?)\) {{$", text, re.M)
            passed = arguments.split(", ")[1:]
            check(all(re.search(rf"\b{a}\b", own.group(1)) for a in passed), f"{function}: arguments")
            check(len(passed) == own.group(1).count("_argument"), f"{function}: number of arguments")
    return names


def main(functions, compilers):
    kinds, categories = generator.parse_kinds(os.path.join(generator.HERE, "wrapper_kinds.txt"))
    roles = load_roles()
    for name, kind in kinds.items():
        check(name in roles.names(), f"wrapper_kinds.txt: {name} ({kind}) is no function of MPI")
    check(set(categories.values()) <= set(KINDS), "wrapper_kinds.txt: kinds of categories")
    used = set(kinds.values()) | set(categories.values()) | {"call"}
    check(used == set(KINDS), f"kinds without a function: {sorted(set(KINDS) - used)}")
    stems = {re.sub(r"_init$", "", n[4:]) for n in roles.names()
             if categories.get(roles.lines[n][0]) == "collective"}
    check({s for s in stems if not re.match(r"I[a-z]", s)} == set(VOLUMES), "collectives with a volume")
    for compiler in compilers:
        mpi = load_mpi(compiler)
        expected = {f.name for f in mpi.functions if not f.variadic}
        with tempfile.TemporaryDirectory() as folder:
            generator.generate(mpi, roles, kinds, categories, folder, 3)
            names = wrapped(folder)
        check(names == expected, f"{mpi.name}: not wrapped: {sorted(expected - names)}")
        with open(functions, encoding="ascii") as file:
            listed = set(re.findall(r"^\s+(MPIX?_\w+)", file.read(), re.M))
        check(expected <= listed, f"{mpi.name}: not listed: {sorted(expected - listed)}")
        print(f"{mpi.name}: {len(names)} wrappers")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
