/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How many seeds, sets and mutations a loop of the tests takes. tests/depth.bash describes the two depths. */
#ifndef IFR_TESTS_DEPTH_H
#define IFR_TESTS_DEPTH_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static inline bool is_full_depth(void) {
	const char *depth = getenv("INTERFERO_TEST_DEPTH");
	return depth && !strcmp(depth, "full");
}

/* Returns quick under `make check`, full under `make check-full`. */
static inline unsigned at_depth(unsigned quick, unsigned full) {
	return is_full_depth() ? full : quick;
}

#endif
