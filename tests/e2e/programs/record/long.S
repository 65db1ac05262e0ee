/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A straight run of more than 512 instructions, which qemu cuts into several blocks, each access of one register.
 * counts: 2 + 3 * (1500 + 2) + 3 = 4511; 3 * 1500 * 2 = 9000 */
#include "enter.inc"
_start:
	mov $3, %ecx
	mov $word, %edx
again:
	.rept 1500
	add %rax, (%rdx)
	.endr
	dec %ecx
	jnz again
	leave_with 0
	.data
word:
	.quad 3
