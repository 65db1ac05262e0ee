/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The change, the layout effect of the shipped files, and the verdict. */
#include "harness/analysis/comparison.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/analysis/comparison_samples.h"
#include "harness/analysis/steps.h"
#include "harness/statistics/statistics.h"

static const double usual_confidence = 0.95, layout_effect_confidence = 0.99, significant = 0.05, power = 0.9;
enum { LAYOUTS_MOST = 100000 };

/* The layouts' means and estimates from them. a: new, b: old; both [count] where paired. */
struct work {
	struct comparison_samples samples;
	double *mean[2]; /* [indices], logarithms */
	size_t *runs[2];
	double *b, *a;
	size_t count_b, count_a;
	double noise, noise_df; /* variance of a run's logarithm within a layout */
	double *residuals;      /* errors of runs, not winsorised */
	size_t residual_count;
	double shipped[2];     /* medians of the layouts that ship; not winsorised */
	double log_se, log_df; /* of the change */
};

const char *ifr_comparison_verdict_name(enum ifr_comparison_verdict verdict) {
	static const char *const names[] = {"no change", "inconclusive", "layout", "change", "both"};
	return names[verdict];
}

static bool same_fact(const struct ifr_dataset *a, const struct ifr_dataset *b, const char *name) {
	const char *x = ifr_dataset_fact(a, name), *y = ifr_dataset_fact(b, name);
	return x && y && !strcmp(x, y);
}

/* Whether variants of one number have the same layout: one experiment, or two with the same layout generator. */
static bool are_pairs(const struct ifr_comparison *c) {
	const struct ifr_dataset *a = c->side[0].dataset, *b = c->side[1].dataset;
	return a == b || (same_fact(a, b, "seed") && same_fact(a, b, "axes") && same_fact(a, b, "parameters"));
}

static int find_counters(struct ifr_comparison *c, const char *name, int counter[2], struct ifr_error *err) {
	const struct ifr_dataset *const datasets[2] = {c->side[0].dataset, c->side[1].dataset};
	int without = ifr_metric_match(datasets, name, counter);
	if (without >= 0)
		return ifr_fail(err, IFR_E_USAGE, "the runs of %s did not record \"%s\": choose another --metric",
		                c->side[without].name, name ? name : "cpu_time");
	c->metric = datasets[1]->counters[counter[1]];
	return 0;
}

/* Variance of runs about their layouts. */
static void measure_noise(struct work *w) {
	double squares = 0, df = 0;
	for (size_t i = 0; i < w->samples.count; i++) {
		const struct comparison_sample *sample = &w->samples.items[i];
		double off = sample->log - w->mean[sample->side][sample->index];
		squares += off * off;
	}
	for (unsigned side = 0; side < 2; side++)
		for (unsigned i = 0; i < w->samples.indices; i++)
			df += w->runs[side][i] ? (double)w->runs[side][i] - 1 : 0;
	w->noise_df = df;
	w->noise = df > 0 ? squares / df : 0;
}

static int by_layout(const void *a, const void *b) {
	const struct comparison_sample *x = a, *y = b;
	if (x->index != y->index)
		return x->index < y->index ? -1 : 1;
	return x->side != y->side ? (x->side < y->side ? -1 : 1) : (x->order > y->order) - (x->order < y->order);
}

/* Collects the errors of single runs and the medians of the shipped layouts. Sorts the samples. */
static void collect_errors(struct work *w) {
	struct comparison_sample *items = w->samples.items;
	size_t count = w->samples.count, known = 0;
	double median_variance = 0, *detrended = ifr_alloc((count + 1) * sizeof *detrended);
	w->residuals = ifr_alloc((count + 1) * sizeof *w->residuals);
	qsort(items, count, sizeof *items, by_layout);
	for (size_t from = 0, n; from < count; from += n) {
		for (n = 0; from + n < count && items[from + n].index == items[from].index &&
		            items[from + n].side == items[from].side;
		     n++)
			detrended[n] = items[from + n].detrended;
		if (!items[from].index)
			ifr_sample_median(detrended, n, &w->shipped[items[from].side], NULL);
		if (n != known)
			median_variance = ifr_median_variance(n);
		known = n;
		w->residual_count +=
			ifr_residuals_standardise(detrended, n, median_variance, w->residuals + w->residual_count);
	}
	free(detrended);
}

