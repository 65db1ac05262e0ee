/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The details of a comparison, and what its sentences are made of. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "harness/report/comparison_prose.h"
#include "harness/report/format.h"
#include "harness/report/prose.h"

/* The loader's share of the instructions from which on it is told, and the largest change beside which it is. */
static const double start_share = 0.2, start_change = 0.01;

/* "4.1 % slower", "equal" */
static void put_ratio(struct ifr_buffer *out, const struct ifr_comparison *c, double ratio) {
	if (fabs(ratio - 1) < 5e-5) {
		ifr_buffer_puts(out, "equal (under 0.01 %)");
		return;
	}
	ifr_format_pct(out, 100 * (ratio - 1));
	ifr_buffer_puts(out, ifr_counter_is_time(&c->metric) ? ratio > 1 ? " slower" : " faster"
	                     : ratio > 1                     ? " higher"
	                                                     : " lower");
}

/* An interval that excludes 1 tells the direction, however wide it is. */
static bool is_vague(const struct ifr_interval *interval, double ratio) {
	return interval->low <= 1 && interval->high >= 1 && ifr_format_is_vague(interval, ratio, ratio);
}

void comparison_put_range(struct ifr_buffer *out, const struct ifr_interval *interval, double ratio) {
	if (is_vague(interval, ratio)) {
		ifr_buffer_puts(out, "unbounded");
		return;
	}
	/* A ratio of times is not negative, whatever Fieller's interval is. */
	ifr_format_signed_pct(out, 100 * (fmax(interval->low, 0) - 1));
	ifr_buffer_puts(out, " to ");
	ifr_format_signed_pct(out, 100 * (interval->high - 1));
}

void comparison_put_counter_range(struct ifr_buffer *out, const struct ifr_comparison *c) {
	if (c->ratio == 1 && c->between_sd == 0 && c->within_sd == 0)
		ifr_buffer_puts(out, "equal in all runs");
	else
		comparison_put_range(out, &c->interval, c->ratio);
}

size_t comparison_count_layouts(const struct ifr_comparison *c) {
	return c->layouts[0] < c->layouts[1] ? c->layouts[0] : c->layouts[1];
}

void comparison_put_interval(struct ifr_buffer *out, const struct ifr_comparison *c,
                             const struct ifr_interval *interval, double ratio) {
	if (is_vague(interval, ratio)) {
		ifr_buffer_printf(out, "%zu layouts do not bound it", comparison_count_layouts(c));
		return;
	}
	ifr_buffer_printf(out, "%.4g %% interval ", 100 * interval->confidence);
	comparison_put_range(out, interval, ratio);
}

/* Sentences of the details, and their destination. */
struct details {
	comparison_emit *emit;
	void *context;
	struct ifr_buffer text;
};

static void end(struct details *details, bool warning) {
	details->emit(details->context, warning, ifr_buffer_text(&details->text));
	ifr_buffer_clear(&details->text);
}

void comparison_put_change(struct ifr_buffer *out, const struct ifr_comparison *c, const char *old) {
	put_ratio(out, c, c->ratio);
	ifr_buffer_printf(out, " %s %s", fabs(c->ratio - 1) < 5e-5 ? "to" : "than", old);
}

void comparison_find_names(const struct ifr_comparison *c, const char *names[2]) {
	const bool same = !strcmp(ifr_path_base(c->side[0].name), ifr_path_base(c->side[1].name));
	for (int side = 0; side < 2; side++)
		names[side] = same ? c->side[side].name : ifr_path_base(c->side[side].name);
}

double comparison_start_share(const struct ifr_comparison *c) {
	const struct ifr_dataset *dataset = c->side[1].dataset;
	return c->exact && dataset ? ifr_loader_share(dataset, c->side[1].program) : NAN;
}

bool comparison_is_of_start(const struct ifr_comparison *c) {
	return comparison_start_share(c) >= start_share;
}

static void say_change(const struct ifr_comparison *c, struct ifr_buffer *s) {
	ifr_buffer_printf(s, "On average over layouts %s is ", c->side[1].name);
	comparison_put_change(s, c, c->side[0].name);
	ifr_buffer_puts(s, " (");
	comparison_put_interval(s, c, &c->interval, c->ratio);
	ifr_buffer_puts(s, ", ");
	ifr_format_p(s, c->p);
	ifr_buffer_puts(s, ")");
	if (c->paired)
		ifr_buffer_printf(s, ", and %s in %zu of %zu pairs of layouts",
		                  ifr_counter_is_time(&c->metric) ? "slower" : "higher", c->above, c->layouts[1]);
	ifr_buffer_puts(s, ".");
}

