/* MPI_Pcontrol has variable arguments, which nobody knows, so whoever hands it on works on registers
 * and copies kWords words of the caller's stack arguments. What lies behind the last argument is
 * copied too and ignored by the callee. Tools get the arguments two places further back, behind
 * context and tool id. */

    .section .note.GNU-stack,"",@progbits
    .text

#define kWords 22

    .macro function name
    .globl \name
    .hidden \name
    .type \name,@function
\name:
    .cfi_startproc
    endbr64
    pushq %rbp
    .cfi_def_cfa_offset 16
    .cfi_offset %rbp, -16
    movq %rsp, %rbp
    .cfi_def_cfa_register %rbp
    .endm

    .macro leave_and_return name
    leave
    .cfi_def_cfa %rsp, 8
    ret
    .cfi_endproc
    .size \name, .-\name
    .endm

    .macro save_arguments
    movq %rdi, -16(%rbp)
    movq %rsi, -24(%rbp)
    movq %rdx, -32(%rbp)
    movq %rcx, -40(%rbp)
    movq %r8, -48(%rbp)
    movq %r9, -56(%rbp)
    movq %rax, -64(%rbp)
    movaps %xmm0, -80(%rbp)
    movaps %xmm1, -96(%rbp)
    movaps %xmm2, -112(%rbp)
    movaps %xmm3, -128(%rbp)
    movaps %xmm4, -144(%rbp)
    movaps %xmm5, -160(%rbp)
    movaps %xmm6, -176(%rbp)
    movaps %xmm7, -192(%rbp)
    .endm

    .macro restore_vectors
    movq -64(%rbp), %rax
    movaps -80(%rbp), %xmm0
    movaps -96(%rbp), %xmm1
    movaps -112(%rbp), %xmm2
    movaps -128(%rbp), %xmm3
    movaps -144(%rbp), %xmm4
    movaps -160(%rbp), %xmm5
    movaps -176(%rbp), %xmm6
    movaps -192(%rbp), %xmm7
    .endm

    /* kWords words from \from(%rbp) to \to(%rsp) */
    .macro copy_words from, to
    xorl %r10d, %r10d
1:  movq \from(%rbp,%r10,8), %r11
    movq %r11, \to(%rsp,%r10,8)
    incl %r10d
    cmpl $kWords, %r10d
    jne 1b
    .endm

    /* MPI_Pcontrol itself, two arguments fewer than the tool has that it calls: \start(call, &link)
     * says which one and returns the call to hand on. The record lies at -224, the link at -240. */
    .macro into_chain name, start
    function \name
    subq $(240 + 8 * (kWords + 2)), %rsp
    save_arguments
    movq 8(%rbp), %rax
    movq %rax, -224(%rbp)
    movq (%rbp), %rax
    movq %rax, -216(%rbp)
    leaq -224(%rbp), %rdi
    leaq -240(%rbp), %rsi
    call \start
    movq -48(%rbp), %rcx                    /* r8 and r9 become stack arguments */
    movq %rcx, (%rsp)
    movq -56(%rbp), %rcx
    movq %rcx, 8(%rsp)
    copy_words 16, 16
    movq %rax, %rdi
    movl -232(%rbp), %esi
    movq -16(%rbp), %rdx
    movq -24(%rbp), %rcx
    movq -32(%rbp), %r8
    movq -40(%rbp), %r9
    restore_vectors
    call *-240(%rbp)
    leave_and_return \name
    .endm

    /* What the chain calls: asks \begin(&state, context, tool id, frame, level) whom to call, and calls
     * \end(&state, result) when that has returned. The state lies at -256. */
    .macro begin_state begin
    subq $(256 + 8 * kWords), %rsp
    save_arguments
    movq %rdx, %r8
    movl %esi, %edx
    movq %rdi, %rsi
    leaq -256(%rbp), %rdi
    movq %rbp, %rcx
    call \begin
    movq %rax, -8(%rbp)
    .endm

    .macro end_state name, end
    call *-8(%rbp)
    movl %eax, -16(%rbp)
    leaq -256(%rbp), %rdi
    movl %eax, %esi
    call \end
    movl -16(%rbp), %eax
    leave_and_return \name
    .endm

    /* Who is called has the same form, with the tool id that stands first in the state. */
    .macro to_tool name, begin, end
    function \name
    begin_state \begin
    copy_words 16, 0
    movq -16(%rbp), %rdi
    movl -256(%rbp), %esi
    movq -32(%rbp), %rdx
    movq -40(%rbp), %rcx
    movq -48(%rbp), %r8
    movq -56(%rbp), %r9
    restore_vectors
    end_state \name, \end
    .endm

    /* Who is called has the form of MPI_Pcontrol. */
    .macro out_of_chain
    movq -32(%rbp), %rdi
    movq -40(%rbp), %rsi
    movq -48(%rbp), %rdx
    movq -56(%rbp), %rcx
    movq 16(%rbp), %r8
    movq 24(%rbp), %r9
    .endm

    into_chain QmpiWrap_MPI_Pcontrol, QmpiPcontrolStart
    into_chain QmpiNext_MPI_Pcontrol, QmpiPcontrolNext
    to_tool Qmpi2020_MPI_Pcontrol, QmpiPcontrolEnter, QmpiPcontrolLeave
    to_tool QmpiAround_MPI_Pcontrol, QmpiPcontrolBegin, QmpiPcontrolEnd

    function QmpiMember_MPI_Pcontrol
    begin_state QmpiPcontrolEnter
    copy_words 32, 0
    out_of_chain
    restore_vectors
    end_state QmpiMember_MPI_Pcontrol, QmpiPcontrolLeave

    function QmpiEnd_MPI_Pcontrol
    subq $(208 + 8 * kWords), %rsp
    save_arguments
    copy_words 32, 0
    out_of_chain
    restore_vectors
    movslq qmpi_pcontrol_row(%rip), %r10
    leaq qmpi_real(%rip), %r11
    call *(%r11,%r10,8)
    leave_and_return QmpiEnd_MPI_Pcontrol
