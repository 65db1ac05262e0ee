/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The words of the three lines that a report opens with: how far apart the layouts are, where the shipped one stands,
 * the next step with its command. harness/analysis/conclusion.c chooses what they say. Each fits into 80 columns with
 * usual figures. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/axis.h"
#include "common/strings.h"
#include "harness/report/next_budget.h"
#include "harness/report/next_command.h"
#include "harness/report/prose.h"

/* "processor time", or the counter's name */
static const char *name_metric(const struct ifr_analysis *analysis) {
	const char *name = analysis->metric->name;
	return !strcmp(name, "cpu_time") ? "processor time" : !strcmp(name, "duration_time") ? "elapsed time" : name;
}

/* "sd 1.8 % (95 % interval 1.4 % to 2.4 %)": between layouts that do not stand out, relative to the median layout */
static void put_sd(struct ifr_prose *prose) {
	const struct ifr_analysis *analysis = prose->analysis;
	const struct ifr_components *c = &analysis->others;
	const struct ifr_interval *interval = &c->between_interval;
	ifr_buffer_puts(&prose->text, "sd ");
	ifr_format_pct(&prose->text, 100 * c->between_sd / analysis->centre);
	if (ifr_format_is_vague(interval, c->between_sd, analysis->centre)) {
		ifr_buffer_puts(&prose->text, " (");
		ifr_prose_unbounded(prose);
		ifr_buffer_puts(&prose->text, ")");
		return;
	}
	ifr_buffer_puts(&prose->text, " (95 % interval ");
	ifr_format_pct(&prose->text, 100 * interval->low / analysis->centre);
	ifr_buffer_puts(&prose->text, " to ");
	ifr_format_pct(&prose->text, 100 * interval->high / analysis->centre);
	ifr_buffer_puts(&prose->text, ")");
}

/* "Layout matters for 4 of 15 benchmarks (the most: BM_sum, expected range 3.1 %)." */
static void say_benchmarks(struct ifr_prose *prose) {
	const struct ifr_conclusion *c = &prose->analysis->conclusion;
	struct ifr_buffer *text = &prose->text;
	if (!c->affected) {
		ifr_buffer_printf(text, "No layout effect found in any of %zu benchmarks.", c->benchmarks);
		return;
	}
	ifr_buffer_printf(text, "Layout matters for %zu of %zu benchmarks (%s: %s, expected range ", c->affected,
	                  c->benchmarks, c->affected > 1 ? "the most" : "this one", c->most->counter->name);
	ifr_format_pct(text, c->most->expected_range_pct);
	ifr_buffer_puts(text, ").");
}

/* The value farthest from the others. */
static const struct ifr_spike *find_farthest(const struct ifr_sweep_findings *sweep) {
	const struct ifr_spike *farthest = sweep->spikes;
	for (size_t i = 1; i < sweep->spike_count; i++)
		if (fabs(sweep->spikes[i].deviation) > fabs(farthest->deviation))
			farthest = &sweep->spikes[i];
	return farthest;
}

/* Whether the F test finds a difference that the interval of its size does not bear out. */
static bool is_unsettled(const struct ifr_analysis *analysis, const struct ifr_components *c) {
	return !analysis->exact && c->testable && c->p < IFR_REPORT_LEVEL && c->between_interval.low <= 0 &&
	       !ifr_format_is_vague(&c->between_interval, c->between_sd, analysis->centre);
}

/* "1 of 257 values stands out (stack:bytes=2960: 5.9 % slower); the others do not differ: sd 0.36 % (...)." */
static void say_spikes(struct ifr_prose *prose) {
	const struct ifr_analysis *analysis = prose->analysis;
	const struct ifr_sweep_findings *sweep = analysis->sweep;
	const struct ifr_spike *farthest = find_farthest(sweep);
	const struct ifr_components *c = &analysis->others;
	struct ifr_buffer *text = &prose->text;
	ifr_buffer_printf(text, "%zu of %u values %s%s", sweep->spike_count, sweep->measured,
	                  sweep->spike_count == 1 ? "stands out" : "stand out",
	                  sweep->spike_count == 1 ? " (" : " (the farthest: ");
	ifr_prose_swept(prose, farthest);
	ifr_buffer_puts(text, ", ");
	ifr_format_pct(text, 100 * farthest->deviation);
	ifr_buffer_printf(text, " %s)", farthest->deviation > 0 ? ifr_prose_more(analysis) : ifr_prose_less(analysis));
	if (analysis->conclusion.has_sd) {
		const bool differ = analysis->exact || !c->testable ? c->between_sd > 0 : c->p < IFR_REPORT_LEVEL;
		ifr_buffer_printf(text, "; %s: ",
		                  is_unsettled(analysis, c) ? "whether the others differ, too, is not settled"
		                  : differ                  ? "the others differ, too"
		                                            : "the others do not differ");
		put_sd(prose);
	}
	if (analysis->conclusion.has_noise && !analysis->exact) {
		ifr_buffer_puts(text, ", noise ");
		ifr_format_pct(text, analysis->conclusion.noise_pct);
	}
	ifr_buffer_puts(text, ".");
}

