/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The three lines of a comparison: verdict, meaning, next step. */
#include <math.h>
#include <stdlib.h>

#include "harness/report/comparison_prose.h"
#include "harness/report/format.h"
#include "harness/report/next_budget.h"
#include "harness/report/next_command.h"

/* The verdict, the change and its interval. */
static void say_verdict(const struct ifr_comparison *c, struct ifr_buffer *s) {
	const char *names[2];
	comparison_find_names(c, names);
	ifr_buffer_printf(s, "Verdict: %s%s: ", ifr_comparison_verdict_name(c->verdict),
	                  comparison_is_of_start(c) ? " of the whole run" : "");
	switch (c->verdict) {
	case IFR_VERDICT_CHANGE:
	case IFR_VERDICT_BOTH:
		ifr_buffer_printf(s, "%s is ", names[1]);
		comparison_put_change(s, c, names[0]);
		break;
	case IFR_VERDICT_LAYOUT:
		ifr_buffer_puts(s, "the change is ");
		ifr_format_signed_pct(s, 100 * (c->ratio - 1));
		break;
	case IFR_VERDICT_NO_CHANGE:
		if (c->exact) {
			ifr_format_signed_pct(s, 100 * (c->ratio - 1));
			ifr_buffer_puts(s, ", ");
		}
		ifr_buffer_puts(s, "less than ");
		ifr_format_pct(s, 100 * c->margin);
		break;
	case IFR_VERDICT_INCONCLUSIVE:
		ifr_buffer_puts(s, "the change is ");
		ifr_format_signed_pct(s, 100 * (c->ratio - 1));
		break;
	}
	ifr_buffer_puts(s, " (");
	comparison_put_interval(s, c, &c->interval, c->ratio);
	ifr_buffer_puts(s, ").");
}

/* Counts of the model are exact, and show what a longer symbol table costs the loader. */
static bool is_small(const struct ifr_comparison *c) {
	return c->margin > 0 && c->interval.low > 1 - c->margin && c->interval.high < 1 + c->margin;
}

static void say_meaning(const struct ifr_comparison *c, struct ifr_buffer *s) {
	ifr_buffer_puts(s, "What it means: ");
	switch (c->verdict) {
	case IFR_VERDICT_NO_CHANGE:
		ifr_buffer_puts(s, "a change as small as that counts as none.");
		break;
	case IFR_VERDICT_INCONCLUSIVE:
		ifr_buffer_puts(s, "there may be a change, or none.");
		break;
	case IFR_VERDICT_LAYOUT:
		if (c->same_instructions) {
			ifr_buffer_puts(s, "the same instructions, class by class; only layout differs.");
			break;
		}
		ifr_format_signed_pct(s, 100 * (c->layout_effect - 1));
		ifr_buffer_puts(s, " by addresses alone; other builds need not show it.");
		break;
	case IFR_VERDICT_CHANGE:
		if (is_small(c)) {
			ifr_buffer_puts(s, "certain, but below ");
			ifr_format_pct(s, 100 * c->margin);
			ifr_buffer_puts(s, ": the code, or the program's start.");
			break;
		}
		ifr_buffer_puts(s, "the change is in the code, and stays when layouts change.");
		break;
	case IFR_VERDICT_BOTH:
		ifr_buffer_puts(s, "the change stays in other layouts; a layout effect of ");
		ifr_format_signed_pct(s, 100 * (c->layout_effect - 1));
		ifr_buffer_puts(s, " need not.");
		break;
	}
}

/* So few layouts that the standard deviation between them, and so the power of more, is hardly known. */
static bool is_too_few(const struct ifr_comparison *c) {
	return 2 * comparison_count_layouts(c) <= c->needed;
}

static size_t planned_runs(const struct ifr_dataset *dataset) {
	const char *runs = ifr_dataset_fact(dataset, "rounds planned");
	return runs ? strtoul(runs, NULL, 10) : 0;
}

