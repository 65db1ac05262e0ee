/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/analysis/audit_replication.h"

#include <math.h>
#include <stdlib.h>

#include "harness/analysis/analysis.h"

enum { RANKED_FROM = 8, TESTS = 2, RUNS_LEAST = 2 };
static const double confidence = 0.95;

/* The layouts that both experiments have, by their numbers. */
struct pairs {
	double *first, *second;            /* medians */
	const struct ifr_layout **layouts; /* of the second */
	size_t count;
};

static const struct ifr_layout *find_layout(const struct ifr_analysis *analysis, unsigned number) {
	for (size_t i = 0; i < analysis->layout_count; i++)
		if (analysis->layouts[i].variant->layout == number && analysis->layouts[i].count)
			return &analysis->layouts[i];
	return NULL;
}

static void pair_layouts(const struct ifr_analysis *first, const struct ifr_analysis *second,
                         struct pairs *pairs) {
	const size_t room = first->layout_count + 1;
	*pairs = (struct pairs){.first = ifr_alloc(room * sizeof *pairs->first),
	                        .second = ifr_alloc(room * sizeof *pairs->second),
	                        .layouts = ifr_alloc(room * sizeof(struct ifr_layout *))};
	for (size_t i = 0; i < first->layout_count; i++) {
		const struct ifr_layout *layout = &first->layouts[i];
		const struct ifr_layout *other =
			layout->variant->layout && layout->count ? find_layout(second, layout->variant->layout) : NULL;
		if (!other)
			continue;
		pairs->first[pairs->count] = layout->median;
		pairs->second[pairs->count] = other->median;
		pairs->layouts[pairs->count++] = other;
	}
}

static void release_pairs(struct pairs *pairs) {
	free(pairs->first);
	free(pairs->second);
	free(pairs->layouts);
}

static double find_median(const double *values, size_t count) {
	double median = NAN;
	ifr_sample_median(values, count, &median, NULL);
	return median;
}

/* The layout that was farthest from the median in the first experiment. */
static size_t find_farthest(const struct pairs *pairs) {
	const double centre = find_median(pairs->first, pairs->count);
	size_t farthest = 0;
	for (size_t i = 1; i < pairs->count; i++)
		if (fabs(pairs->first[i] - centre) > fabs(pairs->first[farthest] - centre))
			farthest = i;
	return farthest;
}

/* The runs of the second experiment as blocks of a repetition each, those of layout `of` first. The caller frees. */
static double *list_blocks(const struct ifr_analysis *second, const struct pairs *pairs, size_t of,
                           size_t repetitions) {
	double *blocks = ifr_alloc((pairs->count * repetitions + 1) * sizeof *blocks);
	for (size_t i = 0; i < pairs->count * repetitions; i++)
		blocks[i] = NAN;
	for (size_t i = 0; i < pairs->count; i++) {
		const size_t variant = (size_t)(pairs->layouts[i]->variant - second->dataset->variants),
					 column = i == of  ? 0
		                      : i < of ? i + 1
		                               : i;
		for (size_t k = second->first[variant]; k < second->first[variant + 1]; k++) {
			const struct ifr_dataset_run *run = &second->dataset->runs[second->by_variant[k]];
			if (!run->twin && run->repetition < repetitions)
				blocks[run->repetition * pairs->count + column] = second->detrended[second->by_variant[k]];
		}
	}
	return blocks;
}

static size_t count_repetitions(const struct ifr_analysis *second) {
	size_t repetitions = 0;
	for (size_t i = 0; i < second->dataset->run_count; i++) {
		const unsigned repetition = second->dataset->runs[i].repetition;
		if (repetition < second->held_out && repetition >= repetitions)
			repetitions = repetition + 1;
	}
	return repetitions;
}

/* p of the farthest layout's runs among those of all others; 1 where it is on the other side of them now. */
static double test_farthest(const struct ifr_analysis *second, const struct pairs *pairs) {
	const size_t of = find_farthest(pairs), repetitions = count_repetitions(second);
	const double then = pairs->first[of] - find_median(pairs->first, pairs->count),
				 now = pairs->second[of] - find_median(pairs->second, pairs->count);
	double p = 1;
	if (then * now <= 0)
		return 1;
	double *blocks = list_blocks(second, pairs, of, repetitions);
	if (ifr_rank_blocks_test(blocks, repetitions, pairs->count, &p, NULL))
		p = 1;
	free(blocks);
	return p;
}

static void test_pairs(const struct ifr_analysis *second, const struct pairs *pairs,
                       struct ifr_audit_replication *to) {
	struct ifr_correlation rank = {0};
	to->has_r = !ifr_correlation_spearman(pairs->first, pairs->second, pairs->count, confidence, &rank, NULL);
	to->r = to->has_r ? rank.r : 0;
	const double alike = !to->has_r ? 1 : rank.r > 0 ? rank.p / 2 : 1 - rank.p / 2;
	to->p = fmin(1, TESTS * fmin(alike, test_farthest(second, pairs)));
}

void ifr_audit_replicate(struct ifr_audit_row *row, const struct ifr_analysis *second, bool same_layouts) {
	struct ifr_audit_replication *to = &row->replication;
	struct ifr_audit_row again = {.trigger = row->trigger};
	struct pairs pairs;
	ifr_audit_row_make(second, &again);
	pair_layouts(row->analysis, second, &pairs);
	to->layouts = pairs.count;
	to->runs = again.runs;
	to->made = to->runs >= RUNS_LEAST && 2 * pairs.count > row->layouts;
	if (!to->made)
		ifr_fail(&to->why_not, IFR_E_USAGE,
		         "time ended before its layouts had two runs each; the same command goes on");
	else if (same_layouts && pairs.count >= RANKED_FROM)
		test_pairs(second, &pairs, to);
	else
		to->p = again.tested ? again.p : 1;
	release_pairs(&pairs);
	ifr_audit_row_release(&again);
}