/* The random layouts of both sides; where paired, those that both have. */
static void choose_layouts(struct ifr_comparison *c, struct work *w) {
	for (unsigned i = 1; i < w->samples.indices; i++) {
		bool has_b = w->runs[0][i], has_a = w->runs[1][i];
		if (c->paired && !(has_a && has_b))
			continue;
		if (has_b)
			w->b[w->count_b++] = exp(w->mean[0][i]);
		if (has_a)
			w->a[w->count_a++] = exp(w->mean[1][i]);
	}
	c->layouts[0] = w->count_b;
	c->layouts[1] = w->count_a;
}

/* t test of the layouts' logarithms: of their differences where paired, else Welch's. */
static void test_change(struct ifr_comparison *c, struct work *w) {
	double mean[2], sd[2], difference, se, df;
	double *logs = ifr_alloc((w->count_a + w->count_b) * sizeof *logs);
	if (c->paired) {
		for (size_t i = 0; i < w->count_a; i++)
			logs[i] = log(w->a[i] / w->b[i]);
		ifr_sample_moments(logs, w->count_a, &difference, &sd[0], NULL);
		se = sd[0] / sqrt((double)w->count_a);
		df = (double)w->count_a - 1;
		c->between_sd = sd[0];
		c->needed = ifr_mean_layouts_needed(logs, w->count_a);
	} else {
		for (size_t i = 0; i < w->count_a + w->count_b; i++)
			logs[i] = log(i < w->count_a ? w->a[i] : w->b[i - w->count_a]);
		ifr_sample_moments(logs, w->count_a, &mean[1], &sd[1], NULL);
		ifr_sample_moments(logs + w->count_a, w->count_b, &mean[0], &sd[0], NULL);
		double va = sd[1] * sd[1] / (double)w->count_a, vb = sd[0] * sd[0] / (double)w->count_b;
		difference = mean[1] - mean[0];
		se = sqrt(va + vb);
		double scatter = va * va / ((double)w->count_a - 1) + vb * vb / ((double)w->count_b - 1);
		df = scatter > 0 ? (va + vb) * (va + vb) / scatter : 1;
		c->between_sd = hypot(sd[0], sd[1]);
		size_t needs_a = ifr_mean_layouts_needed(logs, w->count_a),
			   needs_b = ifr_mean_layouts_needed(logs + w->count_a, w->count_b);
		c->needed = needs_a > needs_b ? needs_a : needs_b;
	}
	free(logs);
	w->log_se = se;
	w->log_df = df;
	c->z = se > 0 ? difference / se : 0;
	c->p = se > 0 ? 2 * gsl_cdf_tdist_Q(fabs(difference) / se, df) : difference != 0 ? 0 : 1;
}

static int find_change(struct ifr_comparison *c, struct work *w, struct ifr_error *err) {
	double sd[2];
	if (w->count_a < 2 || w->count_b < 2)
		return ifr_fail(err, IFR_E_USAGE,
		                "a comparison needs two random layouts of either program, and there are %zu "
		                "of %s and %zu of %s%s",
		                w->count_b, c->side[0].name, w->count_a, c->side[1].name,
		                c->paired ? " that both have" : "");
	ifr_sample_moments(w->b, w->count_b, &c->mean[0], &sd[0], NULL);
	ifr_sample_moments(w->a, w->count_a, &c->mean[1], &sd[1], NULL);
	test_change(c, w);
	double na = (double)w->count_a, nb = (double)w->count_b;
	const struct ifr_quotient quotient = {c->mean[1],         c->mean[0], sd[1] * sd[1] / na,
	                                      sd[0] * sd[0] / nb, 0,          fmin(na, nb) - 1};
	int unbounded = c->paired
	                    ? ifr_ratio_pairs(w->a, w->b, w->count_a, c->confidence, &c->ratio, &c->interval, NULL)
	                    : ifr_ratio_fieller(&quotient, c->confidence, &c->ratio, &c->interval, NULL);
	if (unbounded) {
		/* With few layouts or much noise the ratio may be anything, which is a finding, not an error. */
		c->ratio = c->mean[1] / c->mean[0];
		c->interval = (struct ifr_interval){0, INFINITY, c->confidence};
	}
	return 0;
}

