/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Repeated instructions: each counts once, whatever its count.
 * counts: 1 + 3 + 1 + 2 + 1 + 1 + 1 + 3 + 1 + 4 + 2 + 3 = 23; 1 + 200 + 50 + 0 + 8 + 0 + 6 = 265 */
#include "enter.inc"
_start:
	push %rax
	mov $100, %ecx
	mov $from, %esi
	mov $to, %edi
	rep movsb
	mov $50, %ecx
	mov $to, %edi
	rep stosq
	xor %ecx, %ecx
	rep movsb
	mov $100, %ecx
	mov $found, %edi
	mov $7, %eax
	repne scasb
	lea -64(%rsp), %rdi /* addresses that differ by a constant, and not one access */
	lea -32(%rsp), %rsi
	xor %ecx, %ecx
	rep movsb
	mov $3, %ecx
	rep movsb
	leave_with 0
	.data
from:
	.fill 4096
to:
	.fill 4096
found:
	.byte 1, 2, 3, 4, 5, 6, 8, 7, 9
