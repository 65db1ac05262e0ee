/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The data and the tests that the report rests on. */
#include <math.h>
#include <string.h>

#include "harness/report/prose.h"

enum { REASONS_SHOWN = 8 };

static void say_size(struct ifr_prose *prose) {
	const struct ifr_analysis *analysis = prose->analysis;
	struct ifr_buffer *text = &prose->text;
	size_t fewest = analysis->layouts[0].count, most = fewest;
	for (size_t i = 1; i < analysis->layout_count; i++) {
		fewest = analysis->layouts[i].count < fewest ? analysis->layouts[i].count : fewest;
		most = analysis->layouts[i].count > most ? analysis->layouts[i].count : most;
	}
	ifr_buffer_printf(text, "Layouts: %zu %s%s; runs that count: %zu, ", analysis->random_count,
	                  ifr_prose_random(analysis),
	                  analysis->shipped          ? " and the shipped one"
	                  : analysis->shipped_edited ? "; the shipped file is none of them"
	                                             : "; the shipped one is missing",
	                  analysis->runs_used);
	if (fewest == most)
		ifr_buffer_printf(text, "%zu of each layout.", fewest);
	else
		ifr_buffer_printf(text, "%zu to %zu of each layout.", fewest, most);
	if (analysis->runs_twin)
		ifr_buffer_printf(text, " %zu more run%s on the same copies of files tell%s copies from runs.",
		                  analysis->runs_twin, analysis->runs_twin == 1 ? "" : "s",
		                  analysis->runs_twin == 1 ? "s" : "");
	if (analysis->runs_held_out)
		ifr_buffer_printf(text, " %zu more runs of suspicious values tell spikes from chance.",
		                  analysis->runs_held_out);
	if (analysis->runs_of_edited)
		ifr_buffer_printf(text, " %zu more run%s of the shipped file, which was edited after its link.",
		                  analysis->runs_of_edited, analysis->runs_of_edited == 1 ? " is" : "s are");
	if (analysis->runs_elsewhere)
		ifr_buffer_printf(text, " %zu more run%s measured other counters.", analysis->runs_elsewhere,
		                  analysis->runs_elsewhere == 1 ? "" : "s");
	ifr_prose_end(prose, IFR_PROSE_ITEM);
}

void ifr_prose_say_partial(const struct ifr_dataset *dataset, const char *kind, bool modelled,
                           struct ifr_buffer *out) {
	const char *complete = ifr_dataset_fact(dataset, "complete");
	const char *layouts = ifr_dataset_fact(dataset, "variants planned");
	const char *runs = ifr_dataset_fact(dataset, "rounds planned");
	if (!complete || strncmp(complete, "no: ", 4) || !layouts || !runs)
		return;
	ifr_buffer_printf(out, "Partial results: %s. The plan was %s %s layouts", complete + 4, layouts, kind);
	if (!modelled)
		ifr_buffer_printf(out, " with %s runs each", runs);
	ifr_buffer_puts(out, "; the same command continues.");
}

static void say_incomplete(struct ifr_prose *prose) {
	const struct ifr_analysis *analysis = prose->analysis;
	ifr_prose_say_partial(analysis->dataset, ifr_prose_random(analysis), analysis->exact, &prose->text);
	if (prose->text.length)
		ifr_prose_end(prose, IFR_PROSE_WARNING);
}

static void say_refused_variants(struct ifr_prose *prose) {
	const struct ifr_dataset *dataset = prose->analysis->dataset;
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
	if (prose->analysis->variants_refused > REASONS_SHOWN) {
		ifr_buffer_printf(&prose->text, "Refused layouts in all: %zu", prose->analysis->variants_refused);
		ifr_prose_end(prose, IFR_PROSE_WARNING);
	}
}

