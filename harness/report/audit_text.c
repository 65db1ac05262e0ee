/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An audit for a terminal: a sentence to quote, a table of triggers, and a section for each that matters. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/output/output.h"
#include "harness/report/audit_code.h"
#include "harness/report/audit_cures.h"
#include "harness/report/audit_remarks.h"
#include "harness/report/format.h"
#include "harness/report/text.h"

enum { EVENTS_SHOWN = 6, CONSTANTS_SHOWN = 12 };

static const struct ifr_analysis *any_analysis(const struct ifr_audit_row *rows, size_t count) {
	for (size_t i = 0; i < count; i++)
		if (rows[i].analysis)
			return rows[i].analysis;
	return NULL;
}

static void put_paragraph(struct ifr_buffer *out, struct ifr_buffer *text, const char *first, const char *rest) {
	if (text->length)
		ifr_text_wrap(out, ifr_buffer_text(text), first, rest);
	ifr_buffer_clear(text);
}

/* "22 %", "a factor of 205", "from 0" */
static void put_range(struct ifr_buffer *text, double pct) {
	enum { FACTORS_FROM_PCT = 1000 };
	if (!isfinite(pct))
		ifr_buffer_puts(text, "from 0");
	else if (pct >= FACTORS_FROM_PCT)
		ifr_buffer_printf(text, "a factor of %.0f", pct / 100 + 1);
	else
		ifr_format_pct(text, pct);
}

/* --- the sentence ---------------------------------------------------------------------------------------------- */

/* "64 environment sizes, 64 bytes apart": all of a trigger's sets need no distance. */
static void put_sets(struct ifr_buffer *text, const struct ifr_audit_row *row) {
	ifr_buffer_printf(text, "%zu %s", row->layouts, row->sets);
	if (audit_is_coarse(row))
		ifr_buffer_printf(text, ", %" PRId64 " bytes apart", row->step);
}

/* "512 environment sizes (22 %, p < 0.001)" */
static void put_found(struct ifr_buffer *text, const struct ifr_audit_row *row) {
	put_sets(text, row);
	ifr_buffer_puts(text, " (");
	put_range(text, row->range_pct);
	if (!row->analysis->exact) {
		ifr_buffer_puts(text, ", ");
		ifr_format_p(text, audit_p(row));
	}
	ifr_buffer_puts(text, ")");
}

/* "256 environment sizes (from 5.6 %)": the effect that is likely to be found. */
static void put_not_found(struct ifr_buffer *text, const struct ifr_audit_row *row) {
	put_sets(text, row);
	if (!(row->detectable_pct > 0))
		return;
	ifr_buffer_puts(text, " (from ");
	ifr_format_pct(text, row->detectable_pct);
	ifr_buffer_puts(text, ")");
}

static size_t list_rows(struct ifr_buffer *text, const struct ifr_audit_row *rows, size_t count,
                        enum audit_verdict verdict) {
	size_t listed = 0, last = count;
	for (size_t i = 0; i < count; i++)
		if (audit_judge(&rows[i]) == verdict)
			last = i;
	for (size_t i = 0; i < count; i++) {
		if (audit_judge(&rows[i]) != verdict)
			continue;
		ifr_buffer_puts(text, !listed ? "" : i == last ? " and " : ", ");
		if (verdict == AUDIT_FOUND)
			put_found(text, &rows[i]);
		else if (verdict == AUDIT_NOT_FOUND)
			put_not_found(text, &rows[i]);
		else
			put_sets(text, &rows[i]);
		listed++;
	}
	return listed;
}

/* How the values of the sentence came about. */
static const char *describe_values(const struct ifr_analysis *analysis, bool replicated) {
	if (!analysis->exact)
		return replicated
		           ? "range of the medians; interleaved runs on fresh copies of the file, ASLR off; what differed was "
		             "measured again, and p is of these runs alone, adjusted for their number, Holm 1979"
		           : "range of the medians; interleaved runs on fresh copies of the file, ASLR off; tests adjusted for "
		             "the number of triggers, Holm 1979";
	return ifr_cycles_are_sampled(analysis->dataset, analysis->metric)
	           ? "range of the values; modelled, over samples of the run"
	           : "range of the values; modelled, without noise";
}

