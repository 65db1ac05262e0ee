/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Regressions on counters, and the relative importance of each counter. */
#include <math.h>
#include <string.h>

#include "common/file.h"
#include "harness/report/prose.h"

/* The paper's perfect structure: the line extrapolated to zero events. */
static void say_zero(struct ifr_prose *prose, const struct ifr_counter_regression *r) {
	bool cpi = prose->analysis->response_is_cpi;
	double divisor = cpi ? 1 : prose->analysis->scale.divisor;
	ifr_buffer_printf(&prose->text,
	                  " Extrapolated to zero events, the line gives %.4g %s (95 %% interval %.4g to %.4g; of a "
	                  "single layout %.4g to %.4g).",
	                  r->line.intercept / divisor, cpi ? "cycles per instruction" : prose->analysis->scale.unit,
	                  r->zero_mean.low / divisor, r->zero_mean.high / divisor, r->zero_layout.low / divisor,
	                  r->zero_layout.high / divisor);
}

/* Warns of each check that failed; nothing is dropped for it. */
static void say_check(struct ifr_prose *prose, const char *what, const struct ifr_residual_check *check) {
	struct ifr_buffer *text = &prose->text;
	if (check->has_curvature && check->curvature_p < IFR_CHECK_LEVEL) {
		ifr_buffer_printf(text, "%s: the relation is not linear (", what);
		ifr_format_p(text, check->curvature_p);
		ifr_buffer_puts(text, "): do not extrapolate it beyond the layouts.");
		ifr_prose_end(prose, IFR_PROSE_WARNING);
	}
	if (check->is_influential) {
		ifr_buffer_printf(text, "%s: one layout dominates the fit (Cook's distance %.1f): look at the figure.",
		                  what, check->cook);
		ifr_prose_end(prose, IFR_PROSE_WARNING);
	}
	if (check->has_normality && check->normality_p < IFR_CHECK_LEVEL) {
		ifr_buffer_printf(text, "%s: the residuals are not normally distributed (", what);
		ifr_format_p(text, check->normality_p);
		ifr_buffer_puts(text, "): take the intervals as approximate.");
		ifr_prose_end(prose, IFR_PROSE_WARNING);
	}
}

static void say_importance(struct ifr_prose *prose, size_t i) {
	const struct ifr_counter_importance *importance = &prose->analysis->importance;
	const struct ifr_counter_regression *regression = &prose->analysis->regressions[importance->regression[i]];
	struct ifr_buffer *text = &prose->text;
	ifr_buffer_printf(text, "%s: %.0f %% (95 %% interval %.0f to %.0f %%), alone ", regression->counter->name,
	                  100 * importance->relative[i], 100 * importance->interval[i].low,
	                  100 * importance->interval[i].high);
	ifr_prose_proportion(text, 100 * regression->line.r2);
	if (importance->has_slopes) {
		double divisor = prose->analysis->response_is_cpi ? 1 : prose->analysis->scale.divisor;
		const struct ifr_crossed_regression *partial = &importance->partial;
		ifr_buffer_printf(text, "; %+.3g for each event more, the others held (95 %% interval %+.3g to %+.3g)",
		                  partial->slope[i] / divisor, partial->interval[i].low / divisor,
		                  partial->interval[i].high / divisor);
	}
	if (importance->model.inflation[i] > 10)
		ifr_buffer_printf(text, "; it is nearly collinear with the others (variance inflation %.0f)",
		                  importance->model.inflation[i]);
	ifr_buffer_puts(text, ".");
	ifr_prose_end(prose, IFR_PROSE_ITEM);
}

/* The counters that were left out for one reason. */
static void say_dropped(struct ifr_prose *prose, enum ifr_dropping why, const char *reason) {
	const struct ifr_analysis *analysis = prose->analysis;
	const struct ifr_counter_importance *importance = &analysis->importance;
	size_t said = 0;
	for (size_t i = 0; i < importance->dropped_count; i++)
		if (importance->dropped[i].why == why)
			ifr_buffer_printf(&prose->text, "%s%s", said++ ? ", " : "Left out: ",
			                  analysis->regressions[importance->dropped[i].regression].counter->name);
	if (said)
		ifr_buffer_printf(&prose->text, " (%s).", reason);
	ifr_prose_end(prose, IFR_PROSE_ITEM);
}

