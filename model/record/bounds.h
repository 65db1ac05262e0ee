/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The bounds of a recording: its time, and the number of instructions beyond which a program must be an adaptive one.
 * They know neither qemu nor clocks: whoever records reports what happened, and asks.
 *
 * Problem: an adaptive program repeats its work until a clock has advanced far enough, with more repetitions each time.
 * The recorder answers clocks by a millisecond a reading, so that two recordings are the same; such a program never
 * finds that enough time has passed.
 *
 * Idea: two observations together name it. A run without the recorder took so much processor time, and no processor
 * executes more than BOUNDS_MOST_PER_NS instructions in a nanosecond of it. And the work between two clock readings
 * grows: each longest distance so far is half as long again as the longest before it (a growth).
 *
 * A recording with BOUNDS_GROWTHS growths ends behind BOUNDS_USUAL_PER_NS instructions a nanosecond, which few programs
 * reach; one that reads a clock at all ends behind BOUNDS_MOST_PER_NS, which none reaches. */
#ifndef IFR_MODEL_BOUNDS_H
#define IFR_MODEL_BOUNDS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/record/record.h"

enum { BOUNDS_USUAL_PER_NS = 5, BOUNDS_MOST_PER_NS = 25, BOUNDS_GROWTHS = 3 };
/* Added to the plain run's processor time, which the kernel rounds, and which a first start may exceed. */
#define BOUNDS_PLAIN_MORE_NS INT64_C(50000000)
/* Shorter distances between clock readings are no work that a program measures. */
#define BOUNDS_LEAST_WORK UINT64_C(10000)

struct bounds {
	int64_t begun_ns, timeout_ns, plain_ns; /* timeout_ns, plain_ns: 0 for none */
	uint64_t clock_readings, last_reading, longest;
	unsigned growths;
};

void bounds_init(struct bounds *bounds, int64_t now_ns, int64_t timeout_ns, int64_t plain_ns);
/* Reports that the program read a clock after so many instructions. */
void bounds_read_clock(struct bounds *bounds, uint64_t instructions);
/* Returns the bound that a recording has passed; IFR_RECORDING_WHOLE for none. */
enum ifr_recording_end bounds_check(const struct bounds *bounds, int64_t now_ns, uint64_t instructions);
/* Whether the distances between clock readings grow as an adaptive program's do. */
bool bounds_grow(const struct bounds *bounds, uint64_t instructions);

/* Estimates the time that is left; -1 where nothing tells. to: the last instruction to record; 0: the program's end. */
int64_t bounds_left_ns(const struct bounds *bounds, int64_t now_ns, uint64_t instructions, uint64_t to);

#endif
