/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <gsl/gsl_cdf.h>
#include <math.h>

#include "common/buffer.h"
#include "harness/design/evidence.h"
#include "harness/statistics/statistics.h"

static char *describe_end(const struct ifr_stopping_rule *rule, const struct ifr_evidence *evidence, double z) {
	unsigned layouts = ifr_stopping_rule_layouts(rule);
	double level = 1 - ifr_stopping_rule_confidence(rule);
	if (z > rule->bound[rule->analysis - 1])
		return ifr_format(
			"Interim analysis %u of %u, %u layouts: %s is significant (p = %.2g, below %.2g, the level "
			"of this analysis; Lan and DeMets 1983).",
			rule->analysis, rule->analyses, layouts, evidence->what, evidence->p, level);
	if (rule->analysis == rule->analyses)
		return ifr_format(
			"Not significant with all %u layouts: %s (p = %.2g; the level after the interim analyses "
			"is %.2g).",
			rule->layouts, evidence->what, evidence->p, level);
	if (!evidence_is_hopeless(rule, z))
		return NULL;
	return ifr_format(
		"Ended at interim analysis %u of %u, %u layouts: %s (p = %.2g) will hardly become significant "
		"with all %u.",
		rule->analysis, rule->analyses, layouts, evidence->what, evidence->p, rule->layouts);
}

static int judge(struct ifr_stopping_rule *rule, const char *experiment, bool *more, char **ended,
                 struct ifr_error *err) {
	struct ifr_evidence evidence = {0};
	if (rule->analyses < 2)
		return 0;
	int result = evidence_read(rule, experiment, &evidence, err);
	if (result)
		return result;
	*ended = describe_end(rule, &evidence, gsl_cdf_ugaussian_Qinv(fmin(fmax(evidence.p, 1e-300), 1) / 2));
	*more = !*ended;
	return 0;
}

void ifr_stop_at_significance(struct ifr_stopping_rule *rule, unsigned analyses, unsigned layouts) {
	ifr_stopping_rule_plan(rule, analyses, layouts);
	rule->judge = judge;
}
