/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The path of the last four windows of code, and where indirect jumps went behind such paths.
 *
 * Problem: a predictor that knows long histories takes cycles; a quick one, which knows what followed the last windows,
 * answers before. Where the two differ, fetch loses those cycles (fetch.targets).
 * Idea: a path has eight bits of each of the last four windows; a row by the path has the last target. Any window that a
 * block reaches into belongs to the path, so that fewer blocks are in it where they straddle windows.
 *
 * On a Zen 4 by the clock (2026): an indirect jump to one of eight targets in random sequences of 6 to 64, in loops that
 * find all of them predicted, takes about two cycles more where four windows do not tell the target. Other loops
 * say otherwise (docs/counters-and-model.md): it is not the whole rule. */
#ifndef IFR_MODEL_CORE_PATH_H
#define IFR_MODEL_CORE_PATH_H

#include <stdbool.h>
#include <stdint.h>

enum { PATH_ROWS_BITS = 10, PATH_ROWS = 1 << PATH_ROWS_BITS };

/* Follows a path into a window. */
static inline uint32_t path_into(uint32_t path, uint32_t window) {
	return path << 8 ^ window * UINT32_C(0x9E3779B1) >> 24;
}

/* Notes where an indirect jump at the end of a path goes. Returns whether the last one behind it went there, too. */
static inline bool path_goes_again(uint32_t rows[PATH_ROWS], uint32_t path, uint32_t target) {
	uint32_t *row = &rows[path * UINT32_C(0x85EBCA6B) >> (32 - PATH_ROWS_BITS)];
	const uint32_t value = target ^ path * UINT32_C(0xC2B2AE35);
	const bool again = *row == value;
	*row = value;
	return again;
}

#endif
