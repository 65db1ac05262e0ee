/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The suspects of a sweep, judged by the runs of the second look alone. */
#include <math.h>
#include <stdlib.h>

#include "harness/analysis/steps.h"

enum { WIDTH = 1 + IFR_SUSPECT_NEIGHBOURS }; /* of a block: a suspect and its neighbours in one repetition */

/* Puts the runs of a layout into a column of the blocks. */
static void fill_column(const struct ifr_analysis *analysis, const struct ifr_spike_plan *plan,
                        const struct ifr_layout *layout, double *column) {
	const size_t variant = (size_t)(layout->variant - analysis->dataset->variants);
	for (size_t i = analysis->first[variant]; i < analysis->first[variant + 1]; i++) {
		const size_t run = analysis->by_variant[i];
		const unsigned repetition = analysis->dataset->runs[run].repetition;
		if (repetition >= plan->from && repetition - plan->from < plan->runs && isfinite(analysis->detrended[run]))
			column[(repetition - plan->from) * WIDTH] = analysis->detrended[run];
	}
}

/* The median of the first values of the blocks, or of all others; NaN without any. */
static double find_median(const double *blocks, size_t count, bool first) {
	double *values = ifr_alloc((count * WIDTH + 1) * sizeof *values), median = NAN;
	size_t found = 0;
	for (size_t i = 0; i < count * WIDTH; i++)
		if ((i % WIDTH == 0) == first && isfinite(blocks[i]))
			values[found++] = blocks[i];
	if (found)
		ifr_sample_median(values, found, &median, NULL);
	free(values);
	return median;
}

static size_t count_blocks(const double *blocks, size_t count) {
	size_t found = 0;
	for (size_t i = 0; i < count; i++)
		found += isfinite(blocks[i * WIDTH]);
	return found;
}

static void test_suspect(const struct ifr_analysis *analysis, const struct ifr_spike_plan *plan,
                         struct ifr_sweep_findings *found, const double *measured, struct ifr_suspect *suspect) {
	size_t neighbours[IFR_SUSPECT_NEIGHBOURS];
	double *blocks = ifr_alloc((plan->runs * WIDTH + 1) * sizeof *blocks);
	const size_t count =
		ifr_spike_plan_neighbours(plan, &found->sweeps, measured, suspect->layout->variant->layout, neighbours);
	for (size_t i = 0; i < (size_t)plan->runs * WIDTH; i++)
		blocks[i] = NAN;
	fill_column(analysis, plan, suspect->layout, blocks);
	for (size_t i = 0; i < count; i++)
		fill_column(analysis, plan, found->cells[neighbours[i]], blocks + 1 + i);
	suspect->tested = !ifr_rank_blocks_test(blocks, plan->runs, WIDTH, &suspect->p, NULL);
	suspect->deviation = find_median(blocks, plan->runs, true) / find_median(blocks, plan->runs, false) - 1;
	const unsigned runs = (unsigned)count_blocks(blocks, plan->runs);
	found->runs_again = runs > found->runs_again ? runs : found->runs_again;
	free(blocks);
}

static void adjust(struct ifr_sweep_findings *found) {
	double p[IFR_SUSPECTS_MAX];
	for (size_t i = 0; i < found->suspect_count; i++)
		p[i] = found->suspects[i].tested ? found->suspects[i].p : 1;
	ifr_p_adjust_holm(p, found->suspect_count);
	for (size_t i = 0; i < found->suspect_count; i++)
		found->suspects[i].p = p[i];
}

void ifr_spike_check_make(const struct ifr_analysis *analysis, struct ifr_sweep_findings *found) {
	struct ifr_spike_plan plan;
	ifr_spike_plan_read(analysis->dataset, &plan);
	if (!plan.runs || analysis->exact)
		return;
	double *measured = ifr_alloc((found->layouts + 1) * sizeof *measured);
	for (unsigned i = 0; i < found->layouts; i++)
		measured[i] = found->cells[i] ? 0 : NAN;
	for (size_t i = 0; i < plan.count; i++) {
		const unsigned layout = plan.suspects[i];
		if (!layout || layout > found->layouts || !found->cells[layout - 1])
			continue;
		struct ifr_suspect *suspect = &found->suspects[found->suspect_count++];
		suspect->layout = found->cells[layout - 1];
		test_suspect(analysis, &plan, found, measured, suspect);
	}
	adjust(found);
	free(measured);
}
