"""Writes the generated halves of the layer's tests for one MPI.

    generate_tests.py --mpicc mpicc.mpich --out DIR

pass_through.c intercepts every function and passes on, pass_through_2020.c does so by the interface of
October 2020, and pass_through_pmpi.c as an ordinary PMPI tool. fake_mpi.c is a library that looks like this
MPI and records the arguments of each call. calls.h lists all functions for the program that calls
each one: name, number, and for each argument whether all 64 bits count or 32.
"""

import argparse

from function_numbers import Rows
from generate_qmpi import write
from mpi_model import enumerator, load_mpi


def emit_pass_through(mpi):
    out = ['#include "test_tool.h"', ""]
    plain = [f for f in mpi.functions if not f.variadic]
    for f in plain:
        types = "".join(f", {p.declaration}" for p in f.parameters)
        arguments = "".join(f", {p.name}" for p in f.parameters)
        number = enumerator(f.name)
        out += [
            f"static {f.result} Tool_{f.name}(QMPI_Context context_, int tool_id_{types}) {{",
            "    int next_id_;",
            f'    CountCall({number}, "{f.name}", context_, tool_id_);',
            f"    Q{f.name}_t* next_ = (Q{f.name}_t*)NextFunction(tool_id_, {number}, &next_id_);",
            f"    return next_(context_, next_id_{arguments});",
            "}", ""]
    # Through a variable of the header's type: a typedef that differs does not compile.
    out.append("void RegisterGenerated(int tool_id) {")
    for f in plain:
        out += ["    {", f"        Q{f.name}_t* const typed = Tool_{f.name};",
                f"        QMPI_Register_function(tool_id, {enumerator(f.name)}, "
                "(void (*)(void))typed);", "    }"]
    return "\n".join(out + ["}", ""])


# What the tools without a half by hand have: how often they were called, told at exit.
COUNTER = """\
#include <stdio.h>

static int calls;
__attribute__((destructor)) static void Report(void) {{
    if (calls > 0) {{
        printf("PASSED {} %d\\n", calls);
    }}
}}
"""


def emit_pass_through_2020(mpi):
    out = ["#define QMPI_API 202010", '#include "qmpi.h"', COUNTER.format("2020")]
    plain = [f for f in mpi.functions if not f.variadic]
    for f in plain:
        types = "".join(f", {p.declaration}" for p in f.parameters)
        arguments = "".join(f", {p.name}" for p in f.parameters)
        out += [
            f"static {f.result} Tool_{f.name}(QMPI_Context context_, int tool_id_{types}) {{",
            "    QMPI_Function next_;", "    int next_id_;", "    (void)context_;", "    calls++;",
            f"    QMPI_Get_function(tool_id_, {enumerator(f.name)}, &next_, &next_id_, &context_);",
            f"    return ((Q{f.name}_t*)next_)(context_, next_id_{arguments});", "}", ""]
    out.append("static void Init(int tool_id) {")
    out += [f"    QMPI_Register_tool_function(tool_id, {enumerator(f.name)}, "
            f"(QMPI_Function)Tool_{f.name});" for f in plain]
    out += ["}", "__attribute__((constructor)) static void Announce(void) {",
            '    QMPI_Register_tool_name("pass_through_2020", Init);', "}"]
    return "\n".join(out + [""])


def emit_pass_through_pmpi(mpi):
    out = ["#include <mpi.h>", COUNTER.format("pmpi")]
    for f in mpi.functions:
        arguments = "level" if f.variadic else f.arguments()
        out += [f"{f.declaration()} {{", "    calls++;", f"    return P{f.name}({arguments});", "}", ""]
    return "\n".join(out)


def is_wide(c_type):
    narrow = {"int", "const int", "MPI_Fint"}
    handles = "MPI_Comm MPI_Group MPI_Datatype MPI_Request MPI_Op MPI_Info MPI_Errhandler MPI_Win"
    handles += " MPI_Message MPI_Session MPI_T_source_order"
    handles += " MPI_T_cb_safety MPIX_Grequest_class"
    return c_type not in narrow, c_type in handles.split()


def emit_fake(mpi):
    marker = {"mpich": "void MPIR_Dup_fn(void) {}", "openmpi": "int ompi_mpi_comm_world;"}
    out = ['#include "fake_mpi.h"', "", marker[mpi.name], ""]
    for at, f in enumerate(mpi.functions):
        arguments = "a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, b0, b1, b2"
        record = f"FakeRecord({at}, (const long[]){{{arguments}}})"
        parameters = ("long a0, long a1, long a2, long a3, long a4, long a5, long a6, long a7, "
                      "long a8, long a9, long b0, long b1, long b2")
        result = "double" if f.result == "double" else "long"
        out += [f"{result} P{f.name}({parameters}) {{ {record}; return {1000 + at}; }}",
                f'__attribute__((weak, alias("P{f.name}"))) {result} {f.name}({parameters});']
    return "\n".join(out + [""])


def emit_calls(mpi, rows):
    out = ["/* X(name, number, argument count, mask of 64-bit arguments, returns double) */"]
    for f in mpi.functions:
        mask = 0
        for i, p in enumerate(f.parameters):
            wide, handle = is_wide(p.type)
            if wide and not (handle and mpi.name == "mpich"):
                mask |= 1 << i
        out.append(f"X({f.name}, {rows.numbers[f.name]}, {len(f.parameters)}, {mask}, "
                   f"{int(f.result == 'double')})")
    return "\n".join(out + [""])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mpicc", required=True)
    parser.add_argument("--out", required=True)
    options = parser.parse_args()
    mpi = load_mpi(options.mpicc)
    rows = Rows(mpi)
    mpi.functions = [f for f in mpi.functions if f.name in rows.numbers]
    write(options.out, "pass_through.c", emit_pass_through(mpi))
    write(options.out, "pass_through_2020.c", emit_pass_through_2020(mpi))
    write(options.out, "pass_through_pmpi.c", emit_pass_through_pmpi(mpi))
    write(options.out, "fake_mpi.c", emit_fake(mpi))
    write(options.out, "calls.h", emit_calls(mpi, rows))


if __name__ == "__main__":
    main()
