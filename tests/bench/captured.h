/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A captured program, opened for what the tests and benchmarks ask of the relinker's insides. */
#ifndef IFR_TESTS_BENCH_CAPTURED_H
#define IFR_TESTS_BENCH_CAPTURED_H

#include "common/buffer.h"
#include "kit/kit.h"
#include "relinker/ld/ld_engine.h"
#include "relinker/placement/placement.h"
#include "relinker/units.h"

struct captured {
	struct layout_sizes sizes; /* of its order as it is */
	struct ifr_kit kit;
	struct ld_engine engine;
	struct units units;
	struct ifr_buffer script; /* of the base link */
	char *folder;             /* temporary, for whoever opened it */
};

/* Loads the program's kit and links it once. The captured program stays where it is. */
int captured_open(struct captured *captured, const char *program, struct ifr_error *err);
/* Also after an error. */
void captured_close(struct captured *captured);

/* Milliseconds on a clock that only goes on. */
double now_ms(void);
/* Of count values, which it sorts; the mean of the two in the middle of an even count. */
double median(double *values, size_t count);

#endif
