/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The effect of copies of one file, on a scale relative to the layouts' medians.
 *
 * A layout's runs are divided: those on a copy with a twin make pairs, in which only the run differs; of every other copy
 * the first run joins the layout's group, in which both copy and run differ. */
#include <math.h>
#include <stdlib.h>

#include "harness/analysis/steps.h"

static const double far_out = 5; /* robust standard deviations */

struct samples {
	double *values;           /* of all groups, one behind the other */
	struct ifr_group *groups; /* [layouts] */
	double (*twins)[2];
	size_t value_count, group_count, pairs;
};

/* The runs of one copy: by_variant[from … to - 1], as a copy's runs follow one another. */
struct copy_runs {
	size_t from, to;
};

/* The copy behind another of the same variant; false where there is none. */
static bool next_copy(const struct ifr_analysis *analysis, size_t variant, struct copy_runs *copy) {
	const struct ifr_dataset_run *runs = analysis->dataset->runs;
	const size_t *order = analysis->by_variant, end = analysis->first[variant + 1];
	copy->from = copy->to;
	while (copy->to < end && runs[order[copy->to]].copy == runs[order[copy->from]].copy)
		copy->to++;
	return copy->from < copy->to;
}

/* A run that counts: the first one, in any pass or in a given one, or its twin. Returns run_count without one. */
static size_t find_run(const struct ifr_analysis *analysis, const struct copy_runs *copy, int pass, bool twin) {
	for (size_t i = copy->from; i < copy->to; i++) {
		const struct ifr_dataset_run *run = &analysis->dataset->runs[analysis->by_variant[i]];
		if (run->twin == twin && (pass < 0 || run->pass == (unsigned)pass) &&
		    isfinite(analysis->winsorised[analysis->by_variant[i]]))
			return analysis->by_variant[i];
	}
	return analysis->dataset->run_count;
}

/* Makes pairs of a copy's twins and their siblings. Returns whether there is a twin that counts. */
static bool take_twins(const struct ifr_analysis *analysis, const struct copy_runs *copy, double median,
                       struct samples *s) {
	bool found = false;
	for (size_t i = copy->from; i < copy->to; i++) {
		const size_t twin = analysis->by_variant[i];
		if (!analysis->dataset->runs[twin].twin || !isfinite(analysis->winsorised[twin]))
			continue;
		found = true;
		const size_t sibling = find_run(analysis, copy, (int)analysis->dataset->runs[twin].pass, false);
		if (sibling == analysis->dataset->run_count)
			continue;
		s->twins[s->pairs][0] = analysis->winsorised[sibling] / median;
		s->twins[s->pairs++][1] = analysis->winsorised[twin] / median;
	}
	return found;
}

/* Divides a layout's runs. */
static void take_layout(const struct ifr_analysis *analysis, const struct ifr_layout *layout, struct samples *s) {
	const size_t variant = (size_t)(layout->variant - analysis->dataset->variants);
	struct ifr_group *group = &s->groups[s->group_count++];
	struct copy_runs copy = {.to = analysis->first[variant]};
	*group = (struct ifr_group){s->values + s->value_count, 0};
	while (next_copy(analysis, variant, &copy)) {
		const size_t run = find_run(analysis, &copy, -1, false);
		if (take_twins(analysis, &copy, layout->median, s) || run == analysis->dataset->run_count)
			continue;
		s->values[s->value_count++] = analysis->winsorised[run] / layout->median;
		group->count++;
	}
}

static void estimate_variance(struct ifr_analysis *analysis) {
	const size_t runs = analysis->dataset->run_count;
	struct samples s = {.values = ifr_alloc((runs + 1) * sizeof *s.values),
	                    .groups = ifr_alloc((analysis->layout_count + 1) * sizeof *s.groups),
	                    .twins = ifr_alloc((runs + 1) * sizeof *s.twins)};
	for (size_t i = 0; i < analysis->layout_count; i++)
		take_layout(analysis, &analysis->layouts[i], &s);
	analysis->copies.known =
		!ifr_copies_estimate(s.groups, s.group_count, (const double(*)[2])s.twins, s.pairs, IFR_REPORT_CONFIDENCE,
	                         &analysis->copies.effect, &analysis->copies.why_not);
	free(s.values);
	free(s.groups);
	free(s.twins);
}

