/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `as`, in front of the real assembler where templates are wanted (wrapper/compiler.c).
 *
 * - Keeps each template (compiletime/template.h) in the store of kits under its digest.
 * - Hands the real assembler the template's expansion under the plan that the unit was compiled with.
 * - Writes the digest into the object's note, by which a later kit finds the template.
 *
 * The object is never at risk. Assembly that is no template goes to the real assembler unchanged. A template that
 * cannot be kept is assembled all the same: with a warning if the store fails, without one if no variant could be
 * made from it anyway. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/buffer.h"
#include "common/file.h"
#include "common/process.h"
#include "common/strings.h"
#include "kit/kit.h"
#include "compiletime/compiletime.h"

/* Set for the real assembler; an assembler that finds it set was called in a circle. */
#define GUARD "INTERFERO_ASSEMBLING"

/* The parsed arguments. */
struct job {
	int input;                    /* the input's index in argv, or 0: standard input */
	int inputs;                   /* number of inputs */
	struct ifr_strings arguments; /* the arguments that a variant needs */
	bool keepable;                /* all arguments are of a known kind */
};

static bool takes_value(const char *argument) {
	static const char *const options[] = {"-o", "-I", "-MD", "--MD", "--defsym", "-D", "--listing-lhs-width"};
	for (size_t i = 0; i < sizeof options / sizeof *options; i++)
		if (!strcmp(argument, options[i]))
			return true;
	return false;
}

/* Whether the object depends on nothing but the assembly and this argument. Listings, statistics and dependencies
 * write or read other files. */
static bool is_repeatable(const char *argument) {
	static const char *const beginnings[] = {"--64",
	                                         "--gdwarf",
	                                         "--gen-debug",
	                                         "--32",
	                                         "--x32",
	                                         "-g",
	                                         "-m",
	                                         "-W",
	                                         "--noexecstack",
	                                         "--execstack",
	                                         "--no-warn",
	                                         "--warn",
	                                         "--fatal-warnings",
	                                         "--compress-debug-sections",
	                                         "--nocompress-debug-sections",
	                                         "-I",
	                                         "-Q"};
	for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
		if (ifr_starts_with(argument, beginnings[i]))
			return !strchr(argument, '\n');
	return false;
}

static void read_arguments(struct job *job, int argc, char **argv) {
	*job = (struct job){.keepable = true};
	for (int i = 1; i < argc; i++) {
		bool value = takes_value(argv[i]);
		if (*argv[i] != '-') {
			job->input = i;
			job->inputs++;
		} else if (!strcmp(argv[i], "-o") || !strcmp(argv[i], "-I") || !strcmp(argv[i], "-")) {
			/* Units that include files are not kept: a variant needs no -I. */
		} else if (value || !is_repeatable(argv[i])) {
			job->keepable = false;
		} else {
			ifr_strings_add(&job->arguments, argv[i]);
		}
		i += value;
	}
}

/* Files that an asm statement includes may be gone when a variant is made. */
static bool includes_files(const char *text) {
	return strstr(text, ".incbin") || strstr(text, ".include");
}

/* Keeps the template with its arguments; key is "" if that fails. */
static void keep_template(const struct job *job, const struct ifr_buffer *text, char *key) {
	struct ifr_buffer whole = {0};
	struct ifr_error err = {0};
	for (size_t i = 0; i < job->arguments.count; i++)
		ifr_buffer_printf(&whole, IFR_MARK_ARGUMENT " %s\n", job->arguments.items[i]);
	ifr_buffer_append(&whole, text->data, text->length);
	if (ifr_kit_add_object(whole.data, whole.length, key, &err)) {
		fprintf(stderr, "interfero: warning: the template is not kept: %s\n", err.message);
		*key = '\0';
	}
	ifr_buffer_release(&whole);
}

/* Runs the real assembler on a text in place of its input. */
static int assemble_text(const char *real, const struct job *job, int argc, char **argv,
                         const struct ifr_buffer *text, struct ifr_error *err) {
	char *folder = NULL;
	int result = ifr_temporary_dir(&folder, err), status = 0;
	if (result)
		return result;
	char *path = ifr_format("%s/unit.s", folder);
	struct ifr_strings arguments = {0};
	ifr_strings_add(&arguments, real);
	for (int i = 1; i < argc; i++)
		if (i != job->input && strcmp(argv[i], "-"))
			ifr_strings_add(&arguments, argv[i]);
	ifr_strings_add(&arguments, path);
	result = ifr_file_write(path, ifr_buffer_text(text), text->length, 0600, err);
	struct ifr_process process = {.argv = (const char *const *)arguments.items};
	if (!result)
		result = ifr_process_run(&process, &status, err);
	ifr_tree_remove(folder, NULL);
	ifr_strings_release(&arguments);
	free(path);
	free(folder);
	return result ? result : status;
}

/* Keeps a template and expands it under the plan of its compilation. */
static int expand_template(const struct job *job, const struct ifr_buffer *text, struct ifr_buffer *assembly,
                           struct ifr_error *err) {
	struct ifr_plan none;
	struct ifr_note note;
	char key[IFR_SHA256_HEX] = "";
	ifr_plan_init(&none);
	if (job->keepable && !includes_files(ifr_buffer_text(text)))
		keep_template(job, text, key);
	int result = ifr_template_expand(text->data, text->length, &none, key, assembly, &note, err);
	ifr_note_release(&note);
	return result;
}

static int read_input(const struct job *job, char **argv, struct ifr_buffer *text, struct ifr_error *err) {
	return ifr_file_read(job->input ? argv[job->input] : "/dev/stdin", 0, text, err);
}

/* Assembles a template, or execs the real assembler for all other input; returns the exit status or an error. */
static int run_assembler(const char *real, int argc, char **argv, struct ifr_error *err) {
	struct job job;
	struct ifr_buffer text = {0}, assembly = {0};
	int result = 1;
	read_arguments(&job, argc, argv);
	setenv(GUARD, "1", 1);
	bool readable = job.inputs <= 1 && !read_input(&job, argv, &text, NULL);
	bool template = readable && ifr_template_is_complete(ifr_buffer_text(&text), text.length);
	if (template)
		result = expand_template(&job, &text, &assembly, err);
	if (template && !result)
		result = assemble_text(real, &job, argc, argv, &assembly, err);
	else if (!template && readable && !job.input)
		result = assemble_text(real, &job, argc, argv, &text, err);
	ifr_strings_release(&job.arguments);
	ifr_buffer_release(&text);
	ifr_buffer_release(&assembly);
	if (template || (readable && !job.input))
		return result;
	argv[0] = (char *)real;
	execv(real, argv);
	return ifr_fail_errno(err, IFR_E_ENVIRONMENT, "cannot run %s", real);
}

int main(int argc, char **argv) {
	struct ifr_error err = {0};
	if (getenv(GUARD)) {
		fprintf(stderr, "interfero: as: called by the assembler that it called; let PATH lead to the real one\n");
		return IFR_E_ENVIRONMENT;
	}
	char *self = ifr_path_self();
	const char *const not_this[] = {self, NULL};
	char *real = self ? ifr_program_find("as", not_this) : NULL;
	int status = real ? run_assembler(real, argc, argv, &err)
	                  : ifr_fail(&err, IFR_E_ENVIRONMENT, "there is no assembler in PATH: install binutils");
	free(real);
	free(self);
	if (status < 0)
		fprintf(stderr, "interfero: %s\n", err.message);
	return status < 0 ? -status : status;
}
