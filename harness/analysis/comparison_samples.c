/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/analysis/comparison_samples.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/analysis/shipped_edit.h"
#include "harness/statistics/statistics.h"

static int collect_side(struct ifr_comparison *c, unsigned side, int counter, unsigned layouts,
                        struct comparison_samples *samples, struct ifr_error *err) {
	const struct ifr_comparison_side *from = &c->side[side];
	const struct ifr_dataset *dataset = from->dataset;
	const bool edited = ifr_shipped_is_edited(dataset, from->program, &c->metric);
	c->edited[side] = edited;
	for (size_t i = 0; i < dataset->variant_count; i++)
		c->refused_layouts += dataset->variants[i].program == from->program && dataset->variants[i].refused;
	for (size_t i = 0; i < dataset->run_count; i++) {
		const struct ifr_dataset_run *run = &dataset->runs[i];
		if (run->variant >= dataset->variant_count)
			return ifr_fail(err, IFR_E_ENVIRONMENT, "the experiment is damaged: run %zu has no variant", i);
		const struct ifr_dataset_variant *variant = &dataset->variants[run->variant];
		double value = run->value[counter];
		if (from->processor && !run->simulated &&
		    strcmp(ifr_dataset_processor(dataset, run->node), from->processor) != 0)
			continue;
		if (run->twin || variant->program != from->program || variant->refused || (edited && !variant->layout) ||
		    (layouts && variant->layout > layouts))
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
		samples->items[samples->count++] = (struct comparison_sample){
			run->started_ns, samples->count, side,      index, run->simulated ? 0 : run->node,
			log(value),      log(value),     log(value)};
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

static bool are_distinct_times(const struct comparison_sample *items, size_t count) {
	for (size_t i = 1; i < count; i++)
		if (items[i].started_ns == items[i - 1].started_ns)
			return false;
	return true;
}

/* Takes serial disturbances off items in the order of time, new ones divided by the ratio meanwhile. Returns what was
 * found. */
static struct ifr_disturbances detrend(struct comparison_sample *items, size_t count, unsigned indices,
                                       double log_ratio, bool known) {
	double *values = ifr_alloc(3 * (count + 1) * sizeof *values);
	unsigned *group = ifr_alloc((count + 1) * sizeof *group);
	const struct ifr_series series = {values, group, count, 2 * (size_t)indices, known};
	struct ifr_disturbances found = {0};
	for (size_t i = 0; i < count; i++) {
		values[i] = items[i].raw - (items[i].side ? log_ratio : 0);
		group[i] = 2 * items[i].index + items[i].side;
	}
	if (!ifr_series_detrend(&series, values + count, values + 2 * count, &found, NULL))
		for (size_t i = 0; i < count; i++) {
			items[i].detrended = values[count + i] + (items[i].side ? log_ratio : 0);
			items[i].log = values[2 * count + i] + (items[i].side ? log_ratio : 0);
		}
	free(group);
	free(values);
	return found;
}

/* The logarithm of the ratio of the medians of all runs. */
static double rough_ratio(const struct comparison_samples *samples) {
	double *logs = ifr_alloc((samples->count + 1) * sizeof *logs), median[2] = {0};
	for (unsigned side = 0; side < 2; side++) {
		size_t n = 0;
		for (size_t i = 0; i < samples->count; i++)
			if (samples->items[i].side == side)
				logs[n++] = samples->items[i].raw;
		ifr_sample_median(logs, n, &median[side], NULL);
	}
	free(logs);
	return median[1] - median[0];
}

static void detrend_side(struct ifr_comparison *c, struct comparison_sample *items, size_t count,
                         unsigned indices) {
	if (!are_distinct_times(items, count))
		return;
	struct ifr_disturbances found = detrend(items, count, indices, 0, false);
	c->disturbed |= found.found;
	c->runs_detrended += found.found ? found.moved : 0;
}

/* --- nodes --- */

/* The mean of a cell (index and side) or node over runs, less the means that are known of the other. */
static void find_means(const struct comparison_samples *samples, const double *other, bool of_nodes, double *means,
                       size_t *counts, size_t room) {
	memset(means, 0, room * sizeof *means);
	memset(counts, 0, room * sizeof *counts);
	for (size_t i = 0; i < samples->count; i++) {
		const struct comparison_sample *item = &samples->items[i];
		const size_t cell = 2 * item->index + item->side, at = of_nodes ? item->node : cell;
		means[at] += item->raw - other[of_nodes ? cell : item->node];
		counts[at]++;
	}
	for (size_t i = 0; i < room; i++)
		means[i] = counts[i] ? means[i] / (double)counts[i] : 0;
}

/* Takes the levels of nodes out of the runs: the fit of cells and nodes by turns, which is least squares. The mean level
 * of all runs is 0. Returns whether there are several nodes. */
static bool level_nodes(struct comparison_samples *samples) {
	enum { TURNS = 30 };
	size_t nodes = 0, room = 2 * (size_t)samples->indices;
	bool several = false;
	for (size_t i = 0; i < samples->count; i++) {
		nodes = samples->items[i].node >= nodes ? samples->items[i].node + 1 : nodes;
		several |= samples->items[i].node != samples->items[0].node;
	}
	if (!several)
		return false;
	room = room > nodes ? room : nodes;
	double *cell = ifr_alloc(room * sizeof *cell), *node = ifr_alloc(room * sizeof *node), mean = 0;
	size_t *counts = ifr_alloc(room * sizeof *counts);
	for (int turn = 0; turn < TURNS; turn++) {
		find_means(samples, node, false, cell, counts, room);
		find_means(samples, cell, true, node, counts, room);
	}
	for (size_t i = 0; i < samples->count; i++)
		mean += node[samples->items[i].node] / (double)samples->count;
	for (size_t i = 0; i < samples->count; i++) {
		struct comparison_sample *item = &samples->items[i];
		item->raw = item->detrended = item->log = item->raw - node[item->node] + mean;
	}
	free(counts);
	free(node);
	free(cell);
	return true;
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
	qsort(samples->items, samples->count, sizeof *samples->items, c->interleaved ? by_time_alone : by_time);
	/* The neighbours in time of a run on one of several nodes are others' runs. */
	if (level_nodes(samples))
		return 0;
	if (!c->interleaved) {
		detrend_side(c, samples->items, c->runs[0], samples->indices);
		detrend_side(c, samples->items + c->runs[0], c->runs[1], samples->indices);
	} else if (are_distinct_times(samples->items, samples->count)) {
		double rough = rough_ratio(samples);
		samples->disturbed = detrend(samples->items, samples->count, samples->indices, rough, false).found;
	}
	c->disturbed |= samples->disturbed;
	return 0;
}

void comparison_samples_detrend(struct ifr_comparison *c, struct comparison_samples *samples, double log_ratio) {
	c->runs_detrended = detrend(samples->items, samples->count, samples->indices, log_ratio, true).moved;
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
