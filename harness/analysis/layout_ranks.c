/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The runs of random and swept layouts, as blocks of a repetition each. */
#include <math.h>
#include <stdlib.h>

#include "harness/analysis/analysis.h"
#include "harness/analysis/steps.h"

struct blocks {
	double *values;
	unsigned *layout, *repetition;
	size_t count;
	unsigned repetitions;
};

/* The runs behind a layout's values: without twins and those of a second look. */
static void collect(const struct ifr_analysis *analysis, const struct ifr_layout *layout, unsigned index,
                    struct blocks *blocks) {
	const size_t variant = (size_t)(layout->variant - analysis->dataset->variants);
	for (size_t i = analysis->first[variant]; i < analysis->first[variant + 1]; i++) {
		const struct ifr_dataset_run *run = &analysis->dataset->runs[analysis->by_variant[i]];
		const double value = analysis->detrended[analysis->by_variant[i]];
		if (run->twin || run->repetition >= analysis->held_out || !isfinite(value))
			continue;
		blocks->values[blocks->count] = value;
		blocks->layout[blocks->count] = index;
		blocks->repetition[blocks->count++] = run->repetition;
		blocks->repetitions = run->repetition < blocks->repetitions ? blocks->repetitions : run->repetition + 1;
	}
}

bool ifr_layout_ranks_test(const struct ifr_analysis *analysis, double *p) {
	const size_t room = analysis->dataset->run_count + 1;
	struct blocks blocks = {.values = ifr_alloc(room * sizeof *blocks.values),
	                        .layout = ifr_alloc(room * sizeof *blocks.layout),
	                        .repetition = ifr_alloc(room * sizeof *blocks.repetition)};
	for (size_t i = 0; i < analysis->layout_count; i++)
		if (&analysis->layouts[i] != analysis->shipped)
			collect(analysis, &analysis->layouts[i], (unsigned)i, &blocks);
	const bool tested = !ifr_aligned_ranks_test(blocks.values, blocks.layout, blocks.repetition, blocks.count,
	                                            analysis->layout_count, blocks.repetitions, p, NULL);
	free(blocks.values);
	free(blocks.layout);
	free(blocks.repetition);
	return tested;
}
