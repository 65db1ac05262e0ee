/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The best and the worst layout, and the command that makes the best one again. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/axis.h"
#include "common/plan.h"
#include "harness/output/output.h"
#include "harness/report/prose.h"

/* "; 95 % prediction interval of its median 99.4 to 101.6 ms." */
static void put_prediction(struct ifr_prose *prose, const struct ifr_pick *pick) {
	const struct ifr_interval *again = &pick->prediction.again;
	struct ifr_buffer *text = &prose->text;
	const bool compared = pick->again.known;
	if (ifr_format_is_vague(again, pick->prediction.expected, pick->prediction.expected)) {
		ifr_buffer_puts(text, "; ");
		ifr_prose_unbounded(prose);
		ifr_buffer_puts(text, ".");
		return;
	}
	ifr_buffer_puts(text, compared ? "; 95 % prediction interval of its median " : " (95 % prediction interval ");
	ifr_format_range(text, &prose->analysis->scale, again->low, again->high);
	ifr_buffer_puts(text, compared ? "." : ").");
}

static void say_expected(struct ifr_prose *prose, const struct ifr_pick *pick) {
	const struct ifr_analysis *analysis = prose->analysis;
	const struct ifr_contrast *again = &pick->again;
	struct ifr_buffer *text = &prose->text;
	ifr_buffer_puts(text, " Expected when measured again: ");
	ifr_format_value(text, &analysis->scale, pick->prediction.expected);
	if (again->known) {
		ifr_buffer_puts(text, ", ");
		ifr_format_pct(text, again->difference_pct);
		ifr_buffer_printf(text, " %s than shipped",
		                  again->difference_pct <= 0 ? ifr_prose_less(analysis) : ifr_prose_more(analysis));
	}
	if (again->known && again->has_interval && !ifr_prose_is_vague(&again->interval_pct, again->difference_pct)) {
		ifr_buffer_puts(text, " (");
		ifr_prose_interval(prose, &again->interval_pct);
		ifr_buffer_puts(text, ")");
	}
	put_prediction(prose, pick);
}

static void say_pick(struct ifr_prose *prose, const char *label, const struct ifr_pick *pick) {
	const struct ifr_analysis *analysis = prose->analysis;
	const struct ifr_contrast *contrast = &pick->to_shipped;
	struct ifr_buffer *text = &prose->text;
	ifr_buffer_printf(text, "%s: %s, ", label, pick->layout->variant->name);
	ifr_format_value(text, &prose->analysis->scale, pick->layout->median);
	if (contrast->known) {
		ifr_buffer_puts(text, ", ");
		ifr_format_pct(text, contrast->difference_pct);
		ifr_buffer_printf(text, " %s than the shipped layout",
		                  contrast->difference_pct <= 0 ? ifr_prose_less(analysis) : ifr_prose_more(analysis));
	}
	if (contrast->known && contrast->has_interval) {
		ifr_buffer_puts(text, " (");
		ifr_prose_interval(prose, &contrast->interval_pct);
		ifr_buffer_puts(text, ")");
	}
	ifr_buffer_puts(text, ".");
	if (pick->spike) {
		ifr_buffer_puts(text, " It stands out: ");
		ifr_prose_spike(prose, pick->spike);
		ifr_buffer_puts(text, ".");
	}
	if (pick->predicted)
		say_expected(prose, pick);
	ifr_prose_end(prose, IFR_PROSE_ITEM);
}

/* Whether the layout's plan is the one that the experiment's seed and axes give. */
static bool plan_is_derived(const struct ifr_analysis *analysis, const struct ifr_layout *layout, uint64_t *seed) {
	const char *axes_text = ifr_dataset_fact(analysis->dataset, "axes");
	const char *seed_text = ifr_dataset_fact(analysis->dataset, "seed");
	struct ifr_plan recorded, derived;
	unsigned axes;
	char *end;
	if (!axes_text || !seed_text || !*seed_text || ifr_axes_parse(axes_text, &axes, NULL))
		return false;
	errno = 0;
	*seed = strtoull(seed_text, &end, 0);
	if (errno || *end)
		return false;
	const char *text = layout->variant->plan;
	if (ifr_plan_parse(text, strlen(text), "plan", &recorded, NULL))
		return false;
	ifr_plan_init(&derived);
	ifr_plan_derive(&derived, *seed, axes, layout->variant->layout);
	bool same = !recorded.place_count && !recorded.room_count && !recorded.code_start;
	for (int i = 0; i < IFR_AXIS_COUNT && same; i++) {
		const struct ifr_axis_setting *a = &recorded.axis[i], *b = &derived.axis[i];
		same =
			a->on == b->on && (!a->on || (a->seed == b->seed && !memcmp(a->value, b->value, sizeof a->value) &&
		                                  !memcmp(a->given, b->given, sizeof a->given) && !a->only && !a->except));
	}
	ifr_plan_release(&recorded);
	return same;
}

