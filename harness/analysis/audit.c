/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/analysis/audit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/analysis/analysis.h"
#include "harness/analysis/steps.h"

/* The variant of a layout; the dataset's count of variants where it has none. */
static size_t find_variant(const struct ifr_dataset *dataset, unsigned layout) {
	size_t variant = 0;
	while (variant < dataset->variant_count && dataset->variants[variant].layout != layout)
		variant++;
	return variant;
}

/* The median of a counter in each layout. counted: the analysis of the experiment that has the counter, with the same
 * layouts. The caller frees. */
static double *list_medians(const struct ifr_analysis *analysis, const struct ifr_analysis *counted,
                            size_t counter) {
	double *medians = ifr_alloc((analysis->layout_count + 1) * sizeof *medians);
	for (size_t i = 0; i < analysis->layout_count; i++) {
		const size_t variant = find_variant(counted->dataset, analysis->layouts[i].variant->layout);
		if (variant == counted->dataset->variant_count ||
		    !ifr_counter_median(counted, counter, variant, IFR_ALL_REPETITIONS, &medians[i]))
			medians[i] = NAN;
	}
	return medians;
}

/* The metric and the counter of each layout but the shipped one, where it has both. */
static size_t pair_medians(const struct ifr_analysis *analysis, const double *medians, double *metric,
                           double *event) {
	size_t count = 0;
	for (size_t i = 0; i < analysis->layout_count; i++)
		if (analysis->layouts[i].variant->layout && isfinite(medians[i])) {
			event[count] = medians[i];
			metric[count++] = analysis->layouts[i].median;
		}
	return count;
}

static bool make_event(const struct ifr_analysis *analysis, const struct ifr_analysis *counted, size_t counter,
                       struct ifr_audit_event *event) {
	const struct ifr_dataset_counter *about = &counted->dataset->counters[counter];
	double *metric = ifr_alloc(2 * (analysis->layout_count + 1) * sizeof *metric),
		   *values = metric + analysis->layout_count + 1;
	*event = (struct ifr_audit_event){.name = about->name,
	                                  .source = about->source,
	                                  .low = INFINITY,
	                                  .high = -INFINITY,
	                                  .medians = list_medians(analysis, counted, counter)};
	const size_t count = pair_medians(analysis, event->medians, metric, values);
	struct ifr_correlation r = {0};
	for (size_t i = 0; i < count; i++) {
		event->low = fmin(event->low, values[i]);
		event->high = fmax(event->high, values[i]);
	}
	event->constant = count && event->low == event->high;
	if (!event->constant && !ifr_correlation_pearson(metric, values, count, IFR_REPORT_CONFIDENCE, &r, NULL))
		event->r = r.r;
	free(metric);
	if (!count)
		free(event->medians);
	return count > 0;
}

static int compare_events(const void *left, const void *right) {
	const struct ifr_audit_event *a = left, *b = right;
	if (a->constant != b->constant)
		return a->constant ? 1 : -1;
	return fabs(a->r) > fabs(b->r) ? -1 : fabs(a->r) < fabs(b->r);
}

/* Adds the counters of an experiment with the same layouts, but its times and the metric itself. */
static void add_events(const struct ifr_analysis *counted, struct ifr_audit_row *row) {
	const struct ifr_analysis *analysis = row->analysis;
	const struct ifr_dataset *dataset = counted->dataset;
	row->events = ifr_realloc(row->events, row->event_count + dataset->counter_count + 1, sizeof *row->events);
	for (size_t i = 0; i < dataset->counter_count; i++)
		if ((counted != analysis || i != analysis->metric_index) && !ifr_counter_is_time(&dataset->counters[i]))
			row->event_count += make_event(analysis, counted, i, &row->events[row->event_count]);
	qsort(row->events, row->event_count, sizeof *row->events, compare_events);
}

void ifr_audit_row_add_model(struct ifr_audit_row *row, const struct ifr_analysis *model) {
	add_events(model, row);
}

bool ifr_audit_row_has_model(const struct ifr_audit_row *row) {
	bool has = false;
	for (size_t i = 0; i < row->event_count; i++)
		has |= !strcmp(row->events[i].source, "model");
	return has || (row->analysis && !strcmp(row->analysis->metric->source, "model"));
}

