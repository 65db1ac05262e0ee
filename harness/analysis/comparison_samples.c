/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/analysis/comparison_samples.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/statistics/statistics.h"

/* Standard error of a median in standard errors of a mean, and the distance of two medians that is beyond
 * doubt. */
static const double median_se = 1.2533, beyond_doubt = 5;

static int collect_side(struct ifr_comparison *c, unsigned side, int counter, unsigned layouts,
                        struct comparison_samples *samples, struct ifr_error *err) {
	const struct ifr_comparison_side *from = &c->side[side];
	const struct ifr_dataset *dataset = from->dataset;
	for (size_t i = 0; i < dataset->variant_count; i++)
		c->refused_layouts += dataset->variants[i].program == from->program && dataset->variants[i].refused;
	for (size_t i = 0; i < dataset->run_count; i++) {
		const struct ifr_dataset_run *run = &dataset->runs[i];
		if (run->variant >= dataset->variant_count)
			return ifr_fail(err, IFR_E_ENVIRONMENT, "the experiment is damaged: run %zu has no variant", i);
		const struct ifr_dataset_variant *variant = &dataset->variants[run->variant];
		double value = run->value[counter];
		if (variant->program != from->program || variant->refused || (layouts && variant->layout > layouts))
			continue;
		c->refused_runs += run->refused != NULL;
		if (run->refused || isnan(value))
			continue;
		if (!(value > 0) || isinf(value))
			return ifr_fail(err, IFR_E_USAGE,
			                "%s is %g in a run of %s: a ratio needs values above 0; compare by another "
			                "--metric",
			                c->metric.name, value, from->name);
		unsigned index = variant->layout;
		samples->items[samples->count++] =
			(struct comparison_sample){run->started_ns, samples->count, side, index, log(value), log(value)};
		samples->indices = index + 1 > samples->indices ? index + 1 : samples->indices;
		c->runs[side]++;
	}
	return 0;
}

static int by_time(const void *a, const void *b) {
	const struct comparison_sample *x = a, *y = b;
	if (x->side != y->side)
		return x->side < y->side ? -1 : 1;
	if (x->started_ns != y->started_ns)
		return x->started_ns < y->started_ns ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

static int by_time_alone(const void *a, const void *b) {
	const struct comparison_sample *x = a, *y = b;
	if (x->started_ns != y->started_ns)
		return x->started_ns < y->started_ns ? -1 : 1;
	return by_time(a, b);
}

/* Robust centre and standard deviation of a side's runs. */
static void describe_side(const struct comparison_sample *items, size_t count, unsigned side, double *centre,
                          double *sd) {
	double *logs = ifr_alloc((count + 1) * sizeof *logs);
	size_t n = 0;
	for (size_t i = 0; i < count; i++)
		if (items[i].side == side)
			logs[n++] = items[i].log;
	*centre = *sd = 0;
	ifr_sample_median(logs, n, centre, NULL);
	for (size_t i = 0; i < n; i++)
		logs[i] = fabs(logs[i] - *centre);
	ifr_sample_median(logs, n, sd, NULL);
	*sd *= 1.4826;
	free(logs);
}

/* The levels that disturbances are measured from. Two programs may differ in level, which is not the machine's,
 * but sides get levels of their own only beyond doubt: by chance their medians always differ, removing that
 * difference moves all layouts of a side together, and 6.2 in 100 comparisons of equal programs then found a
 * change instead of 5. */
static void find_levels(const struct comparison_sample *items, size_t count, unsigned indices, double centre[2]) {
	double sd[2];
	for (unsigned side = 0; side < 2; side++)
		describe_side(items, count, side, &centre[side], &sd[side]);
	double se = median_se * hypot(sd[0], sd[1]) / sqrt((double)indices);
	if (fabs(centre[1] - centre[0]) <= beyond_doubt * se)
		centre[0] = centre[1] = (centre[0] + centre[1]) / 2;
}

/* items: in the order of time. Changes nothing where two runs started at the same time. */
static void detrend_samples(struct ifr_comparison *c, struct comparison_sample *items, size_t count,
                            unsigned indices) {
	for (size_t i = 1; i < count; i++)
		if (items[i].started_ns == items[i - 1].started_ns)
			return;
	double medians[2], *values = ifr_alloc(3 * (count + 1) * sizeof *values);
	unsigned *group = ifr_alloc((count + 1) * sizeof *group);
	struct ifr_series series = {values, group, count, 2 * (size_t)indices};
	struct ifr_disturbances bursts;
	find_levels(items, count, indices, medians);
	for (size_t i = 0; i < count; i++) {
		values[i] = items[i].log - medians[items[i].side];
		group[i] = 2 * items[i].index + items[i].side;
	}
	if (!ifr_series_detrend(&series, values + count, values + 2 * count, &bursts, NULL) && bursts.found) {
		c->disturbed = true;
		c->runs_detrended += bursts.moved;
		for (size_t i = 0; i < count; i++) {
			items[i].detrended = values[count + i] + medians[items[i].side];
			items[i].log = values[2 * count + i] + medians[items[i].side];
		}
	}
	free(group);
	free(values);
}

int comparison_samples_take(struct ifr_comparison *c, const int counter[2], unsigned layouts,
                            struct comparison_samples *samples, struct ifr_error *err) {
	size_t most = c->side[0].dataset->run_count + c->side[1].dataset->run_count;
	*samples = (struct comparison_samples){.items = ifr_alloc((most + 1) * sizeof *samples->items)};
	int result = collect_side(c, 0, counter[0], layouts, samples, err);
	if (!result)
		result = collect_side(c, 1, counter[1], layouts, samples, err);
	if (result)
		return result;
	if (c->interleaved) {
		qsort(samples->items, samples->count, sizeof *samples->items, by_time_alone);
		detrend_samples(c, samples->items, samples->count, samples->indices);
	} else {
		qsort(samples->items, samples->count, sizeof *samples->items, by_time);
		detrend_samples(c, samples->items, c->runs[0], samples->indices);
		detrend_samples(c, samples->items + c->runs[0], c->runs[1], samples->indices);
	}
	return 0;
}

void comparison_means(const struct comparison_samples *samples, unsigned side, double *means, size_t *counts) {
	memset(counts, 0, samples->indices * sizeof *counts);
	memset(means, 0, samples->indices * sizeof *means);
	for (size_t i = 0; i < samples->count; i++)
		if (samples->items[i].side == side) {
			means[samples->items[i].index] += samples->items[i].log;
			counts[samples->items[i].index]++;
		}
	for (unsigned i = 0; i < samples->indices; i++)
		means[i] = counts[i] ? means[i] / (double)counts[i] : NAN;
}
