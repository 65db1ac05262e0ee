/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options that choose layouts (-n, --seed, --axes, --set), and parsers of options' values. */
#ifndef IFR_HARNESS_LAYOUT_OPTIONS_H
#define IFR_HARNESS_LAYOUT_OPTIONS_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

#include "harness/design/design.h"

/* The layouts of -n, --seed, --axes and --set. */
struct layout_options {
	unsigned variants, usual; /* usual: the default of -n, for the help */
	uint64_t seed;
	bool seed_given;
	unsigned axes;
	struct ifr_plan parameters;
	bool number_given, axes_given, parameters_given;
	struct ifr_sweeps sweeps;
	bool layout_is_number; /* -n is the number of one layout */
	bool all;              /* --axes all: every axis that needs no templates or sources, but for copies */
};
extern const struct argp layout_argp;
/* --sweep, for the commands that take it; the parser's input is the same. */
extern const struct argp sweep_argp;
/* The axes that change more than places, such as the work of the loader: commands vary them only by
 * their names. */
unsigned layout_axes_apart(void);
/* The generator of the chosen layouts; it borrows the parameters. */
struct ifr_layout_generator layout_options_generator(const struct layout_options *options);
void layout_options_init(struct layout_options *options, unsigned variants);

/* Parses a whole number (decimal or 0x…) from least to most. Errors: IFR_E_USAGE, with the option's name. */
int option_number(const char *option, const char *text, uint64_t least, uint64_t most, uint64_t *number,
                  struct ifr_error *err);
/* Refuses the empty name of a file. */
int option_file(const char *option, const char *path, struct ifr_error *err);
/* Parses a positive duration such as "90" (seconds), "90s", "5m", "1h" or "250ms". Errors: IFR_E_USAGE, with the
 * option's name. */
int option_duration(const char *option, const char *text, int64_t *nanoseconds, struct ifr_error *err);

/* Parses a positive size such as "500000" (bytes), "200k", "20M" or "1G", each unit a thousand times the one before.
 * Errors: IFR_E_USAGE, with the option's name. */
int option_size(const char *option, const char *text, uint64_t *bytes, struct ifr_error *err);

/* Parses a percentage below 1000, such as "1%" or "0.5", into a share; 0 only where zero allows it. Errors:
 * IFR_E_USAGE, with the option's name. */
int option_percentage(const char *option, const char *text, bool zero, double *share, struct ifr_error *err);

/* Checks that a file, or with folder a folder, can be made or written over, before work is done for it. Errors:
 * IFR_E_ENVIRONMENT, with the option's name. */
int option_output(const char *option, const char *path, bool folder, struct ifr_error *err);

/* Prints the message in one line and exits with IFR_E_USAGE. */
void option_refuse(struct argp_state *state, const struct ifr_error *err);

#endif
