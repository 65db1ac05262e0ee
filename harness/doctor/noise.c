/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks of the noise at this moment: load, time stolen by the host, and the spread of a loop of fixed work. */
#include "harness/doctor/doctor.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/file.h"
#include "harness/statistics/statistics.h"

enum {
	SPINS = 200,
	SPIN_STEPS = 1000000,      /* about a millisecond; 200 spins are long enough to see steal */
	SPIN_LIMIT_MS = 3000,      /* of all spins, on a very slow or very busy machine */
	STAT_LIMIT_BYTES = 1 << 20 /* /proc/stat: a line a processor, and one for all interrupts */
};
static const double noise_limit_pct = 3, steal_limit_pct = 1, load_limit_per_processor = 0.25;

static void check_load(struct ifr_checkup *checkup) {
	double average;
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	if (getloadavg(&average, 1) != 1)
		ifr_checkup_add(checkup, "load", IFR_CHECK_OK, "", "not visible here");
	else
		ifr_checkup_add(checkup, "load",
		                average > load_limit_per_processor * (double)processors ? IFR_CHECK_WARN : IFR_CHECK_OK,
		                "wait until other work is done, or stop it", "%.2f in the last minute, %ld processors",
		                average, processors);
}

/* Time of all processors since boot, in ticks. */
struct ticks {
	uint64_t busy, stolen; /* busy: all but idle, stolen included */
};

static bool read_ticks(struct ticks *ticks) {
	struct ifr_buffer text = {0};
	uint64_t t[8];
	bool good =
		!ifr_file_read("/proc/stat", STAT_LIMIT_BYTES, &text, NULL) &&
		sscanf(ifr_buffer_text(&text),
	           "cpu %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64,
	           &t[0], &t[1], &t[2], &t[3], &t[4], &t[5], &t[6], &t[7]) == 8;
	ifr_buffer_release(&text);
	if (good)
		*ticks = (struct ticks){t[0] + t[1] + t[2] + t[5] + t[6] + t[7], t[7]};
	return good;
}

static double stolen_pct(const struct ticks *ticks) {
	return ticks->busy ? 100 * (double)ticks->stolen / (double)ticks->busy : 0;
}

static void check_steal(struct ifr_checkup *checkup, bool known, const struct ticks *before,
                        const struct ticks *after) {
	if (!known) {
		ifr_checkup_add(checkup, "steal", IFR_CHECK_OK, "", "not visible here");
		return;
	}
	struct ticks during = {after->busy - before->busy, after->stolen - before->stolen};
	bool disturbed = during.stolen || stolen_pct(after) > steal_limit_pct;
	ifr_checkup_add(checkup, "steal", disturbed ? IFR_CHECK_WARN : IFR_CHECK_OK,
	                "take many short runs, or a virtual machine with processors of its own",
	                "the host took %.1f %% of the busy time just now, %.1f %% since boot", stolen_pct(&during),
	                stolen_pct(after));
}

/* Stores the time of each spin; returns their number, less than SPINS where SPIN_LIMIT_MS is over first. */
static size_t time_spins(double *times_ns) {
	int64_t end = ifr_clock_ns() + INT64_C(1000000) * SPIN_LIMIT_MS;
	size_t count = 0;
	uint64_t state = 1;
	volatile uint64_t sink;
	while (count < SPINS && ifr_clock_ns() < end) {
		int64_t start = ifr_clock_ns();
		/* Each step depends on the previous one, so that all spins take the same number of cycles. */
		for (unsigned step = 0; step < SPIN_STEPS; step++)
			state = state * UINT64_C(6364136223846793005) + 1;
		sink = state;
		times_ns[count++] = (double)(ifr_clock_ns() - start);
	}
	(void)sink;
	return count;
}

static void check_noise(struct ifr_checkup *checkup, const double *times_ns, size_t count) {
	double low, median, high;
	if (ifr_sample_quantile(times_ns, count, 0.1, &low, NULL) ||
	    ifr_sample_median(times_ns, count, &median, NULL) ||
	    ifr_sample_quantile(times_ns, count, 0.9, &high, NULL))
		return;
	double spread_pct = 100 * (high - low) / median;
	ifr_checkup_add(checkup, "noise of the clock", spread_pct > noise_limit_pct ? IFR_CHECK_WARN : IFR_CHECK_OK,
	                "mend what is marked above, and take more runs: -n, longer programs",
	                "a loop takes %.3f ms, 10-90 %% of %zu within %.3g %%", median / 1e6, count, spread_pct);
}

void ifr_checkup_noise(struct ifr_checkup *checkup) {
	static double times_ns[SPINS];
	struct ticks before, after;
	check_load(checkup);
	/* Time is stolen from running processes only: ticks are read around the spins, not around a sleep. */
	bool known = read_ticks(&before);
	size_t count = time_spins(times_ns);
	known = known && read_ticks(&after);
	check_steal(checkup, known, &before, &after);
	check_noise(checkup, times_ns, count);
}