static void say_effect(struct ifr_prose *prose) {
	const struct ifr_analysis *analysis = prose->analysis;
	const struct ifr_conclusion *c = &analysis->conclusion;
	struct ifr_buffer *text = &prose->text;
	size_t n = analysis->random_count;
	if (analysis->sweep && analysis->sweep->spike_count) {
		say_spikes(prose);
		ifr_prose_end(prose, IFR_PROSE_LEAD);
		return;
	}
	if (c->benchmarks && c->effect != IFR_EFFECT_UNTESTED && c->effect != IFR_EFFECT_UNKNOWN) {
		say_benchmarks(prose);
		ifr_prose_end(prose, IFR_PROSE_LEAD);
		return;
	}
	switch (c->effect) {
	case IFR_EFFECT_UNTESTED:
		ifr_buffer_printf(text, "Whether layout matters is unknown: there is %s %s layout to compare.",
		                  n ? "only one" : "no", ifr_prose_random(analysis));
		break;
	case IFR_EFFECT_UNKNOWN:
		ifr_buffer_puts(text, "Whether layout matters is unknown: every layout ran once, so noise is unknown.");
		break;
	case IFR_EFFECT_NONE:
		ifr_buffer_printf(text, "Layout does not matter here: all %zu %s layouts have the same %s.", n,
		                  ifr_prose_random(analysis), name_metric(analysis));
		break;
	case IFR_EFFECT_NOT_FOUND:
		ifr_buffer_puts(text, "No layout effect found");
		if (c->has_sd) {
			ifr_buffer_puts(text, ": ");
			put_sd(prose);
		}
		if (c->has_noise) {
			ifr_buffer_puts(text, ", noise ");
			ifr_format_pct(text, c->noise_pct);
		}
		ifr_buffer_puts(text, ".");
		break;
	case IFR_EFFECT_FOUND:
		ifr_buffer_printf(text, "%s: ",
		                  analysis->exact ? "Layout matters (model)"
		                  : c->has_sd && is_unsettled(analysis, &analysis->others)
		                      ? "Whether layout matters is not settled"
		                      : "Layout matters");
		if (c->has_sd) {
			put_sd(prose);
			ifr_buffer_puts(text, ", ");
		}
		ifr_buffer_puts(text, analysis->exact ? "range " : "expected range ");
		ifr_format_pct(text, analysis->expected_range_pct);
		ifr_buffer_puts(text, ".");
		break;
	}
	ifr_prose_end(prose, IFR_PROSE_LEAD);
}

static void say_standing(struct ifr_prose *prose) {
	const struct ifr_analysis *analysis = prose->analysis;
	const struct ifr_contrast *contrast = &analysis->shipped_to_centre;
	const enum ifr_shipped_standing standing = analysis->conclusion.standing;
	struct ifr_buffer *text = &prose->text;
	if (standing == IFR_SHIPPED_UNKNOWN) {
		ifr_buffer_puts(text,
		                analysis->shipped
		                    ? "Where the shipped layout stands is unknown: there is nothing to compare it with."
		                : analysis->shipped_edited
		                    ? "Where the shipped layout stands is unknown: its file was edited after its link."
		                    : "Where the shipped layout stands is unknown: not measured, or refused.");
		ifr_prose_end(prose, IFR_PROSE_LEAD);
		return;
	}
	if (analysis->conclusion.benchmarks)
		ifr_buffer_printf(text, "%s: the shipped layout ", analysis->metric->name);
	else
		ifr_buffer_puts(text, "The shipped layout ");
	if (standing == IFR_SHIPPED_TYPICAL) {
		ifr_buffer_printf(text, "%s the median",
		                  contrast->difference_pct == 0 ? "equals"
		                  : contrast->has_interval      ? "cannot be told from"
		                                                : "is close to");
	} else {
		ifr_buffer_puts(text, "is ");
		ifr_format_pct(text, contrast->difference_pct);
		ifr_buffer_printf(text, " %s than the median",
		                  standing == IFR_SHIPPED_WORSE ? ifr_prose_more(analysis) : ifr_prose_less(analysis));
		if (analysis->axes & (1u << IFR_AXIS_HEAP | 1u << IFR_AXIS_BLOCKS))
			ifr_buffer_puts(text, " (it has another allocator)");
	}
	ifr_buffer_printf(text, "; %zu of %zu %s %s.", analysis->faster, analysis->random_count,
	                  analysis->faster == 1 ? "is" : "are", ifr_prose_less(analysis));
	ifr_prose_end(prose, IFR_PROSE_LEAD);
}