/* The options that give the layout: its number under the experiment's seed, or a plan. */
static void put_options(const struct ifr_analysis *analysis, const struct ifr_layout *layout, const char *plan,
                        struct ifr_buffer *code) {
	uint64_t seed;
	if (!plan_is_derived(analysis, layout, &seed)) {
		ifr_buffer_printf(code, "--plan %s", plan);
		return;
	}
	ifr_buffer_printf(code, "--seed %llu --axes ", (unsigned long long)seed);
	ifr_quote_shell(code, ifr_dataset_fact(analysis->dataset, "axes"));
	ifr_buffer_printf(code, " -n %u", layout->variant->layout);
}

static void put_file_recipe(const struct ifr_analysis *analysis, const struct ifr_layout *layout,
                            struct ifr_buffer *code) {
	const bool removed = ifr_dataset_fact(analysis->dataset, "programs removed") != NULL;
	const char *program = removed ? NULL : ifr_dataset_program_name(analysis->dataset, 0);
	uint64_t seed;
	ifr_buffer_puts(code, "interfero variants ");
	put_options(analysis, layout, "best.plan", code);
	ifr_buffer_puts(code, plan_is_derived(analysis, layout, &seed) ? " \\\n    -o DIR " : " -o DIR ");
	ifr_quote_shell(code, program && *program ? program : "PROGRAM");
	ifr_buffer_puts(code, "\n");
}

/* Whether the program under test is another than the command's: its user or its driver starts it. */
static bool is_used(const struct ifr_analysis *analysis) {
	const char *user = ifr_dataset_fact(analysis->dataset, "run in");
	return user && strcmp(user, "itself") && !ifr_analysis_varies_process_alone(analysis);
}

static bool is_library(const struct ifr_analysis *analysis) {
	const char *place = ifr_dataset_fact(analysis->dataset, "driver of");
	return is_used(analysis) && !(place && *place == '/');
}

/* The program, or the user of the library, in the process context of the layout. */
static void put_run_recipe(const struct ifr_analysis *analysis, const struct ifr_layout *layout,
                           struct ifr_buffer *code) {
	const char *command = ifr_dataset_fact(analysis->dataset, "command"),
			   *program = ifr_dataset_program_name(analysis->dataset, 0);
	ifr_buffer_puts(code, "interfero run ");
	put_options(analysis, layout, "best.plan", code);
	if (is_library(analysis)) {
		ifr_buffer_puts(code, " \\\n    --library ");
		ifr_quote_shell(code, program && *program ? program : "LIBRARY");
	}
	ifr_buffer_printf(code, " \\\n    -- %s\n", command && *command ? command : "PROGRAM");
}

/* Whether "interfero run" gives the layout: not behind a driver. */
static bool can_run(const struct ifr_analysis *analysis) {
	const unsigned process = ifr_axes_of(IFR_OWNER_LAUNCHER) & ~(1u << IFR_AXIS_COPIES);
	return is_library(analysis) || (analysis->axes & process && !is_used(analysis));
}

bool ifr_prose_recipe(const struct ifr_analysis *analysis, const struct ifr_layout *layout,
                      struct ifr_buffer *code) {
	const char *plan = layout->variant->plan;
	if (!plan || !*plan || analysis->axes == 1u << IFR_AXIS_COPIES)
		return false;
	if (!ifr_analysis_varies_process_alone(analysis))
		put_file_recipe(analysis, layout, code);
	if (can_run(analysis))
		put_run_recipe(analysis, layout, code);
	ifr_buffer_printf(code, "\n%s%s", plan, plan[strlen(plan) - 1] == '\n' ? "" : "\n");
	return true;
}

/* which: "best", or "fastest measured" */
static void introduce_recipe(struct ifr_prose *prose, const char *which) {
	const struct ifr_analysis *analysis = prose->analysis;
	const struct ifr_layout *best = analysis->best.layout;
	struct ifr_buffer *text = &prose->text;
	uint64_t seed;
	bool derived = plan_is_derived(analysis, best, &seed), process = can_run(analysis);
	if (ifr_analysis_varies_process_alone(analysis))
		ifr_buffer_printf(text, "This command runs the program in the %s layout once", which);
	else
		ifr_buffer_printf(text, "This command makes the %s layout again", which);
	if (derived && !ifr_analysis_varies_process_alone(analysis))
		ifr_buffer_printf(text, ", as the last (number %u) of the variants in DIR", best->variant->layout);
	if (process && !ifr_analysis_varies_process_alone(analysis))
		ifr_buffer_puts(text, "; the next runs the program in it");
	ifr_buffer_puts(text, derived ? ". Its plan stands below"
	                              : " from its plan, which stands below. Save it as best.plan");
	ifr_buffer_puts(text, analysis->axes & 1u << IFR_AXIS_COPIES
	                          ? ". The place of a file in memory is another with each copy, and no plan gives it:"
	                          : ":");
	ifr_prose_end(prose, IFR_PROSE_PARAGRAPH);
}