/* The F test of the values finds one layout that stands out, which a sweep has a test of its own for; aligned ranks find
 * many that differ by less than the long tails of noise. Ranks of a few layouts cannot be far apart: of four, in three
 * runs each, two that take twice as long have p = 0.05 at the least. */
static double test_layouts(const struct ifr_analysis *analysis, const struct ifr_audit_row *row) {
	enum { RANKED_FROM = 8, TESTS = 2 };
	const struct ifr_components *c = &analysis->components;
	double p;
	if (!c->testable)
		return c->between_sd > 0 ? 0 : 1;
	if (row->layouts < RANKED_FROM || !ifr_layout_ranks_test(analysis, &p))
		return c->p;
	return analysis->sweep && analysis->sweep->spikes_tested ? p : fmin(1, TESTS * fmin(p, c->p));
}

/* The p of a sweep: of all its layouts, of single values, and of the suspects of a second look (Bonferroni). */
static double add_spike_tests(const struct ifr_sweep_findings *sweep, double p) {
	double least = fmin(p, sweep->least_p);
	for (size_t i = 0; i < sweep->suspect_count; i++)
		if (sweep->suspects[i].tested)
			least = fmin(least, sweep->suspects[i].p);
	return fmin(1, (sweep->suspect_count ? 3 : 2) * least);
}

/* Whether the audit has, or had, another look at the trigger: by a coarser sweep before, or by a finer one after. */
static bool has_two_looks(const struct ifr_analysis *analysis, const struct ifr_audit_row *row) {
	return ifr_dataset_fact(analysis->dataset, IFR_FACT_COARSER_SWEEP) ||
	       (row->finest_step && row->step > row->finest_step);
}

static void test_row(const struct ifr_analysis *analysis, struct ifr_audit_row *row) {
	if (analysis->exact) {
		row->tested = row->layouts > 1;
		row->p = row->range_pct > 0 ? 0 : 1;
		return;
	}
	row->tested = analysis->has_components && analysis->components.noise_known;
	row->p = test_layouts(analysis, row);
	if (row->tested && analysis->sweep && analysis->sweep->spikes_tested)
		row->p = add_spike_tests(analysis->sweep, row->p);
	if (has_two_looks(analysis, row))
		row->p = fmin(1, 2 * row->p);
}

static void find_shape(const struct ifr_analysis *analysis, struct ifr_audit_row *row) {
	const struct ifr_sweep_findings *sweep = analysis->sweep;
	ifr_spike_train_find(sweep, &row->train);
	row->has_period = sweep->side[0].tested && sweep->side[0].period.p < IFR_SWEEP_LEVEL;
	row->period = row->has_period ? (int64_t)sweep->side[0].period.steps * sweep->sweeps.items[0].step : 0;
}

static struct ifr_interval find_sd_interval(const struct ifr_analysis *analysis, const struct ifr_audit_row *row) {
	struct ifr_interval interval = analysis->components.between_interval;
	const double scale = row->has_sd && analysis->components.between_sd > 0
	                         ? row->sd_pct / analysis->components.between_sd
	                         : 100 / fabs(analysis->centre);
	interval.low *= scale;
	interval.high *= scale;
	return interval;
}

/* With few layouts the shipped one lies outside by chance: of 8 random ones and itself, it is the first or the last in
 * two cases of nine. The values of a sweep are no sample of layouts. */
static bool is_shipped_outside(const struct ifr_analysis *analysis, const struct ifr_audit_row *row) {
	enum { LAYOUTS_LEAST = 8 };
	if (!analysis->shipped || analysis->sweep || row->layouts < LAYOUTS_LEAST ||
	    (!row->has_noise && !analysis->exact))
		return false;
	const double low = analysis->medians[0], high = analysis->medians[row->layouts - 1],
				 shipped = analysis->shipped->median, noise = row->noise_pct / 100;
	return shipped < low - noise * fabs(low) || shipped > high + noise * fabs(high);
}

