/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/analysis/calibration.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/random.h"
#include "harness/analysis/result.h"

const size_t ifr_calibration_layouts[IFR_CALIBRATION_SIZES] = {8, 16, 32, 64, 128};
const size_t ifr_calibration_runs[IFR_CALIBRATION_RUNS] = {1, 3, 5, 10};
static const double power = 0.9;

/* Whether a comparison calls two halves different: by the rule of comparison_ratio.c. */
static bool is_called(const double *a, const double *b, size_t count, bool paired) {
	struct ifr_interval interval;
	double ratio, p;
	int unbounded =
		paired ? ifr_ratio_pairs(a, b, count, IFR_REPORT_CONFIDENCE, &ratio, &interval, &p, NULL)
			   : ifr_ratio_independent(a, count, b, count, IFR_REPORT_CONFIDENCE, &ratio, &interval, &p, NULL);
	return !unbounded && (interval.low > 1 || interval.high < 1);
}

/* Draws a random order; it depends on the key, the draw and its purpose. */
static void shuffle(struct ifr_random_key key, uint64_t draw, uint64_t purpose, size_t *order, size_t count) {
	for (size_t i = 0; i < count; i++)
		order[i] = i;
	for (uint64_t i = count; i-- > 1;) {
		const uint64_t name[] = {draw, purpose, i};
		size_t other = ifr_random_below(ifr_siphash(key.k0, key.k1, name, sizeof name), i + 1), kept = order[i];
		order[i] = order[other];
		order[other] = kept;
	}
}

/* The random layouts with two runs at least, and room for the halves of a division. */
struct halves {
	const struct ifr_layout **layouts;
	size_t count, runs_most;
	double *a, *b;
	size_t *order;
};

static double mean_of(const double *values, const size_t *order, size_t count) {
	double sum = 0;
	for (size_t i = 0; i < count; i++)
		sum += values[order[i]] / (double)count;
	return sum;
}

static void divide_runs(struct halves *h, struct ifr_random_key key, uint64_t draw) {
	for (size_t i = 0; i < h->count; i++) {
		size_t half = h->layouts[i]->count / 2;
		shuffle(key, draw, i + 1, h->order, h->layouts[i]->count);
		h->a[i] = mean_of(h->layouts[i]->winsorised, h->order, half);
		h->b[i] = mean_of(h->layouts[i]->winsorised, h->order + half, half);
	}
}

static void divide_layouts(struct halves *h, struct ifr_random_key key, uint64_t draw) {
	shuffle(key, draw, 0, h->order, h->count);
	for (size_t i = 0; i < h->count / 2 * 2; i++) {
		const struct ifr_layout *layout = h->layouts[h->order[i]];
		double mean;
		ifr_sample_moments(layout->winsorised, layout->count, &mean, NULL, NULL);
		(i % 2 ? h->b : h->a)[i / 2] = mean;
	}
}

static void count_calls(const struct ifr_analysis *analysis, uint64_t seed, struct ifr_calibration *c) {
	struct halves h = {.layouts = ifr_alloc((analysis->layout_count + 1) * sizeof *h.layouts)};
	struct ifr_random_key key = ifr_random_key_of(seed, "calibrate");
	for (size_t i = 0; i < analysis->layout_count; i++) {
		if (&analysis->layouts[i] == analysis->shipped || analysis->layouts[i].count < 2)
			continue;
		h.layouts[h.count++] = &analysis->layouts[i];
		h.runs_most = analysis->layouts[i].count > h.runs_most ? analysis->layouts[i].count : h.runs_most;
	}
	h.a = ifr_alloc((h.count + 1) * sizeof *h.a);
	h.b = ifr_alloc((h.count + 1) * sizeof *h.b);
	h.order = ifr_alloc((h.count + h.runs_most + 1) * sizeof *h.order);
	c->has_runs = h.count >= 2;
	c->has_layouts = h.count >= 4;
	for (uint64_t draw = 0; draw < IFR_CALIBRATION_DRAWS && c->has_runs; draw++) {
		divide_runs(&h, key, draw);
		c->called_runs += is_called(h.a, h.b, h.count, true);
		if (!c->has_layouts)
			continue;
		divide_layouts(&h, key, draw);
		c->called_layouts += is_called(h.a, h.b, h.count / 2, false);
	}
	free(h.order);
	free(h.b);
	free(h.a);
	free(h.layouts);
}