static void say_all_dropped(struct ifr_prose *prose) {
	say_dropped(prose, IFR_DROPPED_WEAK,
	            "weaker than the others; the regression takes one counter for five layouts, ten at most");
	say_dropped(prose, IFR_DROPPED_LAYOUTS, "measured in fewer layouts");
	say_dropped(prose, IFR_DROPPED_COLLINEAR, "other counters nearly determine it");
}

static void say_together(struct ifr_prose *prose) {
	const struct ifr_counter_importance *importance = &prose->analysis->importance;
	struct ifr_buffer *text = &prose->text;
	ifr_buffer_printf(text, "Together %zu counters explain ", importance->count);
	ifr_prose_proportion(text, 100 * importance->model.r2);
	ifr_buffer_printf(
		text,
		" of the variation between layouts (%.0f %% adjusted for their number; permutation test that "
		"repeats the choice among %zu counters: ",
		100 * fmax(0, importance->model.r2_adjusted), importance->candidates);
	ifr_format_p(text, importance->p);
	ifr_buffer_puts(
		text, "). Counters are correlated, so the relative importance of each (LMG) is its gain averaged over all "
			  "orders of entering the regression:");
	ifr_prose_end(prose, IFR_PROSE_PARAGRAPH);
	for (size_t i = 0; i < importance->count; i++)
		say_importance(prose, i);
	say_all_dropped(prose);
	if (importance->has_check)
		say_check(prose, "all counters", &importance->check);
}

static void say_all_counters(struct ifr_prose *prose) {
	const struct ifr_counter_importance *importance = &prose->analysis->importance;
	if (!importance->known && !importance->tested)
		return;
	ifr_prose_say(prose, IFR_PROSE_HEADING, "How important is each counter?");
	if (importance->known) {
		say_together(prose);
		return;
	}
	ifr_buffer_printf(&prose->text, "Unknown: %s. So nothing is divided among them.", importance->why_not.message);
	ifr_prose_end(prose, IFR_PROSE_PARAGRAPH);
}

static void say_regression(struct ifr_prose *prose, const struct ifr_counter_regression *regression) {
	const struct ifr_analysis *analysis = prose->analysis;
	struct ifr_buffer *text = &prose->text;
	ifr_buffer_printf(text, "%s%s: explains ", regression->counter->name,
	                  analysis->per_1000_instructions ? " per 1000 instructions" : "");
	ifr_prose_proportion(text, 100 * regression->line.r2);
	ifr_buffer_printf(text, " of the variation (95 %% interval %.0f to %.0f %%), ",
	                  100 * regression->r2_interval.low, 100 * regression->r2_interval.high);
	double divisor = analysis->response_is_cpi ? 1 : prose->analysis->scale.divisor;
	ifr_buffer_printf(text, "%+.3g %s for each event more (95 %% interval %+.3g to %+.3g; ",
	                  regression->line.slope / divisor,
	                  analysis->response_is_cpi ? "cycles per instruction" : prose->analysis->scale.unit,
	                  regression->slope_interval.low / divisor, regression->slope_interval.high / divisor);
	ifr_buffer_printf(text, "r = %.2f, by ranks %.2f, ", regression->line.r, regression->rank_correlation);
	ifr_format_p(text, regression->p_adjusted);
	ifr_buffer_puts(text, ").");
	if (ifr_counter_is_symptom(regression->counter->name))
		ifr_buffer_puts(text, " The counter is a symptom of the machine, and hardly a cause.");
	if (analysis->per_1000_instructions)
		say_zero(prose, regression);
	ifr_prose_end(prose, IFR_PROSE_ITEM);
	if (regression->has_check)
		say_check(prose, regression->counter->name, &regression->check);
}

static bool is_related(const struct ifr_counter_regression *regression) {
	return regression->p_adjusted < IFR_REPORT_LEVEL;
}

/* All counters without a significant relation, in one item; the strongest stands first. */
static void say_unsettled(struct ifr_prose *prose) {
	const struct ifr_analysis *analysis = prose->analysis;
	struct ifr_buffer *text = &prose->text;
	size_t said = 0;
	double least = 1;
	for (size_t i = 0; i < analysis->regression_count; i++) {
		const struct ifr_counter_regression *regression = &analysis->regressions[i];
		if (is_related(regression))
			continue;
		ifr_buffer_printf(text, "%s%s", said++ ? ", " : "A relation is not settled for ",
		                  regression->counter->name);
		least = fmin(least, regression->p_adjusted);
	}
	if (!said)
		return;
	ifr_buffer_puts(text, said > 1 ? " (the strongest has " : " (");
	ifr_format_p(text, least);
	ifr_buffer_puts(text, ").");
	ifr_prose_end(prose, IFR_PROSE_ITEM);
}

