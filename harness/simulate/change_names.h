/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The accesses and blocks by which two layouts differ in one event of the model, by name: accesses across lines and
 * pages, windows of code that blocks enter. */
#ifndef IFR_HARNESS_SIMULATE_CHANGE_NAMES_H
#define IFR_HARNESS_SIMULATE_CHANGE_NAMES_H

#include "common/plan.h"
#include "harness/build/build.h"
#include "harness/simulate/site.h"
#include "model/model.h"

/* An access, or a block of code; index 0 is the first layout. */
struct ifr_named_change {
	char *data;           /* "packed+4"; NULL: a block */
	char *code;           /* "main (micro.c:5)" */
	struct ifr_site site; /* of the data, or of the block */
	uint64_t address[2];  /* of the data when it first crossed, or of the block */
	uint64_t bytes;       /* of a block */
	uint64_t each[2];     /* windows that one execution of a block enters */
	uint64_t events[2];
};

struct ifr_named_changes {
	struct ifr_named_change *items; /* those that differ most first, by a hundredth of the first at least */
	size_t count, all;              /* all: that differ, named or not */
	int64_t rest;                   /* events of the second layout beyond the first's, of those without a name */
};

/* Whether ifr_changes_name knows the event. */
bool ifr_changes_know(enum ifr_event event);

/* Names what gives a trace another number of an event (ifr_changes_know) under the second of two plans, `most` at most.
 * builder: of the kit, for plans that need one; else NULL. Errors: IFR_E_USAGE for layouts with an instruction map; those
 * of ifr_layout_of_plan. The caller releases the names. */
int ifr_changes_name(struct ifr_trace *trace, struct ifr_builder *builder, const struct ifr_plan *const plans[2],
                     const struct ifr_machine *machine, enum ifr_event event, size_t most,
                     struct ifr_named_changes *named, struct ifr_error *err);
void ifr_named_changes_release(struct ifr_named_changes *named);

#endif