static void say_edited(const struct ifr_comparison *c, struct ifr_buffer *s) {
	const char *names[2];
	const bool both = c->edited[0] && c->edited[1];
	comparison_find_names(c, names);
	ifr_buffer_printf(s, both ? "The shipped files of %s and %s were" : "The shipped file of %s was",
	                  names[!c->edited[0]], names[1]);
	ifr_buffer_printf(s,
	                  " edited after the link, from which all other layouts come: the layout effect is unknown.");
}

/* Whether the interval of the layout effect includes none, and reaches farther than the whole difference as shipped. */
static bool is_open(const struct ifr_comparison *c) {
	const struct ifr_interval *i = &c->layout_effect_interval;
	return c->has_layout_effect && i->low <= 1 && i->high >= 1 &&
	       log(i->high / i->low) > 2 * fabs(log(c->shipped_ratio));
}

static void say_shipped(const struct ifr_comparison *c, struct ifr_buffer *s) {
	if (c->edited[0] || c->edited[1]) {
		say_edited(c, s);
		return;
	}
	if (!c->has_shipped) {
		ifr_buffer_puts(s, "The shipped layouts were not both measured: their layout effect is unknown.");
		return;
	}
	ifr_buffer_puts(s, "As shipped: ");
	ifr_format_signed_pct(s, 100 * (c->shipped_ratio - 1));
	if (c->has_layout_effect) {
		ifr_buffer_puts(s, " (");
		comparison_put_interval(s, c, &c->shipped_interval, c->shipped_ratio);
		ifr_buffer_puts(s, ")");
	}
	if (is_open(c)) {
		ifr_buffer_puts(s, ". How much of that is the layout effect of these two files is open (");
		comparison_put_interval(s, c, &c->layout_effect_interval, c->layout_effect);
		ifr_buffer_puts(s, "): it may be none.");
		return;
	}
	ifr_buffer_puts(s, ", of which ");
	ifr_format_signed_pct(s, 100 * (c->layout_effect - 1));
	ifr_buffer_puts(s, " is the layout effect of these two files");
	if (c->has_layout_effect) {
		ifr_buffer_puts(s, " (");
		comparison_put_interval(s, c, &c->layout_effect_interval, c->layout_effect);
		ifr_buffer_puts(
			s, c->verdict == IFR_VERDICT_LAYOUT || c->verdict == IFR_VERDICT_BOTH ? ")." : ": it may be none).");
	} else if (c->sampling_error > 0) {
		ifr_buffer_puts(s, ": by the model, with a sampling error.");
	} else if (c->exact) {
		ifr_buffer_puts(s, ": exact counts of the model.");
	} else {
		ifr_buffer_puts(s, c->repeats ? "; too few layouts ran twice for an interval of that."
		                              : "; one run of each gives no interval for that.");
	}
}

/* The way in which cycles were modelled, and what that leaves uncertain. */
static void say_model(const struct ifr_comparison *c, struct ifr_buffer *s) {
	ifr_buffer_puts(s, "; one recording of each program, replayed in every layout. Nothing was timed");
	if (!ifr_counter_is_modelled_cycles(&c->metric) && !(c->sampling_error > 0)) {
		ifr_buffer_puts(s, ", and a count has no noise.");
	} else if (ifr_cycles_are_added(c->side[1].dataset, &c->metric)) {
		ifr_buffer_puts(s, "; these cycles are an estimate, added up from misses without a core.");
	} else if (c->sampling_error > 0) {
		ifr_buffer_printf(s, "; %s from samples of the run, whose error of +- ",
		                  ifr_counter_is_modelled_cycles(&c->metric) ? "cycles are the core's,"
		                                                             : "counted by the core");
		ifr_format_pct(s, 200 * c->sampling_error);
		ifr_buffer_puts(s, " is in the interval (--core=full has none).");
	} else {
		ifr_buffer_puts(s, "; cycles are the core's, of the whole run: without noise.");
	}
}

