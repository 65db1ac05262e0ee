/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The units of a kit that can be rebuilt: assembled from their templates (compiletime/template.h), or compiled by
 * their recipes (compiletime/recipe.h).
 *
 *     rebuilt unit       an object file whose template is in the kit
 *     unbuildable unit   an object file without a usable template: it keeps its shipped form in every variant
 *     recipe             preprocessed source and arguments of the compiler proper; optional
 */
#ifndef IFR_HARNESS_REBUILT_UNITS_H
#define IFR_HARNESS_REBUILT_UNITS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/buffer.h"
#include "common/strings.h"
#include "kit/kit.h"
#include "compiletime/compiletime.h"

struct rebuilt_unit {
	char *input;                  /* path of the kit's input: an object file, or the archive that contains it */
	char *member;                 /* its name in the archive, "" outside */
	char key[IFR_SHA256_HEX];     /* digest of the template */
	struct ifr_buffer text;       /* the template */
	struct ifr_strings arguments; /* of the assembler */
	struct ifr_recipe recipe;     /* empty if there is none */
	char *recipe_reference;       /* the template's reference: a key, or "none" and a reason; NULL: no reference */
	char *no_recipe;              /* why the unit has no usable recipe; NULL: it has one */
	char *object;                 /* path of the rebuilt object file */
	bool rewritten;               /* the caller replaced template and key */
	bool labelled;                /* the object file lists its labels (IFR_LABELS_SECTION); set by the caller */
	/* Results of the last rebuilt_units_assemble. */
	bool changed;  /* the object file differs from the shipped one, or the unit is rewritten or labelled */
	bool compiled; /* by its recipe, before it was assembled */
	uint64_t nops, aligned, ordered; /* counts of decisions that the plan made, as in the unit's note */
	uint64_t frames, variables, checks, split, copies;
	char *remark; /* a line of the plugin about the last compilation, or NULL */
};

struct unbuildable_unit {
	char *input, *member; /* as in struct rebuilt_unit */
	const char *reason;   /* a sentence without a full stop */
};

struct rebuilt_units {
	struct rebuilt_unit *items;
	size_t count;
	struct unbuildable_unit *unbuildable;
	size_t unbuildable_count;
};

/* Reads the units of a kit, in the order of the kit's inputs. Unbuildable are object files without a template,
 * object files that ld -r joined from several units, and members that share their name with another member of the
 * archive. The caller releases units, after an error too. Errors: IFR_E_ENVIRONMENT if a template or recipe cannot
 * be read. */
int rebuilt_units_read(const struct ifr_kit *kit, struct rebuilt_units *units, struct ifr_error *err);
void rebuilt_units_release(struct rebuilt_units *units);

/* Appends a line for each reason why units keep their shipped form under the compiler's axes. With recipes, units
 * without a recipe count as well. */
void rebuilt_units_print_unbuildable(const struct rebuilt_units *units, bool recipes, struct ifr_buffer *lines);

/* Counts units with a usable recipe. */
size_t rebuilt_units_count_recipes(const struct rebuilt_units *units);

/* Appends the shipped object file of a unit to bytes. Errors: IFR_E_ENVIRONMENT if it cannot be read. */
int unit_read_shipped(const struct ifr_kit *kit, const struct rebuilt_unit *unit, struct ifr_buffer *bytes,
                      struct ifr_error *err);

/* Assembles the units that the plan changes, to FOLDER/0.o, FOLDER/1.o and so on by index, on all processors.
 * Units with a recipe whose code the plan may change (frames, globals, alias-check) are compiled first. Sets object,
 * changed, compiled and the counts. Errors: IFR_E_ENVIRONMENT if a compiler or assembler fails. */
int rebuilt_units_assemble(struct rebuilt_units *units, const struct ifr_plan *plan, const char *folder,
                           struct ifr_error *err);

/* Compiles every unit with a recipe under no plan but the shipped one. A unit that fails or yields other code than
 * the shipped loses its recipe: no_recipe gives the reason. Begins no unit after deadline_ns, on CLOCK_MONOTONIC; *tried
 * is the number of those that it began. Errors: IFR_E_ENVIRONMENT if the folder cannot be written. */
int rebuilt_units_try_recipes(struct rebuilt_units *units, const char *folder, int64_t deadline_ns, size_t *tried,
                              struct ifr_error *err);

/* Calls task for each unit, on all processors, until one task fails. Returns that task's error. */
typedef int (*rebuilt_units_task)(struct rebuilt_unit *unit, const void *data, struct ifr_error *err);
int rebuilt_units_each(struct rebuilt_units *units, rebuilt_units_task task, const void *data,
                       struct ifr_error *err);

#endif
