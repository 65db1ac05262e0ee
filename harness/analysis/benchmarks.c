/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The program's own benchmarks: each analysed as if it were alone, then judged together. The F tests of all are one
 * family: their p-values are adjusted by Holm's method, so that the chance that layout is said to matter for any
 * benchmark where it does not is 5 %. Ref: Holm 1979. */
#include <math.h>
#include <stdlib.h>

#include "harness/analysis/analysis.h"
#include "harness/analysis/steps.h"

static void describe(const struct ifr_analysis *from, struct ifr_benchmark_finding *made) {
	const struct ifr_components *c = &from->components;
	made->known = from->has_components && c->noise_known;
	made->tested = made->known && c->testable;
	made->p = made->tested ? c->p : made->known && c->between_sd > 0 ? 0 : 1;
	made->layouts = from->random_count;
	made->centre = from->centre;
	made->scale = from->scale;
	made->has_shipped = from->shipped != NULL;
	made->shipped_to_centre = from->shipped_to_centre;
	made->range_pct = from->range_pct;
	made->expected_range_pct = from->expected_range_pct;
}

static void adjust(struct ifr_benchmark_finding *findings, size_t count) {
	double *p = ifr_alloc((count + 1) * sizeof *p);
	for (size_t i = 0; i < count; i++)
		p[i] = findings[i].known ? findings[i].p : NAN;
	ifr_p_adjust_holm(p, count);
	for (size_t i = 0; i < count; i++)
		if (findings[i].known)
			findings[i].p = p[i];
	free(p);
	for (size_t i = 0; i < count; i++)
		findings[i].effect = !findings[i].known                 ? IFR_EFFECT_UNKNOWN
		                     : findings[i].p < IFR_REPORT_LEVEL ? IFR_EFFECT_FOUND
		                     : findings[i].tested               ? IFR_EFFECT_NOT_FOUND
		                                                        : IFR_EFFECT_NONE;
}

/* Fills in a finding for each benchmark, of room for all counters; returns their number. */
static size_t find_all(const struct ifr_dataset *dataset, struct ifr_benchmark_finding *findings) {
	size_t count = 0;
	for (size_t i = 0; i < dataset->counter_count; i++) {
		struct ifr_analysis *own;
		struct ifr_benchmark_finding *made = &findings[count];
		if (!ifr_counter_is_figure(&dataset->counters[i]))
			continue;
		*made = (struct ifr_benchmark_finding){.counter = &dataset->counters[i]};
		count++;
		if (!ifr_analysis_make_brief(dataset, i, &own)) {
			describe(own, made);
			ifr_analysis_free(own);
		}
	}
	adjust(findings, count);
	return count;
}

void ifr_benchmarks_find(struct ifr_analysis *analysis) {
	const struct ifr_dataset *dataset = analysis->dataset;
	analysis->benchmarks = ifr_alloc((dataset->counter_count + 1) * sizeof *analysis->benchmarks);
	analysis->benchmark_count = find_all(dataset, analysis->benchmarks);
}

bool ifr_benchmark_is_clearer(const struct ifr_benchmark_finding *a, const struct ifr_benchmark_finding *b) {
	if (a->effect != IFR_EFFECT_FOUND || b->effect != IFR_EFFECT_FOUND)
		return a->effect == IFR_EFFECT_FOUND && b->effect != IFR_EFFECT_FOUND;
	return a->p < b->p || (!(b->p < a->p) && a->expected_range_pct > b->expected_range_pct);
}

int ifr_benchmarks_choose(const struct ifr_dataset *dataset) {
	struct ifr_benchmark_finding *findings = ifr_alloc((dataset->counter_count + 1) * sizeof *findings);
	const size_t count = find_all(dataset, findings);
	size_t best = 0;
	for (size_t i = 1; i < count; i++)
		if (ifr_benchmark_is_clearer(&findings[i], &findings[best]))
			best = i;
	const int chosen = count ? (int)(findings[best].counter - dataset->counters) : -1;
	free(findings);
	return chosen;
}
