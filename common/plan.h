/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The layout plan: a small text file with the axes that perturb a program, their seeds and parameters. The same kit
 * and plan give the same variant, byte for byte, on any machine.
 *
 *     interfero-plan 1
 *     functions seed=17 cross=0
 *     nops seed=3 only=lua_*,main
 *     stack bytes=3184
 *     at 0x14c0 ldo.o:.text.luaD_call
 *
 * docs/interfero-plan.md, which is installed as interfero-plan(5), specifies the format. */
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

enum { IFR_PLAN_VERSION = 1, IFR_NAME_MAX = 64, IFR_KEY_MAX = 136, IFR_PLAN_ROOM_MOST = 1 << 20 };

struct ifr_axis_setting {
	bool on;
	uint64_t seed;
	int64_t value[IFR_AXIS_PARAMETERS]; /* in the order of ifr_axes[].parameter */
	int64_t given[IFR_AXIS_VALUES];     /* in the order of ifr_axes[].value; -1: the seed draws it */
	char *only, *except;                /* patterns, or NULL */
};

/* A place by name. */
struct ifr_plan_place {
	char *unit;
	bool fixed;       /* an `at` line; false: an `order` line */
	uint64_t address; /* in the shipped program */
};

/* The room of a unit: what follows it begins as if the unit had so many bytes, if it has fewer. */
struct ifr_plan_room {
	char *unit;
	uint64_t bytes;
};

struct ifr_plan {
	char name[IFR_NAME_MAX];
	char kit[IFR_KEY_MAX];
	struct ifr_axis_setting axis[IFR_AXIS_COUNT];
	struct ifr_plan_place *places; /* no unit twice */
	size_t place_count;
	struct ifr_plan_room *rooms; /* of a unit named twice, the last one holds */
	size_t room_count;
	char **last; /* units that come behind all others of .text, as the axes order them */
	size_t last_count;
	uint64_t code_start; /* of the shipped program: a layout's .text begins there at the earliest; 0: as shipped */
};

/* Sets all axes off, all parameters to their defaults, and no places, rooms and last units. */
void ifr_plan_init(struct ifr_plan *plan);
/* Copies a plan with its patterns and names, which each plan owns. */
void ifr_plan_copy(struct ifr_plan *copy, const struct ifr_plan *plan);
/* Frees patterns and names, and initialises the plan again. */
void ifr_plan_release(struct ifr_plan *plan);

/* Switches an axis on under a seed; its parameters stay. */
void ifr_plan_enable(struct ifr_plan *plan, enum ifr_axis axis, uint64_t seed);

/* The seed of an axis in the plan of variant `index` under a master seed. */
uint64_t ifr_plan_seed(uint64_t master, enum ifr_axis axis, unsigned index);

/* Makes an initialised plan the plan of variant `index`: each axis of the mask gets a seed that depends on (master,
 * axis, index) alone. Index 0 is the layout that ships, without axes. */
void ifr_plan_derive(struct ifr_plan *plan, uint64_t master, unsigned axes, unsigned index);

/* The axes that are on, as a mask. */
unsigned ifr_plan_axes(const struct ifr_plan *plan);

/* The value that a setting gives, or drawn, where the seed decides. index: in ifr_axes[].value. */
uint64_t ifr_axis_setting_value(const struct ifr_axis_setting *setting, unsigned index, uint64_t drawn);
/* The most that a drawn or given value can be. */
uint64_t ifr_axis_setting_most(const struct ifr_axis_setting *setting, enum ifr_axis axis, unsigned index);

/* Whether a setting's patterns let the axis change an entity that has all these names; NULL ends the list. */
bool ifr_axis_setting_covers(const struct ifr_axis_setting *setting, const char *const *names);

/* Adds an `order` line for a unit that has no place yet. */
void ifr_plan_place(struct ifr_plan *plan, const char *unit);
/* Adds an `at` line for a unit that has no place yet. */
void ifr_plan_place_at(struct ifr_plan *plan, const char *unit, uint64_t address);
/* Adds a `room` line for a unit. */
void ifr_plan_give_room(struct ifr_plan *plan, const char *unit, uint64_t bytes);
/* Adds a `last` line for a unit. */
void ifr_plan_put_last(struct ifr_plan *plan, const char *unit);
/* Gives a plan the settings of all axes that are on in another, and the other's places, rooms, start and last units. */
void ifr_plan_adopt(struct ifr_plan *plan, const struct ifr_plan *other);
/* Gives a plan the rooms, the start and the last units of another. */
void ifr_plan_match(struct ifr_plan *plan, const struct ifr_plan *other);

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
