/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An instruction that lies across two pages, in a loop and in the middle of a straight run: qemu lists it in the
 * block before, cut short, and runs it from a block of its own.
 * counts: 1 + 1 + 10 * 5 + 3 = 55; 1 + 10 * 3 = 31 */
#include "enter.inc"
	.balign 4096
	.fill 4096 - 4 - 8 - 5 - 1, 1, 0x90
_start:
	push %rax                     /* 1 */
	mov $10, %ecx                 /* 5 */
again:
	mov %rax, word                /* 8 */
	.byte 0x48, 0x8b, 0x94, 0x24  /* mov -8(%rsp), %rdx with a displacement of four bytes: 8, four of them here */
	.long -8
	add word, %rax
	dec %ecx
	jnz again
	leave_with 0
	.data
	.balign 8
word:
	.quad 3
