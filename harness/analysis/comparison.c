/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The change, the layout effect of the shipped files, and the verdict. */
#include "harness/analysis/comparison.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/analysis/comparison_noise.h"
#include "harness/analysis/comparison_ratio.h"
#include "harness/analysis/comparison_spread.h"
#include "harness/analysis/modelled_cycles.h"
#include "harness/analysis/steps.h"
#include "harness/statistics/statistics.h"

static const double usual_confidence = 0.95, layout_effect_confidence = 0.99, significant = 0.05, power = 0.9;
/* Fewer repeats give no interval of a layout effect: at 5 degrees of freedom Student's 99 % quantile is 1.6 times the
 * normal one, at 2 it is 4 times, at 1 25 times, and then the interval tells of the quantile alone. */
enum { LAYOUTS_MOST = 100000, REPEATS_LEAST = 5 };

struct work {
	struct comparison_samples samples;
	struct comparison_layouts layouts;
	struct comparison_noise noise;
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

/* The executed instructions by class of one side; NULL where they were not recorded. */
static const char *classes_of(const struct ifr_comparison_side *side) {
	return ifr_dataset_program_fact(side->dataset, IFR_FACT_CLASSES, side->program);
}

static bool have_same_instructions(const struct ifr_comparison *c) {
	const char *old = classes_of(&c->side[0]), *new = classes_of(&c->side[1]);
	return old && new &&*old && !strcmp(old, new);
}

/* Refuses cycles of a core against the estimate, and against those of samples of the run. */
static int check_cycles(const struct ifr_comparison *c, struct ifr_error *err) {
	const char *old = ifr_cycles_core(c->side[0].dataset), *new = ifr_cycles_core(c->side[1].dataset);
	if (!ifr_counter_is_modelled_cycles(&c->metric) || !strcmp(old, new))
		return 0;
	return ifr_fail(
		err, IFR_E_USAGE,
		"the cycles of %s and of %s were computed in different ways (--core=%s and --core=%s): make one of "
		"the experiments again with the other's --core, or choose another --metric",
		c->side[0].name, c->side[1].name, old, new);
}

static int find_counters(struct ifr_comparison *c, const char *name, int counter[2], struct ifr_error *err) {
	const struct ifr_dataset *const datasets[2] = {c->side[0].dataset, c->side[1].dataset};
	int without = ifr_metric_match(datasets, name, counter);
	if (without >= 0)
		return ifr_fail(err, IFR_E_USAGE, "the runs of %s did not record \"%s\": choose another --metric",
		                c->side[without].name, name ? name : "cpu_time");
	c->metric = datasets[1]->counters[counter[1]];
	c->exact = !strcmp(c->metric.source, "model");
	c->same_instructions = have_same_instructions(c);
	return check_cycles(c, err);
}

/* Layouts of one plan have much in common where the programs do: their ratios spread less than either side, by
 * 1 - correlation of the variance. */
static double correlate_pairs(const struct comparison_layouts *l) {
	struct ifr_correlation correlation = {.r = NAN};
	double *logs = ifr_alloc((2 * l->count_a + 1) * sizeof *logs);
	for (size_t i = 0; i < l->count_a; i++) {
		logs[i] = log(l->b[i]);
		logs[l->count_a + i] = log(l->a[i]);
	}
	if (ifr_correlation_pearson(logs, logs + l->count_a, l->count_a, usual_confidence, &correlation, NULL))
		correlation.r = NAN;
	free(logs);
	return correlation.r;
}

/* Spread of the layouts' ratios in logarithms: of the pairs, or of both sides together, with Welch's degrees of
 * freedom. */
static void measure_spread(struct ifr_comparison *c, struct work *w) {
	const struct comparison_layouts *l = &w->layouts;
	double sd[2], *logs = ifr_alloc((l->count_a + l->count_b) * sizeof *logs), mean;
	c->pair_correlation = c->paired ? correlate_pairs(l) : NAN;
	if (c->paired) {
		for (size_t i = 0; i < l->count_a; i++)
			logs[i] = log(l->a[i] / l->b[i]);
		ifr_sample_moments(logs, l->count_a, &mean, &sd[0], NULL);
		w->log_se = sd[0] / sqrt((double)l->count_a);
		w->log_df = (double)l->count_a - 1;
		c->between_sd = sd[0];
		c->needed = ifr_mean_layouts_needed(logs, l->count_a);
	} else {
		for (size_t i = 0; i < l->count_a + l->count_b; i++)
			logs[i] = log(i < l->count_a ? l->a[i] : l->b[i - l->count_a]);
		ifr_sample_moments(logs, l->count_a, &mean, &sd[1], NULL);
		ifr_sample_moments(logs + l->count_a, l->count_b, &mean, &sd[0], NULL);
		double va = sd[1] * sd[1] / (double)l->count_a, vb = sd[0] * sd[0] / (double)l->count_b;
		w->log_se = sqrt(va + vb);
		w->log_df = ifr_welch_df(va, l->count_a, vb, l->count_b);
		c->between_sd = hypot(sd[0], sd[1]);
		size_t needs_a = ifr_mean_layouts_needed(logs, l->count_a),
			   needs_b = ifr_mean_layouts_needed(logs + l->count_a, l->count_b);
		c->needed = needs_a > needs_b ? needs_a : needs_b;
	}
	free(logs);
}

/* The confidence of each of c->family intervals that together have this one. Ref: Dunn 1961 (Bonferroni). */
static double for_all(const struct ifr_comparison *c, double confidence) {
	return 1 - (1 - confidence) / (double)c->family;
}

static void find_layout_effect(struct ifr_comparison *c, const struct work *w) {
	c->has_shipped = w->samples.indices && w->layouts.runs[0][0] && w->layouts.runs[1][0];
	if (!c->has_shipped)
		return;
	const struct comparison_noise *noise = &w->noise;
	double ratio = noise->shipped[1] - noise->shipped[0];
	c->shipped_ratio = exp(ratio);
	c->layout_effect = c->shipped_ratio / c->ratio;
	c->has_layout_effect = noise->repeats >= REPEATS_LEAST;
	if (!c->has_layout_effect)
		return;
	struct ifr_median_difference offset = {.value = ratio,
	                                       .runs = {w->layouts.runs[1][0], w->layouts.runs[0][0]},
	                                       .residuals = noise->residuals,
	                                       .count = noise->residual_count,
	                                       .run_variance = noise->variance,
	                                       .run_df = (double)noise->repeats};
	struct ifr_interval shipped, effect;
	ifr_median_difference_interval(&offset, c->confidence, &shipped, NULL);
	offset.value = log(c->layout_effect);
	offset.se = w->log_se;
	offset.df = w->log_df;
	ifr_median_difference_interval(&offset, for_all(c, layout_effect_confidence), &effect, NULL);
	c->shipped_interval = (struct ifr_interval){exp(shipped.low), exp(shipped.high), c->confidence};
	c->layout_effect_interval = (struct ifr_interval){exp(effect.low), exp(effect.high), effect.confidence};
}

static bool excludes_one(const struct ifr_interval *interval) {
	return interval->low > 1 || interval->high < 1;
}

/* Widens the interval of the ratio by the sampling errors of both programs, which layouts do not average out: all layouts
 * of a program are sampled at the same instructions. */
static void allow_for_sampling(struct ifr_comparison *c) {
	c->sampling_error = hypot(ifr_sampling_error(c->side[0].dataset, &c->metric, c->side[0].program),
	                          ifr_sampling_error(c->side[1].dataset, &c->metric, c->side[1].program));
	if (!(c->sampling_error > 0))
		return;
	const double reach = exp(c->sampling_error * gsl_cdf_ugaussian_Qinv((1 - c->confidence) / 2));
	c->interval.low /= reach;
	c->interval.high *= reach;
	c->p = fmax(c->p, 2 * gsl_cdf_ugaussian_Q(fabs(log(c->ratio)) / c->sampling_error));
	if (!excludes_one(&c->interval))
		c->p = fmax(c->p, 1 - c->confidence);
}

void ifr_comparison_judge(struct ifr_comparison *c, const struct ifr_comparison_rules *rules, double p) {
	bool same = c->interval.low > 1 - rules->margin && c->interval.high < 1 + rules->margin;
	/* A count without noise differs for the longer symbol table that the loader reads: only the margin judges it. */
	bool changed = excludes_one(&c->interval) && p < 1 - c->confidence && !(c->exact && same);
	bool affected = c->has_layout_effect && excludes_one(&c->layout_effect_interval);
	c->p = p;
	c->margin = rules->margin;
	c->verdict = changed && affected                                            ? IFR_VERDICT_BOTH
	             : changed                                                      ? IFR_VERDICT_CHANGE
	             : affected                                                     ? IFR_VERDICT_LAYOUT
	             : same                                                         ? IFR_VERDICT_NO_CHANGE
	             : c->same_instructions && c->exact && !(c->sampling_error > 0) ? IFR_VERDICT_LAYOUT
	                                                                            : IFR_VERDICT_INCONCLUSIVE;
	c->regressed = changed && c->interval.low > 1 + rules->fail_above;
}

static void recommend_layouts(struct ifr_comparison *c, const struct work *w, double margin) {
	/* The spread of the layouts' ratios holds the noise of as many runs as there are now. */
	struct ifr_noise noise = {c->between_sd * c->between_sd, 0};
	c->within_sd = sqrt(w->noise.variance);
	c->recommended = ifr_layouts_needed(noise, 1, margin, power, significant, LAYOUTS_MOST);
}

static void work_release(struct work *w) {
	comparison_layouts_release(&w->layouts);
	comparison_noise_release(&w->noise);
	free(w->samples.items);
}

int ifr_comparison_make(const struct ifr_comparison_side *old, const struct ifr_comparison_side *new,
                        const char *metric, const struct ifr_comparison_rules *rules,
                        struct ifr_comparison *comparison, struct ifr_error *err) {
	struct ifr_comparison c = {.side = {*old, *new}, .interleaved = old->dataset == new->dataset};
	struct work w = {0};
	int counter[2];
	c.family = rules->family ? rules->family : 1;
	c.confidence = for_all(&c, rules->confidence > 0 ? rules->confidence : usual_confidence);
	c.paired = are_pairs(&c);
	int result = find_counters(&c, metric, counter, err);
	if (result)
		return result;
	result = comparison_samples_take(&c, counter, rules->layouts, &w.samples, err);
	comparison_layouts_init(w.samples.indices, &w.layouts);
	if (!result)
		result = comparison_ratio_estimate(&c, &w.samples, &w.layouts, err);
	if (!result) {
		allow_for_sampling(&c);
		measure_spread(&c, &w);
		comparison_noise_measure(&c, counter, rules->layouts, &w.samples, &w.layouts, &w.noise);
		c.repeats = w.noise.repeats;
		comparison_spread_measure(&c, &w.samples, &w.layouts, &w.noise);
		find_layout_effect(&c, &w);
		recommend_layouts(&c, &w, rules->margin);
		ifr_comparison_judge(&c, rules, c.p);
		*comparison = c;
	}
	work_release(&w);
	return result;
}
