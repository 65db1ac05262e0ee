/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the report rests on. */
#include <math.h>
#include <string.h>

#include "harness/report/prose.h"

enum { REASONS_SHOWN = 8 };

static void say_size(struct ifr_prose *prose) {
	const struct ifr_analysis *report = prose->report;
	struct ifr_buffer *text = &prose->text;
	size_t fewest = report->layouts[0].count, most = fewest;
	for (size_t i = 1; i < report->layout_count; i++) {
		fewest = report->layouts[i].count < fewest ? report->layouts[i].count : fewest;
		most = report->layouts[i].count > most ? report->layouts[i].count : most;
	}
	ifr_buffer_printf(text, "Layouts: %zu random%s; runs that count: %zu, ", report->random_count,
	                  report->shipped ? " and the one that ships" : "; the one that ships is missing",
	                  report->runs_used);
	if (fewest == most)
		ifr_buffer_printf(text, "%zu of each layout.", fewest);
	else
		ifr_buffer_printf(text, "%zu to %zu of each layout.", fewest, most);
	if (report->runs_elsewhere)
		ifr_buffer_printf(text, " %zu more runs counted other things.", report->runs_elsewhere);
	ifr_prose_end(prose, IFR_PROSE_ITEM);
}

/* An experiment that was stopped says so, and what was planned. */
static void say_incomplete(struct ifr_prose *prose) {
	const struct ifr_dataset *dataset = prose->report->dataset;
	const char *complete = ifr_dataset_fact(dataset, "complete");
	const char *variants = ifr_dataset_fact(dataset, "variants planned");
	const char *rounds = ifr_dataset_fact(dataset, "rounds planned");
	if (!complete || strncmp(complete, "no: ", 4) || !variants || !rounds)
		return;
	ifr_buffer_printf(
		&prose->text,
		"Not complete: %s; planned were %s random layouts, each run %s times. The same command goes on.",
		complete + 4, variants, rounds);
	ifr_prose_end(prose, IFR_PROSE_WARNING);
}

static void say_refused_variants(struct ifr_prose *prose) {
	const struct ifr_dataset *dataset = prose->report->dataset;
	size_t said = 0;
	for (size_t i = 0; i < dataset->variant_count; i++) {
		const struct ifr_dataset_variant *variant = &dataset->variants[i];
		if (!variant->refused)
			continue;
		if (++said > REASONS_SHOWN)
			break;
		ifr_buffer_printf(&prose->text, "Refused layout: %s: %s", variant->name, variant->refused);
		ifr_prose_end(prose, IFR_PROSE_WARNING);
	}
	if (prose->report->variants_refused > REASONS_SHOWN) {
		ifr_buffer_printf(&prose->text, "Refused layouts in all: %zu", prose->report->variants_refused);
		ifr_prose_end(prose, IFR_PROSE_WARNING);
	}
}

static void say_refused(struct ifr_prose *prose) {
	const struct ifr_analysis *report = prose->report;
	size_t all = report->variants_refused + report->runs_refused + report->variants_empty;
	if (all == 0) {
		ifr_prose_say(prose, IFR_PROSE_ITEM, "Refused: nothing.");
		return;
	}
	ifr_buffer_printf(&prose->text,
	                  "Refused, and left out of everything: layouts: %zu (runs in them: %zu); single runs: %zu.",
	                  report->variants_refused, report->runs_of_refused, report->runs_refused);
	if (report->variants_empty)
		ifr_buffer_printf(&prose->text, " Layouts without any run that counts: %zu.", report->variants_empty);
	ifr_prose_end(prose, IFR_PROSE_ITEM);
	say_refused_variants(prose);
	for (size_t i = 0; i < report->refusal_count && i < REASONS_SHOWN; i++) {
		ifr_buffer_printf(&prose->text, "Refused runs: %zu: %s", report->refusals[i].runs,
		                  report->refusals[i].reason);
		ifr_prose_end(prose, IFR_PROSE_WARNING);
	}
	if (report->refusal_count > REASONS_SHOWN) {
		ifr_buffer_printf(&prose->text, "Refused runs: %zu further reasons",
		                  report->refusal_count - REASONS_SHOWN);
		ifr_prose_end(prose, IFR_PROSE_WARNING);
	}
}

