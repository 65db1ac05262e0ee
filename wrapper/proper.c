/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cc1, cc1plus, f951 and lto1 in our folder of compilers proper, in front of the real ones where sources are
 * wanted (wrapper/compiler.c): keeps what compiles the unit again (compiletime/recipe.h) in the store of kits under its
 * digest, and becomes the real one, whose plugin puts the digest into the template.
 *
 * The compilation is never at risk: where there can be no recipe the template says why, and all else is as ever.
 */
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

/* Set for the real compiler: who finds it set is being called in a circle. */
#define GUARD "INTERFERO_KEEPING"
#define WORDS "-fplugin-arg-interfero-recipe="

/* The real one, by the driver that called us; the caller frees. NULL if there is none. */
static char *find_real(const char *name, const char *self) {
	const char *driver = getenv("COLLECT_GCC");
	char *question = ifr_format("-print-prog-name=%s", name);
	const char *const argv[] = {driver && *driver ? driver : "gcc", question, NULL};
	struct ifr_buffer answer = {0}, errors = {0};
	struct ifr_process process = {.argv = argv, .out = &answer, .errors = &errors};
	const char *const not_this[] = {self, NULL};
	/* In a link this names our folder. */
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

/* The source as the preprocessor leaves it; with_macros, as far as it leaves macros for later. */
static bool preprocess(const struct proper_job *job, const char *real, bool with_macros,
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
	if (with_macros)
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

/* Macros are left for the compilation, where they can be: at -O0 -g even code depends on where they stood. What
 * uses
 * __COUNTER__ in an #if cannot. */
static bool read_source(const struct proper_job *job, const char *real, struct ifr_recipe *recipe,
                        struct ifr_buffer *source) {
	bool macros = ifr_starts_with(job->compiler, "cc1") && preprocess(job, real, true, source);
	if (macros)
		ifr_strings_add(&recipe->arguments, "-fdirectives-only");
	return macros || preprocess(job, real, false, source);
}

/* By its ending a Fortran source is in free or fixed form, and a part of a link in its place among the others. */
static char *name_source(const struct proper_job *job) {
	const char *base = ifr_path_base(job->input), *dot = strrchr(base, '.'), *part = strstr(base, ".ltrans");
	if (!strcmp(job->compiler, "lto1"))
		return ifr_format("unit%s", part ? part : "");
	if (!strcmp(job->compiler, "f951"))
		return ifr_format("unit%s", dot ? dot : "");
	return ifr_strdup(!strcmp(job->compiler, "cc1") ? "unit.i" : "unit.ii");
}

/* Fortran's code names its source when something goes wrong; the preprocessor has said the name. */
static void head_fortran(const struct proper_job *job, struct ifr_recipe *recipe, struct ifr_buffer *source) {
	if (*ifr_buffer_text(source) != '#') {
		struct ifr_buffer whole = {0};
		/* As from the preprocessor: the first is for the name alone. */
		ifr_buffer_printf(&whole, "# 1 \"%s\"\n# 1 \"%s\"\n", job->input, job->input);
		ifr_buffer_append(&whole, source->data, source->length);
		ifr_buffer_release(source);
		*source = whole;
	}
	ifr_strings_add(&recipe->arguments, "-fpreprocessed");
}

/* Makes the recipe, or returns why there is none. */
static const char *make_recipe(const struct proper_job *job, const char *real, struct ifr_recipe *recipe) {
	struct ifr_buffer source = {0};
	const char *reason = job->why_not;
	if (!reason && wants_preprocessor(job) && !read_source(job, real, recipe, &source))
		reason = "its source cannot be preprocessed a second time";
	else if (!reason && !wants_preprocessor(job) && ifr_file_read(job->input, 0, &source, NULL))
		reason = "its source cannot be read a second time";
	if (!reason) {
		char *name = name_source(job), *text = NULL;
		recipe->compiler = ifr_strdup(job->compiler);
		ifr_strings_add_all(&recipe->arguments, &job->again);
		if (!strcmp(job->compiler, "f951")) {
			head_fortran(job, recipe, &source);
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

/* The words for the plugin: the digest under which the recipe is kept, or why there is none; the caller frees. */
static char *keep(const struct proper_job *job, const char *real) {
	struct ifr_recipe recipe = {0};
	struct ifr_buffer text = {0};
	struct ifr_error err = {0};
	char key[IFR_SHA256_HEX], *words;
	const char *reason = make_recipe(job, real, &recipe);
	if (reason) {
		words = ifr_format("%snone %s", WORDS, reason);
	} else {
		ifr_recipe_print(&recipe, &text);
		if (ifr_kit_add_object(text.data, text.length, key, &err))
			fprintf(stderr, "interfero: warning: the source is not kept: %s\n", err.message);
		words = err.code ? ifr_format("%snone it could not be written to the store", WORDS)
		                 : ifr_format("%s%s", WORDS, key);
	}
	ifr_recipe_release(&recipe);
	ifr_buffer_release(&text);
	return words;
}

static int become(const char *real, int argc, char **argv, char *words) {
	struct ifr_strings arguments = {0};
	ifr_strings_add(&arguments, real);
	for (int i = 1; i < argc; i++)
		ifr_strings_add(&arguments, argv[i]);
	if (words)
		ifr_strings_take(&arguments, words);
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
	char *self = ifr_path_self(), *real = find_real(name, self), *words = NULL;
	free(self);
	if (!real) {
		fprintf(stderr, "interfero: there is no %s: install the compiler of that language\n", name);
		return IFR_E_ENVIRONMENT;
	}
	struct proper_job job;
	proper_job_read(&job, name, argc, argv);
	if (job.compiles)
		words = keep(&job, real);
	proper_job_release(&job);
	int status = become(real, argc, argv, words);
	free(real);
	return status;
}