static void say_basis(const struct ifr_comparison *c, struct ifr_buffer *s) {
	const char *machine = ifr_dataset_fact(c->side[1].dataset, "machine");
	if (c->exact)
		ifr_buffer_printf(s, "Modelled: %s (of %s), less is better; ", c->metric.name,
		                  machine ? machine : "a described machine");
	else
		ifr_buffer_printf(s, "Measured: %s (from %s), less is better; ", c->metric.name, c->metric.source);
	if (c->paired)
		ifr_buffer_printf(s, "%zu random layouts of both, compared in pairs of one plan", c->layouts[1]);
	else
		ifr_buffer_printf(s, "%zu and %zu random layouts, not paired", c->layouts[0], c->layouts[1]);
	if (isfinite(c->pair_correlation))
		ifr_buffer_printf(s, " (correlation %.2f)", c->pair_correlation);
	const char *matched = ifr_dataset_fact(c->side[1].dataset, IFR_FACT_MATCHED);
	if (c->paired && matched && !strcmp(matched, "all"))
		ifr_buffer_puts(s, " with their common functions at equal addresses");
	if (c->exact)
		say_model(c, s);
	else
		ifr_buffer_printf(s, "; %zu and %zu runs, %s.", c->runs[0], c->runs[1],
		                  c->interleaved ? "all interleaved" : "each program at its own time");
	if (c->same_instructions)
		ifr_buffer_puts(s, c->verdict == IFR_VERDICT_LAYOUT
		                       ? " Both execute the same instructions, class by class: what differs is layout."
		                       : " Both executed as many instructions of each class.");
	if (c->family > 1)
		ifr_buffer_printf(s, " The intervals are those of %zu benchmarks together (Bonferroni).", c->family);
	else if (c->confidence != 0.95)
		ifr_buffer_puts(s,
		                " The intervals are wider than usual to allow for interim analyses of growing data (group "
		                "sequential, Lan and "
		                "DeMets 1983).");
	if (c->refused_runs || c->refused_layouts)
		ifr_buffer_printf(s, " Refused and left out: layouts: %zu; single runs: %zu.", c->refused_layouts,
		                  c->refused_runs);
	if (c->disturbed)
		ifr_buffer_printf(
			s,
			" Serial disturbances: for some runs in a row the machine was slower or faster. Runs are detrended "
			"by their "
			"neighbours in time, which brought %zu back within three standard deviations; none was left out.",
			c->runs_detrended);
}

static void warn_few(const struct ifr_comparison *c, struct details *details) {
	struct ifr_buffer *s = &details->text;
	size_t layouts = comparison_count_layouts(c);
	if (layouts >= c->needed)
		return;
	ifr_buffer_printf(
		s,
		"%zu layouts are too few for reliable %.4g %% intervals: where the distribution of layouts is "
		"skewed or has a rare mode, they miss more often than that. Take %zu (-n)",
		layouts, 100 * c->confidence, c->needed);
	ifr_buffer_puts(
		s, c->needed > IFR_MEAN_LAYOUTS_LEAST
			   ? ": these layouts are skewed, and a mean then needs six times the square of their skewness."
			   : ".");
	end(details, true);
}

/* A model that counts mostly the program's start hides what differs later. */
static void warn_start(const struct ifr_comparison *c, struct details *details) {
	if (!comparison_is_of_start(c))
		return;
	ifr_buffer_printf(
		&details->text,
		"The dynamic loader executed %.0f %% of the recorded instructions, before the program's main: %s. Let a run do "
		"more work (more iterations, larger input).",
		100 * comparison_start_share(c),
		fabs(c->ratio - 1) < start_change
			? "a change of the program hardly shows"
			: "the change is of the whole run, and that of the program itself is larger");
	end(details, true);
}

/* Every statement about size rests on the kinds of layouts that were met. */
static void warn_tails(const struct ifr_comparison *c, struct details *details) {
	struct ifr_buffer *s = &details->text;
	double unmet = fmax(c->tails[0].unmet_share, c->tails[1].unmet_share);
	bool found = c->tails[0].found || c->tails[1].found;
	if (found)
		ifr_buffer_puts(
			s, "Some layouts lie far from the others: the change depends on how many of them there are, and "
			   "its interval may be too narrow. ");
	if (unmet >= 1) { /* under four layouts: warn_few says enough */
		if (found)
			end(details, true);
		return;
	}
	ifr_buffer_puts(s, "Kinds of layouts rarer than ");
	ifr_format_pct(s, 100 * unmet);
	ifr_buffer_puts(s, " of all may not have been met (rule of three).");
	end(details, found);
}

