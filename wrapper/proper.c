/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cc1, cc1plus, f951 and lto1, in front of the real ones where sources are wanted (wrapper/compiler.c). GCC's manual
 * calls such a program "the compiler proper": it compiles one unit, called by the driver (gcc, g++, gfortran).
 *
 * Keeps the unit's recipe (compiletime/recipe.h) in the store of kits under its digest, and execs the real compiler
 * proper, whose plugin writes the digest into the template.
 *
 * The compilation is never at risk: without a recipe, the template holds the reason, and nothing else changes. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/file.h"
#include "common/process.h"
#include "kit/kit.h"
#include "compiletime/compiletime.h"
#include "wrapper/proper/proper.h"

/* Set for the real compiler; a compiler that finds it set was called in a circle. */
#define GUARD "INTERFERO_KEEPING"
#define RECIPE_OPTION "-fplugin-arg-interfero-recipe="

/* Asks the driver that called this program for the real compiler proper; the caller frees. NULL if there is none. */
static char *find_real(const char *name, const char *self) {
	const char *driver = getenv("COLLECT_GCC");
	char *question = ifr_format("-print-prog-name=%s", name);
	const char *const argv[] = {driver && *driver ? driver : "gcc", question, NULL};
	struct ifr_buffer answer = {0}, errors = {0};
	struct ifr_process process = {.argv = argv, .out = &answer, .errors = &errors};
	const char *const not_this[] = {self, NULL};
	/* In an -flto link COMPILER_PATH names our folder. */
	process.set_env = (const char *const[]){"COMPILER_PATH", NULL};
	int status = 0;
	char *real = NULL;
	if (!ifr_process_run(&process, &status, NULL) && !status) {
		char *path = ifr_format("%.*s", (int)strcspn(ifr_buffer_text(&answer), "\n"), ifr_buffer_text(&answer));
		real = strchr(path, '/') ? ifr_program_find(path, not_this) : NULL;
		free(path);
	}
	ifr_buffer_release(&answer);
	ifr_buffer_release(&errors);
	free(question);
	return real;
}

/* Preprocesses the source; keep_macros leaves macros to the compilation (-fdirectives-only). */
static bool preprocess(const struct proper_job *job, const char *real, bool keep_macros,
                       struct ifr_buffer *source) {
	struct ifr_strings arguments = {0};
	struct ifr_buffer errors = {0};
	int status = 0;
	bool fortran = !strcmp(job->compiler, "f951");
	ifr_strings_add(&arguments, real);
	ifr_strings_add(&arguments, job->input);
	ifr_strings_add_all(&arguments, &job->preprocess);
	ifr_strings_add(&arguments, "-E");
	if (fortran)
		ifr_strings_add(&arguments, "-fsyntax-only");
	if (keep_macros)
		ifr_strings_add(&arguments, "-fdirectives-only");
	ifr_buffer_clear(source);
	struct ifr_process process = {.argv = (const char *const *)arguments.items, .out = source, .errors = &errors};
	bool good = !ifr_process_run(&process, &status, NULL) && !status && source->length;
	ifr_buffer_release(&errors);
	ifr_strings_release(&arguments);
	return good;
}

static bool wants_preprocessor(const struct proper_job *job) {
	if (strcmp(job->compiler, "f951"))
		return !job->preprocessed;
	for (size_t i = 0; i < job->preprocess.count; i++)
		if (ifr_starts_with(job->preprocess.items[i], "-cpp"))
			return true;
	return false;
}

/* Reads the preprocessed source, if possible with macros left in it: at -O0 -g even code depends on their positions.
 * A source that uses __COUNTER__ in an #if must be preprocessed in full. */
static bool read_source(const struct proper_job *job, const char *real, struct ifr_recipe *recipe,
                        struct ifr_buffer *source) {
	bool macros = ifr_starts_with(job->compiler, "cc1") && preprocess(job, real, true, source);
	if (macros)
		ifr_strings_add(&recipe->arguments, "-fdirectives-only");
	return macros || preprocess(job, real, false, source);
}

/* The source's name in the recipe. Its suffix tells free from fixed form in Fortran, and the number of a part of an
 * LTO link. */
static char *name_source(const struct proper_job *job) {
	const char *base = ifr_path_base(job->input), *dot = strrchr(base, '.'), *part = strstr(base, ".ltrans");
	if (!strcmp(job->compiler, "lto1"))
		return ifr_format("unit%s", part ? part : "");
	if (!strcmp(job->compiler, "f951"))
		return ifr_format("unit%s", dot ? dot : "");
	return ifr_strdup(!strcmp(job->compiler, "cc1") ? "unit.i" : "unit.ii");
}