static void say_recipe(struct ifr_prose *prose, const char *which) {
	struct ifr_buffer code = {0};
	if (!ifr_prose_recipe(prose->analysis, prose->analysis->best.layout, &code))
		return;
	introduce_recipe(prose, which);
	/* Commands and plan are two pieces: a shell takes the one, a file the other. */
	const char *end = strstr(ifr_buffer_text(&code), "\n\n"), *plan = end ? end + 2 : ifr_buffer_text(&code);
	char *commands =
		ifr_format("%.*s", (int)(plan - ifr_buffer_text(&code) - (end ? 1 : 0)), ifr_buffer_text(&code));
	if (*commands)
		ifr_prose_say(prose, IFR_PROSE_CODE, commands);
	ifr_prose_say(prose, IFR_PROSE_CODE, *plan == '\n' ? plan + 1 : plan);
	free(commands);
	ifr_buffer_release(&code);
}

static void say_caution(struct ifr_prose *prose) {
	const struct ifr_analysis *analysis = prose->analysis;
	ifr_buffer_printf(
		&prose->text,
		"The best of %zu layouts was selected by its value and owes part of its lead to sampling error; so does "
		"the worst.",
		analysis->random_count);
	if (analysis->best.predicted) {
		ifr_buffer_puts(&prose->text,
		                " The expected value corrects for that: of a layout's distance from the mean, ");
		ifr_prose_proportion(&prose->text, 100 * analysis->best.prediction.reliability);
		ifr_buffer_puts(&prose->text, " is its own effect, the rest noise.");
	}
	if (analysis->best.to_shipped.has_interval)
		ifr_buffer_printf(&prose->text,
		                  " The intervals against the shipped layout hold for all %zu layouts at once.",
		                  analysis->random_count);
	ifr_prose_end(prose, IFR_PROSE_PARAGRAPH);
}

/* Where noise may have made the order, nothing is called the best. */
static void say_measured(struct ifr_prose *prose) {
	const struct ifr_analysis *analysis = prose->analysis;
	bool time = ifr_counter_is_time(analysis->metric);
	ifr_buffer_printf(&prose->text, "%s, so that the order of the layouts may be chance.",
	                  analysis->conclusion.effect == IFR_EFFECT_UNKNOWN ? "Every layout ran once"
	                                                                    : "No effect of layout was found");
	ifr_prose_end(prose, IFR_PROSE_PARAGRAPH);
	say_pick(prose, time ? "Fastest measured" : "Lowest measured", &analysis->best);
	say_pick(prose, time ? "Slowest measured" : "Highest measured", &analysis->worst);
	say_recipe(prose, time ? "fastest measured" : "lowest measured");
}

static bool order_may_be_chance(const struct ifr_analysis *analysis) {
	enum ifr_effect effect = analysis->conclusion.effect;
	return analysis->random_count > 1 && (effect == IFR_EFFECT_NOT_FOUND || effect == IFR_EFFECT_UNKNOWN);
}

void ifr_prose_extremes(struct ifr_prose *prose) {
	const struct ifr_analysis *analysis = prose->analysis;
	bool chance = order_may_be_chance(analysis);
	ifr_prose_say(prose, IFR_PROSE_HEADING,
	              chance ? "Which layouts are at the ends?" : "Which layouts are the best and the worst?");
	if (!analysis->best.layout) {
		ifr_prose_say(prose, IFR_PROSE_PARAGRAPH, "There is no layout to choose from.");
		return;
	}
	if (analysis->random_count > 1 && analysis->best.layout->median == analysis->worst.layout->median) {
		ifr_prose_say(prose, IFR_PROSE_PARAGRAPH, "None: all layouts have the same median.");
		return;
	}
	if (chance) {
		say_measured(prose);
		return;
	}
	say_pick(prose, analysis->random_count > 1 ? "Best" : "The only one", &analysis->best);
	if (analysis->random_count > 1) {
		say_pick(prose, "Worst", &analysis->worst);
		if (!analysis->exact) /* the model has no sampling error within a layout */
			say_caution(prose);
	}
	say_recipe(prose, "best");
}
