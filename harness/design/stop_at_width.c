/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/buffer.h"
#include "harness/design/evidence.h"

static char *describe_end(const struct ifr_stopping_rule *rule, const struct ifr_evidence *evidence) {
	unsigned layouts = ifr_stopping_rule_layouts(rule);
	if (evidence->has_width && evidence->width <= rule->width && layouts >= evidence->width_needs)
		return ifr_format(
			"Ended with %u of %u layouts: the 95 %% interval of the mean is %.2g %% of it wide, which is "
			"as narrow as asked. Kinds of layouts rarer than one in %u may not have been met; an interval that ends "
			"before it meets them is too narrow.",
			layouts, rule->layouts, 100 * evidence->width, layouts / 3);
	if (rule->analysis < rule->analyses)
		return NULL;
	return evidence->has_width
	           ? ifr_format(
					 "The 95 %% interval of the mean is still %.2g %% of it wide with all %u layouts: wider "
					 "than asked.",
					 100 * evidence->width, rule->layouts)
	           : ifr_format("How well the mean is known cannot be told, so that no width was reached.");
}

static int judge(struct ifr_stopping_rule *rule, const char *experiment, bool *more, char **ended,
                 struct ifr_error *err) {
	struct ifr_evidence evidence = {0};
	int result = evidence_read(rule, experiment, &evidence, err);
	if (result)
		return result;
	*ended = describe_end(rule, &evidence);
	*more = !*ended;
	return 0;
}

void ifr_stop_at_width(struct ifr_stopping_rule *rule, unsigned analyses, unsigned layouts, double width) {
	ifr_stopping_rule_plan(rule, analyses, layouts);
	rule->judge = judge;
	rule->width = width;
}
