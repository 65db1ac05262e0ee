/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A loop of so many windows of 32 bytes, micro-operations, or taken branches, as few of the others as can be. The
 * micro-operations are of two bytes, and the branches 16 bytes apart, as the decoded cache must hold them all.
 * Ref: Melhus 2013, section 4.2.1, listings 4.4 to 4.6. */
	.globl main
main:
	mov $ROUNDS, %ecx
	.p2align 5
1:
#if defined WINDOWS
	.rept WINDOWS - 1
	.nops 32, 8
	.endr
#elif defined UOPS
	.rept UOPS - 1
	.byte 0x66, 0x90
	.endr
#elif defined BRANCHES
	.rept BRANCHES - 1
	jmp 2f
	.byte 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc
2:
	.endr
#endif
	dec %ecx
	jnz 1b
	xor %eax, %eax
	ret
	.section .note.GNU-stack, "", @progbits
