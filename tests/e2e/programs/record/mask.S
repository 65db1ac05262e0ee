/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Masked moves: one instruction, a way of running for each mask.
 * counts: 2 + 3 * 5 + 3 = 20; 3 * 2 + 2 + 0 + 4 = 12 */
#include "enter.inc"
_start:
	mov $3, %ecx
	mov $masks, %edx
again:
	vmovdqu (%rdx), %xmm0
	vpmaskmovd %xmm1, %xmm0, words
	add $16, %edx
	dec %ecx
	jnz again
	leave_with 0
	.data
	.balign 16
masks:
	.long -1, 0, -1, 0
	.long 0, 0, 0, 0
	.long -1, -1, -1, -1
words:
	.fill 16
