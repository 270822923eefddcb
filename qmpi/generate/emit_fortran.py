"""fortran_direct.c: wrappers of the Fortran routines that reach no C function (fortran_direct.h).

Per routine Direct_N, which a thunk leads to, and per function the end of the chain, which serves
both languages. All Fortran arguments are addresses; ierror comes last and may be absent in mpi_f08.
"""

import re

KINDS = [
    (r"MPI_(Comm|Type|Win)_get_attr", "get_attr"), (r"MPI_Attr_get", "get_attr"),
    (r"MPI_(Comm|Type|Win)_set_attr", "set_attr"), (r"MPI_Attr_put", "set_attr"),
    (r"MPI_(Comm|Type|Win)_create_keyval|MPI_Keyval_create", "create_keyval"),
    (r"MPI_(Comm|File|Win|Session)_create_errhandler|MPI_Errhandler_create", "create_errhandler"),
    (r"MPI_Type_match_size", "match_size"),
]

# For each kind: number of Fortran arguments without ierror; the C arguments of the tool's function,
# with what has to be declared for them; what is copied out when the twin has returned.
SHAPES = {
    "get_attr": (4, "", "{from_a0}, *(MPI_Fint*)a1, a2, (int*)a3",
                 "    if ((void*){p[3]} != frame->arguments[3])\n"
                 "        *{p[3]} = *(MPI_Fint*)frame->arguments[3] != 0;\n"),
    "set_attr": (3, "", "{from_a0}, *(MPI_Fint*)a1, {value_a2}", ""),
    "create_keyval": (4, "", "({t[0]})a0, ({t[1]})a1, (int*)a2, a3", ""),
    "create_errhandler": (2, "    MPI_Errhandler made = (MPI_Errhandler)0;\n",
                          "({t[0]})a0, &made", "    *{p[1]} = QMPI_FROM_FORTRAN(MPI_Errhandler, "
                          "Errhandler, ERRHANDLER, *(MPI_Fint*)frame->arguments[1]);\n"),
    "match_size": (3, "    MPI_Datatype made = (MPI_Datatype)0;\n",
                   "*(MPI_Fint*)a0, *(MPI_Fint*)a1, &made", "    *{p[2]} = QMPI_FROM_FORTRAN("
                   "MPI_Datatype, Type, TYPE, *(MPI_Fint*)frame->arguments[2]);\n"),
}

HANDLES = {"MPI_Comm": "Comm", "MPI_Datatype": "Type", "MPI_Win": "Win"}


def kind_of(function_name):
    return next((kind for pattern, kind in KINDS if re.fullmatch(pattern, function_name)), None)


def is_direct(function_name):
    return kind_of(function_name) is not None


def texts(f):
    first = f.parameters[0].type
    short = HANDLES.get(first, "")
    # The attribute of MPI-1 is a default integer, the later ones have the size of an address.
    width = "MPI_Fint" if f.name in ("MPI_Attr_put", "MPI_Attr_get") else "MPI_Aint"
    return {
        "from_a0": f"QMPI_FROM_FORTRAN({first}, {short}, {short.upper()}, *(MPI_Fint*)a0)",
        "value_a2": f"(void*)(intptr_t)*({width}*)a2",
        "t": [p.type for p in f.parameters], "p": [p.name for p in f.parameters],
    }


def emit_end(f, row):
    """The end of the chain of a function that Fortran may reach without the C function."""
    count, _, _, after = SHAPES[kind_of(f.name)]
    slots = ", ".join(f"frame->arguments[{i}]" for i in range(count))
    pointers = ", ".join(["void*"] * count + ["MPI_Fint*"])
    return "\n".join([
        f"static {f.result} End_{f.name}(QMPI_Context context_, "
        f"int tool_id_ __attribute__((unused)), {f.parameter_list()}) {{",
        "    QmpiFortranFrame* frame = QmpiFrameOf(context_);",
        "    if (!frame)",
        f"        return (({f.result} (*)({f.type_list()}))QMPI_REAL({row}))({f.arguments()});",
        f"    ((void (*)({pointers}))frame->twin)({slots}, &frame->error);",
        after.format(**texts(f)) + "    return frame->error;", "}", ""])


def emit_direct(f, row, at, tool_types):
    count, declared, arguments, _ = SHAPES[kind_of(f.name)]
    parameters = ", ".join([f"void* a{i}" for i in range(count)] + ["MPI_Fint* ierror"])
    names = ", ".join(f"a{i}" for i in range(count))
    pointers = ", ".join(["void*"] * count + ["MPI_Fint*"])
    return "\n".join([
        f"static void Direct_{at}({parameters}) {{",
        "    const QmpiChainBlock* block = QMPI_CHAIN_NOW;",
        f"    void* address = block && block->first[{row}].tool_id ? QmpiFortranCaller({row}) : 0;",
        "    if (!address) {",
        f"        ((void (*)({pointers}))QMPI_TWIN({at}))({names}, ierror);",
        "        return;", "    }",
        f"    const QMPI_Link link = block->first[{row}];",
        "    const QmpiRecord record = {{address}, qmpi_fortran_call.frame};",
        "    const QMPI_Context context = {(void**)&record};",
        "    QmpiFortranFrame* const outer = qmpi_fortran_frame;",
        f"    QmpiFortranFrame frame = {{&record.call, {{{names}}}, QMPI_TWIN({at}), 0}};",
        declared + "    qmpi_fortran_frame = &frame;",
        f"    const int error = ((int (*)({tool_types(f)}))link.function)(context, link.tool_id, "
        f"{arguments.format(**texts(f))});",
        "    qmpi_fortran_frame = outer;",
        "    if (ierror) *ierror = error;", "}", ""])


def emit_fortran_direct(mpi, rows, routines, notice, tool_types):
    out = [notice, '#include "layer/fortran_direct.h"', "", '#include "layer/call.h"',
           '#include "layer/tables.h"', "",
           "__thread QmpiFortranFrame* qmpi_fortran_frame;",
           f"void (*qmpi_fortran_twins[{max(len(routines), 1)}])(void);", ""]
    table = []
    for at, routine in enumerate(routines):
        if is_direct(routine.function):
            f = mpi.function(routine.function)
            out.append(emit_direct(f, rows.of(f.name), at, tool_types))
            table.append(f"    [{at}] = (void (*)(void))Direct_{at},")
    out.append(f"void (*const qmpi_fortran_direct[{max(len(routines), 1)}])(void) = {{")
    return "\n".join(out + table + ["};", ""])
