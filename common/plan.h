/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The layout plan: a small text file with the axes that perturb a program, their seeds and parameters. The same kit
 * and plan give the same variant, byte for byte, on any machine.
 *
 *     interfero-plan 1
 *     # a comment
 *     kit 3c6741592ad30c5b2bba7c6e62e28063b8ac9b82
 *     name v003
 *     functions seed=17 cross=0
 *     padding seed=0x2a max=64
 *
 * The first line names the format and its version. `kit` (the key of the captured link) and `name` are optional.
 * Each other line is an axis (common/axis.h) with its seed, 0 … 2^64-1, and parameters; a missing word has its
 * default. An axis without a line is off. Unknown words, values out of range and axes named twice are errors.
 *
 * Patterns limit an axis by name, to functions and variables (plugin's axes) or to units of the relinker
 * (relinker/relinker.h):
 *
 *     nops seed=3 only=lua_*,main except=lua_error
 *
 *     only=PATTERNS     the axis changes matching names alone
 *     except=PATTERNS   the axis does not change matching names
 *
 * PATTERNS are patterns of fnmatch(3), parted by commas. All else is laid out as without the axis.
 *
 * Places by name fix single units of the relinker; the name reaches to the end of the line:
 *
 *     order lapi.o:.text.lua_gettop
 *     at 0x14c0 ldo.o:.text.luaD_call
 *
 *     order UNIT        units of these lines come first in their section, in the order of the lines; the others
 *                       follow as the axes say
 *     at ADDRESS UNIT   the unit lies at an address of the shipped program; where its section begins elsewhere in
 *                       the variant, at the same distance from the section's begin
 *
 * The other units of a section with `at` lines flow around the fixed ones if an axis or an `order` line concerns the
 * section; else they stay where they ship. Names that the program does not have are counted in the variant's facts:
 * a plan made for one build of a program works with another. */
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

/* A place by name. */
struct ifr_plan_place {
	char *unit;
	bool fixed;       /* an `at` line; false: an `order` line */
	uint64_t address; /* in the shipped program */
};

struct ifr_plan {
	char name[IFR_NAME_MAX];
	char kit[IFR_KEY_MAX];
	struct ifr_axis_setting axis[IFR_AXIS_COUNT];
	struct ifr_plan_place *places; /* no unit twice */
	size_t place_count;
};

/* Sets all axes off, all parameters to their defaults, and no places. */
void ifr_plan_init(struct ifr_plan *plan);
/* Copies a plan with its patterns and places, which each plan owns. */
void ifr_plan_copy(struct ifr_plan *copy, const struct ifr_plan *plan);
/* Frees patterns and places, and initialises the plan again. */
void ifr_plan_release(struct ifr_plan *plan);

/* Switches an axis on under a seed; its parameters stay. */
void ifr_plan_enable(struct ifr_plan *plan, enum ifr_axis axis, uint64_t seed);

/* Makes an initialised plan the plan of variant `index`: each axis of the mask gets a seed that depends on (master,
 * axis, index) alone. Index 0 is the layout that ships, without axes. */
void ifr_plan_derive(struct ifr_plan *plan, uint64_t master, unsigned axes, unsigned index);

/* The axes that are on, as a mask. */
unsigned ifr_plan_axes(const struct ifr_plan *plan);

/* Whether a setting's patterns let the axis change an entity that has all these names; NULL ends the list. */
bool ifr_axis_setting_covers(const struct ifr_axis_setting *setting, const char *const *names);

/* Adds an `order` line for a unit that has no place yet. */
void ifr_plan_place(struct ifr_plan *plan, const char *unit);
/* Adds an `at` line for a unit that has no place yet. */
void ifr_plan_place_at(struct ifr_plan *plan, const char *unit, uint64_t address);

/* Parses a plan, which the caller releases; origin is the file's name for messages. Errors: IFR_E_USAGE with
 * origin:line; the plan is then initialised. */
int ifr_plan_parse(const char *text, size_t length, const char *origin, struct ifr_plan *plan,
                   struct ifr_error *err);
/* Reads and parses a plan's file. */
int ifr_plan_read(const char *path, struct ifr_plan *plan, struct ifr_error *err);

/* Appends the plan's text, which parses back to the same plan. */
void ifr_plan_print(const struct ifr_plan *plan, struct ifr_buffer *text);
/* Appends the plan's text with each axis's key for its name: for hashes, which a renamed axis must not change. */
void ifr_plan_print_keyed(const struct ifr_plan *plan, struct ifr_buffer *text);

/* Switches on one axis of an initialised plan and sets it from words like "seed=17 max=64" or "seed=17,max=64", as
 * plans and options have them. Parameters without a word keep their values. */
int ifr_plan_set(struct ifr_plan *plan, enum ifr_axis axis, const char *words, struct ifr_error *err);

#ifdef __cplusplus
}
#endif
#endif
