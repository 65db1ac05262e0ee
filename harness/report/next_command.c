/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Commands that continue from an experiment. Where this is not the folder of the experiment's own command, they go there
 * first, as that command has paths relative to it. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/file.h"
#include "harness/output/output.h"
#include "harness/report/next_budget.h"
#include "harness/report/next_command.h"

enum { RUNS_USUAL = 5 };

static void put_word(struct ifr_buffer *out, const char *text) {
	ifr_buffer_puts(out, " ");
	ifr_quote_shell(out, text);
}

/* The folder to go to, or NULL: the command runs in this one. *current is freed by the caller. */
static const char *find_folder(const struct ifr_dataset *dataset, char **current) {
	const char *folder = ifr_dataset_fact(dataset, "folder");
	*current = getcwd(NULL, 0);
	return folder && *folder == '/' && *current && strcmp(folder, *current) != 0 ? folder : NULL;
}

void next_begin(const struct ifr_dataset *dataset, struct ifr_buffer *out) {
	char *current;
	const char *folder = find_folder(dataset, &current);
	if (folder) {
		ifr_buffer_puts(out, "(cd");
		put_word(out, folder);
		ifr_buffer_puts(out, " && ");
	}
	free(current);
}

void next_end(const struct ifr_dataset *dataset, struct ifr_buffer *out) {
	char *current;
	ifr_buffer_puts(out, find_folder(dataset, &current) ? ")" : "");
	free(current);
}

/* The experiment's file, whose path is relative to this folder. */
static void put_file(const struct ifr_dataset *dataset, struct ifr_buffer *out) {
	char *current;
	if (!dataset->file)
		return;
	char *path =
		find_folder(dataset, &current) ? ifr_path_normalise(current, dataset->file) : ifr_strdup(dataset->file);
	ifr_buffer_puts(out, " -o");
	put_word(out, path);
	free(path);
	free(current);
}

static void put_fact(struct ifr_buffer *out, const char *before, const char *fact) {
	if (fact && *fact)
		ifr_buffer_printf(out, " %s%s", before, fact);
}

/* The arguments of a recorded command, behind its first word, which may be quoted. */
static const char *skip_word(const char *command) {
	const char *c = command;
	for (bool quoted = false; *c && (quoted || *c != ' '); c++) {
		if (*c == '\\' && !quoted && c[1])
			c++;
		else if (*c == '\'')
			quoted = !quoted;
	}
	return *c ? c + 1 : c;
}

/* A library's user and a driver stand in the command themselves; a program under test is its first word. */
bool next_runs_itself(const struct ifr_dataset *dataset) {
	const char *user = ifr_dataset_fact(dataset, "run in");
	return !user || !strcmp(user, "itself");
}

bool next_is_driven(const struct ifr_dataset *dataset) {
	const char *place = ifr_dataset_fact(dataset, "driver of");
	return place && *place == '/';
}

/* Whether a command can go on with the experiment: one that was merged from others is refused. */
bool next_can_run(const struct ifr_dataset *dataset) {
	return ifr_dataset_fact(dataset, "command") && !ifr_dataset_fact(dataset, "programs removed") &&
	       !ifr_dataset_fact(dataset, "merged");
}

static void put_arguments(const struct ifr_dataset *dataset, struct ifr_buffer *out) {
	const char *command = ifr_dataset_fact(dataset, "command");
	put_fact(out, "-- ", next_runs_itself(dataset) ? skip_word(command) : command);
}

void next_put_bench(const struct ifr_dataset *dataset, size_t layouts, size_t runs, struct ifr_buffer *out) {
	const char *kit = ifr_dataset_fact(dataset, "kit"), *command = ifr_dataset_fact(dataset, "command");
	/* No command of the user's gave these files. */
	if (!kit || !next_can_run(dataset) || !strcmp(kit, IFR_KIT_OF_GIVEN_FILES))
		return;
	next_begin(dataset, out);
	ifr_buffer_puts(out, "interfero bench");
	next_put_options(dataset, layouts, runs, out);
	if (!ifr_dataset_fact(dataset, "sweep")) /* a sweep has as many layouts as values */
		ifr_buffer_printf(out, " -n %zu", layouts);
	if (runs != RUNS_USUAL)
		ifr_buffer_printf(out, " -r %zu", runs);
	put_file(dataset, out);
	put_fact(out, "-- ", command);
	next_end(dataset, out);
}

