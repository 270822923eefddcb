"""The exported names: stubs that jump through a slot with registers and stack as they are.

Handles differ in size between MPIs and MPI_Pcontrol takes what it likes, so the layer may only look
at arguments once it knows that the MPI in the process is the one it was built for. Until then, and
for all that no tool intercepts, a call is one indirect jump. A slot starts at its lazy entry, which
saves every register that can hold an argument and asks QmpiBind where to go.
"""

HEADER = """\
    .section .note.GNU-stack,"",@progbits
    .text
"""

LAZY = """\
    .hidden QmpiBind
    .type qmpi_lazy,@function
qmpi_lazy:
    .cfi_startproc
    .cfi_def_cfa_offset 16
    pushq %rbp
    .cfi_def_cfa_offset 24
    .cfi_offset %rbp, -24
    movq %rsp, %rbp
    .cfi_def_cfa_register %rbp
    andq $-16, %rsp
    subq $208, %rsp
    movq %rax, (%rsp)
    movq %rdi, 8(%rsp)
    movq %rsi, 16(%rsp)
    movq %rdx, 24(%rsp)
    movq %rcx, 32(%rsp)
    movq %r8, 40(%rsp)
    movq %r9, 48(%rsp)
    movq %r10, 56(%rsp)
    movaps %xmm0, 64(%rsp)
    movaps %xmm1, 80(%rsp)
    movaps %xmm2, 96(%rsp)
    movaps %xmm3, 112(%rsp)
    movaps %xmm4, 128(%rsp)
    movaps %xmm5, 144(%rsp)
    movaps %xmm6, 160(%rsp)
    movaps %xmm7, 176(%rsp)
    movq 8(%rbp), %rdi
    movq 16(%rbp), %rsi
    call QmpiBind
    movq %rax, %r11
    movq (%rsp), %rax
    movq 8(%rsp), %rdi
    movq 16(%rsp), %rsi
    movq 24(%rsp), %rdx
    movq 32(%rsp), %rcx
    movq 40(%rsp), %r8
    movq 48(%rsp), %r9
    movq 56(%rsp), %r10
    movaps 64(%rsp), %xmm0
    movaps 80(%rsp), %xmm1
    movaps 96(%rsp), %xmm2
    movaps 112(%rsp), %xmm3
    movaps 128(%rsp), %xmm4
    movaps 144(%rsp), %xmm5
    movaps 160(%rsp), %xmm6
    movaps 176(%rsp), %xmm7
    movq %rbp, %rsp
    popq %rbp
    .cfi_def_cfa %rsp, 16
    leaq 8(%rsp), %rsp
    .cfi_def_cfa_offset 8
    jmp *%r11
    .cfi_endproc
    .size qmpi_lazy, .-qmpi_lazy
"""

FORTRAN_WORDS = """\
    .section .tbss,"awT",@nobits
    .globl qmpi_fortran_call
    .hidden qmpi_fortran_call
    .type qmpi_fortran_call,@object
    .align 16
qmpi_fortran_call:
    .zero 24
    .size qmpi_fortran_call, 24
    .text
"""


def array(out, name, entries, section=".data"):
    out += [f"    .section {section}", f"    .globl {name}", f"    .hidden {name}",
            "    .align 64", f"{name}:"]
    out += [f"    .quad {e}" for e in entries] or ["    .quad 0"]
    out.append("    .text")


def exported(out, name, body):
    out += [f"    .globl {name}", f"    .type {name},@function", "    .p2align 4", f"{name}:",
            *(f"    {line}" for line in body), f"    .size {name}, .-{name}"]


def emit_assembly(mpi, rows, routines):
    """stubs.S: exported names, lazy entries, and the arrays of slots.

    QmpiBind's first argument counts through slots of the exported names, slots of the real
    functions (chain's end) and slots of the Fortran routines, in this order.
    """
    out = [HEADER, LAZY]
    by_row = {rows.of(f.name): f.name for f in mpi.functions}
    for row, name in sorted(by_row.items()):
        exported(out, name, [f"jmp *qmpi_slots+{8 * row}(%rip)"])
        out += [f".Lstub{row}:", f"    jmp *qmpi_slots+{8 * row}(%rip)"]
        out += [f".Lslot{row}:", f"    pushq ${row}", "    jmp qmpi_lazy"]
        out += [f".Lreal{row}:", f"    pushq ${rows.count + row}",
                "    jmp qmpi_lazy"]
    out.append(FORTRAN_WORDS)
    for at, routine in enumerate(routines):
        row = rows.of(routine.function)
        out += [f".Lfortran{at}:", f"    pushq ${2 * rows.count + at}",
                "    jmp qmpi_lazy"]
        for name in routine.names:
            exported(out, name, [
                "movq qmpi_fortran_call@gottpoff(%rip), %r10", "movq (%rsp), %r11",
                "movq %r11, %fs:(%r10)", f"movq ${row + 1}, %fs:8(%r10)",
                "movq %rbp, %fs:16(%r10)",
                f"jmp *qmpi_fortran_slots+{8 * at}(%rip)"])
    present = range(rows.count)
    data = ".data.rel.local,\"aw\""
    array(out, "qmpi_slots", [f".Lslot{r}" if r in by_row else "0" for r in present], data)
    array(out, "qmpi_real", [f".Lreal{r}" if r in by_row else "0" for r in present], data)
    array(out, "qmpi_fortran_slots", [f".Lfortran{i}" for i in range(len(routines))], data)
    array(out, "qmpi_stubs", [f".Lstub{r}" if r in by_row else "0" for r in present],
          ".data.rel.ro.local,\"aw\"")
    return "\n".join(out) + "\n"