/* The cost of one replication of a level in seconds; 0 where the experiment does not hold it. */
static double read_cost(const struct ifr_analysis *analysis, const char *fact) {
	const char *cost = ifr_dataset_fact(analysis->dataset, fact);
	return cost ? strtod(cost, NULL) / 1e9 : 0;
}

static void choose_replications(const struct ifr_analysis *analysis, double budget_s, double between,
                                struct ifr_calibration_levels *levels) {
	const struct ifr_copies *effect = &analysis->copies.effect;
	const struct ifr_level level[] = {{effect->runs.ms, read_cost(analysis, "run cost_ns")},
	                                  {effect->copy_variance, read_cost(analysis, "copy cost_ns")},
	                                  {between, read_cost(analysis, "layout cost_ns")}};
	levels->known = analysis->copies.known;
	levels->why_not = analysis->copies.why_not;
	for (size_t i = 0; i < IFR_CALIBRATION_LEVELS && levels->known; i++)
		if (!(level[i].cost > 0)) {
			levels->known = false;
			ifr_fail(&levels->why_not, IFR_E_USAGE, "the experiment does not hold their costs");
		}
	if (!levels->known)
		return;
	memcpy(levels->level, level, sizeof level);
	levels->budget_s = budget_s > 0 ? budget_s
	                                : (double)(analysis->runs_used + analysis->runs_twin) * level[0].cost +
	                                      (double)analysis->copies.count * level[1].cost +
	                                      (double)analysis->layout_count * level[2].cost;
	levels->se = sqrt(ifr_replications_choose(level, IFR_CALIBRATION_LEVELS, levels->budget_s,
	                                          IFR_CALIBRATION_REPLICATIONS_MAX, levels->replications));
}

int ifr_calibration_make(const struct ifr_analysis *analysis, uint64_t seed, double budget_s,
                         struct ifr_calibration *calibration, struct ifr_error *err) {
	struct ifr_calibration c = {0};
	const struct ifr_components *k = &analysis->components;
	if (!analysis->has_components)
		return ifr_fail(err, IFR_E_USAGE, "this cannot be calibrated: %s", analysis->no_components.message);
	if (!k->noise_known || !(k->mean > 0))
		return ifr_fail(err, IFR_E_USAGE,
		                "to tell noise from layouts takes two runs of each layout, and values above 0");
	double square = k->mean * k->mean;
	c.noise = (struct ifr_noise){k->between_variance / square, k->ms_within / square};
	count_calls(analysis, seed, &c);
	choose_replications(analysis, budget_s, c.noise.between, &c.levels);
	ifr_proportion_interval(c.called_runs, IFR_CALIBRATION_DRAWS, IFR_REPORT_CONFIDENCE, &c.runs_interval, NULL);
	ifr_proportion_interval(c.called_layouts, IFR_CALIBRATION_DRAWS, IFR_REPORT_CONFIDENCE, &c.layouts_interval,
	                        NULL);
	c.runs_worthwhile = ifr_runs_optimal(c.noise, 1, 20);
	const struct ifr_noise difference = {2 * c.noise.between, 2 * c.noise.within};
	for (size_t i = 0; i < IFR_CALIBRATION_SIZES; i++)
		for (size_t j = 0; j < IFR_CALIBRATION_RUNS; j++)
			c.effect[i][j] = ifr_detectable_effect(difference, ifr_calibration_layouts[i], ifr_calibration_runs[j],
			                                       power, IFR_REPORT_LEVEL);
	c.layouts_for_1_pct = ifr_layouts_needed(difference, c.runs_worthwhile, 0.01, power, IFR_REPORT_LEVEL,
	                                         IFR_CALIBRATION_LAYOUTS_MAX);
	*calibration = c;
	return 0;
}
