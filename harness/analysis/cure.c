/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/analysis/cure.h"

#include <math.h>
#include <stdlib.h>

static const double margin = 0.01;

const char *ifr_cure_effect_name(enum ifr_cure_effect effect) {
	static const char *const names[] = {[IFR_CURE_HELPS] = "helps",
	                                    [IFR_CURE_HARMS] = "does harm",
	                                    [IFR_CURE_DOES_NOTHING] = "does not help",
	                                    [IFR_CURE_OPEN] = "not decided"};
	return names[effect];
}

/* -1: the worst context is less bad with the cure; 1: it is worse; 0: neither is found. */
static int judge_worst(const struct ifr_comparison *c) {
	const struct ifr_interval *interval = &c->spread.worst_interval;
	const double least = c->exact ? margin : 0;
	if (!c->spread.has_worst)
		return 0;
	return interval->high < 1 - least ? -1 : interval->low > 1 + least ? 1 : 0;
}

enum ifr_cure_effect ifr_cure_judge(const struct ifr_comparison *c, bool exhaustive) {
	const bool changed = exhaustive ? fabs(c->ratio - 1) > margin
	                                : c->verdict == IFR_VERDICT_CHANGE || c->verdict == IFR_VERDICT_BOTH;
	const bool same = exhaustive ? !changed : c->verdict == IFR_VERDICT_NO_CHANGE;
	const int worst = judge_worst(c);
	if (changed)
		return c->ratio < 1 ? IFR_CURE_HELPS : IFR_CURE_HARMS;
	if (worst > 0)
		return IFR_CURE_HARMS;
	if (worst < 0 && c->ratio < 1 + margin)
		return IFR_CURE_HELPS;
	return same && !worst ? IFR_CURE_DOES_NOTHING : IFR_CURE_OPEN;
}

int ifr_cure_read(const char *file, const char *metric, size_t cures, struct ifr_cure_result *result,
                  struct ifr_error *err) {
	const struct ifr_comparison_side sides[2] = {{&result->dataset, 0, "without", NULL},
	                                             {&result->dataset, 1, "with", NULL}};
	const struct ifr_comparison_rules rules = {.margin = margin, .family = IFR_CURE_QUESTIONS * cures};
	ifr_dataset_init(&result->dataset);
	int failed = ifr_experiment_load(file, &result->dataset, err);
	if (!failed)
		failed = ifr_comparison_make(&sides[0], &sides[1], metric, &rules, &result->comparison, err);
	if (failed)
		return failed;
	result->exhaustive = result->comparison.exact && !(result->comparison.sampling_error > 0) &&
	                     ifr_dataset_fact(&result->dataset, "sweep");
	result->effect = ifr_cure_judge(&result->comparison, result->exhaustive);
	return 0;
}

bool ifr_cure_find_most(const struct ifr_cure_result *result, const char *counter, double most[2]) {
	struct ifr_comparison by = result->comparison;
	struct ifr_comparison_layout *layouts = NULL;
	const int index = ifr_dataset_find_counter(&result->dataset, counter);
	if (index < 0)
		return false;
	by.metric = result->dataset.counters[index];
	const size_t count = ifr_comparison_layouts(&by, &layouts);
	for (unsigned side = 0; side < 2; side++) {
		most[side] = -INFINITY;
		for (size_t i = 0; i < count; i++)
			if (layouts[i].layout && layouts[i].median[side] > most[side])
				most[side] = layouts[i].median[side];
	}
	free(layouts);
	return isfinite(most[0]) && isfinite(most[1]);
}

void ifr_cure_result_release(struct ifr_cure_result *result) {
	ifr_dataset_release(&result->dataset);
}
