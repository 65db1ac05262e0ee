/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Kinds of branches. This header needs no C library: the recorder inside Valgrind includes it. */
#ifndef IFR_MODEL_BRANCH_H
#define IFR_MODEL_BRANCH_H

enum ifr_branch {
	IFR_BRANCH_NONE, /* no branch: the block was cut by a system call, a fault or a repeated string instruction */
	IFR_BRANCH_CONDITIONAL,
	IFR_BRANCH_JUMP,
	IFR_BRANCH_INDIRECT_JUMP,
	IFR_BRANCH_CALL,
	IFR_BRANCH_INDIRECT_CALL,
	IFR_BRANCH_RETURN,
};

#endif
