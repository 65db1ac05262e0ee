/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a command line of cc1, cc1plus, f951 or lto1 says, as far as compiling the same again needs it. */
#ifndef IFR_WRAPPER_PROPER_H
#define IFR_WRAPPER_PROPER_H

#include <stdbool.h>

#include "common/buffer.h"
#include "common/error.h"
#include "common/strings.h"

struct ifr_recipe;

struct proper_job {
	const char *compiler;          /* "cc1", … */
	struct ifr_strings preprocess; /* arguments of a run that only preprocesses, with the input */
	struct ifr_strings again;      /* those of the recipe */
	struct ifr_strings folders;    /* in which Fortran's modules are looked for */
	char *input;                   /* NULL: standard input, or several */
	bool compiles;                 /* code comes out; false for questions, precompiled headers, IR alone */
	bool preprocessed;             /* the input is */
	const char *why_not;           /* why there can be no recipe, a sentence without a full stop; or NULL */
};

/* Reads argv[1…]; response files are expanded. */
void proper_job_read(struct proper_job *job, const char *compiler, int argc, char **argv);
void proper_job_release(struct proper_job *job);

/* Adds the modules that a Fortran source uses and that are not the compiler's own. Returns NULL, or why the source
 * is not all that there is. */
const char *proper_modules_add(const struct proper_job *job, const char *source, struct ifr_recipe *recipe);

#endif
