/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/record/bounds.h"

void bounds_init(struct bounds *bounds, int64_t now_ns, int64_t timeout_ns, int64_t plain_ns) {
	*bounds = (struct bounds){.begun_ns = now_ns, .timeout_ns = timeout_ns, .plain_ns = plain_ns};
}

static bool is_growth(const struct bounds *bounds, uint64_t work) {
	return work >= BOUNDS_LEAST_WORK && work > bounds->longest + bounds->longest / 2;
}

void bounds_read_clock(struct bounds *bounds, uint64_t instructions) {
	uint64_t work = instructions - bounds->last_reading;
	if (bounds->clock_readings++) {
		bounds->growths += is_growth(bounds, work);
		bounds->longest = work > bounds->longest ? work : bounds->longest;
	}
	bounds->last_reading = instructions;
}

bool bounds_grow(const struct bounds *bounds, uint64_t instructions) {
	/* The work that goes on now may be the next growth. */
	bool growing = bounds->clock_readings && is_growth(bounds, instructions - bounds->last_reading);
	return bounds->growths + growing >= BOUNDS_GROWTHS;
}

/* Whether so many instructions are more than the plain run can have executed. */
static bool exceeds_plain(const struct bounds *bounds, uint64_t instructions) {
	if (!bounds->plain_ns || !bounds->clock_readings)
		return false;
	uint64_t plain_ns = (uint64_t)(bounds->plain_ns + BOUNDS_PLAIN_MORE_NS);
	uint64_t per_ns = bounds_grow(bounds, instructions) ? BOUNDS_USUAL_PER_NS : BOUNDS_MOST_PER_NS;
	return instructions / per_ns >= plain_ns;
}

enum ifr_recording_end bounds_check(const struct bounds *bounds, int64_t now_ns, uint64_t instructions) {
	if (exceeds_plain(bounds, instructions))
		return IFR_RECORDING_ADAPTIVE;
	return bounds->timeout_ns && now_ns - bounds->begun_ns > bounds->timeout_ns ? IFR_RECORDING_TIME
	                                                                            : IFR_RECORDING_WHOLE;
}

int64_t ifr_recording_estimate_ns(int64_t plain_ns) {
	/* Measured with lua and bzip2: 60 times a run of 0.03 s, 30 times one of a second. */
	enum { START_NS = 1000000000, RUNS = 30 };
	return START_NS + RUNS * plain_ns;
}

/* The time left by the work alone. */
static int64_t work_left_ns(const struct bounds *bounds, int64_t spent_ns, uint64_t instructions, uint64_t to) {
	if (to)
		return instructions >= to ? 0
		       : instructions && spent_ns > 0
		           ? (int64_t)((double)spent_ns * ((double)to / (double)instructions - 1))
		           : -1;
	int64_t left_ns = ifr_recording_estimate_ns(bounds->plain_ns) - spent_ns;
	return bounds->plain_ns && left_ns > 0 ? left_ns : -1;
}

int64_t bounds_left_ns(const struct bounds *bounds, int64_t now_ns, uint64_t instructions, uint64_t to) {
	int64_t spent_ns = now_ns - bounds->begun_ns, left_ns = work_left_ns(bounds, spent_ns, instructions, to);
	int64_t most_ns = bounds->timeout_ns ? bounds->timeout_ns - spent_ns : INT64_MAX;
	return left_ns < most_ns ? left_ns : most_ns > 0 ? most_ns : 0;
}
