/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The variant builder: kit and plan -> variant.
 *
 *     axes that move code (unit-order, nops, align)   assemble the units' templates (compiletime/template.h)
 *     axes that change code (frames, globals, …)      compile the units by their recipes (compiletime/recipe.h)
 *     axes of the relinker                            relink (relinker/relinker.h)
 *
 * The builder puts rebuilt units into an overlay kit, which the relinker takes as an ordinary kit. */
#ifndef IFR_HARNESS_VARIANT_BUILDER_H
#define IFR_HARNESS_VARIANT_BUILDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "relinker/relinker.h"

struct ifr_builder;

/* Opens the kit's relinker and reads the units with their templates and recipes. The kit must outlive the builder.
 * Errors: IFR_E_ENVIRONMENT if a file of the kit cannot be read; those of ifr_relinker_open. */
int ifr_builder_open(const struct ifr_kit *kit, struct ifr_builder **builder, struct ifr_error *err);
void ifr_builder_close(struct ifr_builder *builder);

/* The kit, and its relinker without rebuilt units; both are borrowed and live as long as the builder. */
const struct ifr_kit *ifr_builder_kit(const struct ifr_builder *builder);
struct ifr_relinker *ifr_builder_relinker(const struct ifr_builder *builder);

/* Counts units with templates. */
size_t ifr_builder_count_templates(const struct ifr_builder *builder);

/* The cost of recompilation, measured by one compilation of all units. */
struct ifr_rebuild_trial {
	size_t units;   /* with a recipe that yields the shipped code */
	size_t left;    /* not compiled, as there was no time; else 0 */
	double seconds; /* for all units, on all processors */
};

/* Whether any of the axes (1u << enum ifr_axis) needs a compiler for each variant. */
bool ifr_axes_recompile(unsigned axes);

/* If an axis needs a compiler, compiles all units with recipes once, as they were compiled for the shipped
 * program, and measures the time; otherwise zeroes *trial. A unit that yields other code now keeps its shipped
 * form. Only the first call compiles. Where the deadline (on CLOCK_MONOTONIC; INT64_MAX: none) passes, trial->left tells
 * how many units were not compiled. Errors: those of ifr_builder_check; IFR_E_ENVIRONMENT if no unit can be
 * compiled. */
int ifr_builder_try_recipes(struct ifr_builder *builder, unsigned axes, int64_t deadline_ns,
                            struct ifr_rebuild_trial *trial, struct ifr_error *err);

/* Returns "33 units compiled in 4.1 s: 16 variants take about 66 s to make"; the caller frees. */
char *ifr_rebuild_trial_describe(const struct ifr_rebuild_trial *trial, unsigned variants);

/* Appends a line for each reason why units keep their shipped form under these axes; nothing if all are rebuilt. */
void ifr_builder_print_unbuildable(const struct ifr_builder *builder, unsigned axes, struct ifr_buffer *lines);

/* Makes a plan's variant at path and appends facts about the rebuilt units to variant->facts. Errors: those of
 * ifr_builder_try_recipes, of the compiler or assembler, and of ifr_relinker_make. */
int ifr_builder_make(struct ifr_builder *builder, const struct ifr_plan *plan, const char *path,
                     struct ifr_variant *variant, struct ifr_error *err);

/* Makes the variant FOLDER/NAME of the plan NAME, and with plan_too writes the plan to FOLDER/NAME.plan. Errors:
 * those of ifr_builder_make. */
int ifr_builder_write(struct ifr_builder *builder, const struct ifr_plan *plan, const char *folder, bool plan_too,
                      struct ifr_variant *variant, struct ifr_error *err);

/* Calls visit with the shipped and the rebuilt object file of each unit that a plan changes without a compiler.
 * Errors: those of ifr_builder_make and of visit. */
typedef int (*ifr_builder_visit)(const char *name, const struct ifr_buffer *shipped,
                                 const struct ifr_buffer *rebuilt, void *data, struct ifr_error *err);
int ifr_builder_visit_objects(struct ifr_builder *builder, const struct ifr_plan *plan, ifr_builder_visit visit,
                              void *data, struct ifr_error *err);

/* The layout of a plan's variant, without its file. */
struct ifr_variant_layout {
	struct ifr_relinker_layout *layout; /* from the builder's relinker, or from the overlay's */
	/* The rebuilt units; none for a plan without an axis of the compiler. Both object files list their labels
	 * (IFR_LABELS_SECTION). */
	struct ifr_variant_unit {
		const char *input, *member; /* as in struct rebuilt_unit */
		const struct ifr_buffer *shipped;
		struct ifr_buffer rebuilt;
	} * units;
	size_t unit_count;
	const struct ifr_builder *builder;
	struct ifr_builder_overlay *overlay; /* NULL: no unit was rebuilt */
};

/* Lays out a plan whose compiler's axes only move code. The layout is valid until the next call that makes
 * something; the caller releases it, after an error too. Errors: those of ifr_builder_make; IFR_E_USAGE for axes
 * that change code. */
int ifr_builder_lay_out(struct ifr_builder *builder, const struct ifr_plan *plan,
                        struct ifr_variant_layout *layout, struct ifr_error *err);
void ifr_variant_layout_release(struct ifr_variant_layout *layout);

/* Checks that the kit can give variants under these axes (1u << enum ifr_axis). Errors: IFR_E_USAGE if an axis
 * needs templates or sources that the kit does not have, with the remedy. */
int ifr_builder_check(const struct ifr_builder *builder, unsigned axes, struct ifr_error *err);

#endif