/* Makes a Fortran source a preprocessed one that tells its name, which the code's error messages hold. */
static void add_line_markers(const struct proper_job *job, struct ifr_recipe *recipe, struct ifr_buffer *source) {
	if (*ifr_buffer_text(source) != '#') {
		struct ifr_buffer whole = {0};
		/* The preprocessor writes the same two lines; the first only tells the name. */
		ifr_buffer_printf(&whole, "# 1 \"%s\"\n# 1 \"%s\"\n", job->input, job->input);
		ifr_buffer_append(&whole, source->data, source->length);
		ifr_buffer_release(source);
		*source = whole;
	}
	ifr_strings_add(&recipe->arguments, "-fpreprocessed");
}

/* Makes the recipe; returns NULL, or the reason why there is none. */
static const char *make_recipe(const struct proper_job *job, const char *real, struct ifr_recipe *recipe) {
	struct ifr_buffer source = {0};
	const char *reason = job->obstacle;
	if (!reason && wants_preprocessor(job) && !read_source(job, real, recipe, &source))
		reason = "its source cannot be preprocessed a second time";
	else if (!reason && !wants_preprocessor(job) && ifr_file_read(job->input, 0, &source, NULL))
		reason = "its source cannot be read a second time";
	if (!reason) {
		char *name = name_source(job), *text = NULL;
		recipe->compiler = ifr_strdup(job->compiler);
		ifr_strings_add_all(&recipe->arguments, &job->recompile);
		if (!strcmp(job->compiler, "f951")) {
			add_line_markers(job, recipe, &source);
			text = ifr_strdup(ifr_buffer_text(&source));
		}
		ifr_recipe_add(recipe, name, &source);
		reason = text ? proper_modules_add(job, text, recipe) : NULL;
		free(text);
		free(name);
	}
	ifr_buffer_release(&source);
	return reason;
}

/* Keeps the recipe; returns the plugin's option with its digest, or with "none" and a reason. The caller frees. */
static char *keep_recipe(const struct proper_job *job, const char *real) {
	struct ifr_recipe recipe = {0};
	struct ifr_buffer text = {0};
	struct ifr_error err = {0};
	char key[IFR_SHA256_HEX], *option;
	const char *reason = make_recipe(job, real, &recipe);
	if (reason) {
		option = ifr_format("%snone %s", RECIPE_OPTION, reason);
	} else {
		ifr_recipe_print(&recipe, &text);
		if (ifr_kit_add_object(text.data, text.length, key, &err))
			fprintf(stderr, "interfero: warning: the source is not kept: %s\n", err.message);
		option = err.code ? ifr_format("%snone it could not be written to the store", RECIPE_OPTION)
		                  : ifr_format("%s%s", RECIPE_OPTION, key);
	}
	ifr_recipe_release(&recipe);
	ifr_buffer_release(&text);
	return option;
}

/* Execs the real compiler with one more option, or NULL; returns only if that fails. */
static int exec_compiler(const char *real, int argc, char **argv, char *option) {
	struct ifr_strings arguments = {0};
	ifr_strings_add(&arguments, real);
	for (int i = 1; i < argc; i++)
		ifr_strings_add(&arguments, argv[i]);
	if (option)
		ifr_strings_take(&arguments, option);
	execv(real, arguments.items);
	fprintf(stderr, "interfero: cannot run %s: %s\n", real, strerror(errno));
	ifr_strings_release(&arguments);
	return IFR_E_ENVIRONMENT;
}

int main(int argc, char **argv) {
	const char *name = ifr_path_base(argv[0]);
	if (getenv(GUARD)) {
		fprintf(stderr, "interfero: %s: called by the compiler that it called; let PATH lead to the real one\n",
		        name);
		return IFR_E_ENVIRONMENT;
	}
	setenv(GUARD, "1", 1);
	char *self = ifr_path_self(), *real = find_real(name, self), *option = NULL;
	free(self);
	if (!real) {
		fprintf(stderr, "interfero: there is no %s: install the compiler of that language\n", name);
		return IFR_E_ENVIRONMENT;
	}
	struct proper_job job;
	proper_job_read(&job, name, argc, argv);
	if (job.compiles)
		option = keep_recipe(&job, real);
	proper_job_release(&job);
	int status = exec_compiler(real, argc, argv, option);
	free(real);
	return status;
}