static void warn_apart(const struct ifr_comparison *c, struct details *details) {
	struct ifr_buffer *s = &details->text;
	const struct ifr_dataset *a = c->side[0].dataset, *b = c->side[1].dataset;
	if (c->interleaved)
		return;
	if (c->exact) {
		const char *x = ifr_dataset_fact(a, "machine"), *y = ifr_dataset_fact(b, "machine");
		if (x && y && strcmp(x, y)) {
			ifr_buffer_printf(s, "They were modelled on different machines: \"%s\" and \"%s\".", x, y);
			end(details, true);
		}
		return;
	}
	ifr_buffer_puts(
		s, "The programs did not run interleaved: a change of the machine in between counts as a change of the "
		   "program.");
	end(details, true);
	static const char *const facts[][2] = {{"kernel", "kernels differ"},
	                                       {"boot", "boots of the machine differ"},
	                                       {"pinned to", "processors differ"},
	                                       {"aslr", "address randomisation (ASLR) differs"},
	                                       {"path length", "lengths of the program's path differ"},
	                                       {"copies", "copies of files differ"}};
	for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
		const char *x = ifr_dataset_fact(a, facts[i][0]), *y = ifr_dataset_fact(b, facts[i][0]);
		if (!x || !y || !strcmp(x, y))
			continue;
		ifr_buffer_printf(s, "Their %s: \"%s\" and \"%s\".", facts[i][1], x, y);
		end(details, true);
	}
}

static void warn_partial(const struct ifr_comparison *c, struct details *details) {
	for (int side = 0; side < (c->side[0].dataset == c->side[1].dataset ? 1 : 2); side++) {
		ifr_prose_say_partial(c->side[side].dataset, "random", c->exact, &details->text);
		if (details->text.length)
			end(details, true);
	}
}

void comparison_put_summary(const struct ifr_comparison_entry *entries, size_t count, struct ifr_buffer *out) {
	static const enum ifr_comparison_verdict order[] = {IFR_VERDICT_CHANGE, IFR_VERDICT_BOTH, IFR_VERDICT_LAYOUT,
	                                                    IFR_VERDICT_INCONCLUSIVE, IFR_VERDICT_NO_CHANGE};
	if (comparison_is_benchmarks(entries, count)) {
		comparison_say_benchmarks(entries, count, out);
		return;
	}
	size_t regressed = 0, failed = 0, verdicts[IFR_VERDICT_BOTH + 1] = {0};
	for (size_t i = 0; i < count; i++) {
		failed += entries[i].failure != NULL;
		regressed += !entries[i].failure && entries[i].main.regressed;
		verdicts[entries[i].main.verdict] += !entries[i].failure;
	}
	ifr_buffer_printf(out, "%zu commands: %zu regression%s", count, regressed, regressed == 1 ? "" : "s");
	for (size_t i = 0; i < sizeof order / sizeof *order; i++)
		if (verdicts[order[i]])
			ifr_buffer_printf(out, ", %zu \"%s\"", verdicts[order[i]], ifr_comparison_verdict_name(order[i]));
	if (failed)
		ifr_buffer_printf(out, ", %zu not compared", failed);
	ifr_buffer_puts(out, ".");
}

void comparison_say_unequal(const struct ifr_dataset *dataset, struct ifr_buffer *out) {
	double share;
	if (!ifr_work_is_unequal(dataset, &share))
		return;
	ifr_buffer_puts(out, "Runs of one layout execute different numbers of instructions (standard deviation ");
	ifr_format_pct(out, 100 * share);
	ifr_buffer_puts(out,
	                "): the program chooses its iterations, waits actively or draws random numbers, and the time "
	                "of a run does not show how fast it is. Fix its work (its seed, its iterations), or measure "
	                "its own figures by --metrics.");
}

void comparison_say_program(const struct ifr_comparison_entry *entry, comparison_emit *emit, void *context,
                            struct ifr_buffer *command) {
	const struct ifr_dataset *dataset = entry->main.side[1].dataset;
	const char *figures = ifr_dataset_fact(dataset, "own figures");
	struct ifr_buffer sentence = {0};
	struct ifr_strings warnings = {0};
	ifr_format_program_warnings(dataset, &warnings);
	for (size_t i = 0; i < warnings.count; i++)
		emit(context, true, warnings.items[i]);
	ifr_strings_release(&warnings);
	if (!ifr_dataset_fact(dataset, "own iterations"))
		comparison_say_unequal(dataset, &sentence);
	if (sentence.length)
		emit(context, true, ifr_buffer_text(&sentence));
	if (figures)
		ifr_buffer_puts(command, figures);
	ifr_buffer_release(&sentence);
}

void comparison_say_details(const struct ifr_comparison *c, comparison_emit *emit, void *context) {
	struct details details = {emit, context, {0}};
	say_change(c, &details.text);
	end(&details, false);
	say_shipped(c, &details.text);
	end(&details, false);
	say_basis(c, &details.text);
	end(&details, false);
	warn_partial(c, &details);
	warn_tails(c, &details);
	warn_start(c, &details);
	warn_few(c, &details);
	warn_apart(c, &details);
	ifr_buffer_release(&details.text);
}
