/* SPDX-License-Identifier: GPL-3.0-or-later */
/* int loop(void): a loop of 379 bytes, which fits twelve windows of 32 bytes where it begins with one, and else thirteen.
 * Aligned as GCC aligns loops at -O3: to 16 bytes where that takes at most 10, else to 8. The variable i is never 0: of
 * the eleven blocks of 32 bytes only the first ten are executed. Ref: Melhus 2013, section 4.2.3, listing 4.7. */
	.text
	.p2align 4
	.globl loop
	.type loop, @function
loop:
	movl i(%rip), %eax
	.p2align 4, , 10
	.p2align 3
.Lloop:
	.rept 11
	movl i(%rip), %ecx
	testl %ecx, %ecx
	jne 1f
	imull %ecx, %ecx
	addl $1, %eax
	.fill 16, 1, 0x90
1:
	.endr
	movl i(%rip), %ecx
	leal 1(%rcx), %edx
	cmpl $ROUNDS, %ecx
	movl %edx, i(%rip)
	jle .Lloop
	ret
	.size loop, . - loop
	.globl loop_begin
	.set loop_begin, .Lloop

	.data
	.p2align 2
i:	.long 42
	.section .note.GNU-stack, "", @progbits