static bool has_replication(const struct ifr_audit_row *rows, size_t count) {
	bool has = false;
	for (size_t i = 0; i < count; i++)
		has |= rows[i].replication.made;
	return has;
}

/* The origin of the values: "; interfero 0.1.0, seed 1, AMD EPYC, 2 processors, Linux 6.12.9" */
static void put_origin(struct ifr_buffer *text, const struct ifr_analysis *analysis) {
	static const char *const modelled[] = {"machine", NULL}, *const measured[] = {"processor", "kernel", NULL};
	const char *seed = ifr_dataset_fact(analysis->dataset, "seed");
	ifr_buffer_puts(text, "; interfero " INTERFERO_VERSION);
	if (seed)
		ifr_buffer_printf(text, ", seed %s", seed);
	for (const char *const *fact = analysis->exact ? modelled : measured; *fact; fact++) {
		const char *value = ifr_dataset_fact(analysis->dataset, *fact);
		if (value)
			ifr_buffer_printf(text, ", %s", value);
	}
}

void ifr_audit_sentence(const struct ifr_audit_row *rows, size_t count, struct ifr_buffer *text) {
	const struct ifr_analysis *analysis = any_analysis(rows, count);
	struct ifr_buffer found = {0}, others = {0}, open = {0};
	if (!analysis)
		return;
	const size_t matter = list_rows(&found, rows, count, AUDIT_FOUND),
				 rest = list_rows(&others, rows, count, AUDIT_NOT_FOUND),
				 undecided = list_rows(&open, rows, count, AUDIT_UNDECIDED);
	const char *metric = analysis->metric->name;
	if (matter)
		ifr_buffer_printf(text, "%s differed between %s%s", metric, ifr_buffer_text(&found), rest ? "; " : "");
	if (rest && matter)
		ifr_buffer_printf(text, "no difference was found between %s", ifr_buffer_text(&others));
	else if (rest)
		ifr_buffer_printf(text, "No difference in %s was found between %s", metric, ifr_buffer_text(&others));
	if (undecided)
		ifr_buffer_printf(text, "%s%s are not decided", matter + rest ? "; " : "", ifr_buffer_text(&open));
	if (matter + rest + undecided) {
		ifr_buffer_printf(text, " (%s%s", describe_values(analysis, has_replication(rows, count)),
		                  rest && !analysis->exact ? "; from: the effect of one value of a sweep, or the standard "
		                                             "deviation of other sets, that is found with a power of 80 %"
		                                           : "");
		put_origin(text, analysis);
		ifr_buffer_puts(text, ").");
	} else {
		ifr_buffer_puts(text, "No trigger could be tested.");
	}
	ifr_buffer_release(&open);
	ifr_buffer_release(&found);
	ifr_buffer_release(&others);
}

/* --- the table ------------------------------------------------------------------------------------------------- */

static void put_shape(struct ifr_buffer *text, const struct ifr_audit_row *row) {
	const struct ifr_spike_train *train = &row->train;
	if (!row->found) {
		const bool repeated = !row->replication.made;
		ifr_buffer_puts(text, !row->tested                          ? "not tested"
		                      : audit_judge(row) == AUDIT_UNDECIDED ? "undecided"
		                      : repeated                            ? "none"
		                                                            : "not replicated");
		if (repeated && audit_judge(row) == AUDIT_NOT_FOUND && row->detectable_pct > 0) {
			ifr_buffer_puts(text, " from ");
			ifr_format_pct(text, row->detectable_pct);
		}
	} else if (train->spikes && train->width && train->period) {
		ifr_buffer_printf(text, "%" PRId64 " wide every %" PRId64, train->width, train->period);
	} else if (train->spikes == 1) {
		ifr_buffer_printf(text, "%" PRId64 " wide, once", train->width);
	} else if (row->has_period) {
		ifr_buffer_printf(text, "period %" PRId64, row->period);
	} else {
		ifr_buffer_puts(text, "differs");
	}
}

