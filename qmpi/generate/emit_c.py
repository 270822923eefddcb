"""The C side of the layer that depends on the MPI: wrappers, ends of the chain, tables, header."""

from emit_fortran import emit_end, is_direct
from function_numbers import FIRST_OUTSIDE_ENUM, frozen_numbers
from mpi_model import enumerator

NOTICE = "/* Generated from this MPI's mpi.h by qmpi/generate. */\n"


def tool_types(f):
    return ", ".join(["QMPI_Context", "int"] + [p.type for p in f.parameters]
                     + (["..."] if f.variadic else []))


def emit_wrappers(mpi, rows):
    """wrappers.c: for each function the wrapper for all callers (Any_), to which the one of wrappers.S
    leads whoever is not the executable, and the end of the chain (End_)."""
    out = [NOTICE, '#include "qmpi.h"', '#include "layer/call.h"',
           '#include "layer/fortran_direct.h"',
           '#include "layer/tables.h"', ""]
    plain = [f for f in mpi.functions if not f.variadic]
    for f in plain:
        row = rows.of(f.name)
        arguments = f.arguments()
        extra = ", " + arguments if arguments else ""
        real = f"(({f.result} (*)({f.type_list()}))QMPI_REAL({row}))({arguments})"
        tool = f"(({f.result} (*)({tool_types(f)}))link_.function)"
        out += [f"QMPI_IN_WORDS({p.type});" for p in f.parameters]
        out += [
            f"void QmpiWrap_{f.name}(void) __attribute__((visibility(\"hidden\")));",
            f"__attribute__((visibility(\"hidden\"))) {f.declaration('QmpiAny_' + f.name)} {{",
            "    QmpiRecord record_ = {{__builtin_return_address(0)}, QMPI_CALLERS_FRAME};",
            f"    const QMPI_Link link_ = QmpiStart(QMPI_CHAIN_NOW, &record_, {row});",
            "    const QMPI_Context context_ = {(void**)&record_};",
            f"    return {tool}(context_, link_.tool_id{extra});",
            "}"]
        if is_direct(f.name):
            out.append(emit_end(f, row))
        else:
            out += [f"static {f.result} End_{f.name}({end_parameters(f)}) {{",
                    f"    return {real};", "}", ""]
    out += table("qmpi_wrappers", "QmpiWrap_", plain, rows, mpi)
    out += table("qmpi_ends", "End_", plain, rows, mpi)
    return "\n".join(out)


def end_parameters(f):
    own = ["QMPI_Context context_ __attribute__((unused))", "int tool_id_ __attribute__((unused))"]
    return ", ".join(own + [p.declaration for p in f.parameters])


def table(name, prefix, plain, rows, mpi):
    out = [f"void (*const {name}[{rows.count}])(void) = {{"]
    for f in plain:
        out.append(f"    [{rows.of(f.name)}] = (void (*)(void)){prefix}{f.name},")
    for f in mpi.functions:
        if f.variadic:
            out.append(f"    [{rows.of(f.name)}] = Qmpi{prefix.replace('Qmpi', '')}{f.name},")
    return out + ["};", ""]


def emit_tables(mpi, rows, routines):
    """tables.c: names, and what a call returns when there is no MPI to make it."""
    kinds = {"int": "kQmpiInt", "MPI_Fint": "kQmpiInt", "double": "kQmpiDouble"}
    out = [NOTICE, "#include <mpi.h>", '#include "layer/tables.h"', "",
           f'const char qmpi_name[] = "{mpi.name}";',
           f'const char qmpi_soname[] = "{mpi.soname}";',
           "const int qmpi_error_argument = MPI_ERR_ARG;",
           "const int qmpi_error_other = MPI_ERR_OTHER;",
           f"const int qmpi_rows_below = {rows.below};",
           f"const int qmpi_row_count = {rows.count};",
           f"const int qmpi_fortran_count = {len(routines)};",
           f"const int qmpi_pcontrol_row = {rows.of('MPI_Pcontrol')};", "",
           f"const QmpiFunction qmpi_functions[{rows.count}] = {{"]
    for f in sorted(mpi.functions, key=lambda f: rows.of(f.name)):
        kind = kinds.get(f.result, "kQmpiHandle")
        if f.name in ("MPI_Initialized", "MPI_Finalized"):
            kind = "kQmpiFlag"
        out.append(f'    [{rows.of(f.name)}] = {{"{f.name}", "P{f.name}", {kind}}},')
    out += ["};", "", f"const QmpiRoutine qmpi_routines[{max(len(routines), 1)}] = {{"]
    for r in routines:
        out.append(f'    {{"{r.canonical}", "{r.twin}", {rows.of(r.function)}}},')
    return "\n".join(out + ["};", ""])


def emit_header(mpi, rows):
    """qmpi_functions.h: what of MPICH 4's QMPI declarations this MPI's mpi.h lacks."""
    out = [NOTICE, "#ifndef QMPI_FUNCTIONS_H", "#define QMPI_FUNCTIONS_H", "",
           f'#define QMPI_MPI_NAME "{mpi.name}"',
           f"#define QMPI_ROWS_BELOW {rows.below}",
           f"#define QMPI_ROWS {rows.count}", ""]
    frozen = frozen_numbers()
    declared = bool(mpi.qmpi_numbers)
    if not declared:
        last = max(n for n in frozen.values() if n < FIRST_OUTSIDE_ENUM) + 1
        out += ["typedef struct {", "    void** storage_stack;", "} QMPI_Context;",
                "#define QMPI_MAX_TOOL_NAME_LENGTH 256", "", "enum QMPI_Functions_enum {"]
        out += [f"    {enumerator(n)} = {v}," for n, v in frozen.items() if v < FIRST_OUTSIDE_ENUM]
        out += [f"    MPI_LAST_FUNC_T = {last}", "};", ""]
    numbers = dict(frozen)
    numbers.update(rows.numbers)
    for name, number in sorted(numbers.items(), key=lambda item: item[1]):
        if name not in mpi.qmpi_numbers and number >= FIRST_OUTSIDE_ENUM:
            out.append(f"#define {enumerator(name)} {number}")
    out += ["#define MPI_LAST_FUNC MPI_LAST_FUNC_T", ""]
    for f in mpi.functions:
        if f.name not in mpi.qmpi_numbers:
            parameters = ["QMPI_Context context", "int tool_id"]
            parameters += [p.declaration for p in f.parameters] + (["..."] if f.variadic else [])
            typedef = f"typedef {f.result}(Q{f.name}_t)({', '.join(parameters)});"
            # Open MPI declares the types of MPI-1 on request alone.
            removed = "MPI_Handler_function" in typedef and mpi.name == "openmpi"
            out += ["#if !OMPI_OMIT_MPI1_COMPAT_DECLS", typedef, "#endif"] if removed else [typedef]
    out += ["", "#endif", ""]
    return "\n".join(out)


def emit_version_script(mpi, routines, api):
    names = {f.name for f in mpi.functions} | {n for r in routines for n in r.names} | set(api)
    return "{\nglobal:\n" + "".join(f"    {n};\n" for n in sorted(names)) + "local:\n    *;\n};\n"
