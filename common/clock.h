/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IFR_COMMON_CLOCK_H
#define IFR_COMMON_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Nanoseconds on CLOCK_MONOTONIC, from an arbitrary beginning. */
static inline int64_t ifr_clock_ns(void) {
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

#endif
