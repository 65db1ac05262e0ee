/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command line of a compiler proper (cc1, cc1plus, f951, lto1), split for a recipe. */
#ifndef IFR_WRAPPER_PROPER_H
#define IFR_WRAPPER_PROPER_H

#include <stdbool.h>

#include "common/buffer.h"
#include "common/error.h"
#include "common/strings.h"

struct ifr_recipe;

struct proper_job {
	const char *compiler;              /* "cc1", … */
	struct ifr_strings preprocess;     /* arguments of a run that only preprocesses */
	struct ifr_strings recompile;      /* arguments of the recipe */
	struct ifr_strings module_folders; /* where Fortran looks for modules */
	char *input;                       /* the last input; NULL without one */
	bool compiles;                     /* the run writes code: not for questions, precompiled headers, IR alone */
	bool preprocessed;                 /* the input is preprocessed */
	const char *obstacle;              /* why there can be no recipe, a sentence without a full stop; or NULL */
};

/* Parses argv[1…], with response files expanded. */
void proper_job_read(struct proper_job *job, const char *compiler, int argc, char **argv);
void proper_job_release(struct proper_job *job);

/* Adds the modules that a Fortran source uses, without the compiler's own. Returns NULL, or the reason why the
 * source depends on other files. */
const char *proper_modules_add(const struct proper_job *job, const char *source, struct ifr_recipe *recipe);

#endif
