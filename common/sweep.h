/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A sweep: one parameter or value of an axis from one number to another in equal steps, or in listed ones, such as
 *
 *     stack:bytes=0:4096:16
 *     allocator:which=0,1,3
 *
 * Two sweeps span a grid, whose first sweep changes fastest. */
#ifndef IFR_COMMON_SWEEP_H
#define IFR_COMMON_SWEEP_H

#include "common/plan.h"

enum { IFR_SWEEPS_MAX = 2, IFR_SWEEP_LAYOUTS_MAX = 4096, IFR_SWEEP_LIST_MAX = 16 };

struct ifr_sweep {
	enum ifr_axis axis;
	bool given;     /* a value that plans give (ifr_axes[].value); false: a parameter */
	unsigned index; /* of the value, or of the parameter */
	int64_t from, to, step;
	int64_t list[IFR_SWEEP_LIST_MAX]; /* ascending, from `from` to `to`; step is then 1 */
	unsigned listed;                  /* 0: no list, but equal steps */
};

struct ifr_sweeps {
	struct ifr_sweep items[IFR_SWEEPS_MAX];
	unsigned count;
};

/* Adds the sweep of a text AXIS:NAME=FROM:TO:STEP or AXIS:NAME=VALUE,VALUE,... Errors: IFR_E_USAGE, also for a name that
 * is swept already, and for more than IFR_SWEEP_LAYOUTS_MAX layouts of all sweeps. */
int ifr_sweeps_add(struct ifr_sweeps *sweeps, const char *text, struct ifr_error *err);
/* Parses texts with blanks between, as ifr_sweeps_print writes them. */
int ifr_sweeps_parse(struct ifr_sweeps *sweeps, const char *texts, struct ifr_error *err);
void ifr_sweep_print(const struct ifr_sweep *sweep, struct ifr_buffer *text);
void ifr_sweeps_print(const struct ifr_sweeps *sweeps, struct ifr_buffer *text);

/* The number of values of a sweep, and of layouts of all sweeps (0 without any). */
unsigned ifr_sweep_levels(const struct ifr_sweep *sweep);
unsigned ifr_sweeps_layouts(const struct ifr_sweeps *sweeps);
/* The level 0, 1, … of sweep `which` in a layout from 1 on, and the value at a level. */
unsigned ifr_sweeps_level(const struct ifr_sweeps *sweeps, unsigned which, unsigned layout);
int64_t ifr_sweep_value(const struct ifr_sweep *sweep, unsigned level);
/* "bytes" of stack:bytes=…, and its meaning with the unit. */
const char *ifr_sweep_name(const struct ifr_sweep *sweep);
const char *ifr_sweep_meaning(const struct ifr_sweep *sweep);

/* The swept axes as a mask. */
unsigned ifr_sweeps_axes(const struct ifr_sweeps *sweeps);
/* Raises limits of drawn values to the largest swept one: sizes that depend on a limit are then the same in all
 * layouts. */
void ifr_sweeps_set_limits(const struct ifr_sweeps *sweeps, struct ifr_plan *plan);
/* Sets the values of a layout from 1 on. */
void ifr_sweeps_apply(const struct ifr_sweeps *sweeps, unsigned layout, struct ifr_plan *plan);

#endif
