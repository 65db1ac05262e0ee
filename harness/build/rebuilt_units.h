/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The units of a kit that can be made again: assembled from their templates (compiletime/template.h), or compiled by
 * their recipes (compiletime/recipe.h). */
#ifndef IFR_HARNESS_UNITS_AGAIN_H
#define IFR_HARNESS_UNITS_AGAIN_H

#include <stdbool.h>

#include "common/buffer.h"
#include "common/strings.h"
#include "kit/kit.h"
#include "compiletime/compiletime.h"

/* One object of a kit whose template is there. */
struct rebuilt_unit {
	char *input;  /* path of the kit's input: an object, or the archive that holds it */
	char *member; /* its name in the archive, "" outside */
	char key[IFR_SHA256_HEX];
	struct ifr_buffer text;          /* the template */
	struct ifr_strings arguments;    /* the assembler's */
	struct ifr_recipe recipe;        /* empty without one */
	char *recipe_words;              /* what the template says of it; NULL: nothing */
	char *no_recipe;                 /* why there is none, or none that holds; NULL: there is one */
	char *object;                    /* where it is assembled to */
	bool rewritten;                  /* by the caller, who gave it another template and key */
	bool labelled;                   /* objects list their labels (IFR_LABELS_SECTION), whatever the plan does */
	bool changed;                    /* by the last plan, or because it is rewritten or labelled */
	bool compiled;                   /* by the last plan */
	uint64_t nops, aligned, ordered; /* what the last plan did */
	uint64_t frames, variables;
};

/* An object that stays as it ships, and why: a sentence without a full stop. */
struct unbuildable_unit {
	char *input, *member;
	const char *reason;
};

struct rebuilt_units {
	struct rebuilt_unit *items;
	size_t count;
	struct unbuildable_unit *left;
	size_t left_count;
};

/* Finds them all, in the order of the kit's inputs. Left are members of one name in one archive, which cannot be
 * told apart, objects that were joined from several units, and those without a template. */
int rebuilt_units_read(const struct ifr_kit *kit, struct rebuilt_units *units, struct ifr_error *err);
void rebuilt_units_release(struct rebuilt_units *units);

/* Appends which units stay as they ship under the compiler's axes, and why, a line for each reason: those without
 * a template, and, if recipes matter, those without a recipe. */
void rebuilt_units_print_unbuildable(const struct rebuilt_units *units, bool recipes, struct ifr_buffer *lines);

/* How many have a recipe that holds. */
size_t rebuilt_units_count_recipes(const struct rebuilt_units *units);

/* The object of a unit as it ships, appended to bytes. Errors: IFR_E_ENVIRONMENT if it cannot be read. */
int unit_read_shipped(const struct ifr_kit *kit, const struct rebuilt_unit *unit, struct ifr_buffer *bytes,
                      struct ifr_error *err);

/* Assembles those that the plan changes to FOLDER/0.o, FOLDER/1.o and so on, as many at once as the machine has
 * processors; sets object, changed and what was done. Units whose code the plan may change, by frames or globals,
 * are compiled first if they have a recipe. */
int rebuilt_units_assemble(struct rebuilt_units *units, const struct ifr_plan *plan, const char *folder,
                           struct ifr_error *err);

/* Compiles every unit that has a recipe as it was compiled first. Where other code comes out, or none, no_recipe
 * says so from then on. */
int rebuilt_units_try_recipes(struct rebuilt_units *units, const char *folder, struct ifr_error *err);

/* Calls task for each of the units, as many at once as the machine has processors, until one fails: that is the
 * error. */
typedef int (*rebuilt_units_task)(struct rebuilt_unit *unit, const void *data, struct ifr_error *err);
int rebuilt_units_each(struct rebuilt_units *units, rebuilt_units_task task, const void *data,
                       struct ifr_error *err);

#endif
