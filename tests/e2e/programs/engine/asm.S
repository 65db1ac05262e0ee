/* SPDX-License-Identifier: GPL-3.0-or-later */
/* By hand: several functions in one section, calls and jumps through .got that the linker relaxes, a label at the end of
 * a section, a hidden function, an alignment of 64, pointers and distances in data. */
	.text
	.globl add3
	.type add3, @function
add3:	lea 3(%rdi), %eax
	call *helper@GOTPCREL(%rip)
	jmp *tail@GOTPCREL(%rip)
	.size add3, . - add3

	.section .text.asm2, "ax", @progbits
	.globl helper
helper:	mov words@GOTPCREL(%rip), %rdx
	cmpq $0, (%rdx)
	je add3
	push %rdx
	pop %rdx
	ret
end_of_helper:

	.section .text.asm3, "ax", @progbits
	.globl tail
	.hidden tail
tail:	test %eax, %eax
	jns 1f
	jmp helper
1:	ret
	.p2align 6
	.globl aligned
aligned: ret

	.data
	.globl words
words:	.quad add3, helper, end_of_helper, tail + 1
	.long tail - ., helper - .
	.section .note.GNU-stack, "", @progbits
