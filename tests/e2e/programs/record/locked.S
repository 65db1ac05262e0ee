/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Locked instructions, and exchanges, which are locked without a prefix. Each retires as one load and one store.
 * Ref: Intel 2023, "Software Developer's Manual", volume 3, MEM_INST_RETIRED.LOCK_LOADS; volume 2, XCHG.
 * counts: 1 + 14 + 3 = 18; 13 * 2 + 4 = 30 */
#include "enter.inc"
_start:
	and $-16, %rsp
	lock addl $1, -64(%rsp)
	xchg %eax, -64(%rsp)
	lock cmpxchg %ecx, -64(%rsp)
	lock xadd %ecx, -64(%rsp)
	lock cmpxchg16b -128(%rsp)
	lock btsl $3, -64(%rsp)
	lock decl -64(%rsp)
	lock notl -64(%rsp)
	cmpxchg %ecx, -64(%rsp)
	xadd %ecx, -64(%rsp)
	lock cmpxchg8b -128(%rsp)
	lock negl -64(%rsp)
	lock negb -64(%rsp)
	lock negq -64(%rsp)
	leave_with 0
