/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The triggers of an audit: properties of a program's context that should not matter. Each is a sweep or a random
 * family of one or more axes, and becomes an experiment of its own.
 *
 * The design has two stages. The screen runs every trigger's layouts IFR_AUDIT_SCREEN_RUNS times. The triggers whose
 * screen has p <= IFR_AUDIT_SCREEN_LEVEL run on to the full number of runs; the others end there, and are never
 * claimed. A trigger's test takes all of its runs, at a number that its own p does not choose: ending after the screen
 * can only lose findings, so that the level holds. */
#ifndef IFR_HARNESS_AUDIT_TRIGGERS_H
#define IFR_HARNESS_AUDIT_TRIGGERS_H

#include <stdbool.h>

#include "harness/design/layout_generator.h"

enum { IFR_AUDIT_SCREEN_RUNS = 2, IFR_AUDIT_LAYOUTS_LEAST = 8 };

/* The part of a program that a trigger needs. */
enum ifr_trigger_needs {
	IFR_NEEDS_NOTHING,
	IFR_NEEDS_MOUNTS,   /* mounts of its own, which the kernel allows */
	IFR_NEEDS_LOADER,   /* libraries are preloaded */
	IFR_NEEDS_KIT,      /* code and data move */
	IFR_NEEDS_TEMPLATES /* the compiler's axes */
};

struct ifr_trigger {
	const char *name;    /* "environment" */
	const char *summary; /* "bytes of environment above the stack" */
	const char *sets;    /* "environment sizes": the plural of its layouts, in sentences */
	enum ifr_trigger_needs needs;
	const char *sweep; /* "stack:bytes=0:8176:16"; NULL: random layouts of the axes */
	int64_t period;    /* of the sweep: what repeats behind it; 0: all of the sweep */
	unsigned axes;     /* of random layouts */
	unsigned layouts;  /* random ones */
	struct {
		enum ifr_axis axis;
		const char *text; /* as of --set; NULL: usual */
	} set;
};

extern const struct ifr_trigger ifr_triggers[];
extern const unsigned ifr_trigger_count;

/* "a kit", or "" where any program will do. */
const char *ifr_trigger_needs(const struct ifr_trigger *trigger);

/* The index of a trigger, or -1. */
int ifr_trigger_find(const char *name);
/* Parses a list such as "environment,heap" or "all" into wanted[ifr_trigger_count]. Errors: IFR_E_USAGE. */
int ifr_triggers_parse(const char *list, bool *wanted, struct ifr_error *err);

/* Makes the generator and the number of layouts of a trigger, of `most` layouts at most (0: as many as it has). A sweep
 * ends after its period, then takes every third value, fifth …; a random family has fewer layouts; neither has fewer than
 * IFR_AUDIT_LAYOUTS_LEAST. sweep: that of an earlier part of the same audit, or of what this machine has; or NULL. The
 * caller releases the generator's parameters. Errors: IFR_E_USAGE for a sweep that cannot be parsed. */
int ifr_trigger_design(const struct ifr_trigger *trigger, uint64_t seed, unsigned most, const char *sweep,
                       struct ifr_layout_generator *generator, unsigned *layouts, struct ifr_error *err);

/* Makes the fresh contexts in which a cure is measured of what a trigger was found to do: random families under
 * another seed; of a sweep, one period (all of it where it has none) behind the values at which the effect was
 * found, where the axis has room for them. Other sweeps keep their values, and the program's file keeps its
 * layouts: so load addresses and the environment's size vary with them. found: the sweep of the trigger's
 * experiment; NULL: none. The caller releases the generator's parameters. Errors: those of ifr_trigger_design. */
int ifr_trigger_contexts(const struct ifr_trigger *trigger, uint64_t seed, const char *found,
                         struct ifr_layout_generator *generator, unsigned *layouts, struct ifr_error *err);

/* The smallest step of a trigger's sweep; 0 without a sweep. */
int64_t ifr_trigger_step(const struct ifr_trigger *trigger);

/* The most layouts of a trigger, so that the screens of the chosen ones [ifr_trigger_count] together take half of the
 * budget at run_ns a run: all have an equal number, but those that have fewer layouts leave the rest to the others. 0
 * (no limit) without a budget. */
unsigned ifr_audit_layouts(int64_t budget_ns, int64_t run_ns, const bool *chosen);
/* The runs of a screen: also references, profile, the shipped layout, twins. */
unsigned ifr_audit_screen_runs(unsigned layouts);
/* The layouts of a screen of so many runs, IFR_AUDIT_LAYOUTS_LEAST at least. */
unsigned ifr_audit_layouts_in(int64_t runs);

#endif
