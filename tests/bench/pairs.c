/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pairs RUNS LABEL COMMAND [LABEL COMMAND...]: runs shell commands in turn, A B A B …, after one round that does
 * not count, and prints each one's median in milliseconds and the median of its ratio to the first, round by
 * round: the machine's drift falls on all alike. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "common/buffer.h"
#include "common/process.h"

enum { MOST_RUNS = 1000 };

static double run_ms(const char *command) {
	const char *const argv[] = {"sh", "-c", command, NULL};
	struct ifr_buffer output = {0};
	struct ifr_process process = {.argv = argv, .out = &output, .errors = &output};
	struct ifr_error err = {0};
	struct timespec start, end;
	int status;
	clock_gettime(CLOCK_MONOTONIC, &start);
	int failed = ifr_process_run(&process, &status, &err);
	clock_gettime(CLOCK_MONOTONIC, &end);
	if (failed || status) {
		fprintf(stderr, "pairs: \"%s\" failed: %s%s\n", command, err.message, ifr_buffer_text(&output));
		exit(IFR_E_ENVIRONMENT);
	}
	ifr_buffer_release(&output);
	return (double)(end.tv_sec - start.tv_sec) * 1e3 + (double)(end.tv_nsec - start.tv_nsec) / 1e6;
}

static int compare(const void *a, const void *b) {
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static double median(double *values, int count) {
	qsort(values, (size_t)count, sizeof *values, compare);
	return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

int main(int argc, char **argv) {
	int runs = argc > 1 ? atoi(argv[1]) : 0, commands = (argc - 2) / 2;
	if (runs < 1 || runs > MOST_RUNS || commands < 1 || argc % 2) {
		fprintf(stderr, "usage: pairs RUNS LABEL COMMAND [LABEL COMMAND...]\n");
		return IFR_E_USAGE;
	}
	double *times = ifr_alloc((size_t)commands * (size_t)runs * sizeof *times);
	for (int i = -1; i < runs; i++)
		for (int c = 0; c < commands; c++) {
			double ms = run_ms(argv[3 + 2 * c]);
			if (i >= 0)
				times[c * runs + i] = ms;
		}
	double *ratios = ifr_alloc((size_t)commands * (size_t)runs * sizeof *ratios);
	for (int i = 0; i < commands * runs; i++)
		ratios[i] = times[i] / times[i % runs];
	for (int c = 0; c < commands; c++) {
		double ratio = median(ratios + c * runs, runs);
		printf("  %-44s %9.2f ms   %6.2f x\n", argv[2 + 2 * c], median(times + c * runs, runs), ratio);
	}
	free(ratios);
	free(times);
	return 0;
}
