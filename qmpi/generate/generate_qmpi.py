"""Writes the generated sources of libqmpi for one MPI.

    generate_qmpi.py --mpicc mpicc.mpich [--mpifort mpifort.mpich] --out DIR

Files that would not change are left alone, so that a rerun rebuilds nothing.
"""

import argparse
import os
import sys

from emit_assembly import emit_assembly
from emit_c import (NOTICE, emit_header, emit_tables, emit_version_script, emit_wrappers,
                    tool_types)
from emit_fortran import emit_fortran_direct
from emit_members import emit_adapters, emit_member_thunks
from emit_wrappers import emit_assembly_wrappers
from fortran_model import load_routines
from function_numbers import Rows
from mpi_model import ModelError, load_mpi

API = [
    "QMPI_Register_tool_name", "QMPI_Register_tool_name_openmpi", "QMPI_Register_tool_storage",
    "QMPI_Register_function",
    "QMPI_Get_function", "QMPI_Get_tool_storage", "QMPI_Get_calling_address", "qmpi_mpi_name",
    "qmpi_active", "qmpi_mpi_function", "QMPI_Get_tool_ids", "QMPI_Get_tool_name",
    "QMPI_Get_next_tool", "QMPI_Get_tool_fn", "qmpi_classify_address",
    "qmpi_register_pcontrol", "QMPI_Context_get_calling_stack", "qmpi_register_function_202010",
    "qmpi_get_function_202010", "qmpi_get_calling_address_202010", "qmpi_describe", "dlclose",
    "qmpi_chain_of_process",
]


def write(folder, name, text):
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if os.path.exists(path):
        with open(path, encoding="ascii") as file:
            if file.read() == text:
                return
    with open(path, "w", encoding="ascii") as file:
        file.write(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mpicc", required=True)
    parser.add_argument("--mpifort", default="")
    parser.add_argument("--out", required=True)
    options = parser.parse_args()
    try:
        mpi = load_mpi(options.mpicc)
        routines = load_routines(options.mpifort, mpi)
        rows = Rows(mpi)
    except (ModelError, ValueError) as error:
        sys.exit(f"generate_qmpi.py: {error}")
    if rows.unnumbered:
        # A newer MPI than the list knows: its new functions go straight on, all others are served.
        print(f"qmpi: {mpi.name}: not intercepted, they have no number in function_numbers.txt: "
              + " ".join(rows.unnumbered), file=sys.stderr)
        mpi.functions = [f for f in mpi.functions if f.name not in rows.unnumbered]
    write(options.out, "stubs.S", emit_assembly(mpi, rows, routines))
    write(options.out, "wrappers.S", emit_assembly_wrappers(mpi, rows))
    write(options.out, "wrappers.c", emit_wrappers(mpi, rows))
    write(options.out, "adapters.c", emit_adapters(mpi, rows, NOTICE, tool_types))
    write(options.out, "thunks.S", emit_member_thunks(mpi, rows))
    write(options.out, "fortran_direct.c",
          emit_fortran_direct(mpi, rows, routines, NOTICE, tool_types))
    write(options.out, "tables.c", emit_tables(mpi, rows, routines))
    write(options.out, "exports.map", emit_version_script(mpi, routines, API))
    write(options.out, "include/qmpi_functions.h", emit_header(mpi, rows))


if __name__ == "__main__":
    main()
