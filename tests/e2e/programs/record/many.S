/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A straight run of SAVES times fxsave, of some fifty accesses each: with 200 of them, more than fit into a block's
 * room in the recording. */
#include "enter.inc"
_start:
	mov $room, %edi
	.rept SAVES
	fxsave (%rdi)
	.endr
	leave_with 0
	.bss
	.balign 16
room:
	.fill 512
