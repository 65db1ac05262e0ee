/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of experiments that a user can run with parameters of their own: kernels, and the events that tell of
 * them. */
#ifndef IFR_HARNESS_PROBE_EXPERIMENTS_H
#define IFR_HARNESS_PROBE_EXPERIMENTS_H

#include "harness/probe/kernels.h"

enum { PROBE_PARAMETERS_MOST = 8, PROBE_SHOWN_EVENTS = 3 };

struct probe_parameter {
	const char *name; /* NULL ends */
	uint64_t least, most, initial;
	const char *about;
};

struct probe_experiment {
	const char *name; /* NULL ends */
	const char *about, *element;
	struct probe_parameter parameters[PROBE_PARAMETERS_MOST + 1];
	/* Builds the kernel of these values. Returns NULL, or why they do not go together. */
	const char *(*build)(struct probe_kernel *kernel, const uint64_t *values, uint64_t seed);
	enum ifr_event events[PROBE_SHOWN_EVENTS]; /* that a table shows; IFR_EVENT_COUNT: none */
};

extern const struct probe_experiment probe_experiments[];

#endif
