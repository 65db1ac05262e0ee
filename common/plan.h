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
 * Other lines are axes (common/axis.h) with their seed, 0 … 2^64-1, and any of their parameters; what is not
 * given has its default. An axis that is not named is off. Unknown words, values out of range and axes named twice
 * are errors.
 *
 *     nops seed=3 only=lua_*,main except=lua_error
 *
 * limits an axis to functions by their names, or the relinker's units by theirs (relinker/relinker.h): only= lists
 * those that it may change, except= those that it may not, both as patterns of fnmatch(3) parted by commas. What
 * an axis may not change stays as it would be without the axis.
 *
 *     order lapi.o:.text.lua_gettop
 *     at 0x14c0 ldo.o:.text.luaD_call
 *
 * give units of the relinker their places by name, which reaches to the end of the line. Those in `order` lines
 * come first in their section, in the order of the lines, and the others behind them as the axes say. A unit in an
 * `at` line comes to lie at that address of the shipped program's (should its section begin elsewhere in the
 * variant, then as far into it). Where neither an axis nor an `order` line is about a section, its other units
 * stay where they ship; else they flow around the fixed ones. Names that a program does not have are counted in
 * the variant's facts, so that a plan made for one build of a program can be used with another. */
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
	char *only, *except;                /* patterns, or NULL */
};

/* A unit's place by name. */
struct ifr_plan_place {
	char *unit;
	bool fixed;       /* at an address, else in the order of the places */
	uint64_t address; /* in the shipped program */
};

struct ifr_plan {
	char name[IFR_NAME_MAX];
	char kit[IFR_KEY_MAX];
	struct ifr_axis_setting axis[IFR_AXIS_COUNT];
	struct ifr_plan_place *places; /* no unit twice */
	size_t place_count;
};

/* All axes off, all parameters at their defaults, no places. A plan that holds patterns or places owns them:
 * ifr_plan_copy makes another one, ifr_plan_release frees what a plan holds (and leaves it as initialised). */
void ifr_plan_init(struct ifr_plan *plan);
void ifr_plan_copy(struct ifr_plan *copy, const struct ifr_plan *plan);
void ifr_plan_release(struct ifr_plan *plan);

/* Switches an axis on under a seed, with the parameters as they stand. */
void ifr_plan_enable(struct ifr_plan *plan, enum ifr_axis axis, uint64_t seed);

/* Makes an initialised plan that of variant number index (from 1) under a master seed: each axis of the mask gets
 * a seed of its own that depends on (master, axis, index) alone. Index 0 is the layout that ships: no axis at all.
 */
void ifr_plan_derive(struct ifr_plan *plan, uint64_t master, unsigned axes, unsigned index);

/* The axes that are on, as a mask. */
unsigned ifr_plan_axes(const struct ifr_plan *plan);

/* Whether a setting's patterns let the axis change what goes by any of these names; NULL ends the list. */
bool ifr_axis_setting_covers(const struct ifr_axis_setting *setting, const char *const *names);

/* Adds a place. The unit must not have one yet. */
void ifr_plan_place(struct ifr_plan *plan, const char *unit);
void ifr_plan_place_at(struct ifr_plan *plan, const char *unit, uint64_t address);

/* Parses a plan, which the caller releases; origin is the file's name for messages. Errors: IFR_E_USAGE with
 * origin:line, and the plan is as initialised. */
int ifr_plan_parse(const char *text, size_t length, const char *origin, struct ifr_plan *plan,
                   struct ifr_error *err);
int ifr_plan_read(const char *path, struct ifr_plan *plan, struct ifr_error *err);

/* Appends the plan's text, which parses back to the same plan. */
void ifr_plan_print(const struct ifr_plan *plan, struct ifr_buffer *text);

/* Sets one axis of an initialised plan from words like "seed=17 max=64" or "seed=17,max=64"; what is missing keeps
 * its value. Used by plans and by options. */
int ifr_plan_set(struct ifr_plan *plan, enum ifr_axis axis, const char *words, struct ifr_error *err);

#ifdef __cplusplus
}
#endif
#endif