/* How the lines treat noise that event and response share in a run. */
static void say_noise(struct ifr_prose *prose) {
	const struct ifr_analysis *analysis = prose->analysis;
	size_t crossed = 0, possible = 0;
	for (size_t i = 0; i < analysis->regression_count; i++) {
		crossed += analysis->regressions[i].crossing == IFR_CROSSING_DONE;
		possible += analysis->regressions[i].crossing == IFR_CROSSING_IMPOSSIBLE;
	}
	if (crossed)
		ifr_prose_say(
			prose, IFR_PROSE_PARAGRAPH,
			"Event and response come from different runs of each layout (odd and even repetitions, both "
			"ways), so that noise which they share in a run counts for nothing; slopes are corrected for "
			"the event's noise.");
	if (possible)
		ifr_prose_say(
			prose, IFR_PROSE_WARNING,
			"Event and response come from the same runs, and there are no others: noise which they "
			"share in a run cannot be excluded as the cause of a relation. Two runs of each layout would "
			"tell (interfero bench -r 2).");
}

/* Without a core the model's cycles are a sum of its events: a line through them is no finding. */
static void say_added_up(struct ifr_prose *prose) {
	const struct ifr_analysis *analysis = prose->analysis;
	if (!ifr_cycles_are_added(analysis->dataset, analysis->metric) &&
	    !strstr(analysis->metric->name, "cycles-additive"))
		return;
	ifr_prose_say(
		prose, IFR_PROSE_WARNING,
		"The model adds these cycles up from the counters themselves: instructions over the machine's width, "
		"and a penalty for each miss. The lines show which events differ between layouts, and nothing about "
		"what a processor makes of them; a --machine with a core, or --counters clock,model, tells that.");
}

/* The core's account of its cycles goes with them by itself. */
static void say_account(struct ifr_prose *prose) {
	static const char *const parts[] = {"idq_uops_not_delivered.core", "resource_stalls.any"};
	const struct ifr_dataset *dataset = prose->analysis->dataset;
	const struct ifr_dataset_counter *metric = prose->analysis->metric;
	if (!ifr_counter_is_modelled_cycles(metric) || ifr_cycles_are_added(dataset, metric))
		return;
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		if (ifr_dataset_counter(dataset, parts[i]) < 0)
			return;
	ifr_prose_say(
		prose, IFR_PROSE_PARAGRAPH,
		"idq_uops_not_delivered.core and resource_stalls.any are parts of these cycles: they tell whether "
		"layouts differ in the core's front end or back end. The other events are possible causes.");
}

void ifr_prose_counters(struct ifr_prose *prose) {
	const struct ifr_analysis *analysis = prose->analysis;
	if (analysis->regression_count == 0)
		return;
	ifr_prose_say(prose, IFR_PROSE_HEADING, "Which counters correlate with it?");
	ifr_buffer_printf(&prose->text,
	                  "Linear regression over the %s layouts, %s on each counter:", ifr_prose_random(analysis),
	                  analysis->response_is_cpi ? "cycles per instruction" : analysis->metric->name);
	ifr_prose_end(prose, IFR_PROSE_PARAGRAPH);
	say_added_up(prose);
	say_account(prose);
	for (size_t i = 0; i < analysis->regression_count; i++)
		if (is_related(&analysis->regressions[i]))
			say_regression(prose, &analysis->regressions[i]);
	say_unsettled(prose);
	say_noise(prose);
	if (analysis->regression_count > 1)
		ifr_buffer_printf(&prose->text, "The p-values are adjusted for %zu tested counters. ",
		                  analysis->regression_count);
	ifr_buffer_puts(&prose->text, "Correlation is not causation.");
	ifr_prose_end(prose, IFR_PROSE_PARAGRAPH);
	say_all_counters(prose);
	ifr_prose_say(prose, IFR_PROSE_FIGURE, "relative-importance");
	ifr_prose_say(prose, IFR_PROSE_FIGURE, "line-");
}
