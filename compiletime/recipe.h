/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Recipes: what it takes to compile a unit again. The axes that change code (frames, globals) have no templates:
 * each of their variants is a compilation, of the source as the preprocessor left it.
 *
 *     interfero-recipe 1
 *     compiler cc1
 *     argument -O2
 *     file unit.i 5120
 *     …so many bytes, and a newline
 *
 * The compiler is one of GCC's own programs behind the driver (cc1, cc1plus, f951, lto1); the arguments are its
 * own, without input, output, dependencies, dumps and the plugin's. The first file is the source, the others
 * (Fortran's modules) are looked for beside it. A recipe is kept in the store of kits under its digest, by which
 * the unit's template names it (compiletime/template.h); a unit without one has the reason there. */
#ifndef IFR_COMPILETIME_RECIPE_H
#define IFR_COMPILETIME_RECIPE_H

#include <stdbool.h>
#include <stddef.h>

#include "common/buffer.h"
#include "common/error.h"
#include "common/strings.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { IFR_RECIPE_VERSION = 1 };

struct ifr_recipe_file {
	char *name; /* without folder */
	struct ifr_buffer bytes;
};

struct ifr_recipe {
	char *compiler;
	struct ifr_strings arguments; /* no newline in any */
	struct ifr_recipe_file *files;
	size_t file_count;
};

/* A zeroed recipe is empty; release leaves it so. */
void ifr_recipe_release(struct ifr_recipe *recipe);

/* Adds a file, whose bytes it takes over; the caller's buffer is empty then. */
void ifr_recipe_add(struct ifr_recipe *recipe, const char *name, struct ifr_buffer *bytes);

void ifr_recipe_print(const struct ifr_recipe *recipe, struct ifr_buffer *text);

/* Parses what print wrote into a zeroed recipe, which the caller releases. Errors: IFR_E_USAGE for anything else:
 * another version, a compiler that is none of GCC's, a file's name with a folder in it, missing bytes. */
int ifr_recipe_parse(const char *text, size_t length, struct ifr_recipe *recipe, struct ifr_error *err);

/* Whether the name is that of a compiler that recipes are made for. */
bool ifr_recipe_compiler_known(const char *name);

#ifdef __cplusplus
}
#endif
#endif
