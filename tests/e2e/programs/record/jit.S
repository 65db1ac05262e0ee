/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Code that is written while it runs: a function in a mapping, whose constant changes before each of five calls.
 * counts: 8 + 5 + 5 * (5 + 2) + 2 + 3 = 53; 2 + 5 * 3 = 17 */
#include "enter.inc"
_start:
	ask 9, 0, 4096, 7, 0x22, -1, 0 /* mmap */
	mov %rax, %rbx
	movb $0xb8, (%rbx)           /* mov $constant, %eax */
	movb $0xc3, 5(%rbx)          /* ret */
	mov $5, %ebp
	xor %r12d, %r12d
again:
	mov %ebp, 1(%rbx)
	call *%rbx
	add %eax, %r12d
	dec %ebp
	jnz again
	cmp $15, %r12d
	jne bad
	leave_with 0
bad:
	leave_with 1