static bool is_of_samples(const struct ifr_comparison *c) {
	return 4 * c->sampling_error > c->margin;
}

/* How many layouts settle what is inconclusive, or tell how many do; 0 where more layouts do not help. */
static size_t find_layouts(const struct ifr_comparison *c, bool *few) {
	*few = false;
	if (is_of_samples(c) || (!c->recommended && (c->exact || !is_too_few(c))))
		return 0;
	const size_t layouts = !c->recommended                  ? SIZE_MAX
	                       : c->recommended > c->layouts[1] ? c->recommended
	                                                        : 2 * c->layouts[1];
	*few = is_too_few(c) && layouts > c->needed;
	return *few ? c->needed : layouts;
}

static void say_inconclusive_step(const struct ifr_comparison *c, struct ifr_buffer *s,
                                  struct ifr_buffer *command) {
	const struct ifr_dataset *both = c->side[1].dataset;
	if (is_of_samples(c)) {
		ifr_buffer_puts(s, "replay the whole run (--core=full): samples leave +- ");
		ifr_format_pct(s, 200 * c->sampling_error);
		ifr_buffer_puts(s, ".");
		return;
	}
	if (!c->recommended && c->exact) {
		ifr_buffer_puts(s, "replay more layouts (-n): they vary much.");
		return;
	}
	if (!c->recommended && !is_too_few(c)) {
		ifr_buffer_puts(s, "make the machine quieter, or let the program run longer. How:");
		ifr_buffer_puts(command, "interfero doctor");
		return;
	}
	bool few;
	size_t layouts = find_layouts(c, &few);
	const bool own = c->side[0].dataset == both;
	if (own && next_is_planned(both, layouts, 0)) {
		layouts = strtoul(ifr_dataset_fact(both, "variants planned"), NULL, 10);
		ifr_buffer_puts(s, "go on with the same command");
	} else {
		ifr_buffer_printf(s, "measure %zu layouts", layouts);
	}
	if (own)
		next_put_time(both, layouts, planned_runs(both), s);
	if (few) {
		ifr_buffer_printf(s, ": %zu do not tell how many it takes.", comparison_count_layouts(c));
	} else {
		ifr_buffer_puts(s, ": that shows ");
		ifr_format_pct(s, 100 * c->margin);
		ifr_buffer_puts(s, " nine times in ten.");
	}
	if (c->side[0].dataset == both)
		next_put_compare(both, layouts, command);
}

/* The new program, as a command names it: the side's own name may be that of an experiment. */
static const char *name_program(const struct ifr_comparison *c) {
	const struct ifr_comparison_side *side = &c->side[1];
	const char *name = side->dataset ? ifr_dataset_program_name(side->dataset, side->program) : NULL;
	return name && *name ? name : side->name;
}

/* Cycles of a core can be told by cause. */
static bool is_of_core(const struct ifr_comparison *c) {
	const struct ifr_dataset *dataset = c->side[1].dataset;
	return dataset && ifr_counter_is_modelled_cycles(&c->metric) && !ifr_cycles_are_added(dataset, &c->metric);
}

/* Appends the command that tells why layouts of the new program differ; of time, or of counted cycles, by those of the
 * model for the same layouts. */
static void put_causes(const struct ifr_comparison *c, struct ifr_buffer *command) {
	const bool clocked = !ifr_counter_is_modelled_cycles(&c->metric) && ifr_counter_is_time(&c->metric);
	if (c->side[1].dataset && (clocked || is_of_core(c)))
		next_put_icost(c->side[1].dataset, name_program(c), comparison_count_layouts(c), command);
}

static void say_causes(const struct ifr_comparison *c, struct ifr_buffer *s) {
	ifr_buffer_puts(s, is_of_core(c) ? " By cause, and by line:" : " By cause, and by line, in the model:");
}

/* Whether a core's cycles of the two files differ as shipped, by more than the margin and the error of samples, though
 * they do not in random layouts. */
