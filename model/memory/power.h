/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Powers of two: sizes of tables and caches. */
#ifndef INTERFERO_MODEL_POWER_H
#define INTERFERO_MODEL_POWER_H

#include <stdbool.h>

/* number: 1 and more. */
static inline bool ifr_is_power(unsigned number) {
	return !(number & (number - 1));
}

static inline unsigned ifr_log2_of(unsigned power) {
	return (unsigned)__builtin_ctz(power);
}

#endif
