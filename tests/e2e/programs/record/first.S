/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A fault of the first instruction of a block: neither the block nor its address is in the trace; the handler's is.
 * counts: 6 + 1 + 3; no access. */
#include "enter.inc"
_start:
	mov $13, %eax /* rt_sigaction of SIGSEGV */
	mov $11, %edi
	lea action(%rip), %rsi
	xor %edx, %edx
	mov $8, %r10d
	syscall
	jmp 1f
	nop
1:
	movl $1, 8
	leave_with 1
	nop
handler:
	leave_with 0
back:
	mov $15, %eax
	syscall
	.data
action:
	.quad handler, 0x04000000, back, 0
