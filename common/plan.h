/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The layout plan: a small text file that says which axes perturb a program, with their seeds and parameters.
 * Same kit, same plan: byte-identical variant, on any machine.
 *
 *     interfero-plan 1
 *     # a comment
 *     kit 3c6741592ad30c5b2bba7c6e62e28063b8ac9b82
 *     name v003
 *     functions seed=17 cross=0
 *     padding seed=0x2a max=64
 *
 * The first line names the format and its version. `kit` (the key of the captured link) and `name` are optional.
 * Every other line is an axis (common/axis.h) with its seed, 0 … 2^64-1, and any of its parameters; what is not
 * given has its default. An axis that is not named is off. Unknown words, values out of range and axes named twice
 * are errors. */
#ifndef IFR_COMMON_PLAN_H
#define IFR_COMMON_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/axis.h"
#include "common/buffer.h"
#include "common/error.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { IFR_PLAN_VERSION = 1, IFR_NAME_MAX = 64, IFR_KEY_MAX = 136 };

struct ifr_axis_setting {
	bool on;
	uint64_t seed;
	int64_t value[IFR_AXIS_PARAMETERS]; /* in the order of ifr_axes[].parameter */
};

struct ifr_plan {
	char name[IFR_NAME_MAX];
	char kit[IFR_KEY_MAX];
	struct ifr_axis_setting axis[IFR_AXIS_COUNT];
};

/* All axes off, all parameters at their defaults. */
void ifr_plan_init(struct ifr_plan *plan);

/* Switches an axis on under a seed, with the parameters as they stand. */
void ifr_plan_enable(struct ifr_plan *plan, enum ifr_axis axis, uint64_t seed);

/* Makes an initialised plan that of variant number index (from 1) under a master seed: each axis of the mask gets
 * a seed of its own that depends on (master, axis, index) alone. Index 0 is the layout that ships: no axis at all.
 */
void ifr_plan_derive(struct ifr_plan *plan, uint64_t master, unsigned axes, unsigned index);

/* The axes that are on, as a mask. */
unsigned ifr_plan_axes(const struct ifr_plan *plan);

/* Parses a plan; origin is the file's name for messages. Errors: IFR_E_USAGE with origin:line. */
int ifr_plan_parse(const char *text, size_t length, const char *origin, struct ifr_plan *plan,
                   struct ifr_error *err);
int ifr_plan_read(const char *path, struct ifr_plan *plan, struct ifr_error *err);

/* Appends the plan's text, which parses back to the same plan. */
void ifr_plan_print(const struct ifr_plan *plan, struct ifr_buffer *text);

/* Sets one axis from words like "seed=17 max=64"; what is missing keeps its value. Used by plans and by options.
 */
int ifr_plan_set(struct ifr_plan *plan, enum ifr_axis axis, const char *words, struct ifr_error *err);

#ifdef __cplusplus
}
#endif
#endif
