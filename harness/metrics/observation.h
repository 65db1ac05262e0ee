/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Observations: what benchmark frameworks report, one for each repetition of each benchmark. Imports make runs of them,
 * and --metrics makes figures. */
#ifndef IFR_HARNESS_OBSERVATION_H
#define IFR_HARNESS_OBSERVATION_H

#include <stddef.h>

#include "common/error.h"

enum { IFR_FIGURE_NAME = 64, IFR_OBSERVATIONS_MOST = 1 << 20 };

struct ifr_observed_value {
	char *name; /* "cpu_time", "duration_time", or a counter of the program */
	char unit[16];
	double value;
};

struct ifr_observation {
	char *benchmark;
	unsigned number;   /* of the command or benchmark in the framework's list, from 1 */
	char *failure;     /* why its values do not count, or NULL */
	double iterations; /* 0: not told */
	int exit_status;   /* of a command */
	struct ifr_observed_value *values;
	size_t value_count;
	size_t main; /* the index of the value that stands for the benchmark */
};

struct ifr_observations {
	struct ifr_observation *items;
	size_t count;
	char *host; /* where the framework tells it, or NULL */
};

void ifr_observations_release(struct ifr_observations *observations);

/* Read the JSON that frameworks write; text may hold other lines before and behind it. Errors: IFR_E_USAGE, one line
 * that begins with origin. */
int ifr_google_benchmark_read(const char *origin, const char *text, struct ifr_observations *observations,
                              struct ifr_error *err);
int ifr_hyperfine_read(const char *origin, const char *text, struct ifr_observations *observations,
                       struct ifr_error *err);

/* A name of at most IFR_FIGURE_NAME - 1 bytes; what is longer ends in a digest, so that names that begin alike stay
 * apart. */
void ifr_figure_name(char kept[IFR_FIGURE_NAME], const char *name);

#endif
