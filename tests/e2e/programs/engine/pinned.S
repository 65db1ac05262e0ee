/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A jump of one byte from a section into another: the two cannot move apart. */
	.section .text.near, "ax", @progbits
	.globl near
near:	.byte 0xeb
	.reloc ., R_X86_64_PC8, there - 1
	.byte 0
	.section .text.there, "ax", @progbits
	.globl there
there:	mov $7, %eax
	ret
	.section .note.GNU-stack, "", @progbits
