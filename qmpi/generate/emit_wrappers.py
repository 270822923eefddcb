"""wrappers.S: what a slot leads to when a tool intercepts the function.

Nearly all calls come from the executable, or from a place in a library of the application that has
called before. For them nothing is written to the stack: the context is the address of the word in
which the return address lies, and a function of up to four arguments has no frame in between, so the
tool returns straight to the application. The caller's frame pointer, which only those need who ask
for the stack, is left in qmpi_callers_frames. Everybody else goes on in C (QmpiAny_X), with registers
and stack as they were.

The tool gets context and id in front of the arguments, which are words all of them: those in
registers move up by two, the fifth and sixth go on the stack, and what was there is copied.

A relay (layer/relay.h) is called like a tool and leads to the one that the id in %esi names.
"""

from emit_assembly import array

# As layer/call.h has them.
FIRST_LINK = 64  # offset of QmpiChainBlock.first
LINK_SIZE = 16
FRAMES_MASK = 0xf0  # of an address: its offset in qmpi_callers_frames

MOVES = ["movq %rdi, %rdx", "movq %rsi, %rcx", "movq %rdx, %r8", "movq %rcx, %r9"]

START = """\
movq (%rsp), %r10
movq qmpi_chain(%rip), %rax
subq qmpi_application(%rip), %r10
cmpq qmpi_application+8(%rip), %r10
jae 2f
1: movl %esp, %r10d
andl ${mask}, %r10d
addq qmpi_callers_frames@gottpoff(%rip), %r10
movq %rsp, %fs:(%r10)
movq %rbp, %fs:8(%r10)
"""

# Looks the return address up in the cache of layer/caller.cpp, whose entries are: generation << 51 |
# address >> 9 << 13 | caller << 10 | tool; the application is 1.
LOOK_UP = """\
2: movq (%rsp), %r10
movq %r10, %r11
shrq $9, %r11
movq %r11, %rax
shrq $9, %rax
xorq %r11, %rax
xorq %r10, %rax
andl $511, %eax
leaq qmpi_caller_cache(%rip), %r10
movq (%r10,%rax,8), %r10
movq qmpi_caller_generation(%rip), %rax
shlq $38, %rax
orq %r11, %rax
shlq $13, %rax
xorq %r10, %rax
shrq $10, %rax
cmpq $1, %rax
jne QmpiAny_{name}
movq qmpi_chain(%rip), %rax
jmp 1b
"""

# As layer/tables.h has it: the ids of the usual function as bits, that function, all others by id.
RELAY_SIZE = 24
RELAY = """\
movq qmpi_relays+{usual_ids}(%rip), %r10
btq %rsi, %r10
jnc 1f
jmp *qmpi_relays+{usual}(%rip)
1: movl %esi, %r11d
movq qmpi_relays+{by_id}(%rip), %r10
jmp *(%r10,%r11,8)
"""


def emit_wrapper(function, row):
    count = len(function.parameters)
    link = FIRST_LINK + LINK_SIZE * row
    out = START.format(name=function.name, mask=FRAMES_MASK).splitlines()
    words = 0

    def push(operand):
        nonlocal words
        out.extend([f"pushq {operand}", ".cfi_adjust_cfa_offset 8"])
        words += 1

    on_stack = max(count - len(MOVES), 0)
    if on_stack and on_stack % 2 == 0:
        push("%rax")  # so that the stack is aligned at the call
    for argument in range(count, len(MOVES), -1):
        if argument > 6:
            push(f"{8 * (words + argument - 6)}(%rsp)")
        else:
            push("%r9" if argument == 6 else "%r8")
    out += reversed(MOVES[:count])
    out += [f"leaq {8 * words}(%rsp), %rdi" if words else "movq %rsp, %rdi",
            f"movl {link + 8}(%rax), %esi"]
    if not words:
        out.append(f"jmp *{link}(%rax)")
    else:
        out += [f"call *{link}(%rax)", f"addq ${8 * words}, %rsp",
                f".cfi_adjust_cfa_offset -{8 * words}", "ret"]
    return out + LOOK_UP.format(name=function.name).splitlines()


def emit_function(name, body):
    return [f"    .globl {name}", f"    .hidden {name}", f"    .type {name},@function",
            "    .p2align 5", f"{name}:", "    .cfi_startproc", *(f"    {line}" for line in body),
            "    .cfi_endproc", f"    .size {name}, .-{name}"]


def emit_relays(functions, rows):
    entries = ["0"] * rows.count
    out = []
    for f in functions:
        at = rows.of(f.name)
        entries[at] = "QmpiRelay_" + f.name
        offsets = {name: RELAY_SIZE * at + 8 * i for i, name in enumerate(("usual_ids", "usual", "by_id"))}
        out += emit_function(entries[at], RELAY.format(**offsets).splitlines())
    out += ["    .bss", "    .globl qmpi_relays", "    .hidden qmpi_relays", "    .balign 64",
            f"qmpi_relays: .zero {RELAY_SIZE * rows.count}"]
    array(out, "qmpi_relay_entries", entries, ".data.rel.ro.local,\"aw\"")
    return out


def emit_assembly_wrappers(mpi, rows):
    plain = [f for f in mpi.functions if not f.variadic]
    out = ['    .section .note.GNU-stack,"",@progbits', "    .text",
           "    .hidden qmpi_caller_cache", "    .hidden qmpi_caller_generation"]
    for f in plain:
        out.append(f"    .hidden QmpiAny_{f.name}")
        out += emit_function("QmpiWrap_" + f.name, emit_wrapper(f, rows.of(f.name)))
    return "\n".join(out + emit_relays(plain, rows)) + "\n"