static bool differs_as_shipped(const struct ifr_comparison *c) {
	return is_of_core(c) && c->has_shipped && fabs(c->layout_effect - 1) > c->margin + 2 * c->sampling_error;
}

static void say_unchanged_step(const struct ifr_comparison *c, const char *name, struct ifr_buffer *s,
                               struct ifr_buffer *command) {
	if (comparison_is_of_start(c)) {
		ifr_buffer_printf(s, "let a run do more work: %.0f %% of it is the dynamic loader's.",
		                  100 * comparison_start_share(c));
		return;
	}
	if (differs_as_shipped(c))
		next_put_icost(c->side[1].dataset, name_program(c), comparison_count_layouts(c), command);
	if (command->length) {
		ifr_buffer_printf(s, "see why layouts of %s differ: as shipped, the two do.", name);
		say_causes(c, s);
	} else {
		ifr_buffer_puts(s, "nothing.");
	}
}

static void say_next_step(const struct ifr_comparison *c, struct ifr_buffer *s, struct ifr_buffer *command) {
	const char *names[2], *program = name_program(c);
	const struct ifr_dataset *dataset = c->side[1].dataset;
	comparison_find_names(c, names);
	ifr_buffer_puts(s, "Next: ");
	if (dataset && ifr_work_is_adaptive(dataset, &c->metric)) {
		ifr_buffer_puts(s, "first let all runs do the same work, as the next lines say.");
	} else if (c->verdict == IFR_VERDICT_NO_CHANGE) {
		say_unchanged_step(c, names[1], s, command);
	} else if (c->verdict == IFR_VERDICT_LAYOUT) {
		put_causes(c, command);
		if (command->length) {
			ifr_buffer_printf(s, "see why layouts of %s differ.", names[1]);
			say_causes(c, s);
		} else {
			ifr_buffer_printf(s, "find a better layout of %s.", names[1]);
			if (dataset)
				next_put_bench_of(dataset, program, c->metric.name, command);
		}
	} else if (c->verdict == IFR_VERDICT_INCONCLUSIVE) {
		say_inconclusive_step(c, s, command);
	} else if (c->ratio > 1) {
		ifr_buffer_printf(s, "look in the code of %s for the cause.", names[1]);
		if (dataset)
			next_put_profile(dataset, program, command);
	} else {
		ifr_buffer_printf(s, "keep the code of %s.", names[1]);
	}
}

void comparison_say_lead(const struct ifr_comparison *c, struct ifr_buffer lead[COMPARISON_LEAD],
                         struct ifr_buffer *command) {
	say_verdict(c, &lead[0]);
	say_meaning(c, &lead[1]);
	say_next_step(c, &lead[2], command);
}

void comparison_say_open(const struct ifr_comparison_entry *entries, size_t count, struct ifr_buffer *s,
                         struct ifr_buffer *command) {
	const struct ifr_comparison_entry *most = NULL;
	size_t open = 0, most_layouts = 0;
	bool few;
	for (size_t i = 0; i < count; i++) {
		if (entries[i].failure || entries[i].main.verdict != IFR_VERDICT_INCONCLUSIVE)
			continue;
		const size_t layouts = find_layouts(&entries[i].main, &few);
		open++;
		if (!most || layouts > most_layouts) {
			most = &entries[i];
			most_layouts = layouts;
		}
	}
	const struct ifr_dataset *dataset = most ? most->main.side[1].dataset : NULL;
	if (!most || (dataset && ifr_work_is_adaptive(dataset, &most->main.metric)))
		return;
	if (open == 1)
		ifr_buffer_printf(s, "Next, for %s, which is inconclusive: ", most->name);
	else
		ifr_buffer_printf(s, "Next, for the %zu that are inconclusive (%s needs the most): ", open, most->name);
	say_inconclusive_step(&most->main, s, command);
}
