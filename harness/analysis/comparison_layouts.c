/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The layouts of a comparison, one by one. */
#include <math.h>
#include <stdlib.h>

#include "common/buffer.h"
#include "harness/analysis/comparison.h"
#include "harness/statistics/statistics.h"

static double median_of_runs(const struct ifr_comparison_side *side, size_t variant, int counter, double *values) {
	const struct ifr_dataset *dataset = side->dataset;
	double median = NAN;
	size_t count = 0;
	for (size_t i = 0; i < dataset->run_count; i++) {
		const struct ifr_dataset_run *run = &dataset->runs[i];
		if (run->variant == variant && !run->refused && !run->twin && !isnan(run->value[counter]))
			values[count++] = run->value[counter];
	}
	return count && !ifr_sample_median(values, count, &median, NULL) ? median : NAN;
}

size_t ifr_comparison_layouts(const struct ifr_comparison *c, struct ifr_comparison_layout **layouts) {
	size_t count = 0;
	for (int side = 0; side < 2; side++)
		for (size_t i = 0; i < c->side[side].dataset->variant_count; i++)
			if (c->side[side].dataset->variants[i].layout >= count)
				count = c->side[side].dataset->variants[i].layout + 1;
	*layouts = ifr_alloc((count + 1) * sizeof **layouts);
	for (size_t i = 0; i < count; i++)
		(*layouts)[i] = (struct ifr_comparison_layout){(unsigned)i, {NAN, NAN}};
	for (int side = 0; side < 2; side++) {
		const struct ifr_dataset *dataset = c->side[side].dataset;
		const int counter = ifr_dataset_counter(dataset, c->metric.name);
		double *values = ifr_alloc((dataset->run_count + 1) * sizeof *values);
		for (size_t i = 0; i < dataset->variant_count && counter >= 0; i++) {
			const struct ifr_dataset_variant *variant = &dataset->variants[i];
			const bool edited = c->edited[side] && !variant->layout;
			if (variant->program == c->side[side].program && !variant->refused && !edited)
				(*layouts)[variant->layout].median[side] = median_of_runs(&c->side[side], i, counter, values);
		}
		free(values);
	}
	return count;
}
