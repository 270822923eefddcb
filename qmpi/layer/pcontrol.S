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

    /* count words from \from(%rbp) to \to(%rsp) */
    .macro copy_words from, to
    xorl %r10d, %r10d
1:  movq \from(%rbp,%r10,8), %r11
    movq %r11, \to(%rsp,%r10,8)
    incl %r10d
    cmpl $kWords, %r10d
    jne 1b
    .endm

    function QmpiWrap_MPI_Pcontrol
    subq $(224 + 8 * (kWords + 2)), %rsp
    save_arguments
    movq 8(%rbp), %rax                      /* a QMPI_Call */
    movq %rax, -208(%rbp)
    movq qmpi_chain(%rip), %rax
    movq %rax, -200(%rbp)
    leaq -208(%rbp), %rdi
    movl qmpi_pcontrol_row(%rip), %esi
    call QmpiStart
    movq %rax, -216(%rbp)
    movl %edx, -220(%rbp)
    movq -48(%rbp), %rax                    /* r8 and r9 become stack arguments */
    movq %rax, (%rsp)
    movq -56(%rbp), %rax
    movq %rax, 8(%rsp)
    copy_words 16, 16
    leaq -208(%rbp), %rdi
    movl -220(%rbp), %esi
    movq -16(%rbp), %rdx
    movq -24(%rbp), %rcx
    movq -32(%rbp), %r8
    movq -40(%rbp), %r9
    restore_vectors
    call *-216(%rbp)
    leave_and_return QmpiWrap_MPI_Pcontrol

    function QmpiEnd_MPI_Pcontrol
    subq $(8 * kWords), %rsp
    copy_words 32, 0
    movq %rdx, %rdi
    movq %rcx, %rsi
    movq %r8, %rdx
    movq %r9, %rcx
    movq 16(%rbp), %r8
    movq 24(%rbp), %r9
    movslq qmpi_pcontrol_row(%rip), %r10
    leaq qmpi_real(%rip), %r11
    call *(%r11,%r10,8)
    leave_and_return QmpiEnd_MPI_Pcontrol
