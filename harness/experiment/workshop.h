/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where variants are made of a kit: the compiler's axes that only move code by assembling the templates of its
 * units (compiletime/template.h), those that change code by compiling units again (compiletime/recipe.h), the
 * relinker's axes by the relinker (relinker/relinker.h).
 *
 * A plan with axes of both: the units that it changes are assembled into a kit derived from the first, an ordinary
 * kit to the relinker, which then does the rest. A compiler runs for frames and globals alone. */
#ifndef IFR_HARNESS_WORKSHOP_H
#define IFR_HARNESS_WORKSHOP_H

#include <stdbool.h>
#include <stddef.h>

#include "relinker/relinker.h"

struct ifr_workshop;

/* Opens the kit's relinker, and reads which units have templates. The kit must outlive the workshop. */
int ifr_workshop_open(const struct ifr_kit *kit, struct ifr_workshop **workshop, struct ifr_error *err);
void ifr_workshop_close(struct ifr_workshop *workshop);

/* The kit, and its relinker as it is. */
const struct ifr_kit *ifr_workshop_kit(const struct ifr_workshop *workshop);
struct ifr_relinker *ifr_workshop_relinker(const struct ifr_workshop *workshop);

/* How many units have templates. */
size_t ifr_workshop_templates(const struct ifr_workshop *workshop);

/* What compiling again costs. */
struct ifr_workshop_trial {
	size_t units;   /* that can be compiled again, and come out as they ship */
	double seconds; /* of one time, by all processors */
};

/* Whether any of the axes (1u << enum ifr_axis) needs a compiler for each variant. */
bool ifr_workshop_recompiles(unsigned axes);

/* Where it does, compiles all units once, as they were compiled first, and says what that took; else leaves trial
 * zeroed. A unit whose code is another now stays as it ships. Errors: as of ifr_workshop_check; IFR_E_ENVIRONMENT
 * if no unit can be compiled. */
int ifr_workshop_try(struct ifr_workshop *workshop, unsigned axes, struct ifr_workshop_trial *trial,
                     struct ifr_error *err);

/* "33 units compiled in 4.1 s: 16 variants take about 66 s to make"; the caller frees. */
char *ifr_workshop_describe_trial(const struct ifr_workshop_trial *trial, unsigned variants);

/* Appends which units stay as they ship under these axes, and why: a line for each reason. */
void ifr_workshop_print_left(const struct ifr_workshop *workshop, unsigned axes, struct ifr_buffer *lines);

/* Makes a plan's variant at path, as ifr_relinker_make does. Errors: IFR_E_USAGE for axes that need templates
 * or sources that the kit does not hold, with the remedy; as of ifr_workshop_try. */
int ifr_workshop_make(struct ifr_workshop *workshop, const struct ifr_plan *plan, const char *path,
                      struct ifr_variant *variant, struct ifr_error *err);

/* Calls visit for each unit that a plan changes by moving code alone, with its object as it ships and as the plan
 * has it. Errors: as of ifr_workshop_make, and what visit returns. */
typedef int (*ifr_workshop_visit)(const char *name, const struct ifr_buffer *shipped,
                                  const struct ifr_buffer *made, void *data, struct ifr_error *err);
int ifr_workshop_visit_objects(struct ifr_workshop *workshop, const struct ifr_plan *plan,
                               ifr_workshop_visit visit, void *data, struct ifr_error *err);

/* A plan's layout, where it is not the file that is wanted. */
struct ifr_workshop_layout {
	struct ifr_layout *layout; /* of the workshop's relinker, or of one for the units made anew */
	/* The units made anew, with their objects as they ship and as the plan has them: both list their labels
	 * (IFR_LABELS_SECTION). None for a plan that has no axis of the compiler. */
	struct ifr_workshop_unit {
		const char *input, *member; /* as units of a kit have them; member is "" outside an archive */
		const struct ifr_buffer *shipped;
		struct ifr_buffer made;
	} * units;
	size_t unit_count;
	const struct ifr_workshop *workshop;
	struct ifr_workshop_derived *derived; /* NULL: none */
};

/* Lays out a plan whose compiler's axes only move code. The layout holds until the workshop makes something else,
 * and is to be released in either case. Errors: as of ifr_workshop_make; IFR_E_USAGE for axes that change code. */
int ifr_workshop_lay_out(struct ifr_workshop *workshop, const struct ifr_plan *plan,
                         struct ifr_workshop_layout *layout, struct ifr_error *err);
void ifr_workshop_layout_release(struct ifr_workshop_layout *layout);

/* Whether a kit can give variants under these axes, 1u << enum ifr_axis; errors as above. */
int ifr_workshop_check(const struct ifr_workshop *workshop, unsigned axes, struct ifr_error *err);

#endif