static void say_refused(struct ifr_prose *prose) {
	const struct ifr_analysis *analysis = prose->analysis;
	size_t all = analysis->variants_refused + analysis->runs_refused + analysis->variants_empty;
	if (all == 0) {
		ifr_prose_say(prose, IFR_PROSE_ITEM, "Refused: nothing.");
		return;
	}
	ifr_buffer_printf(&prose->text, "Refused and left out: layouts: %zu (runs in them: %zu); single runs: %zu.",
	                  analysis->variants_refused, analysis->runs_of_refused, analysis->runs_refused);
	if (analysis->variants_empty)
		ifr_buffer_printf(&prose->text, " Layouts without a valid run: %zu.", analysis->variants_empty);
	ifr_prose_end(prose, IFR_PROSE_ITEM);
	say_refused_variants(prose);
	for (size_t i = 0; i < analysis->refusal_count && i < REASONS_SHOWN; i++) {
		ifr_buffer_printf(&prose->text, "Refused runs: %zu: %s", analysis->refusals[i].runs,
		                  analysis->refusals[i].reason);
		ifr_prose_end(prose, IFR_PROSE_WARNING);
	}
	if (analysis->refusal_count > REASONS_SHOWN) {
		ifr_buffer_printf(&prose->text, "Refused runs: %zu further reasons",
		                  analysis->refusal_count - REASONS_SHOWN);
		ifr_prose_end(prose, IFR_PROSE_WARNING);
	}
}

static void say_disturbances(struct ifr_prose *prose) {
	const struct ifr_disturbances *disturbances = &prose->analysis->disturbances;
	if (!disturbances->found)
		return;
	ifr_buffer_printf(
		&prose->text,
		"Serial disturbances: for some runs in a row the machine itself was slower or faster. Each run is "
		"detrended by the "
		"running median of the 11 runs around it, of other layouts; that brought %zu of %zu runs back within "
		"three standard "
		"deviations.",
		disturbances->moved,
		prose->analysis->runs_used + prose->analysis->runs_twin + prose->analysis->runs_held_out);
	if (disturbances->winsorised)
		ifr_buffer_printf(
			&prose->text,
			" %zu still lie%s outside and %s winsorised to three deviations in the F test and the standard "
			"deviations, which may be up to a tenth too small.",
			disturbances->winsorised, disturbances->winsorised == 1 ? "s" : "",
			disturbances->winsorised == 1 ? "is" : "are");
	ifr_buffer_puts(&prose->text, " No run was left out. A quieter machine would tell more.");
	ifr_prose_end(prose, IFR_PROSE_WARNING);
}

static void say_f_test(struct ifr_prose *prose) {
	const struct ifr_components *c = &prose->analysis->components;
	struct ifr_buffer *text = &prose->text;
	if (!prose->analysis->has_components || !c->testable)
		return;
	ifr_buffer_puts(text, "F test of layouts against runs: F ");
	if (c->f < 1000)
		ifr_buffer_printf(text, "= %.3g", c->f);
	else
		ifr_buffer_puts(text, "> 1000");
	ifr_buffer_printf(text, " with %.0f and %.0f degrees of freedom, ", c->df_between, c->df_within);
	ifr_format_p(text, c->p);
	ifr_buffer_puts(text, ".");
	ifr_prose_end(prose, IFR_PROSE_ITEM);
}

static void say_normality(struct ifr_prose *prose) {
	const struct ifr_analysis *analysis = prose->analysis;
	struct ifr_buffer *text = &prose->text;
	if (!analysis->has_normality) {
		ifr_buffer_printf(text, "Normal distribution: not tested; %s.", analysis->no_normality.message);
	} else {
		bool fits = analysis->normality.p >= IFR_REPORT_LEVEL;
		ifr_buffer_printf(text, "Normal distribution: the layouts %s one (Anderson-Darling test, ",
		                  fits ? "do not contradict" : "do not follow");
		ifr_format_p(text, analysis->normality.p);
		ifr_buffer_puts(
			text,
			fits ? ")."
				 : "). The values expected on measuring again assume one: trust the range and the ranks more.");
	}
	ifr_prose_end(prose, IFR_PROSE_ITEM);
}

static void say_facts(struct ifr_prose *prose) {
	static const char *const facts[][2] = {{"Host", "host"},
	                                       {"Processor", "processor"},
	                                       {"Kernel", "kernel"},
	                                       {"Pinned to", "pinned to"},
	                                       {"Address randomisation (ASLR)", "aslr"},
	                                       {"The program is led to the library by", "library by"},
	                                       {"Seed", "seed"},
	                                       {"Varied axes", "axes"},
	                                       {"Sweep", "sweep"},
	                                       {"Movable", "movable"},
	                                       {"Not movable", "pinned"},
	                                       {"Kit", "kit"},
	                                       {"Started", "started"},
	                                       {"Measured with interfero", "tool version"}};
	for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
		const char *value = ifr_dataset_fact(prose->analysis->dataset, facts[i][1]);
		if (!value || !*value)
			continue;
		ifr_buffer_printf(&prose->text, "%s: %s", facts[i][0], value);
		ifr_prose_end(prose, IFR_PROSE_ITEM);
	}
}

