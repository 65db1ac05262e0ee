/* SPDX-License-Identifier: GPL-3.0-or-later */
/* as in our folder of assemblers, in front of the real one where templates are wanted (wrapper/compiler.c): keeps
 * each template (compiletime/template.h) in the store of kits under its digest, and hands its assembly, with the sites
 * as the unit's own plan has them, to the real assembler. The object's note names the template by that digest, and
 * so does a kit of which the object becomes a part.
 *
 * The object is never at risk: what is no template goes to the real assembler as it is; what cannot be kept is
 * assembled all the same, with a warning or, where a variant could not be made from it anyway, without. */
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

/* Set for the real assembler: who finds it set is being called in a circle. */
#define GUARD "INTERFERO_ASSEMBLING"

/* What the arguments say. */
struct job {
	int input;                    /* its index in argv, or 0: standard input */
	int inputs;                   /* how many there are */
	struct ifr_strings arguments; /* those that a variant needs */
	bool keepable;                /* all of them are of a known kind */
};

static bool takes_value(const char *argument) {
	static const char *const options[] = {"-o", "-I", "-MD", "--MD", "--defsym", "-D", "--listing-lhs-width"};
	for (size_t i = 0; i < sizeof options / sizeof *options; i++)
		if (!strcmp(argument, options[i]))
			return true;
	return false;
}

/* Those with which the assembly alone decides on the object. Listings, statistics and dependencies are for the day
 * of the compilation. */
static bool harmless(const char *argument) {
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
			/* Where files are included from is of no matter: such units are not kept. */
		} else if (value || !harmless(argv[i])) {
			job->keepable = false;
		} else {
			ifr_strings_add(&job->arguments, argv[i]);
		}
		i += value;
	}
}

/* Files that an asm statement includes may be gone when the variant is made. */
static bool includes_files(const char *text) {
	return strstr(text, ".incbin") || strstr(text, ".include");
}

static void keep(const struct job *job, const struct ifr_buffer *text, char *key) {
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

/* Runs the assembler on this assembly instead of its input. */
static int assemble(const char *real, const struct job *job, int argc, char **argv, const struct ifr_buffer *text,
                    struct ifr_error *err) {
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

static int expand(const struct job *job, const struct ifr_buffer *text, struct ifr_buffer *assembly,
                  struct ifr_error *err) {
	struct ifr_plan none;
	struct ifr_note note;
	char key[IFR_SHA256_HEX] = "";
	ifr_plan_init(&none);
	if (job->keepable && !includes_files(ifr_buffer_text(text)))
		keep(job, text, key);
	int result = ifr_template_expand(text->data, text->length, &none, key, assembly, &note, err);
	ifr_note_release(&note);
	return result;
}

static int read_input(const struct job *job, char **argv, struct ifr_buffer *text, struct ifr_error *err) {
	return ifr_file_read(job->input ? argv[job->input] : "/dev/stdin", 0, text, err);
}

static int run(const char *real, int argc, char **argv, struct ifr_error *err) {
	struct job job;
	struct ifr_buffer text = {0}, assembly = {0};
	int result = 1;
	read_arguments(&job, argc, argv);
	setenv(GUARD, "1", 1);
	bool readable = job.inputs <= 1 && !read_input(&job, argv, &text, NULL);
	bool template = readable && ifr_template_is_complete(ifr_buffer_text(&text), text.length);
	if (template)
		result = expand(&job, &text, &assembly, err);
	if (template && !result)
		result = assemble(real, &job, argc, argv, &assembly, err);
	else if (!template && readable && !job.input)
		result = assemble(real, &job, argc, argv, &text, err);
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
	int status = real ? run(real, argc, argv, &err)
	                  : ifr_fail(&err, IFR_E_ENVIRONMENT, "there is no assembler in PATH: install binutils");
	free(real);
	free(self);
	if (status < 0)
		fprintf(stderr, "interfero: %s\n", err.message);
	return status < 0 ? -status : status;
}
