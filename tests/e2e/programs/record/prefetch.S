/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Software prefetches of all kinds and operands: ahead of an array, of a value that was just loaded, relative to the
 * instruction, absolute, in a segment, of addresses of 32 bits, of addresses that no program has.
 * counts: 4 + 5 + 100 * 10 + 7 + 3; accesses: 1 + 100 * (2 + 5) + 6, of which 100 * 5 + 6 prefetches */
#include "enter.inc"
_start:
	mov $158, %eax               /* arch_prctl */
	mov $0x1002, %edi            /* ARCH_SET_FS */
	lea buffer(%rip), %rsi
	syscall
	mov $100, %ecx
	lea buffer(%rip), %rdi
	lea -1(%rdi), %r12
	push %rdi
	mov $2, %r13d
again:
	prefetcht0 64(%rdi)
	mov (%rsp), %rsi
	prefetchnta (%rsi,%rcx,8)
	prefetchw (%rdi)
	prefetcht1 buffer+128(%rip)
	mov %rsi, (%rdi)
	add $8, %rdi
	prefetcht2 -16(%rdi)
	dec %ecx
	jnz again
	xor %eax, %eax
	prefetcht0 -8(%rax)
	prefetcht0 8
	prefetcht0 %fs:16
	prefetcht0 3(%r12,%r13,4)
	.byte 0x67
	prefetcht0 (%rdi)
	prefetchnta 0x1000(,%r13,8)
	leave_with 0
	.bss
	.balign 4096
buffer:
	.zero 4096
