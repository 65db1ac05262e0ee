/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Processor time of several configurations of one program, measured in turn: a disturbance of the machine meets all of
 * them, and a median leaves it out. */
#ifndef STUDIES_CLOCK_H
#define STUDIES_CLOCK_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static inline double read_clock_ns(void) {
	struct timespec now;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static inline int compare_doubles(const void *a, const void *b) {
	const double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static inline double take_median(double *values, int count) {
	qsort(values, (size_t)count, sizeof *values, compare_doubles);
	return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

static inline void *need(void *memory) {
	if (!memory) {
		fputs("out of memory\n", stderr);
		exit(4);
	}
	return memory;
}

/* The median time of run(i) over the rounds, for each i below count, into median_ns. Each round begins with another
 * configuration; one round before the first is not measured. */
static inline void time_in_turn(int count, int rounds, void (*run)(int), double *median_ns) {
	double *times = need(calloc((size_t)count * (size_t)rounds, sizeof *times));
	for (int i = 0; i < count; i++)
		run(i);
	for (int round = 0; round < rounds; round++)
		for (int turn = 0; turn < count; turn++) {
			const int i = (turn + round) % count;
			const double begun_ns = read_clock_ns();
			run(i);
			times[i * rounds + round] = read_clock_ns() - begun_ns;
		}
	for (int i = 0; i < count; i++)
		median_ns[i] = take_median(&times[i * rounds], rounds);
	free(times);
}

#endif
