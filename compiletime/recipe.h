/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Recipes: all that it takes to compile a unit again. The axes that change code (frames, globals) have no templates:
 * each of their variants is a compilation of the preprocessed source.
 *
 *     interfero-recipe 1
 *     compiler cc1
 *     argument -O2
 *     file unit.i 5120
 *     …5120 bytes, and a newline
 *
 *     compiler   one of GCC's compilers proper, the programs behind the driver: cc1, cc1plus, f951 or lto1
 *     argument   an argument of the compiler proper, one a line; without input, output, dependencies, dumps and the
 *                plugin's options
 *     file       name and size of a file: first the source, then files that are looked for beside it (Fortran's
 *                modules)
 *
 * The store of kits keeps a recipe under its digest. The unit's template holds that digest, or the reason why there
 * is no recipe (compiletime/template.h). */
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

/* Adds a file and takes over its bytes, which leaves the caller's buffer empty. */
void ifr_recipe_add(struct ifr_recipe *recipe, const char *name, struct ifr_buffer *bytes);

/* Appends the recipe's text. */
void ifr_recipe_print(const struct ifr_recipe *recipe, struct ifr_buffer *text);

/* Parses the text of ifr_recipe_print into a zeroed recipe, which the caller releases, also after an error. Errors:
 * IFR_E_USAGE for another version, an unknown compiler, a file's name with a folder in it, missing bytes. */
int ifr_recipe_parse(const char *text, size_t length, struct ifr_recipe *recipe, struct ifr_error *err);

/* Whether recipes name this compiler: cc1, cc1plus, f951 or lto1. */
bool ifr_recipe_compiler_known(const char *name);

#ifdef __cplusplus
}
#endif
#endif
