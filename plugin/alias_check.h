/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of the axis alias-check: loops in two versions behind a check of addresses. */
#ifndef IFR_PLUGIN_ALIAS_CHECK_H
#define IFR_PLUGIN_ALIAS_CHECK_H

#include "plugin/gimple_passes.h"

enum { PAGE_BYTES = 4096 };

/* Finds whether the loads of `unroll` iterations can be done before their stores, and the check for it: true if a load
 * has the low 12 address bits of one of these stores, and no load the address of one. Returns why the loop cannot be
 * changed, or NULL. */
const char *alias_check_find(class loop *loop, unsigned unroll, tree *check);

/* Puts a boolean expression in front of the loop and gives the loop a second version: `loop` itself runs if the check
 * holds, the copy, which is returned, if not. */
class loop *alias_check_version(class loop *loop, tree check);

/* Gives a loop of unoptimised code, whose variables lie in the stack, a version with the variables in registers, which
 * runs if the stack frame has the low 12 address bits of a static variable of the loop. Returns why not, or NULL. */
const char *alias_check_move_locals(class loop *loop);

#endif
