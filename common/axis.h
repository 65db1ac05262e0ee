/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The axes: the independent ways in which interfero perturbs a program. One table holds their names, the part that
 * owns them and their parameters; plans, help texts and the plugin's options all come from it. */
#ifndef IFR_COMMON_AXIS_H
#define IFR_COMMON_AXIS_H

#include <stdint.h>

#include "common/error.h"

#ifdef __cplusplus
extern "C" {
#endif

enum ifr_axis {
	IFR_AXIS_FUNCTIONS,
	IFR_AXIS_OBJECTS,
	IFR_AXIS_PADDING,
	IFR_AXIS_BASE,
	IFR_AXIS_DATA,
	IFR_AXIS_INTERP,
	IFR_AXIS_UNIT_ORDER,
	IFR_AXIS_NOPS,
	IFR_AXIS_ALIGN,
	IFR_AXIS_FRAMES,
	IFR_AXIS_GLOBALS,
	IFR_AXIS_STACK,
	IFR_AXIS_HEAP,
	IFR_AXIS_BLOCKS,
	IFR_AXIS_LOAD,
	IFR_AXIS_COUNT
};

/* Who applies an axis. */
enum ifr_axis_owner {
	IFR_OWNER_RELINKER = 1 << 0, /* at each link */
	IFR_OWNER_PLUGIN = 1 << 1,   /* at each compilation */
	IFR_OWNER_LAUNCHER = 1 << 2, /* at each run */
};

enum { IFR_AXIS_PARAMETERS = 4 };

struct ifr_axis_parameter {
	const char *name; /* NULL: no further parameter */
	int64_t initial, minimum, maximum;
	const char *meaning; /* with its unit */
};

struct ifr_axis_info {
	const char *name;
	enum ifr_axis_owner owner;
	const char *summary;
	struct ifr_axis_parameter parameter[IFR_AXIS_PARAMETERS];
};

extern const struct ifr_axis_info ifr_axes[IFR_AXIS_COUNT];

/* The axis of that name, or a negative number and an error that lists the known names. */
int ifr_axis_find(const char *name, struct ifr_error *err);

/* A set of axes as a bit mask (1u << axis) from "functions,padding", "all" or "none". */
int ifr_axes_parse(const char *list, unsigned *axes, struct ifr_error *err);

/* All the axes that one of the owners (or-ed) applies. */
unsigned ifr_axes_of(unsigned owners);

#ifdef __cplusplus
}
#endif
#endif
