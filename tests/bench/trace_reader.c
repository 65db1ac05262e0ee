/* SPDX-License-Identifier: GPL-3.0-or-later */
/* trace_reader TRACE PASSES: the speed of reading a trace without any use of it. Prints the trace's instructions, and how
 * many millions of them are read in a second of processor time, in the fastest pass and in the median one. Each pass
 * reads all block executions and addresses. A damaged trace is an error. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "common/buffer.h"
#include "model/model.h"
#include "tests/bench/captured.h"

/* As a replay reads. */
enum { CHUNK_EXECUTIONS = 16384, MOST_PASSES = 100 };

static double processor_seconds(void) {
	struct timespec now;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double time_pass(struct ifr_trace *trace) {
	struct ifr_trace_chunk chunk;
	const double began = processor_seconds();
	ifr_trace_rewind(trace);
	do
		ifr_trace_read_chunk(trace, CHUNK_EXECUTIONS, &chunk);
	while (chunk.executions_count);
	return processor_seconds() - began;
}

int main(int argc, char **argv) {
	const size_t passes = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;
	struct ifr_trace_totals totals;
	struct ifr_trace *trace = NULL;
	struct ifr_error err = {0};
	double seconds[MOST_PASSES];
	if (!passes || passes > MOST_PASSES) {
		fprintf(stderr, "usage: trace_reader TRACE PASSES\n");
		return IFR_E_USAGE;
	}
	if (ifr_trace_open(argv[1], &trace, &err)) {
		fprintf(stderr, "trace_reader: %s\n", err.message);
		return err.code;
	}
	for (size_t i = 0; i < passes; i++)
		seconds[i] = time_pass(trace);
	if (ifr_trace_damage(trace)) {
		fprintf(stderr, "trace_reader: %s: %s\n", argv[1], ifr_trace_damage(trace));
		return IFR_E_USAGE;
	}
	ifr_trace_totals(trace, &totals);
	const double usual = median(seconds, passes); /* sorts them */
	printf("%" PRIu64 " %.0f %.0f\n", totals.instructions, (double)totals.instructions / seconds[0] / 1e6,
	       (double)totals.instructions / usual / 1e6);
	ifr_trace_free(trace);
	return 0;
}
