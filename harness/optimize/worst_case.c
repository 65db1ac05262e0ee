/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/optimize/worst_case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* Whether a run counts, of this kind of processors; NULL: of all. */
static bool is_taken(const struct ifr_dataset *dataset, const struct ifr_dataset_run *run, size_t sides,
                     size_t contexts, const char *processor) {
	const struct ifr_dataset_variant *variant = &dataset->variants[run->variant];
	return !run->refused && !run->simulated && !variant->refused && variant->layout &&
	       variant->layout <= contexts && variant->program < sides &&
	       (!processor || !strcmp(ifr_dataset_processor(dataset, run->node), processor));
}

static void read_cells(const struct ifr_dataset *dataset, int counter, struct context_cells *cells) {
	const size_t sides = cells->sides, contexts = cells->contexts, workload = cells->workload;
	char *processor = cells->processor;
	double *values = ifr_alloc((dataset->run_count + 1) * sizeof *values);
	size_t *cell = ifr_alloc((dataset->run_count + 1) * sizeof *cell), count = 0;
	for (size_t i = 0; i < dataset->run_count; i++) {
		const struct ifr_dataset_run *run = &dataset->runs[i];
		const struct ifr_dataset_variant *variant = &dataset->variants[run->variant];
		if (!is_taken(dataset, run, sides, contexts, processor) || !(run->value[counter] > 0))
			continue;
		cell[count] = variant->program * contexts + variant->layout - 1;
		values[count++] = log(run->value[counter]);
	}
	context_cells_make(values, cell, count, sides, contexts, cells);
	cells->workload = workload;
	cells->processor = processor;
	free(values);
	free(cell);
}

int context_table_add(struct context_table *table, size_t workload, const struct ifr_dataset *dataset,
                      const char *counter, size_t sides, size_t contexts, struct ifr_error *err) {
	const int index = ifr_dataset_counter(dataset, counter);
	struct ifr_strings kinds = {0};
	if (index < 0)
		return ifr_fail(err, IFR_E_USAGE, "the runs did not record \"%s\"", counter);
	for (size_t i = 0; i < dataset->run_count; i++)
		if (is_taken(dataset, &dataset->runs[i], sides, contexts, NULL) &&
		    !ifr_strings_contain(&kinds, ifr_dataset_processor(dataset, dataset->runs[i].node)))
			ifr_strings_add(&kinds, ifr_dataset_processor(dataset, dataset->runs[i].node));
	const size_t count = kinds.count > 1 ? kinds.count : 1;
	struct context_cells *items = ifr_alloc((table->count + count) * sizeof *items);
	if (table->count)
		memcpy(items, table->items, table->count * sizeof *items);
	free(table->items);
	table->items = items;
	for (size_t i = 0; i < count; i++) {
		struct context_cells *cells = &items[table->count++];
		*cells = (struct context_cells){.sides = sides,
		                                .contexts = contexts,
		                                .workload = workload,
		                                .processor = count > 1 ? ifr_strdup(kinds.items[i]) : NULL};
		read_cells(dataset, index, cells);
	}
	ifr_strings_release(&kinds);
	return 0;
}

void context_table_release(struct context_table *table) {
	for (size_t i = 0; i < table->count; i++)
		context_cells_release(&table->items[i]);
	free(table->items);
	*table = (struct context_table){0};
}

void context_cells_release(struct context_cells *cells) {
	free(cells->median);
	free(cells->se);
	free(cells->processor);
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

double context_table_mean_change(const struct context_table *table, size_t workload, size_t from, size_t to) {
	double sum = 0;
	size_t kinds = 0;
	for (size_t i = 0; i < table->count; i++)
		if (table->items[i].workload == workload) {
			sum += context_cells_mean_change(&table->items[i], from, to);
			kinds++;
		}
	return sum / (double)kinds;
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

struct ifr_worst_case worst_case_compare(const struct context_table *table, size_t side) {
	struct ifr_worst_case worst = {.ratio = NAN};
	double value = -INFINITY, low = -INFINITY, high = -INFINITY;
	size_t comparisons = 0;
	for (size_t i = 0; i < table->count; i++) {
		const size_t contexts = count_shared(&table->items[i], 0, side);
		worst.contexts = i && worst.contexts < contexts ? worst.contexts : contexts;
		comparisons += 2 * contexts;
	}
	if (!worst.contexts)
		return worst;
	for (size_t i = 0; i < table->count; i++) {
		const struct context_cells *cells = &table->items[i];
		const struct greatest shipped = find_greatest(cells, 0, side, comparisons),
							  best = find_greatest(cells, side, 0, comparisons);
		worst.processors += cells->workload == table->items[0].workload;
		if (best.value - shipped.value > value) {
			value = best.value - shipped.value;
			worst.workload = cells->workload;
			worst.processor = cells->processor;
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