static void put_cell(struct ifr_buffer *out, bool known, double pct) {
	enum { WIDEST_PCT = 100000 };
	struct ifr_buffer cell = {0};
	if (known && isfinite(pct) && pct < WIDEST_PCT)
		ifr_format_pct(&cell, pct);
	else if (known && isfinite(pct))
		ifr_buffer_printf(&cell, "%.0e %%", pct);
	else if (known)
		ifr_buffer_puts(&cell, "from 0");
	ifr_buffer_printf(out, " %7s", known ? ifr_buffer_text(&cell) : "");
	ifr_buffer_release(&cell);
}

static void put_row(struct ifr_buffer *out, const struct ifr_audit_row *row) {
	struct ifr_buffer p = {0}, shape = {0};
	put_shape(&shape, row);
	if (row->tested && !row->analysis->exact)
		ifr_buffer_printf(&p, audit_p(row) < 0.001 ? "<0.001" : "%.3f", audit_p(row));
	/* A mean over layouts that do not all have as many. */
	char *runs = ifr_format("%s%.0f", row->runs == floor(row->runs) ? "" : "~", row->runs);
	ifr_buffer_printf(out, "  %-12s%6zu %4s", row->trigger, row->layouts, runs);
	free(runs);
	put_cell(out, true, row->range_pct);
	put_cell(out, row->has_sd, row->sd_pct);
	put_cell(out, row->has_noise, row->noise_pct);
	ifr_buffer_printf(out, " %7s  %s\n", row->tested && row->analysis->exact ? "exact" : ifr_buffer_text(&p),
	                  ifr_buffer_text(&shape));
	ifr_buffer_release(&shape);
	ifr_buffer_release(&p);
}

static void put_table(struct ifr_buffer *out, const struct ifr_audit_row *rows, size_t count) {
	ifr_buffer_printf(out, "  %-12s%6s %4s %7s %7s %7s %7s  %s\n", "trigger", "values", "runs", "range", "sd",
	                  "noise", "p", "shape");
	for (size_t i = 0; i < count; i++)
		if (rows[i].analysis)
			put_row(out, &rows[i]);
}

/* --- sections -------------------------------------------------------------------------------------------------- */

static void say_events(struct ifr_buffer *text, const struct ifr_audit_row *row) {
	char *along = row->model_machine
	                  ? ifr_format("Events that go along (those of the model on %s): ", row->model_machine)
	                  : ifr_strdup("Events that go along: ");
	size_t shown = 0;
	for (size_t i = 0; i < row->event_count && shown < EVENTS_SHOWN; i++) {
		const struct ifr_audit_event *event = &row->events[i];
		if (event->constant || fabs(event->r) < IFR_AUDIT_R)
			continue;
		ifr_buffer_printf(text, "%s%s (r = %.2f, %.5g to %.5g%s)", shown ? ", " : along, event->name, event->r,
		                  event->low, event->high,
		                  ifr_counter_is_symptom(event->name) ? "; a symptom of the machine" : "");
		shown++;
	}
	ifr_buffer_puts(text, shown ? "." : "");
	free(along);
}

static void say_constants(struct ifr_buffer *text, const struct ifr_audit_row *row) {
	size_t shown = 0, constants = 0;
	for (size_t i = 0; i < row->event_count; i++)
		constants += row->events[i].constant;
	for (size_t i = 0; i < row->event_count && shown < CONSTANTS_SHOWN; i++)
		if (row->events[i].constant)
			ifr_buffer_printf(text, "%s%s",
			                  shown++ ? ", " : "Ruled out, the same for every value: ", row->events[i].name);
	if (constants > shown)
		ifr_buffer_printf(text, " and %zu more (--json lists them)", constants - shown);
	ifr_buffer_puts(text, shown ? "." : "");
}

/* ", every 4096"; of several in each period: ", in groups of 2 every 4096" */
static void put_period(struct ifr_buffer *text, const struct ifr_audit_row *row) {
	const struct ifr_spike_train *train = &row->train;
	const int64_t span = (int64_t)row->layouts * row->step;
	const size_t periods = span >= train->period ? (size_t)(span / train->period) : 1;
	if (train->spikes % periods == 0 && train->spikes > periods)
		ifr_buffer_printf(text, ", in groups of %zu", train->spikes / periods);
	ifr_buffer_printf(text, ", every %" PRId64, train->period);
}

