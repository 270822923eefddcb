"""adapters.c: the chain's side of tools that do not have the chain's form (layer/member_call.h).

Per function Member_X, which calls a PMPI tool's MPI_X without context and id; Next_X, which a PMPI
tool calls in place of PMPI_X and which goes on in the chain; and Api2020_X, which calls a tool of the
interface of October 2020 and keeps the context that this interface asks for. And the thunks that tell
Next_X which tool called.
"""

MAX_MEMBERS = 16


def emit_adapters(mpi, rows, notice, tool_types):
    out = [notice, '#include "qmpi.h"', '#include "layer/member_call.h"', ""]
    plain = [f for f in mpi.functions if not f.variadic]
    for f in plain:
        row = rows.of(f.name)
        arguments = f.arguments()
        more = ", " + arguments if arguments else ""
        parameters = "".join(", " + p.declaration for p in f.parameters)
        chain_form = f"QMPI_Context context_, int tool_id_{parameters}"
        out += [
            f"static {f.result} Member_{f.name}({chain_form}) {{",
            "    const QmpiOpenCall before_ = QMPI_ENTER(context_);",
            f"    const {f.result} result_ = (({f.result} (*)({f.type_list()}))"
            f"QMPI_INNER(tool_id_, {row}))({arguments});",
            "    QmpiLeave(&before_);", "    return result_;", "}",
            f"static {f.result} Api2020_{f.name}({chain_form}) {{",
            "    const QmpiOpenCall before_ = QMPI_ENTER(context_);",
            f"    const {f.result} result_ = (({f.result} (*)({tool_types(f)}))"
            f"QMPI_INNER(tool_id_, {row}))(context_, tool_id_{more});",
            "    QmpiLeave(&before_);", "    return result_;", "}",
            f"__attribute__((visibility(\"hidden\"))) {f.declaration('QmpiNext_' + f.name)} {{",
            "    const QmpiRecord call_ = {{__builtin_return_address(0)}, QMPI_CALLERS_FRAME};",
            f"    const QMPI_Link link_ = QmpiMemberNext({row});",
            "    const QMPI_Context context_ = {(void**)QMPI_CALL_OF_MEMBER(&call_)};",
            f"    return (({f.result} (*)({tool_types(f)}))link_.function)(context_, link_.tool_id{more});",
            "}", ""]
    for name, prefix in (("qmpi_member_adapters", "Member_"), ("qmpi_2020_adapters", "Api2020_")):
        out.append(f"void (*const {name}[{rows.count}])(void) = {{")
        for f in mpi.functions:
            function = "Qmpi" + prefix.replace("Api", "") + f.name if f.variadic else f"{prefix}{f.name}"
            out.append(f"    [{rows.of(f.name)}] = (void (*)(void)){function},")
        out += ["};", ""]
    return "\n".join(out)


def thunks(out, name, targets):
    """Thunks of 16 bytes each; the number of the member goes on in r11d."""
    out += ["    .p2align 4", f"    .globl {name}", f"    .hidden {name}", f"{name}:",
            "    .set member, 0", f"    .rept {MAX_MEMBERS}"]
    for target in targets:
        out += ["    .p2align 4", "    endbr64", "    movl $member, %r11d", f"    jmp {target}"]
    out += ["    .p2align 4", "    .set member, member + 1", "    .endr"]


# Asks QmpiMemberSymbol(member, name); null: goes on to the real function as if never called.
SYMBOL = """\
{label}:
    pushq %rdi
    pushq %rsi
    pushq %rdx
    movl %r11d, %edi
    call QmpiMemberSymbol
    popq %rdx
    popq %rsi
    popq %rdi
    testq %rax, %rax
    jz 1f
    ret
1:  jmp *{real}(%rip)"""


def emit_member_thunks(mpi, rows):
    """thunks.S"""
    out = ["    .section .note.GNU-stack,\"\",@progbits", "    .text"]
    by_row = {rows.of(f.name): f.name for f in mpi.functions}
    thunks(out, "qmpi_member_thunks",
           [f".Lnext{r}" if r in by_row else ".Lnone" for r in range(rows.count)])
    thunks(out, "qmpi_dlsym_thunks", [".Ldlsym"])
    thunks(out, "qmpi_dlvsym_thunks", [".Ldlvsym"])
    for row, name in sorted(by_row.items()):
        out += [f".Lnext{row}:", "    movq qmpi_member_index@gottpoff(%rip), %r10",
                "    movl %r11d, %fs:(%r10)", f"    jmp QmpiNext_{name}"]
    out += [".Lnone:", "    ud2", "    .hidden QmpiMemberSymbol",
            SYMBOL.format(label=".Ldlsym", real="qmpi_real_dlsym"),
            SYMBOL.format(label=".Ldlvsym", real="qmpi_real_dlvsym")]
    return "\n".join(out) + "\n"
