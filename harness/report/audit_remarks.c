/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/report/audit_remarks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "harness/output/output.h"
#include "harness/report/format.h"

/* A remark about a trigger; NULL: none. The caller frees. */
typedef char *remark_of(const struct ifr_audit_row *row);

static bool has(const char *text) {
	return text && *text;
}

enum audit_verdict audit_judge(const struct ifr_audit_row *row) {
	if (!row->tested)
		return AUDIT_NOT_TESTED;
	if (row->found)
		return AUDIT_FOUND;
	if (row->replication.wanted)
		return row->replication.made ? AUDIT_NOT_FOUND : AUDIT_UNDECIDED;
	return !row->full && row->p_adjusted < IFR_REPORT_LEVEL ? AUDIT_UNDECIDED : AUDIT_NOT_FOUND;
}

char *audit_explain_not_tested(const struct ifr_audit_row *row) {
	if (!row->analysis || row->why_not.code || row->tested)
		return NULL;
	return row->layouts < 2
	           ? ifr_format("%s; a longer --budget makes more",
	                        row->layouts ? "only one value has runs" : "no value has runs")
	           : ifr_strdup(
					 "no value has two runs, which tell the noise; --runs of 2 or more, or a longer --budget, "
					 "makes them");
}

double audit_p(const struct ifr_audit_row *row) {
	return row->replication.made ? row->replication.p_adjusted : row->p_adjusted;
}

bool audit_is_coarse(const struct ifr_audit_row *row) {
	return row->finest_step && row->step > row->finest_step;
}

static char *say_left_out(const struct ifr_audit_row *row) {
	return row->analysis ? NULL : ifr_format("Left out: %s.", row->why_not.message);
}

static char *say_incomplete(const struct ifr_audit_row *row) {
	return row->analysis && row->why_not.code ? ifr_format("Not complete: %s.", row->why_not.message) : NULL;
}

static char *say_not_tested(const struct ifr_audit_row *row) {
	char *why = audit_explain_not_tested(row), *text = why ? ifr_format("Not tested: %s.", why) : NULL;
	free(why);
	return text;
}

static char *say_undecided(const struct ifr_audit_row *row) {
	if (audit_judge(row) == AUDIT_UNDECIDED && row->interrupted)
		return ifr_strdup("Not decided: the audit was interrupted. The same command goes on.");
	if (row->analysis && row->replication.wanted && !row->replication.made)
		return ifr_format("Not decided: the first runs differ, and were not replicated: %s.",
		                  row->replication.why_not.message);
	return row->analysis && !row->why_not.code && audit_judge(row) == AUDIT_UNDECIDED
	           ? ifr_strdup("Not decided: time ended before all runs were made. The same command makes them.")
	           : NULL;
}

static char *say_not_replicated(const struct ifr_audit_row *row) {
	return row->replication.made && !row->found
	           ? ifr_strdup("The first runs differed, their replication did not: nothing is claimed.")
	           : NULL;
}

static char *say_note(const struct ifr_audit_row *row) {
	return row->analysis && has(row->note) ? ifr_format("%s.", row->note) : NULL;
}

/* How long a replay takes differs from trigger to trigger, and --json tells it of each. */
static char *say_model(const struct ifr_audit_row *row) {
	if (!row->analysis || !has(row->model_left_out))
		return NULL;
	return strstr(row->model_left_out, "the budget leaves ")
	           ? ifr_strdup(
					 "Values of the model are missing: the budget has no time to replay so many layouts (--json "
					 "tells how much each takes). --core=none is faster, with an estimate of cycles.")
	           : ifr_format("Values of the model are missing: %s.", row->model_left_out);
}

/* The sentence has each step: one remark serves all sweeps. */
static char *say_coarse(const struct ifr_audit_row *row) {
	return row->analysis && audit_is_coarse(row)
	           ? ifr_format(
					 "An effect that is narrower than the distance of the values (above) can hide between them. A "
					 "longer --budget with --fresh takes steps of %" PRId64 ".",
					 row->finest_step)
	           : NULL;
}

static char *say_refused(const struct ifr_audit_row *row) {
	return row->refused ? ifr_format("%zu layout%s refused, as the program behaved otherwise there.", row->refused,
	                                 row->refused == 1 ? " was" : "s were")
	                    : NULL;
}

/* Every run loads the library: of a short program that may be most of the difference. */
static char *say_loading(const struct ifr_audit_row *row) {
	const char *sweep = row->found && !strcmp(row->trigger, "allocator")
	                        ? ifr_dataset_fact(row->analysis->dataset, "sweep")
	                        : NULL;
	return sweep
	           ? ifr_format(
					 "Each run also loads the library of its allocator. What that takes, an empty program tells: "
					 "interfero bench --sweep %s -- true",
					 sweep)
	           : NULL;
}

/* The test compares the random layouts with each other, and says nothing of what they have in common. */
static char *say_shipped_outside(const struct ifr_audit_row *row) {
	struct ifr_buffer text = {0};
	if (!row->analysis || !row->shipped_outside)
		return NULL;
	const struct ifr_analysis *analysis = row->analysis;
	ifr_buffer_printf(&text, "The shipped layout lies outside of all %zu %s: ", row->layouts, row->sets);
	ifr_format_value(&text, &analysis->scale, analysis->shipped->median);
	ifr_buffer_puts(&text, " against ");
	ifr_format_range(&text, &analysis->scale, analysis->medians[0], analysis->medians[row->layouts - 1]);
	ifr_buffer_puts(&text, ". The verdict compares these with each other, not with the shipped layout.");
	return ifr_buffer_detach(&text);
}

/* One paragraph for each remark: all triggers of which it is true, then the remark. */
static void put_remarks(const struct ifr_audit_row *rows, size_t count, remark_of *say, struct ifr_buffer *out) {
	char **remarks = ifr_alloc((count + 1) * sizeof *remarks);
	struct ifr_buffer text = {0};
	for (size_t i = 0; i < count; i++)
		remarks[i] = say(&rows[i]);
	for (size_t i = 0; i < count; i++) {
		if (!remarks[i])
			continue;
		ifr_buffer_puts(&text, rows[i].trigger);
		for (size_t j = i + 1; j < count; j++)
			if (remarks[j] && !strcmp(remarks[i], remarks[j])) {
				ifr_buffer_printf(&text, ", %s", rows[j].trigger);
				free(remarks[j]);
				remarks[j] = NULL;
			}
		ifr_buffer_printf(&text, ": %s", remarks[i]);
		ifr_text_wrap(out, ifr_buffer_text(&text), "  - ", "    ");
		ifr_buffer_clear(&text);
	}
	for (size_t i = 0; i < count; i++)
		free(remarks[i]);
	free(remarks);
	ifr_buffer_release(&text);
}

void audit_remarks_text(const struct ifr_audit_row *rows, size_t count, struct ifr_buffer *out) {
	static remark_of *const all[] = {say_left_out,        say_incomplete, say_not_tested, say_undecided,
	                                 say_not_replicated,  say_note,       say_model,      say_coarse,
	                                 say_shipped_outside, say_refused,    say_loading};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		put_remarks(rows, count, all[i], out);
}
