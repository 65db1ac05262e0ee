/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A store in the middle of a block faults; the handler mends the pointer that the frame of the signal holds, and the
 * same instruction runs again. What ran before the fault counts once, and so does the store.
 * counts: 7 + 4 * 6 + 3 + 4 * 2 + 4 * 2 = 50; 4 * 3 + 4 * (1 + 1) = 20 */
#include "enter.inc"
	.set REG_RBX, 40 + 11 * 8 /* of struct ucontext: uc_mcontext behind 40 bytes, 11 registers before rbx */
_start:
	mov $13, %eax
	mov $11, %edi
	mov $action, %esi
	xor %edx, %edx
	mov $8, %r10d
	syscall                     /* 6 */
	mov $4, %ecx                /* 7 */
again:
	mov $16, %ebx               /* nothing is mapped there */
	mov word, %rax
	mov %rax, (%rbx)
	mov %rax, 8(%rbx)
	dec %ecx
	jnz again                   /* 4 * 6, and the store once more */
	leave_with 0                /* 3 */
handler:
	movq $word, REG_RBX(%rdx)
	ret                         /* 4 * 2 */
restorer:
	mov $15, %eax
	syscall                     /* 4 * 2 */
	.data
word:
	.quad 3, 4
action:
	.quad handler, 0x04000004, restorer, 0 /* SA_RESTORER | SA_SIGINFO */
