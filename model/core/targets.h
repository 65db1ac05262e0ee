/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where indirect jumps went, by the groups of branches (entry.h) that led to them.
 *
 * Problem: a predictor that knows long histories takes cycles; a quick one, which knows what followed the last groups,
 * answers before. Where the two differ, fetch loses those cycles (fetch.targets).
 * Idea: a row by the group that ends with the jump and the one before, each known by where it begins, has the last
 * target.
 *
 * On a Zen 4 by the clock (2026; tests/bench/targets): a jump that goes one of two ways costs two cycles more on average
 * if the ways lead to it by one and the same group, whichever the groups before; nothing if they do by two. Four cycles
 * are lost where the last target is not the next one. */
#ifndef IFR_MODEL_CORE_TARGETS_H
#define IFR_MODEL_CORE_TARGETS_H

#include <stdbool.h>
#include <stdint.h>

enum { TARGET_ROWS_BITS = 12, TARGET_ROWS = 1 << TARGET_ROWS_BITS };

/* Two groups in a row, by the address at which each begins. */
struct groups {
	uint32_t before, last;
};

/* Notes where an indirect jump of the last group goes. Returns whether the last one behind such groups went there. */
static inline bool target_again(uint32_t rows[TARGET_ROWS], struct groups groups, uint32_t target) {
	const uint32_t key = groups.before * UINT32_C(0x85EBCA6B) ^ groups.last * UINT32_C(0x9E3779B1);
	uint32_t *row = &rows[key * UINT32_C(0xC2B2AE35) >> (32 - TARGET_ROWS_BITS)];
	const uint32_t value = target ^ key * UINT32_C(0x27D4EB2F);
	const bool again = *row == value;
	*row = value;
	return again;
}

#endif