void next_put_compare(const struct ifr_dataset *dataset, size_t layouts, struct ifr_buffer *out) {
	const char *runs = ifr_dataset_fact(dataset, "rounds planned");
	if (!next_can_run(dataset) || !ifr_dataset_fact(dataset, "options"))
		return;
	next_begin(dataset, out);
	ifr_buffer_puts(out, "interfero compare");
	next_put_options(dataset, layouts, runs ? strtoul(runs, NULL, 10) : RUNS_USUAL, out);
	ifr_buffer_printf(out, " -n %zu", layouts);
	if (runs && strtoul(runs, NULL, 10) != RUNS_USUAL)
		ifr_buffer_printf(out, " -r %s", runs);
	put_file(dataset, out);
	put_arguments(dataset, out);
	next_end(dataset, out);
}

void next_put_compare_with(const struct ifr_dataset *dataset, const char *metric, struct ifr_buffer *out) {
	const char *program = ifr_dataset_program_name(dataset, 0);
	if (!program || !*program || !next_can_run(dataset))
		return;
	next_begin(dataset, out);
	ifr_buffer_puts(out, "interfero compare");
	next_put_measuring(dataset, metric, out);
	ifr_buffer_puts(out, next_runs_itself(dataset) || next_is_driven(dataset) ? "" : " --library");
	put_word(out, program);
	ifr_buffer_puts(out, " NEW");
	put_arguments(dataset, out);
	next_end(dataset, out);
}

void next_put_bench_of(const struct ifr_dataset *dataset, const char *program, const char *metric,
                       struct ifr_buffer *out) {
	const char *command = ifr_dataset_fact(dataset, "command");
	if (!next_can_run(dataset) || next_is_driven(dataset))
		return;
	next_begin(dataset, out);
	ifr_buffer_puts(out, "interfero bench");
	next_put_measuring(dataset, metric, out);
	ifr_buffer_puts(out, next_runs_itself(dataset) ? " --" : " --library");
	put_word(out, program);
	put_fact(out, next_runs_itself(dataset) ? "" : "-- ",
	         next_runs_itself(dataset) ? skip_word(command) : command);
	next_end(dataset, out);
}

/* A library has no code to start: "interfero run" leads its user to it. */
void next_put_profile(const struct ifr_dataset *dataset, const char *program, struct ifr_buffer *out) {
	const char *command = ifr_dataset_fact(dataset, "command");
	if (!next_can_run(dataset) || next_is_driven(dataset))
		return;
	next_begin(dataset, out);
	ifr_buffer_printf(out, "perf record -e cpu-clock -- %s",
	                  next_runs_itself(dataset) ? "" : "interfero run --library ");
	ifr_quote_shell(out, program);
	put_fact(out, next_runs_itself(dataset) ? "" : "-- ",
	         next_runs_itself(dataset) ? skip_word(command) : command);
	ifr_buffer_puts(out, " && perf report");
	next_end(dataset, out);
}

void next_put_report(const struct ifr_dataset *dataset, const char *metric, struct ifr_buffer *out) {
	if (!dataset->file)
		return;
	ifr_buffer_puts(out, "interfero report --metric");
	put_word(out, metric);
	put_word(out, dataset->file);
}

void next_put_blame(const struct ifr_dataset *dataset, struct ifr_buffer *out) {
	if (!dataset->file || !ifr_dataset_fact(dataset, "kit"))
		return;
	ifr_buffer_puts(out, "interfero blame");
	put_word(out, dataset->file);
}
