/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The conclusion: how much layout matters, the standing of the shipped layout, and the advice. */
#include <math.h>
#include <stdlib.h>

#include "common/strings.h"
#include "harness/analysis/analysis.h"
#include "harness/analysis/steps.h"

/* Attribution and the check of normality need 8 layouts; a mean's interval holds from 20 on (ifr_mean_layouts_needed). */
enum { LAYOUTS_FEW = 8, LAYOUTS_USUAL = 20, RUNS_USUAL = 5, RUNS_MORE = 2 };
static const double negligible_pct = 1, noisy_pct = 2;

static enum ifr_effect judge_effect(const struct ifr_analysis *analysis) {
	const struct ifr_components *c = &analysis->components;
	if (!analysis->has_components)
		return IFR_EFFECT_UNTESTED;
	if (analysis->exact)
		return c->between_sd > 0 ? IFR_EFFECT_FOUND : IFR_EFFECT_NONE;
	if (!c->noise_known)
		return IFR_EFFECT_UNKNOWN;
	if (!c->testable)
		return c->between_sd > 0 ? IFR_EFFECT_FOUND : IFR_EFFECT_NONE;
	return c->p < IFR_REPORT_LEVEL ? IFR_EFFECT_FOUND : IFR_EFFECT_NOT_FOUND;
}

/* Against the median layout by an interval; where there is none, by the proportion of faster layouts. */
static enum ifr_shipped_standing judge_standing(const struct ifr_analysis *analysis) {
	const struct ifr_contrast *contrast = &analysis->shipped_to_centre;
	const struct ifr_interval *pct = &contrast->interval_pct, *faster = &analysis->faster_share;
	if (!analysis->shipped || !contrast->known)
		return IFR_SHIPPED_UNKNOWN;
	if (contrast->has_interval && pct->confidence < IFR_REPORT_CONFIDENCE_LEAST)
		return IFR_SHIPPED_TYPICAL;
	if (contrast->has_interval)
		return pct->low > 0 ? IFR_SHIPPED_WORSE : pct->high < 0 ? IFR_SHIPPED_BETTER : IFR_SHIPPED_TYPICAL;
	if (!analysis->exact || !analysis->has_faster_share)
		return IFR_SHIPPED_TYPICAL;
	return faster->low > 0.5 ? IFR_SHIPPED_WORSE : faster->high < 0.5 ? IFR_SHIPPED_BETTER : IFR_SHIPPED_TYPICAL;
}

static void measure(const struct ifr_analysis *analysis, struct ifr_conclusion *made) {
	const struct ifr_components *c = &analysis->components;
	const double base = analysis->centre;
	made->has_sd = analysis->has_components && base > 0;
	made->has_noise = made->has_sd && c->noise_known;
	if (made->has_sd) {
		made->sd_pct = 100 * c->between_sd / base;
		made->limit_pct = 100 * c->between_interval.high / base;
	}
	if (made->has_noise)
		made->noise_pct = 100 * sqrt(c->ms_within) / base;
}

/* Where no effect was found: either it is negligible, or noise may hide it. The interval alone does not tell,
 * for it collapses to 0 where layouts happen to differ by less than their noise. */
static enum ifr_advice advise_unfound(const struct ifr_analysis *analysis, const struct ifr_conclusion *made) {
	if (made->has_noise && fmax(made->limit_pct, made->noise_pct / sqrt(analysis->components.n0)) < negligible_pct)
		return IFR_ADVICE_NOTHING;
	return analysis->disturbances.found || made->noise_pct > noisy_pct ? IFR_ADVICE_QUIETER_MACHINE
	                                                                   : IFR_ADVICE_MORE_RUNS;
}

