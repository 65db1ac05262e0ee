/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The axes: independent perturbations of a program. One table holds each axis's name, owner and parameters; plans,
 * help texts and the plugin's options follow it. */
#ifndef IFR_COMMON_AXIS_H
#define IFR_COMMON_AXIS_H

#include <stdint.h>

#include "common/buffer.h"
#include "common/error.h"

#ifdef __cplusplus
extern "C" {
#endif

enum ifr_axis {
	IFR_AXIS_FUNCTIONS,
	IFR_AXIS_LINK_ORDER,
	IFR_AXIS_PADDING,
	IFR_AXIS_BASE,
	IFR_AXIS_DATA,
	IFR_AXIS_INTERP,
	IFR_AXIS_NAMES,
	IFR_AXIS_UNIT_ORDER,
	IFR_AXIS_NOPS,
	IFR_AXIS_ALIGN,
	IFR_AXIS_FRAMES,
	IFR_AXIS_GLOBALS,
	IFR_AXIS_ALIAS_CHECK,
	IFR_AXIS_SPLIT_LOOPS,
	IFR_AXIS_DUPLICATE_JOINS,
	IFR_AXIS_STACK,
	IFR_AXIS_HEAP,
	IFR_AXIS_BLOCKS,
	IFR_AXIS_LOAD,
	IFR_AXIS_ALLOCATOR,
	IFR_AXIS_HUGE_PAGES,
	IFR_AXIS_COPIES,
	IFR_AXIS_COUNT
};

/* The part that applies an axis. */
enum ifr_axis_owner {
	IFR_OWNER_RELINKER = 1 << 0, /* at each link */
	IFR_OWNER_PLUGIN = 1 << 1,   /* at each compilation */
	IFR_OWNER_LAUNCHER = 1 << 2, /* at each run */
};

enum { IFR_AXIS_PARAMETERS = 4, IFR_AXIS_VALUES = 5 };

struct ifr_axis_parameter {
	const char *name; /* NULL: no further parameter */
	int64_t initial, minimum, maximum;
	const char *meaning; /* with its unit */
};

/* A value that the seed draws, and that a plan may give instead; or that a plan alone gives. */
struct ifr_axis_value {
	const char *name; /* NULL: no further value */
	int64_t maximum;  /* the minimum is 0 */
	int64_t multiple; /* of which the value is one */
	unsigned limit;   /* index of the parameter up to which the seed draws, or that a sweep may raise */
	const char *meaning;
};

struct ifr_axis_info {
	const char *name; /* in plans, options and reports */
	const char *key;  /* in hashes, as which it never changes; plans and options of before may name the axis so */
	enum ifr_axis_owner owner;
	const char *summary;
	struct ifr_axis_parameter parameter[IFR_AXIS_PARAMETERS];
	struct ifr_axis_value value[IFR_AXIS_VALUES];
};

extern const struct ifr_axis_info ifr_axes[IFR_AXIS_COUNT];

/* Finds an axis by its name or key. Errors: IFR_E_USAGE, with a list of the names; the result is then negative. */
int ifr_axis_find(const char *name, struct ifr_error *err);

/* Parses a list such as "functions,padding", "all" or "none" into a mask of 1u << axis. Errors: IFR_E_USAGE for an
 * unknown name. */
int ifr_axes_parse(const char *list, unsigned *axes, struct ifr_error *err);

/* The mask of all axes of these owners (or-ed). */
unsigned ifr_axes_of(unsigned owners);

/* Appends the names of a mask's axes, separated by commas; "none" for an empty mask. */
void ifr_axes_print(unsigned axes, struct ifr_buffer *list);

#ifdef __cplusplus
}
#endif
#endif
