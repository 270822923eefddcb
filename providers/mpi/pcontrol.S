/* The wrapper of MPI_Pcontrol, whose variable arguments nobody knows: integer registers, vector
 * registers and kWords words of the caller's stack arguments go to the next tool as they came, only
 * the number of the tool changes. The span is made by C++ on either side of the call. */

    .section .note.GNU-stack,"",@progbits
    .text

#define kWords 22

    .globl ComshuWrapPcontrol
    .hidden ComshuWrapPcontrol
    .type ComshuWrapPcontrol,@function
ComshuWrapPcontrol:
    .cfi_startproc
    endbr64
    pushq %rbp
    .cfi_def_cfa_offset 16
    .cfi_offset %rbp, -16
    movq %rsp, %rbp
    .cfi_def_cfa_register %rbp
    subq $(224 + 8 * kWords), %rsp
    movq %rdi, -16(%rbp)
    movq %rdx, -24(%rbp)
    movq %rcx, -32(%rbp)
    movq %r8, -40(%rbp)
    movq %r9, -48(%rbp)
    movq %rax, -56(%rbp)
    movaps %xmm0, -80(%rbp)
    movaps %xmm1, -96(%rbp)
    movaps %xmm2, -112(%rbp)
    movaps %xmm3, -128(%rbp)
    movaps %xmm4, -144(%rbp)
    movaps %xmm5, -160(%rbp)
    movaps %xmm6, -176(%rbp)
    movaps %xmm7, -192(%rbp)
    movq %rbp, %rsi                     /* (context, frame, &call) -> next function, its tool id */
    leaq -208(%rbp), %rdx
    leaq -200(%rbp), %rcx
    movl -24(%rbp), %r8d                /* the level */
    call ComshuPcontrolBegin
    movq %rax, %r11
    xorl %r10d, %r10d
.Lcopy:
    movq 16(%rbp,%r10,8), %rax
    movq %rax, (%rsp,%r10,8)
    incl %r10d
    cmpl $kWords, %r10d
    jne .Lcopy
    movq -16(%rbp), %rdi
    movl -200(%rbp), %esi
    movq -24(%rbp), %rdx
    movq -32(%rbp), %rcx
    movq -40(%rbp), %r8
    movq -48(%rbp), %r9
    movq -56(%rbp), %rax
    movaps -80(%rbp), %xmm0
    movaps -96(%rbp), %xmm1
    movaps -112(%rbp), %xmm2
    movaps -128(%rbp), %xmm3
    movaps -144(%rbp), %xmm4
    movaps -160(%rbp), %xmm5
    movaps -176(%rbp), %xmm6
    movaps -192(%rbp), %xmm7
    call *%r11
    movl %eax, -16(%rbp)
    movq -208(%rbp), %rdi
    movl %eax, %esi
    movl -24(%rbp), %edx
    call ComshuPcontrolEnd
    movl -16(%rbp), %eax
    leave
    .cfi_def_cfa %rsp, 8
    ret
    .cfi_endproc
    .size ComshuWrapPcontrol, .-ComshuWrapPcontrol