static enum ifr_advice advise_found(const struct ifr_analysis *analysis, const struct ifr_conclusion *made) {
	const struct ifr_contrast *best = &analysis->best.to_shipped;
	const bool process_alone = ifr_analysis_varies_process_alone(analysis);
	if (made->standing != IFR_SHIPPED_WORSE || analysis->axes == 1u << IFR_AXIS_COPIES)
		return IFR_ADVICE_COMPARE_MEANS;
	if (process_alone && !(best->has_interval && best->interval_pct.high < 0))
		return analysis->axes & (analysis->axes - 1) ? IFR_ADVICE_FIND_AXIS : IFR_ADVICE_COMPARE_MEANS;
	return best->has_interval && best->interval_pct.high < 0 ? IFR_ADVICE_BEST_LAYOUT : IFR_ADVICE_FIND_CODE;
}

/* The planned runs of each value of a sweep, where some are still missing; 0 where it was not cut short. */
static size_t count_planned_runs(const struct ifr_analysis *analysis) {
	const char *complete = ifr_dataset_fact(analysis->dataset, "complete"),
			   *planned = ifr_dataset_fact(analysis->dataset, "rounds planned");
	const size_t runs = planned ? strtoul(planned, NULL, 10) : 0;
	const struct ifr_sweep_findings *sweep = analysis->sweep;
	if (!sweep || !complete || !ifr_starts_with(complete, "no: "))
		return 0;
	for (unsigned i = 0; i < sweep->layouts; i++)
		if (!sweep->cells[i] || (!analysis->exact && sweep->cells[i]->count < runs))
			return runs;
	return 0;
}

static enum ifr_advice advise(const struct ifr_analysis *analysis, struct ifr_conclusion *made) {
	const bool has_spikes = analysis->sweep && analysis->sweep->spike_count;
	if (ifr_work_is_adaptive(analysis->dataset, analysis->metric))
		return IFR_ADVICE_FIX_WORK;
	made->wanted = count_planned_runs(analysis);
	if (made->wanted)
		return IFR_ADVICE_MORE_RUNS;
	if (has_spikes || (made->effect == IFR_EFFECT_FOUND && analysis->sweep))
		return IFR_ADVICE_READ_SWEEP;
	if (made->effect != IFR_EFFECT_UNKNOWN && !analysis->sweep && analysis->random_count < LAYOUTS_FEW) {
		made->wanted = LAYOUTS_USUAL;
		return IFR_ADVICE_MORE_LAYOUTS;
	}
	if (made->effect == IFR_EFFECT_NOT_FOUND && made->most)
		return IFR_ADVICE_OTHER_BENCHMARK;
	switch (made->effect) {
	case IFR_EFFECT_UNTESTED:
	case IFR_EFFECT_UNKNOWN:
		made->wanted = RUNS_USUAL;
		return IFR_ADVICE_MORE_RUNS;
	case IFR_EFFECT_NONE:
		return IFR_ADVICE_NOTHING;
	case IFR_EFFECT_NOT_FOUND:
		made->wanted = RUNS_MORE * analysis->layouts[0].count;
		return advise_unfound(analysis, made);
	case IFR_EFFECT_FOUND:
		return advise_found(analysis, made);
	}
	return IFR_ADVICE_NOTHING;
}

/* Of several benchmarks each is judged with all others in mind: its own F test alone would contradict their table. */
static void judge_benchmarks(const struct ifr_analysis *analysis, struct ifr_conclusion *made) {
	if (analysis->benchmark_count < 2 || !ifr_counter_is_figure(analysis->metric))
		return;
	made->benchmarks = analysis->benchmark_count;
	for (size_t i = 0; i < analysis->benchmark_count; i++) {
		const struct ifr_benchmark_finding *b = &analysis->benchmarks[i];
		if (b->counter == analysis->metric &&
		    (made->effect == IFR_EFFECT_FOUND || made->effect == IFR_EFFECT_NOT_FOUND))
			made->effect = b->effect;
		if (b->effect != IFR_EFFECT_FOUND)
			continue;
		made->affected++;
		if (!made->most || b->expected_range_pct > made->most->expected_range_pct)
			made->most = b;
	}
}

void ifr_conclusion_draw(struct ifr_analysis *analysis) {
	struct ifr_conclusion *made = &analysis->conclusion;
	made->effect = judge_effect(analysis);
	judge_benchmarks(analysis, made);
	made->standing = judge_standing(analysis);
	measure(analysis, made);
	made->advice = advise(analysis, made);
}