static void say_spikes(struct ifr_buffer *text, const struct ifr_audit_row *row) {
	const struct ifr_spike_train *train = &row->train;
	if (!train->spikes)
		return;
	ifr_buffer_printf(text, "%zu spike%s of ", train->spikes, train->spikes == 1 ? "" : "s");
	ifr_format_signed_pct(text, 100 * train->height);
	ifr_buffer_printf(text, "%s, the first at %" PRId64, train->spikes == 1 ? "" : " at most", train->first);
	if (train->width)
		ifr_buffer_printf(text, ", %" PRId64 " wide", train->width);
	if (train->period)
		put_period(text, row);
	ifr_buffer_puts(text, ".");
}

static void say_replication(struct ifr_buffer *text, const struct ifr_audit_row *row) {
	const struct ifr_audit_replication *replication = &row->replication;
	if (!replication->made)
		return;
	ifr_buffer_printf(text, "Replicated: %zu %s, %.0f runs each", replication->layouts, row->sets,
	                  replication->runs);
	if (replication->has_r)
		ifr_buffer_printf(text, "; rank correlation of the medians in both %.2f", replication->r);
	ifr_buffer_puts(text, "; ");
	ifr_format_p(text, replication->p_adjusted);
	ifr_buffer_puts(text, ".");
}

static void put_section(struct ifr_buffer *out, const char *folder, const struct ifr_audit_row *row) {
	struct ifr_buffer text = {0};
	ifr_buffer_printf(out, "\n%s: %s\n", row->trigger, row->summary);
	if (row->analysis->sweep) {
		ifr_text_sweep(row->analysis, 0, out);
		ifr_text_sweep_strips(row->analysis, out);
	}
	say_replication(&text, row);
	put_paragraph(out, &text, "  - ", "    ");
	say_spikes(&text, row);
	put_paragraph(out, &text, "  - ", "    ");
	say_events(&text, row);
	put_paragraph(out, &text, "  - ", "    ");
	say_constants(&text, row);
	put_paragraph(out, &text, "  - ", "    ");
	if (row->no_model.code)
		ifr_buffer_printf(&text, "No events of the model: %s.", row->no_model.message);
	put_paragraph(out, &text, "  - ", "    ");
	audit_code_text(row, out);
	if (row->mechanism)
		ifr_buffer_puts(out, row->mechanism);
	struct ifr_buffer command = {0};
	char *file = ifr_format("%s/%s.exp", folder, row->trigger);
	ifr_buffer_puts(&command, "interfero report ");
	ifr_quote_shell(&command, file);
	if (row->metric) {
		ifr_buffer_puts(&command, " -m ");
		ifr_quote_shell(&command, row->metric);
	}
	ifr_text_command(out, ifr_buffer_text(&command), "      ");
	free(file);
	ifr_buffer_release(&command);
	ifr_buffer_release(&text);
}

void ifr_audit_text(const struct ifr_audit_report *audit, bool color, struct ifr_buffer *out) {
	const struct ifr_audit_row *rows = audit->rows;
	const size_t count = audit->count;
	const struct ifr_analysis *analysis = any_analysis(rows, count);
	struct ifr_buffer text = {0};
	const char *command = analysis ? ifr_dataset_fact(analysis->dataset, "command") : NULL;
	ifr_buffer_printf(&text, "Audit of %s: which context moves %s?", command ? command : "a program",
	                  analysis ? analysis->metric->name : "it");
	ifr_buffer_puts(out, color ? "\033[1m" : "");
	put_paragraph(out, &text, "", "");
	ifr_buffer_puts(out, color ? "\033[0m" : "");
	ifr_audit_sentence(rows, count, &text);
	put_paragraph(out, &text, "  ", "  ");
	if (analysis)
		ifr_format_put_warnings(analysis->dataset, out);
	ifr_buffer_puts(out, "\n");
	put_table(out, rows, count);
	audit_remarks_text(rows, count, out);
	for (size_t i = 0; i < count; i++)
		if (rows[i].found)
			put_section(out, audit->folder, &rows[i]);
	audit_cures_text(audit, out);
	ifr_buffer_release(&text);
}
