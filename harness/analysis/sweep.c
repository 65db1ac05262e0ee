/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/analysis/sweep.h"

#include <math.h>
#include <stdlib.h>

#include "harness/analysis/analysis.h"
#include "harness/analysis/steps.h"

/* A layout stands out beyond so many robust standard deviations of all layouts, and by so much at least, where noise
 * alone is ruled out; weaker counters are left out of figures. */
static const double far = 4, least_share = 0.001, least_r = 0.3;
/* Of the median of a normal sample, in variances of its mean. */
static const double variance_of_median = 1.57;
/* The first runs test all values at a fifth of the level, the second look its suspects at the rest (weighted
 * Bonferroni). */
static const double first_part = 0.2;

void ifr_sweep_find_cells(const struct ifr_analysis *analysis, struct ifr_sweep_findings *found) {
	found->cells = ifr_alloc((found->layouts + 1) * sizeof *found->cells);
	for (size_t i = 0; i < analysis->layout_count; i++) {
		const unsigned layout = analysis->layouts[i].variant->layout;
		if (layout && layout <= found->layouts)
			found->cells[layout - 1] = &analysis->layouts[i];
	}
	for (unsigned i = 0; i < found->layouts; i++)
		found->measured += found->cells[i] != NULL;
}

static void find_side(struct ifr_sweep_findings *found, unsigned which) {
	struct ifr_sweep_side *side = &found->side[which];
	side->sweep = &found->sweeps.items[which];
	side->levels = ifr_sweep_levels(side->sweep);
	side->medians = ifr_alloc(side->levels * sizeof *side->medians);
	size_t *counts = ifr_alloc(side->levels * sizeof *counts);
	for (unsigned i = 0; i < found->layouts; i++)
		if (found->cells[i]) {
			const unsigned level = ifr_sweeps_level(&found->sweeps, which, i + 1);
			side->medians[level] += found->cells[i]->median;
			counts[level]++;
		}
	for (unsigned i = 0; i < side->levels; i++)
		side->medians[i] = counts[i] ? side->medians[i] / (double)counts[i] : NAN;
	free(counts);
}

/* The seed is fixed: a report gives the same p each time. */
static void find_period(struct ifr_sweep_side *side) {
	for (unsigned i = 0; i < side->levels; i++)
		if (isnan(side->medians[i])) {
			ifr_fail(&side->why_not, IFR_E_USAGE, "not every value was measured");
			return;
		}
	side->tested = !ifr_period_find(side->medians, side->levels, 1, &side->period, &side->why_not);
}

/* The robust variance of a median of the cells' runs: half of the cells' runs vary more. */
static double measure_noise(const struct ifr_sweep_findings *found) {
	double *noise = ifr_alloc((found->layouts + 1) * sizeof *noise), typical = 0;
	size_t count = 0;
	for (unsigned i = 0; i < found->layouts; i++) {
		const struct ifr_layout *layout = found->cells[i];
		double mean, sd;
		if (layout && !ifr_sample_moments(layout->winsorised, layout->count, &mean, &sd, NULL))
			noise[count++] = sd * sd * variance_of_median / (double)layout->count;
	}
	if (count)
		ifr_sample_median(noise, count, &typical, NULL);
	free(noise);
	return typical;
}

/* The robust standard deviation of the cells' medians beyond the noise of their runs. */
static double measure_scatter(const struct ifr_sweep_findings *found, double centre) {
	double *off = ifr_alloc((found->layouts + 1) * sizeof *off), scatter = 0;
	size_t count = 0;
	for (unsigned i = 0; i < found->layouts; i++)
		if (found->cells[i])
			off[count++] = fabs(found->cells[i]->median - centre);
	if (count)
		ifr_sample_median(off, count, &scatter, NULL);
	free(off);
	scatter *= IFR_SD_PER_MAD;
	return sqrt(fmax(0, scatter * scatter - measure_noise(found)));
}

/* A layout as a spike, whether it is one or not; p is of the first runs. */
static struct ifr_spike judge_layout(const struct ifr_sweep_findings *found, const struct ifr_layout *layout,
                                     double centre, double p) {
	struct ifr_spike spike = {layout, false, layout->median / centre - 1, p};
	if (found->runs_again)
		spike.p = fmin(1, p / first_part);
	for (size_t i = 0; i < found->suspect_count; i++) {
		const struct ifr_suspect *suspect = &found->suspects[i];
		const double again = fmin(1, suspect->p / (1 - first_part));
		if (suspect->layout == layout && suspect->tested && again < IFR_SWEEP_LEVEL)
			spike = (struct ifr_spike){layout, true, suspect->deviation, again};
	}
	return spike;
}

static void add_spikes(const struct ifr_analysis *analysis, struct ifr_sweep_findings *found, const double *p) {
	const double centre = analysis->centre, scatter = measure_scatter(found, centre);
	found->spikes = ifr_alloc((found->layouts + 1) * sizeof *found->spikes);
	for (unsigned i = 0, tested = 0; i < found->layouts; i++) {
		const struct ifr_layout *layout = found->cells[i];
		if (!layout)
			continue;
		const struct ifr_spike spike = judge_layout(found, layout, centre, p ? p[tested++] : 0);
		const double off = fabs(spike.deviation) * centre;
		if (spike.p < IFR_SWEEP_LEVEL && off > far * scatter && off > least_share * centre)
			found->spikes[found->spike_count++] = spike;
	}
}

