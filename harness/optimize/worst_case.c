/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/optimize/worst_case.h"

#include <math.h>
#include <stdlib.h>

#include "harness/statistics/statistics.h"

static const double confidence = 0.95;

/* --- cells ------------------------------------------------------------------------------------------------------- */

/* Fills the median of a cell and its count of values; adds up squares around the cell's mean. */
static void fill_cell(const double *values, size_t count, double *median, double *squares, double *df) {
	double mean, sd;
	*median = NAN;
	if (!count)
		return;
	ifr_sample_median(values, count, median, NULL);
	if (count < 2)
		return;
	ifr_sample_moments(values, count, &mean, &sd, NULL);
	*squares += sd * sd * (double)(count - 1);
	*df += (double)count - 1;
}

/* The standard errors of medians; equal counts share the factor, which takes time to compute. */
static void fill_errors(struct context_cells *cells, const size_t *counts, double run_variance) {
	double factor = NAN;
	for (size_t i = 0; i < cells->sides * cells->contexts; i++) {
		if (!i || counts[i] != counts[i - 1])
			factor = ifr_median_variance(counts[i]);
		cells->se[i] = sqrt(factor * run_variance);
	}
}

void context_cells_make(const double *values, const size_t *cell, size_t count, size_t sides, size_t contexts,
                        struct context_cells *cells) {
	const size_t total = sides * contexts;
	double *own = ifr_alloc((count + 1) * sizeof *own), squares = 0;
	size_t *counts = ifr_alloc((total + 1) * sizeof *counts);
	*cells = (struct context_cells){.sides = sides,
	                                .contexts = contexts,
	                                .median = ifr_alloc((total + 1) * sizeof *cells->median),
	                                .se = ifr_alloc((total + 1) * sizeof *cells->se)};
	for (size_t i = 0; i < total; i++) {
		for (size_t j = 0; j < count; j++)
			if (cell[j] == i)
				own[counts[i]++] = values[j];
		fill_cell(own, counts[i], &cells->median[i], &squares, &cells->df);
	}
	fill_errors(cells, counts, cells->df > 0 ? squares / cells->df : 0);
	free(counts);
	free(own);
}

int context_cells_read(const struct ifr_dataset *dataset, const char *counter, size_t sides, size_t contexts,
                       struct context_cells *cells, struct ifr_error *err) {
	const int index = ifr_dataset_counter(dataset, counter);
	*cells = (struct context_cells){0};
	if (index < 0)
		return ifr_fail(err, IFR_E_USAGE, "the runs did not record \"%s\"", counter);
	double *values = ifr_alloc((dataset->run_count + 1) * sizeof *values);
	size_t *cell = ifr_alloc((dataset->run_count + 1) * sizeof *cell), count = 0;
	for (size_t i = 0; i < dataset->run_count; i++) {
		const struct ifr_dataset_run *run = &dataset->runs[i];
		const struct ifr_dataset_variant *variant = &dataset->variants[run->variant];
		const double value = run->value[index];
		if (run->refused || run->simulated || variant->refused || !(value > 0) || !variant->layout ||
		    variant->layout > contexts || variant->program >= sides)
			continue;
		cell[count] = variant->program * contexts + variant->layout - 1;
		values[count++] = log(value);
	}
	context_cells_make(values, cell, count, sides, contexts, cells);
	free(values);
	free(cell);
	return 0;
}

void context_cells_release(struct context_cells *cells) {
	free(cells->median);
	free(cells->se);
	*cells = (struct context_cells){0};
}

/* Whether both layouts have runs in a context. */
static bool is_shared(const struct context_cells *c, size_t a, size_t b, size_t context) {
	return isfinite(c->median[a * c->contexts + context]) && isfinite(c->median[b * c->contexts + context]);
}

static size_t count_shared(const struct context_cells *c, size_t a, size_t b) {
	size_t count = 0;
	for (size_t k = 0; k < c->contexts; k++)
		count += is_shared(c, a, b, k);
	return count;
}

double context_cells_mean_change(const struct context_cells *c, size_t from, size_t to) {
	double sum = 0;
	for (size_t k = 0; k < c->contexts; k++)
		if (is_shared(c, from, to, k))
			sum += c->median[to * c->contexts + k] - c->median[from * c->contexts + k];
	return sum / (double)count_shared(c, from, to);
}

/* --- the worst case ---------------------------------------------------------------------------------------------- */

/* The greatest median of a side over the contexts that it shares with another, and bounds of it. */
struct greatest {
	double value, low, high;
};

static struct greatest find_greatest(const struct context_cells *c, size_t side, size_t other,
                                     size_t comparisons) {
	struct greatest greatest = {-INFINITY, -INFINITY, -INFINITY};
	for (size_t k = 0; k < c->contexts; k++) {
		const size_t i = side * c->contexts + k;
		struct ifr_interval interval = {-INFINITY, INFINITY, confidence};
		if (!is_shared(c, side, other, k))
			continue;
		if (c->df > 0)
			interval = ifr_t_interval(c->median[i], c->se[i], c->df, confidence, comparisons);
		greatest.value = fmax(greatest.value, c->median[i]);
		greatest.low = fmax(greatest.low, interval.low);
		greatest.high = fmax(greatest.high, interval.high);
	}
	return greatest;
}

struct ifr_worst_case worst_case_compare(const struct context_cells *cells, size_t workloads, size_t side) {
	struct ifr_worst_case worst = {.ratio = NAN};
	double value = -INFINITY, low = -INFINITY, high = -INFINITY;
	size_t comparisons = 0;
	for (size_t w = 0; w < workloads; w++) {
		const size_t contexts = count_shared(&cells[w], 0, side);
		worst.contexts = w && worst.contexts < contexts ? worst.contexts : contexts;
		comparisons += 2 * contexts;
	}
	if (!worst.contexts)
		return worst;
	for (size_t w = 0; w < workloads; w++) {
		const struct greatest shipped = find_greatest(&cells[w], 0, side, comparisons),
							  best = find_greatest(&cells[w], side, 0, comparisons);
		if (best.value - shipped.value > value) {
			value = best.value - shipped.value;
			worst.workload = w;
		}
		low = fmax(low, best.low - shipped.high);
		high = fmax(high, best.high - shipped.low);
	}
	worst.ratio = exp(value);
	worst.interval = (struct ifr_interval){exp(low), exp(high), confidence};
	worst.better = worst.interval.high < 1;
	worst.covered = pow(1 - confidence, 1 / (double)worst.contexts);
	return worst;
}
