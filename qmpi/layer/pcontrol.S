/* MPI_Pcontrol has variable arguments, so its wrapper and its end of the chain work on registers:
 * they shift the integer arguments by two places and copy kWords words of the caller's stack
 * arguments. What lies behind the last argument is copied too and ignored by the callee. */

    .section .note.GNU-stack,"",@progbits
    .text

#define kWords 22

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

    .globl QmpiWrap_MPI_Pcontrol
    .hidden QmpiWrap_MPI_Pcontrol
    .type QmpiWrap_MPI_Pcontrol,@function
QmpiWrap_MPI_Pcontrol:
    .cfi_startproc
    endbr64
    pushq %rbp
    .cfi_def_cfa_offset 16
    .cfi_offset %rbp, -16
    movq %rsp, %rbp
    .cfi_def_cfa_register %rbp
    subq $(208 + 8 * (kWords + 2)), %rsp
    save_arguments
    movq 8(%rbp), %rdi
    movl qmpi_pcontrol_row(%rip), %esi
    call QmpiCaller
    testq %rax, %rax
    jz .Lstraight_on
    movq %rax, -208(%rbp)                   /* a QMPI_Call */
    movq qmpi_chain(%rip), %rax
    movq %rax, -200(%rbp)
    movq -48(%rbp), %rax                    /* r8 and r9 become stack arguments */
    movq %rax, (%rsp)
    movq -56(%rbp), %rax
    movq %rax, 8(%rsp)
    xorl %ecx, %ecx
.Lcopy_down:
    movq 16(%rbp,%rcx,8), %rax
    movq %rax, 16(%rsp,%rcx,8)
    incl %ecx
    cmpl $kWords, %ecx
    jne .Lcopy_down
    leaq -208(%rbp), %rdi
    movslq qmpi_pcontrol_row(%rip), %r10
    shlq $4, %r10
    leaq qmpi_first(%rip), %r11
    addq %r10, %r11
    movl 8(%r11), %esi
    movq (%r11), %r11
    movq -16(%rbp), %rdx
    movq -24(%rbp), %rcx
    movq -32(%rbp), %r8
    movq -40(%rbp), %r9
    restore_vectors
    call *%r11
    leave
    .cfi_remember_state
    .cfi_def_cfa %rsp, 8
    ret
    .cfi_restore_state
.Lstraight_on:
    movq -16(%rbp), %rdi
    movq -24(%rbp), %rsi
    movq -32(%rbp), %rdx
    movq -40(%rbp), %rcx
    movq -48(%rbp), %r8
    movq -56(%rbp), %r9
    restore_vectors
    movslq qmpi_pcontrol_row(%rip), %r10
    leaq qmpi_real(%rip), %r11
    leave
    .cfi_def_cfa %rsp, 8
    jmp *(%r11,%r10,8)
    .cfi_endproc
    .size QmpiWrap_MPI_Pcontrol, .-QmpiWrap_MPI_Pcontrol

    .globl QmpiEnd_MPI_Pcontrol
    .hidden QmpiEnd_MPI_Pcontrol
    .type QmpiEnd_MPI_Pcontrol,@function
QmpiEnd_MPI_Pcontrol:
    .cfi_startproc
    endbr64
    pushq %rbp
    .cfi_def_cfa_offset 16
    .cfi_offset %rbp, -16
    movq %rsp, %rbp
    .cfi_def_cfa_register %rbp
    subq $(8 * kWords), %rsp
    xorl %r10d, %r10d
.Lcopy_up:
    movq 32(%rbp,%r10,8), %r11
    movq %r11, (%rsp,%r10,8)
    incl %r10d
    cmpl $kWords, %r10d
    jne .Lcopy_up
    movq %rdx, %rdi
    movq %rcx, %rsi
    movq %r8, %rdx
    movq %r9, %rcx
    movq 16(%rbp), %r8
    movq 24(%rbp), %r9
    movslq qmpi_pcontrol_row(%rip), %r10
    leaq qmpi_real(%rip), %r11
    call *(%r11,%r10,8)
    leave
    .cfi_def_cfa %rsp, 8
    ret
    .cfi_endproc
    .size QmpiEnd_MPI_Pcontrol, .-QmpiEnd_MPI_Pcontrol