/* The command that makes the best layout, or runs the program in it; the recipe's first command, as one line. */
static void put_best(const struct ifr_analysis *analysis, struct ifr_buffer *command) {
	struct ifr_buffer recipe = {0};
	const bool known = ifr_prose_recipe(analysis, analysis->best.layout, &recipe);
	const char *text = ifr_buffer_text(&recipe);
	if (known &&
	    (ifr_starts_with(text, "interfero variants --seed") || ifr_starts_with(text, "interfero run --seed")))
		for (const char *c = text; *c && *c != '\n'; c++) {
			if (!strncmp(c, "\\\n    ", 6))
				c += 5;
			else
				ifr_buffer_append(command, c, 1);
		}
	ifr_buffer_release(&recipe);
}

/* The same command where it was stopped before, else one for more, with its time where it has a budget. Takes over
 * `what`. */
static void say_more(const struct ifr_dataset *dataset, char *what, size_t layouts, size_t runs,
                     struct ifr_buffer *text, struct ifr_buffer *command) {
	if (next_is_planned(dataset, layouts, runs)) {
		layouts = strtoul(ifr_dataset_fact(dataset, "variants planned"), NULL, 10);
		runs = strtoul(ifr_dataset_fact(dataset, "rounds planned"), NULL, 10);
		ifr_buffer_puts(text, "go on with the same command");
	} else {
		ifr_buffer_puts(text, what);
	}
	next_put_time(dataset, layouts, runs, text);
	ifr_buffer_puts(text, ".");
	next_put_bench(dataset, layouts, runs, command);
	free(what);
}

static void say_advice(const struct ifr_analysis *analysis, struct ifr_buffer *text, struct ifr_buffer *command) {
	const struct ifr_conclusion *c = &analysis->conclusion;
	const struct ifr_dataset *dataset = analysis->dataset;
	ifr_buffer_puts(text, "Next: ");
	switch (c->advice) {
	case IFR_ADVICE_NOTHING:
		ifr_buffer_puts(text, "nothing to do about layout; look for time elsewhere.");
		break;
	case IFR_ADVICE_MORE_LAYOUTS:
		say_more(dataset, ifr_format("measure more layouts, %zu in all", c->wanted), c->wanted,
		         analysis->layouts[0].count, text, command);
		break;
	case IFR_ADVICE_MORE_RUNS:
		say_more(dataset, ifr_format("run each layout more often, %zu times", c->wanted), analysis->random_count,
		         c->wanted, text, command);
		break;
	case IFR_ADVICE_QUIETER_MACHINE:
		ifr_buffer_puts(text, "make the machine quieter, then measure again. How:");
		ifr_buffer_puts(command, "interfero doctor");
		break;
	case IFR_ADVICE_BEST_LAYOUT:
		ifr_buffer_printf(text, "%s the best layout, %s; expect it to be ",
		                  ifr_analysis_varies_process_alone(analysis) ? "run the program in" : "build",
		                  analysis->best.layout->variant->name);
		ifr_format_pct(text, analysis->best.again.known ? analysis->best.again.difference_pct
		                                                : analysis->best.to_shipped.difference_pct);
		ifr_buffer_printf(text, " %s than the shipped one.", ifr_prose_less(analysis));
		put_best(analysis, command);
		break;
	case IFR_ADVICE_FIND_CODE:
		ifr_buffer_puts(text, "find the code that causes it.");
		next_put_blame(dataset, command);
		break;
	case IFR_ADVICE_FIX_WORK:
		ifr_buffer_puts(text, "first let all runs do the same work, as the next lines say.");
		break;
	case IFR_ADVICE_READ_SWEEP:
		ifr_buffer_puts(text, "see below which values stand out, and with what period.");
		break;
	case IFR_ADVICE_OTHER_BENCHMARK:
		ifr_buffer_printf(text, "read about %s, where layout matters.", c->most->counter->name);
		next_put_report(dataset, c->most->counter->name, command);
		break;
	case IFR_ADVICE_FIND_AXIS:
		ifr_buffer_puts(text, "find the axis that causes it: interfero bench --axes with one of them at a time.");
		break;
	case IFR_ADVICE_COMPARE_MEANS:
		ifr_buffer_puts(text, "judge changes over many layouts; a single one may mislead by ");
		ifr_format_pct(text, analysis->expected_range_pct);
		ifr_buffer_puts(text, ".");
		next_put_compare_with(dataset, analysis->metric->name, command);
		break;
	}
}

void ifr_prose_lead(struct ifr_prose *prose) {
	struct ifr_buffer command = {0};
	say_effect(prose);
	say_standing(prose);
	say_advice(prose->analysis, &prose->text, &command);
	ifr_prose_end(prose, IFR_PROSE_LEAD);
	if (command.length)
		ifr_prose_say(prose, IFR_PROSE_COMMAND, ifr_buffer_text(&command));
	ifr_buffer_release(&command);
}
