/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where variants are made of a kit: the compiler's axes that only move code by assembling the templates of its
 * units (compiletime/template.h), those that change code by compiling units again (compiletime/recipe.h), the
 * relinker's axes by the relinker (relinker/relinker.h).
 *
 * A plan with axes of both: the units that it changes are assembled into an overlay kit of the first, an ordinary
 * kit to the relinker, which then does the rest. A compiler runs for frames and globals alone. */
#ifndef IFR_HARNESS_VARIANT_BUILDER_H
#define IFR_HARNESS_VARIANT_BUILDER_H

#include <stdbool.h>
#include <stddef.h>

#include "relinker/relinker.h"

struct ifr_builder;

/* Opens the kit's relinker, and reads which units have templates. The kit must outlive the builder. */
int ifr_builder_open(const struct ifr_kit *kit, struct ifr_builder **builder, struct ifr_error *err);
void ifr_builder_close(struct ifr_builder *builder);

/* The kit, and its relinker as it is. */
const struct ifr_kit *ifr_builder_kit(const struct ifr_builder *builder);
struct ifr_relinker *ifr_builder_relinker(const struct ifr_builder *builder);

/* How many units have templates. */
size_t ifr_builder_count_templates(const struct ifr_builder *builder);

/* What compiling again costs. */
struct ifr_rebuild_trial {
	size_t units;   /* that can be compiled again, and come out as they ship */
	double seconds; /* of one time, by all processors */
};

/* Whether any of the axes (1u << enum ifr_axis) needs a compiler for each variant. */
bool ifr_axes_recompile(unsigned axes);

/* Where it does, compiles all units once, as they were compiled first, and says what that took; else leaves trial
 * zeroed. A unit whose code is another now stays as it ships. Errors: as of ifr_builder_check; IFR_E_ENVIRONMENT
 * if no unit can be compiled. */
int ifr_builder_try_recipes(struct ifr_builder *builder, unsigned axes, struct ifr_rebuild_trial *trial,
                            struct ifr_error *err);

/* "33 units compiled in 4.1 s: 16 variants take about 66 s to make"; the caller frees. */
char *ifr_rebuild_trial_describe(const struct ifr_rebuild_trial *trial, unsigned variants);

/* Appends which units stay as they ship under these axes, and why: a line for each reason. */
void ifr_builder_print_unbuildable(const struct ifr_builder *builder, unsigned axes, struct ifr_buffer *lines);

/* Makes a plan's variant at path, as ifr_relinker_make does. Errors: IFR_E_USAGE for axes that need templates
 * or sources that the kit does not hold, with the remedy; as of ifr_builder_try_recipes. */
int ifr_builder_make(struct ifr_builder *builder, const struct ifr_plan *plan, const char *path,
                     struct ifr_variant *variant, struct ifr_error *err);

/* Makes FOLDER/NAME, NAME being the plan's, and with plan_too FOLDER/NAME.plan, from which it can be made again. */
int ifr_builder_write(struct ifr_builder *builder, const struct ifr_plan *plan, const char *folder, bool plan_too,
                      struct ifr_variant *variant, struct ifr_error *err);

/* Calls visit for each unit that a plan changes by moving code alone, with its object as it ships and as the plan
 * has it. Errors: as of ifr_builder_make, and what visit returns. */
typedef int (*ifr_builder_visit)(const char *name, const struct ifr_buffer *shipped, const struct ifr_buffer *made,
                                 void *data, struct ifr_error *err);
int ifr_builder_visit_objects(struct ifr_builder *builder, const struct ifr_plan *plan, ifr_builder_visit visit,
                              void *data, struct ifr_error *err);

/* A plan's layout, where it is not the file that is wanted. */
struct ifr_variant_layout {
	struct ifr_relinker_layout *layout; /* of the builder's relinker, or of one for the units made anew */
	/* The units made anew, with their objects as they ship and as the plan has them: both list their labels
	 * (IFR_LABELS_SECTION). None for a plan that has no axis of the compiler. */
	struct ifr_variant_unit {
		const char *input, *member; /* as units of a kit have them; member is "" outside an archive */
		const struct ifr_buffer *shipped;
		struct ifr_buffer made;
	} * units;
	size_t unit_count;
	const struct ifr_builder *builder;
	struct ifr_builder_overlay *overlay; /* NULL: none */
};

/* Lays out a plan whose compiler's axes only move code. The layout holds until the builder makes something else,
 * and is to be released in either case. Errors: as of ifr_builder_make; IFR_E_USAGE for axes that change code. */
int ifr_builder_lay_out(struct ifr_builder *builder, const struct ifr_plan *plan,
                        struct ifr_variant_layout *layout, struct ifr_error *err);
void ifr_variant_layout_release(struct ifr_variant_layout *layout);

/* Whether a kit can give variants under these axes, 1u << enum ifr_axis; errors as above. */
int ifr_builder_check(const struct ifr_builder *builder, unsigned axes, struct ifr_error *err);

#endif
