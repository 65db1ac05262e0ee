/* SPDX-License-Identifier: GPL-3.0-or-later */
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
	const struct ifr_comparison_side old = {&dataset, 0, "old"}, new = {&dataset, 1, "new"};
	result = ifr_comparison_make(&old, &new, rule->metric, &rules, comparison, err);
	ifr_dataset_release(&dataset);
	return result;
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
	bool hopeless = evidence_is_hopeless(rule, comparison.z);
	*more = !changed && !hopeless;
	if (hopeless && !changed)
		*ended = ifr_format("Ended at interim analysis %u of %u: a change would hardly show with all %u layouts.",
		                    rule->analysis, rule->analyses, rule->layouts);
	return 0;
}

void ifr_stop_at_change(struct ifr_stopping_rule *rule, unsigned analyses, unsigned layouts,
                        const struct ifr_comparison_rules *rules) {
	ifr_stopping_rule_plan(rule, analyses, layouts);
	rule->judge = judge;
	rule->rules = rules;
}
