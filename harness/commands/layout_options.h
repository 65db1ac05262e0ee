/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What several commands' options have in common. */
#ifndef IFR_HARNESS_OPTIONS_H
#define IFR_HARNESS_OPTIONS_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/plan.h"

/* -n, --seed, --axes, --set: which family of variants. */
struct layout_options {
	unsigned variants;
	uint64_t seed;
	bool seed_given;
	unsigned axes;
	struct ifr_plan parameters;
	bool all; /* axes: every one that the program can have */
};
extern const struct argp layout_argp;
void layout_options_init(struct layout_options *options, unsigned variants);

/* Whole numbers within a range; the error names the option. */
int option_number(const char *option, const char *text, uint64_t least, uint64_t most, uint64_t *number,
                  struct ifr_error *err);
/* "90", "90s", "5m", "1h", "250ms" as nanoseconds. */
int option_duration(const char *option, const char *text, int64_t *nanoseconds, struct ifr_error *err);

/* Prints the message, one line, and ends with IFR_E_USAGE. */
void option_refuse(struct argp_state *state, const struct ifr_error *err);

#endif