/* Where the machine was slower for some runs in a row: what was done about it. */
static void say_bursts(struct ifr_prose *prose) {
	const struct ifr_disturbances *bursts = &prose->report->bursts;
	if (!bursts->found)
		return;
	ifr_buffer_printf(
		&prose->text,
		"Bursts: for some runs in a row the machine itself was slower or faster. Each run counts without "
		"what the 11 runs around it, of other layouts, have in common; that brought %zu of %zu runs back "
		"that lay more than three deviations off.",
		bursts->moved, prose->report->runs_used);
	if (bursts->winsorised)
		ifr_buffer_printf(&prose->text,
		                  " %zu still stand%s apart: the F test and the standard deviations take %s as three "
		                  "deviations off, so that the latter may be a tenth too small.",
		                  bursts->winsorised, bursts->winsorised == 1 ? "s" : "",
		                  bursts->winsorised == 1 ? "it" : "them");
	ifr_buffer_puts(&prose->text, " No run was left out. A quieter machine would tell more.");
	ifr_prose_end(prose, IFR_PROSE_WARNING);
}

static void say_normality(struct ifr_prose *prose) {
	const struct ifr_analysis *report = prose->report;
	struct ifr_buffer *text = &prose->text;
	if (!report->has_normality) {
		ifr_buffer_printf(text, "Bell curve: not checked; %s.", report->no_normality.message);
	} else {
		bool fits = report->normality.p >= IFR_REPORT_LEVEL;
		ifr_buffer_printf(text, "Bell curve: the layouts %s one (Anderson-Darling test, ",
		                  fits ? "are compatible with" : "do not follow");
		ifr_format_p(text, report->normality.p);
		ifr_buffer_puts(text,
		                fits ? ")."
		                     : "). The interval of the standard deviation and what to expect on measuring again "
		                       "assume one: trust the range, the ranks and the medians more.");
	}
	ifr_prose_end(prose, IFR_PROSE_ITEM);
}

static void say_facts(struct ifr_prose *prose) {
	static const char *const facts[][2] = {{"Host", "host"},
	                                       {"Processor", "processor"},
	                                       {"Kernel", "kernel"},
	                                       {"Pinned to", "pinned to"},
	                                       {"Address randomisation (ASLR)", "aslr"},
	                                       {"Seed", "seed"},
	                                       {"Axes that were varied", "axes"},
	                                       {"Movable", "movable"},
	                                       {"Not movable", "pinned"},
	                                       {"Kit", "kit"},
	                                       {"Started", "started"},
	                                       {"Measured with interfero", "tool version"}};
	for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
		const char *value = ifr_dataset_fact(prose->report->dataset, facts[i][1]);
		if (!value || !*value)
			continue;
		ifr_buffer_printf(&prose->text, "%s: %s", facts[i][0], value);
		ifr_prose_end(prose, IFR_PROSE_ITEM);
	}
}

static void say_source(struct ifr_prose *prose) {
	const struct ifr_dataset_counter *metric = prose->report->metric;
	const char *meaning =
		!strcmp(metric->source, "clock")    ? "the clock; no hardware event was needed"
		: !strcmp(metric->source, "perf")   ? "the processor's event counters (perf), user mode only"
		: !strcmp(metric->source, "model")  ? "a model of the processor; nothing was timed"
		: !strcmp(metric->source, "region") ? "the runtime, between the region's marks; a pass through it"
		: !strcmp(metric->source, "repeat")
			? "the runtime; one run of the marked statement, as (t(101) - t(1)) / 100 of two runs"
			: metric->source;
	ifr_buffer_printf(&prose->text, "Source of %s: %s.", metric->name, meaning);
	ifr_prose_end(prose, IFR_PROSE_ITEM);
}

void ifr_prose_basis(struct ifr_prose *prose) {
	const struct ifr_dataset *dataset = prose->report->dataset;
	ifr_prose_say(prose, IFR_PROSE_HEADING, "What does this rest on?");
	say_size(prose);
	say_incomplete(prose);
	say_refused(prose);
	say_bursts(prose);
	say_source(prose);
	say_normality(prose);
	say_facts(prose);
	for (size_t i = 0; i < dataset->warnings.count; i++)
		ifr_prose_say(prose, IFR_PROSE_WARNING, dataset->warnings.items[i]);
	ifr_prose_say(prose, IFR_PROSE_FIGURE, "normal");
}