/* --- copies far out ------------------------------------------------------------------------------------------- */

/* The copies of a layout: the first run of each, not winsorised. Returns their number; values and runs: [runs]. */
static size_t list_copies(const struct ifr_analysis *analysis, const struct ifr_layout *layout, double *values,
                          size_t *runs) {
	const size_t variant = (size_t)(layout->variant - analysis->dataset->variants);
	struct copy_runs copy = {.to = analysis->first[variant]};
	size_t count = 0;
	while (next_copy(analysis, variant, &copy)) {
		const size_t run = find_run(analysis, &copy, -1, false);
		if (run == analysis->dataset->run_count)
			continue;
		values[count] = analysis->detrended[run] / layout->median;
		runs[count++] = run;
	}
	return count;
}

/* The pooled robust standard deviation of copies in their layouts. */
static double pool_deviation(const struct ifr_analysis *analysis, double *values, size_t *runs) {
	double *residuals = ifr_alloc((analysis->dataset->run_count + 1) * sizeof *residuals), sd = 0;
	size_t pooled = 0, known = 0;
	double variance = 0;
	for (size_t i = 0; i < analysis->layout_count; i++) {
		size_t count = list_copies(analysis, &analysis->layouts[i], values, runs);
		if (count != known)
			variance = ifr_median_variance(known = count);
		if (count >= 3)
			pooled += ifr_residuals_standardise(values, count, variance, residuals + pooled);
	}
	for (size_t i = 0; i < pooled; i++)
		residuals[i] = fabs(residuals[i]);
	ifr_sample_median(residuals, pooled, &sd, NULL);
	free(residuals);
	return IFR_SD_PER_MAD * sd;
}

/* The deviation of a copy from the median of the layout's other copies, relative to that median. */
static double deviate(double *values, size_t count, size_t copy) {
	double own = values[copy], median;
	values[copy] = values[count - 1];
	ifr_sample_median(values, count - 1, &median, NULL);
	values[copy] = own;
	return own / median - 1;
}

static void find_far_copies(struct ifr_analysis *analysis) {
	struct ifr_copy_findings *found = &analysis->copies;
	double *values = ifr_alloc((analysis->dataset->run_count + 1) * sizeof *values);
	size_t *runs = ifr_alloc((analysis->dataset->run_count + 1) * sizeof *runs);
	const double sd = pool_deviation(analysis, values, runs);
	for (size_t i = 0; i < analysis->layout_count; i++) {
		size_t count = list_copies(analysis, &analysis->layouts[i], values, runs);
		found->count += count;
		for (size_t j = 0; j < count && count >= 3 && sd > 0; j++) {
			double deviation = deviate(values, count, j);
			if (fabs(deviation) <= far_out * sd)
				continue;
			found->far++;
			if (fabs(deviation) > fabs(found->deviation)) {
				found->deviation = deviation;
				found->farthest = &analysis->layouts[i];
				found->copy = analysis->dataset->runs[runs[j]].copy;
			}
		}
	}
	free(runs);
	free(values);
}

void ifr_copies_find(struct ifr_analysis *analysis) {
	bool several = false;
	for (size_t i = 0; i < analysis->dataset->run_count; i++)
		several |= analysis->dataset->runs[i].copy > 0;
	ifr_fail(&analysis->copies.why_not, IFR_E_USAGE, "all runs of a layout used one file");
	if (!several)
		return;
	/* Ratios need levels above 0; the medians are ascending. */
	if (!(analysis->layouts[0].median > 0)) {
		ifr_fail(&analysis->copies.why_not, IFR_E_USAGE, "a layout's median is not above 0");
		return;
	}
	estimate_variance(analysis);
	find_far_copies(analysis);
}