static void find_spikes(const struct ifr_analysis *analysis, struct ifr_sweep_findings *found) {
	const double **levels = ifr_alloc((found->layouts + 1) * sizeof *levels);
	size_t *counts = ifr_alloc((found->layouts + 1) * sizeof *counts), count = 0;
	double *p = ifr_alloc((found->layouts + 1) * sizeof *p);
	for (unsigned i = 0; i < found->layouts; i++)
		if (found->cells[i]) {
			levels[count] = found->cells[i]->values;
			counts[count++] = found->cells[i]->count;
		}
	if (!(analysis->centre > 0))
		ifr_fail(&found->no_spikes, IFR_E_USAGE, "the median layout has no value above 0");
	else
		found->spikes_tested = analysis->exact || !ifr_spikes_test(levels, counts, count, 1, p, &found->no_spikes);
	for (size_t i = 0; i < count && found->spikes_tested && !analysis->exact; i++)
		found->least_p = fmin(found->least_p, p[i]);
	if (found->spikes_tested)
		add_spikes(analysis, found, analysis->exact ? NULL : p);
	free(p);
	free(counts);
	free(levels);
}

/* The correlation of a counter with the metric over the cells that have both; medians gets the counter's. */
static double correlate(const struct ifr_analysis *analysis, const struct ifr_sweep_findings *found,
                        size_t counter, double *medians) {
	double *x = ifr_alloc(2 * (found->layouts + 1) * sizeof *x), *y = x + found->layouts + 1;
	struct ifr_correlation r = {0};
	size_t count = 0;
	for (unsigned i = 0; i < found->layouts; i++) {
		const struct ifr_layout *layout = found->cells[i];
		medians[i] = NAN;
		if (!layout ||
		    !ifr_counter_median(analysis, counter, (size_t)(layout->variant - analysis->dataset->variants),
		                        IFR_ALL_REPETITIONS, &medians[i]))
			continue;
		x[count] = medians[i];
		y[count++] = layout->median;
	}
	if (ifr_correlation_pearson(x, y, count, IFR_REPORT_CONFIDENCE, &r, NULL))
		r.r = 0;
	free(x);
	return r.r;
}

static void keep_overlay(struct ifr_sweep_findings *found, const struct ifr_overlay *overlay) {
	size_t at = found->overlay_count;
	while (at > 0 && fabs(found->overlays[at - 1].r) < fabs(overlay->r))
		at--;
	if (at == IFR_SWEEP_OVERLAYS) {
		free(overlay->medians);
		return;
	}
	if (found->overlay_count == IFR_SWEEP_OVERLAYS)
		free(found->overlays[--found->overlay_count].medians);
	for (size_t i = found->overlay_count++; i > at; i--)
		found->overlays[i] = found->overlays[i - 1];
	found->overlays[at] = *overlay;
}

static void find_overlays(const struct ifr_analysis *analysis, struct ifr_sweep_findings *found) {
	const struct ifr_dataset *dataset = analysis->dataset;
	for (size_t i = 0; i < dataset->counter_count; i++) {
		if (i == analysis->metric_index || ifr_counter_is_time(&dataset->counters[i]))
			continue;
		struct ifr_overlay overlay = {.counter = i,
		                              .medians = ifr_alloc((found->layouts + 1) * sizeof *overlay.medians)};
		overlay.r = correlate(analysis, found, i, overlay.medians);
		if (fabs(overlay.r) > least_r)
			keep_overlay(found, &overlay);
		else
			free(overlay.medians);
	}
}

const struct ifr_spike *ifr_sweep_spike_of(const struct ifr_analysis *analysis, const struct ifr_layout *layout) {
	const struct ifr_sweep_findings *found = analysis->sweep;
	for (size_t i = 0; found && i < found->spike_count; i++)
		if (found->spikes[i].layout == layout)
			return &found->spikes[i];
	return NULL;
}

void ifr_sweep_find(struct ifr_analysis *analysis) {
	const char *fact = ifr_dataset_fact(analysis->dataset, "sweep");
	struct ifr_sweeps sweeps;
	if (!fact || ifr_sweeps_parse(&sweeps, fact, NULL) || !sweeps.count)
		return;
	struct ifr_sweep_findings *found = analysis->sweep = ifr_alloc(sizeof *found);
	found->sweeps = sweeps;
	found->least_p = 1;
	found->layouts = ifr_sweeps_layouts(&sweeps);
	ifr_sweep_find_cells(analysis, found);
	for (unsigned i = 0; i < sweeps.count; i++) {
		find_side(found, i);
		find_period(&found->side[i]);
	}
	ifr_spike_check_make(analysis, found);
	find_spikes(analysis, found);
	find_overlays(analysis, found);
}

void ifr_sweep_release(struct ifr_analysis *analysis) {
	struct ifr_sweep_findings *found = analysis->sweep;
	if (!found)
		return;
	for (unsigned i = 0; i < found->sweeps.count; i++)
		free(found->side[i].medians);
	for (size_t i = 0; i < found->overlay_count; i++)
		free(found->overlays[i].medians);
	free(found->spikes);
	free(found->cells);
	free(found);
	analysis->sweep = NULL;
}
