/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Vectors of 16 and 32 bytes are accesses of 8 bytes, two and four of them.
 * counts: 2 + 5 * 10 + 3 = 55; 5 * 20 = 100 */
#include "enter.inc"
_start:
	mov $5, %ecx
	mov $word, %edx
again:
	movdqu (%rdx), %xmm0        /* 2 */
	movups %xmm0, 16(%rdx)      /* 2 */
	paddd (%rdx), %xmm0         /* 2, which do not derive */
	vmovdqu (%rdx), %ymm1       /* 4 */
	vmovaps %ymm1, (%rdx)       /* 4 */
	vpaddd (%rdx), %ymm1, %ymm1 /* 4 */
	movlps (%rdx), %xmm0        /* 1 */
	movss %xmm0, (%rdx)         /* 1 */
	dec %ecx
	jnz again
	leave_with 0
	.data
	.balign 32
word:
	.fill 64