void ifr_audit_row_make(const struct ifr_analysis *analysis, struct ifr_audit_row *row) {
	const struct ifr_conclusion *conclusion = &analysis->conclusion;
	row->analysis = analysis;
	row->layouts = analysis->random_count;
	row->refused = analysis->variants_refused;
	size_t runs = 0;
	for (size_t i = 0; i < analysis->layout_count; i++)
		runs += analysis->layouts[i].variant->layout ? analysis->layouts[i].count : 0;
	row->runs = row->layouts ? (double)runs / (double)row->layouts : 0;
	row->range_pct = analysis->range_pct;
	/* A count whose lowest value is 0 has no range in percent, and varies all the same. */
	if (row->layouts && !(analysis->medians[0] > 0) && analysis->medians[row->layouts - 1] > analysis->medians[0])
		row->range_pct = INFINITY;
	row->has_sd = conclusion->has_sd;
	row->has_noise = conclusion->has_noise && !analysis->exact;
	row->sd_pct = conclusion->sd_pct;
	row->sd_interval_pct = find_sd_interval(analysis, row);
	row->noise_pct = row->has_noise ? conclusion->noise_pct : 0;
	row->shipped_outside = is_shipped_outside(analysis, row);
	row->step = analysis->sweep ? analysis->sweep->sweeps.items[0].step : 0;
	test_row(analysis, row);
	if (analysis->sweep)
		find_shape(analysis, row);
	add_events(analysis, row);
}

void ifr_audit_row_release(struct ifr_audit_row *row) {
	for (size_t i = 0; i < row->event_count; i++)
		free(row->events[i].medians);
	free(row->mechanism);
	free(row->names);
	free(row->events);
	row->mechanism = row->names = NULL;
	row->events = NULL;
	row->event_count = 0;
}

/* A trigger that ended at its screen had to pass that one; the others, the adjusted test. */
static double find_detectable(const struct ifr_audit_row *row, size_t tested) {
	enum { RUNS_LEAST = 2, TESTS = 2 };
	static const double power = 0.8;
	const size_t runs = row->runs > RUNS_LEAST ? (size_t)row->runs : RUNS_LEAST;
	const double looks = has_two_looks(row->analysis, row) ? 2 : 1;
	const double level =
		(row->full ? IFR_REPORT_LEVEL / (double)tested : IFR_AUDIT_SCREEN_LEVEL) / (looks * TESTS);
	if (!row->step)
		return row->noise_pct * ifr_f_detectable(power, row->layouts, runs, level);
	return row->noise_pct * sqrt(ifr_median_variance(runs)) *
	       ifr_t_detectable(power, (double)(row->layouts * (runs - 1)), level / (double)row->layouts);
}

/* One that was not made counts among the hypotheses: which ones time had room for is no reason to claim more. */
static void adjust_replications(struct ifr_audit_row *rows, size_t count) {
	double *p = ifr_alloc((count + 1) * sizeof *p);
	for (size_t i = 0; i < count; i++) {
		const struct ifr_audit_replication *replication = &rows[i].replication;
		p[i] = !replication->wanted ? NAN : replication->made ? replication->p : 1;
	}
	ifr_p_adjust_holm(p, count);
	for (size_t i = 0; i < count; i++) {
		struct ifr_audit_replication *replication = &rows[i].replication;
		replication->p_adjusted = replication->wanted ? p[i] : 1;
		if (replication->wanted)
			rows[i].found = replication->made && replication->p_adjusted < IFR_REPORT_LEVEL;
	}
	free(p);
}

void ifr_audit_adjust(struct ifr_audit_row *rows, size_t count) {
	double *p = ifr_alloc((count + 1) * sizeof *p);
	size_t tested = 0;
	for (size_t i = 0; i < count; i++) {
		p[i] = rows[i].tested ? rows[i].p : NAN;
		tested += rows[i].tested;
	}
	ifr_p_adjust_holm(p, count);
	for (size_t i = 0; i < count; i++) {
		struct ifr_audit_row *row = &rows[i];
		row->p_adjusted = row->tested ? p[i] : 1;
		row->found = row->tested && row->full && row->p_adjusted < IFR_REPORT_LEVEL;
	}
	adjust_replications(rows, count);
	for (size_t i = 0; i < count; i++) {
		struct ifr_audit_row *row = &rows[i];
		/* Of layouts that ran once, the noise is that of twins, and the test has no power that is known. */
		const bool known = row->tested && row->has_noise && row->layouts > 1 && row->runs > 1.5;
		row->detectable_pct = known && !row->found ? find_detectable(row, tested) : 0;
	}
	free(p);
}
