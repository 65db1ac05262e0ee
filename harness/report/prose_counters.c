/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which counters go along with the response, and what falls to each. */
#include <math.h>

#include "harness/report/prose.h"

/* Were there none of it: the paper's perfect structure, which lies outside of what was measured. */
static void say_none(struct ifr_prose *prose, const struct ifr_counter_regression *regression) {
	struct ifr_buffer *text = &prose->text;
	bool cpi = prose->report->response_is_cpi;
	double divisor = cpi ? 1 : prose->scale.divisor;
	struct ifr_interval mean, point;
	ifr_regression_line_bands(&regression->line, 0, IFR_REPORT_CONFIDENCE, &mean, &point);
	ifr_buffer_printf(text,
	                  " Drawn out to none of it, the line ends at %.4g %s (95 %% interval %.4g to %.4g; of a "
	                  "single layout %.4g to %.4g).",
	                  regression->line.intercept / divisor, cpi ? "cycles per instruction" : prose->scale.unit,
	                  mean.low / divisor, mean.high / divisor, point.low / divisor, point.high / divisor);
}

/* Warnings, each with its number; nothing is dropped for them. */
static void say_check(struct ifr_prose *prose, const char *what, const struct ifr_residual_check *check) {
	struct ifr_buffer *text = &prose->text;
	if (check->has_curvature && check->curvature_p < 0.01) {
		ifr_buffer_printf(text, "%s: the relation is bent (", what);
		ifr_format_p(text, check->curvature_p);
		ifr_buffer_puts(text, "): do not draw it out beyond the layouts.");
		ifr_prose_end(prose, IFR_PROSE_WARNING);
	}
	if (check->is_influential) {
		ifr_buffer_printf(text, "%s: one layout rules the fit (Cook's distance %.1f): look at the figure.", what,
		                  check->cook);
		ifr_prose_end(prose, IFR_PROSE_WARNING);
	}
	if (check->has_normality && check->normality_p < 0.01) {
		ifr_buffer_printf(text, "%s: what is left over does not follow a bell curve (", what);
		ifr_format_p(text, check->normality_p);
		ifr_buffer_puts(text, "): take the intervals as approximate.");
		ifr_prose_end(prose, IFR_PROSE_WARNING);
	}
}

static void say_share(struct ifr_prose *prose, size_t i) {
	const struct ifr_blame *blame = &prose->report->blame;
	const struct ifr_counter_regression *regression = &prose->report->regressions[blame->regression[i]];
	struct ifr_buffer *text = &prose->text;
	ifr_buffer_printf(text, "%s: %.0f %% (95 %% interval %.0f to %.0f %%), alone ", regression->counter->name,
	                  100 * blame->share[i], 100 * blame->interval[i].low, 100 * blame->interval[i].high);
	ifr_prose_share(text, 100 * regression->line.r2);
	if (blame->model.inflation[i] > 10)
		ifr_buffer_printf(text, "; it is hard to tell from the others (variance inflation %.0f)",
		                  blame->model.inflation[i]);
	ifr_buffer_puts(text, ".");
	ifr_prose_end(prose, IFR_PROSE_ITEM);
}

static void say_blame(struct ifr_prose *prose) {
	const struct ifr_blame *blame = &prose->report->blame;
	struct ifr_buffer *text = &prose->text;
	if (!blame->known)
		return;
	ifr_prose_say(prose, IFR_PROSE_HEADING, "How much falls to each counter?");
	ifr_buffer_printf(text, "Together the %zu counters account for ", blame->count);
	ifr_prose_share(text, 100 * blame->model.r2);
	ifr_buffer_printf(text,
	                  " of the variation between layouts (%.0f %% when their number is allowed for; F test of "
	                  "all: F = %.3g with %.0f and %.0f degrees of freedom, ",
	                  100 * fmax(0, blame->model.r2_adjusted), blame->model.f, blame->model.df_model,
	                  blame->model.df_residual);
	ifr_format_p(text, blame->model.f_p);
	ifr_buffer_puts(text,
	                "). They move together, so each one's share is its gain averaged over all orders of asking "
	                "them:");
	ifr_prose_end(prose, IFR_PROSE_PARAGRAPH);
	for (size_t i = 0; i < blame->count; i++)
		say_share(prose, i);
	if (blame->has_check)
		say_check(prose, "all together", &blame->check);
}

static void say_regression(struct ifr_prose *prose, const struct ifr_counter_regression *regression) {
	const struct ifr_analysis *report = prose->report;
	struct ifr_buffer *text = &prose->text;
	bool related = regression->p_adjusted < IFR_REPORT_LEVEL;
	ifr_buffer_printf(text, "%s%s: ", regression->counter->name,
	                  report->per_1000_instructions ? " per 1000 instructions" : "");
	if (!related) {
		ifr_buffer_puts(text, "no clear relation (");
	} else {
		ifr_buffer_puts(text, "accounts for ");
		ifr_prose_share(text, 100 * regression->line.r2);
		ifr_buffer_puts(text, " of the variation; each one more goes with ");
		double slope = regression->line.slope / (report->response_is_cpi ? 1 : prose->scale.divisor);
		ifr_buffer_printf(text, "%+.3g %s (", slope,
		                  report->response_is_cpi ? "cycles per instruction" : prose->scale.unit);
	}
	ifr_buffer_printf(text, "r = %.2f, by ranks %.2f, ", regression->line.r, regression->spearman.r);
	ifr_format_p(text, regression->p_adjusted);
	ifr_buffer_puts(text, ").");
	if (related && report->per_1000_instructions)
		say_none(prose, regression);
	ifr_prose_end(prose, IFR_PROSE_ITEM);
	if (related && regression->has_check)
		say_check(prose, regression->counter->name, &regression->check);
}

void ifr_prose_counters(struct ifr_prose *prose) {
	const struct ifr_analysis *report = prose->report;
	if (report->regression_count == 0)
		return;
	ifr_prose_say(prose, IFR_PROSE_HEADING, "Which counters go along with it?");
	ifr_buffer_printf(&prose->text, "A straight line through the random layouts, %s against each counter:",
	                  report->response_is_cpi ? "cycles per instruction" : report->metric->name);
	ifr_prose_end(prose, IFR_PROSE_PARAGRAPH);
	for (size_t i = 0; i < report->regression_count; i++)
		say_regression(prose, &report->regressions[i]);
	if (report->regression_count > 1)
		ifr_buffer_printf(&prose->text, "The p-values allow for %zu counters having been tried. ",
		                  report->regression_count);
	ifr_buffer_puts(&prose->text, "To go along with is not to cause.");
	ifr_prose_end(prose, IFR_PROSE_PARAGRAPH);
	say_blame(prose);
	ifr_prose_say(prose, IFR_PROSE_FIGURE, "blame");
	ifr_prose_say(prose, IFR_PROSE_FIGURE, "line-");
}
