/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/design/evidence.h"

#include "harness/statistics/statistics.h"
#include "harness/store/store.h"

const double evidence_prospect_least = 0.05;

int evidence_read(const struct ifr_stopping_rule *rule, const char *experiment, struct ifr_evidence *evidence,
                  struct ifr_error *err) {
	struct ifr_dataset dataset;
	struct ifr_analysis *report = NULL;
	int result = ifr_experiment_load(experiment, &dataset, err);
	if (result)
		return result;
	result = ifr_analysis_make(&dataset, rule->metric, &report, err);
	if (!result)
		ifr_analysis_weigh(report, evidence);
	ifr_analysis_free(report);
	ifr_dataset_release(&dataset);
	return result;
}

bool evidence_is_hopeless(const struct ifr_stopping_rule *rule, double z) {
	double information = (double)ifr_stopping_rule_layouts(rule) / rule->layouts;
	return ifr_interim_conditional_power(z, information, rule->bound[rule->analyses - 1]) <
	       evidence_prospect_least;
}
