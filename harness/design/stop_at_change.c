/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "common/buffer.h"
#include "harness/design/evidence.h"
#include "harness/store/store.h"

/* Compares the experiment's programs 0 and 1 as far as this analysis goes. */
static int compare(const struct ifr_stopping_rule *rule, const char *experiment, struct ifr_comparison *comparison,
                   struct ifr_error *err) {
	struct ifr_dataset dataset;
	struct ifr_comparison_rules rules = *rule->rules;
	rules.layouts = ifr_stopping_rule_layouts(rule);
	rules.confidence = ifr_stopping_rule_confidence(rule);
	int result = ifr_experiment_load(experiment, &dataset, err);
	if (result)
		return result;
	const struct ifr_comparison_side old = {&dataset, 0, "old", NULL}, new = {&dataset, 1, "new", NULL};
	result = ifr_comparison_make(&old, &new, rule->metric, &rules, comparison, err);
	ifr_dataset_release(&dataset);
	return result;
}

/* Whether the interval lies within the margin, whatever the shipped files do. */
static bool is_same(const struct ifr_comparison *c) {
	return c->interval.low > 1 - c->margin && c->interval.high < 1 + c->margin;
}

/* Whether "no change" is unlikely to be shown by all layouts. */
static bool is_far_from_same(const struct ifr_stopping_rule *rule, const struct ifr_comparison *c) {
	double information = (double)ifr_stopping_rule_layouts(rule) / rule->layouts,
		   se = log(c->interval.high / c->interval.low) / (2 * rule->bound[rule->analysis - 1]);
	return !isfinite(se) ||
	       ifr_interim_equivalence_power(log(c->ratio), se, information, rule->bound[rule->analyses - 1],
	                                     c->margin) < evidence_prospect_least;
}

static int judge(struct ifr_stopping_rule *rule, const char *experiment, bool *more, char **ended,
                 struct ifr_error *err) {
	struct ifr_comparison comparison;
	if (rule->analysis == rule->analyses)
		return 0;
	int result = compare(rule, experiment, &comparison, err);
	if (result)
		return result;
	bool changed = comparison.verdict == IFR_VERDICT_CHANGE || comparison.verdict == IFR_VERDICT_BOTH;
	bool same = is_same(&comparison);
	bool hopeless = evidence_is_hopeless(rule, comparison.z) && is_far_from_same(rule, &comparison);
	*more = !changed && !same && !hopeless;
	if (hopeless && !changed && !same)
		*ended =
			ifr_format("Ended at interim analysis %u of %u: all %u layouts would hardly show a change, nor that "
		               "there is none.",
		               rule->analysis, rule->analyses, rule->layouts);
	return 0;
}

void ifr_stop_at_change(struct ifr_stopping_rule *rule, unsigned analyses, unsigned layouts,
                        const struct ifr_comparison_rules *rules) {
	ifr_stopping_rule_plan(rule, analyses, layouts);
	rule->judge = judge;
	rule->rules = rules;
}
