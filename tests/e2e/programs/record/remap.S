/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A mapping goes, and another comes to its place: other data, at another place of the trace. Then it moves, and grows.
 * Each word is written and read once. */
#include "enter.inc"
_start:
	ask 9, 0, 8192, 3, 0x22, -1, 0 /* mmap */
	mov %rax, %rbx
	mov %rax, (%rbx)
	mov (%rbx), %rcx
	mov $11, %eax                /* munmap */
	mov %rbx, %rdi
	mov $8192, %esi
	syscall
	ask 9, 0, 8192, 3, 0x22, -1, 0
	mov %rax, %rbx
	mov %rax, 8(%rbx)
	mov 8(%rbx), %rcx
	mov $25, %eax                /* mremap to 64 pages, which move */
	lea 0x200000(%rbx), %r8
	mov %rbx, %rdi
	mov $8192, %esi
	mov $262144, %edx
	mov $3, %r10d
	syscall
	mov %rax, %rbx
	mov %rax, 131072(%rbx)
	mov 131072(%rbx), %rcx
	mov $12, %eax                /* brk: where is it? */
	xor %edi, %edi
	syscall
	mov %rax, %rbp
	lea 65536(%rbp), %rdi        /* and 64 KiB more */
	mov $12, %eax
	syscall
	mov %rax, 40000(%rbp)
	lea 4096(%rbp), %rdi         /* and all but 4 KiB back */
	mov $12, %eax
	syscall
	mov %rax, 2000(%rbp)
	lea 65536(%rbp), %rdi        /* and again */
	mov $12, %eax
	syscall
	mov %rax, 40000(%rbp)
	lea 4096(%rbp), %rdi         /* back once more, and a page mapped where it was */
	mov $12, %eax
	syscall
	mov $9, %eax
	lea 32768(%rbp), %rdi
	mov $4096, %esi
	mov $3, %edx
	mov $0x32, %r10d
	mov $-1, %r8
	xor %r9d, %r9d
	syscall
	mov %rax, (%rax)
	mov (%rax), %rcx
	leave_with 0