static void find_layout_effect(struct ifr_comparison *c, const struct work *w) {
	c->has_shipped = w->samples.indices && w->runs[0][0] && w->runs[1][0];
	if (!c->has_shipped)
		return;
	double ratio = w->shipped[1] - w->shipped[0];
	c->shipped_ratio = exp(ratio);
	c->layout_effect = c->shipped_ratio / c->ratio;
	c->has_layout_effect = w->noise_df > 0;
	if (!c->has_layout_effect)
		return;
	struct ifr_median_difference offset = {
		ratio, {w->runs[1][0], w->runs[0][0]}, w->residuals, w->residual_count, 0, 1, 0};
	struct ifr_interval shipped, effect;
	ifr_median_difference_interval(&offset, c->confidence, &shipped, NULL);
	offset.value = log(c->layout_effect);
	offset.se = w->log_se;
	offset.df = w->log_df;
	ifr_median_difference_interval(&offset, layout_effect_confidence, &effect, NULL);
	c->shipped_interval = (struct ifr_interval){exp(shipped.low), exp(shipped.high), c->confidence};
	c->layout_effect_interval = (struct ifr_interval){exp(effect.low), exp(effect.high), layout_effect_confidence};
}

static bool excludes_one(const struct ifr_interval *interval) {
	return interval->low > 1 || interval->high < 1;
}

void ifr_comparison_judge(struct ifr_comparison *c, const struct ifr_comparison_rules *rules, double p) {
	bool changed = excludes_one(&c->interval) && p < 1 - c->confidence;
	bool affected = c->has_layout_effect && excludes_one(&c->layout_effect_interval);
	bool same = c->interval.low > 1 - rules->margin && c->interval.high < 1 + rules->margin;
	c->p = p;
	c->margin = rules->margin;
	c->verdict = changed && affected ? IFR_VERDICT_BOTH
	             : changed           ? IFR_VERDICT_CHANGE
	             : affected          ? IFR_VERDICT_LAYOUT
	             : same              ? IFR_VERDICT_NO_CHANGE
	                                 : IFR_VERDICT_INCONCLUSIVE;
	c->regressed = changed && c->ratio > 1 + rules->fail_above;
}

static void recommend_layouts(struct ifr_comparison *c, const struct work *w, double margin) {
	/* The spread of the layouts' ratios holds the noise of as many runs as there are now. */
	struct ifr_noise noise = {c->between_sd * c->between_sd, 0};
	c->within_sd = sqrt(w->noise);
	c->recommended = ifr_layouts_needed(noise, 1, margin, power, significant, LAYOUTS_MOST);
}

static void work_release(struct work *w) {
	for (int side = 0; side < 2; side++) {
		free(w->mean[side]);
		free(w->runs[side]);
	}
	free(w->a);
	free(w->b);
	free(w->residuals);
	free(w->samples.items);
}

int ifr_comparison_make(const struct ifr_comparison_side *old, const struct ifr_comparison_side *new,
                        const char *metric, const struct ifr_comparison_rules *rules,
                        struct ifr_comparison *comparison, struct ifr_error *err) {
	struct ifr_comparison c = {.side = {*old, *new}, .interleaved = old->dataset == new->dataset};
	struct work w = {0};
	int counter[2];
	c.confidence = rules->confidence > 0 ? rules->confidence : usual_confidence;
	c.paired = are_pairs(&c);
	int result = find_counters(&c, metric, counter, err);
	if (result)
		return result;
	result = comparison_samples_take(&c, counter, rules->layouts, &w.samples, err);
	size_t room = (size_t)w.samples.indices + 1;
	w.a = ifr_alloc(room * sizeof *w.a);
	w.b = ifr_alloc(room * sizeof *w.b);
	for (unsigned side = 0; side < 2; side++) {
		w.mean[side] = ifr_alloc(room * sizeof *w.mean[side]);
		w.runs[side] = ifr_alloc(room * sizeof *w.runs[side]);
		if (!result)
			comparison_means(&w.samples, side, w.mean[side], w.runs[side]);
	}
	if (!result) {
		choose_layouts(&c, &w);
		measure_noise(&w);
		collect_errors(&w);
		result = find_change(&c, &w, err);
	}
	if (!result) {
		find_layout_effect(&c, &w);
		recommend_layouts(&c, &w, rules->margin);
		ifr_comparison_judge(&c, rules, c.p);
		*comparison = c;
	}
	work_release(&w);
	return result;
}
