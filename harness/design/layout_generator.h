/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A generator of layouts: layout number i has its plan from (master seed, axes, parameters, sweeps, i) alone. Axes
 * vary at random; those of a sweep take its values, under one seed, so that nothing else of them varies. */
#ifndef IFR_HARNESS_LAYOUT_GENERATOR_H
#define IFR_HARNESS_LAYOUT_GENERATOR_H

#include "common/plan.h"
#include "common/sweep.h"

enum { IFR_LAYOUTS_MAX = 9999999, IFR_PROGRAMS_MAX = 26 };

struct ifr_layout_generator {
	uint64_t seed;
	unsigned axes;              /* mask of 1u << enum ifr_axis */
	struct ifr_plan parameters; /* only its axes' values and patterns are used */
	struct ifr_sweeps sweeps;
};

/* Makes the plan of a layout, 0 … IFR_LAYOUTS_MAX, of the kit with that key (NULL: the plan names none). Layout 0,
 * the one that ships, has no axes. The caller releases the plan. */
void ifr_layout_generator_plan(const struct ifr_layout_generator *generator, const char *kit_key, unsigned layout,
                               struct ifr_plan *plan);

/* Writes the name of a program's variant: "v00007" of program 0, "w00007" of program 1, and so on through
 * IFR_PROGRAMS_MAX letters. All names have one length, because the length of a path moves the stack: beyond 99999 the
 * first digit is a letter, and all are of base 36 ("va0000" is layout 100000). */
void ifr_variant_name(unsigned program, unsigned layout, char name[IFR_NAME_MAX]);

#endif