/* The factors with one level: the result holds for these. Experiments of before have not noted all of them. */
static void say_conditions(struct ifr_prose *prose) {
	const struct ifr_dataset *dataset = prose->analysis->dataset;
	const char *processor = ifr_dataset_fact(dataset, "processor"),
			   *pinned = ifr_dataset_fact(dataset, "pinned to"), *boots = ifr_dataset_fact(dataset, "boot"),
			   *length = ifr_dataset_fact(dataset, "path length"),
			   *environment = ifr_dataset_fact(dataset, "environment"),
			   *libraries = ifr_dataset_fact(dataset, "own libraries");
	struct ifr_buffer *text = &prose->text;
	if (!processor || !pinned || !boots || !length || !environment || prose->analysis->exact)
		return;
	size_t count = 1;
	for (const char *c = boots; *c; c++)
		count += *c == ' ';
	ifr_buffer_printf(text, "Not varied: the processor (%s; %s), ", pinned, processor);
	if (count == 1)
		ifr_buffer_puts(text, "the boot of the machine, ");
	if (libraries)
		ifr_buffer_printf(text, "the files of the program's own libraries (%s), ", libraries);
	ifr_buffer_printf(
		text,
		"the length of the program's path (%s bytes), the environment (%s). The result holds for these; "
		"others can shift all layouts together, and other work on the same core can hide part of what layouts "
		"differ by.",
		length, environment);
	if (count > 1)
		ifr_buffer_printf(text, " The runs are from %zu boots of the machine.", count);
	ifr_prose_end(prose, IFR_PROSE_ITEM);
}

static void say_source(struct ifr_prose *prose) {
	const struct ifr_dataset_counter *metric = prose->analysis->metric;
	const char *meaning =
		!strcmp(metric->source, "clock")     ? "the clock; no hardware event was needed"
		: !strcmp(metric->source, "perf")    ? "the processor's event counters (perf), user mode only"
		: !strcmp(metric->source, "model")   ? "a model of the processor; nothing was timed"
		: !strcmp(metric->source, "program") ? "the program; its own figure of a benchmark"
		: !strcmp(metric->source, "region")  ? "the runtime; one pass through the marked region"
		: !strcmp(metric->source, "repeat")
			? "the runtime; one execution of the marked statement, as (t(101) - t(1)) / 100 of two runs"
			: metric->source;
	ifr_buffer_printf(&prose->text, "Source of %s: %s.", metric->name, meaning);
	ifr_prose_end(prose, IFR_PROSE_ITEM);
}

/* How the model computed cycles, and the error that this leaves. */
static void say_cycles(struct ifr_prose *prose) {
	const struct ifr_analysis *analysis = prose->analysis;
	const char *machine = ifr_dataset_fact(analysis->dataset, "machine");
	const double error = ifr_sampling_error(analysis->dataset, analysis->metric, 0);
	struct ifr_buffer *text = &prose->text;
	if (!ifr_counter_is_modelled_cycles(analysis->metric))
		return;
	if (ifr_cycles_are_added(analysis->dataset, analysis->metric)) {
		ifr_buffer_puts(text, "These cycles are an estimate: a sum over misses, without a core.");
	} else {
		ifr_buffer_printf(text, "These cycles are computed by the core of %s, over ",
		                  machine ? machine : "the machine");
		ifr_buffer_puts(text, error > 0 ? "samples of the run: +- " : "the whole run.");
		if (error > 0) {
			ifr_format_pct(text, 200 * error);
			ifr_buffer_puts(text, " (twice the standard error). All layouts are sampled at the same instructions; "
			                      "--core=full takes all.");
		}
	}
	ifr_prose_end(prose, IFR_PROSE_ITEM);
}

void ifr_prose_basis(struct ifr_prose *prose) {
	const struct ifr_dataset *dataset = prose->analysis->dataset;
	ifr_prose_say(prose, IFR_PROSE_FOLDED, "What does this rest on?");
	say_size(prose);
	say_incomplete(prose);
	say_refused(prose);
	say_disturbances(prose);
	say_source(prose);
	say_cycles(prose);
	say_f_test(prose);
	say_normality(prose);
	say_conditions(prose);
	say_facts(prose);
	for (size_t i = 0; i < dataset->warnings.count; i++)
		ifr_prose_say(prose, IFR_PROSE_WARNING, dataset->warnings.items[i]);
	ifr_prose_say(prose, IFR_PROSE_FIGURE, "normal");
}
