/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/design/stopping_rule.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

#include "harness/statistics/statistics.h"
#include "harness/store/store.h"

static const double level = 0.05;
enum { LAYOUTS_PER_STEP = 4 };

static unsigned layouts_at(const struct ifr_stopping_rule *rule, unsigned analysis) {
	return (unsigned)((uint64_t)rule->layouts * analysis / rule->analyses);
}

void ifr_stopping_rule_plan(struct ifr_stopping_rule *rule, unsigned analyses, unsigned layouts) {
	double information[IFR_INTERIM_MOST];
	unsigned most = layouts / LAYOUTS_PER_STEP;
	assert(analyses <= IFR_INTERIM_MOST);
	*rule = (struct ifr_stopping_rule){
		.layouts = layouts, .analyses = analyses < most ? analyses : most, .analysis = 1};
	if (!rule->analyses)
		rule->analyses = 1;
	for (unsigned i = 0; i < rule->analyses; i++)
		information[i] = layouts ? (double)layouts_at(rule, i + 1) / layouts : 1;
	int failed = ifr_interim_bounds(level, information, rule->analyses, rule->bound, NULL);
	assert(!failed); /* shares of the plan grow up to 1 */
	(void)failed;
}

unsigned ifr_stopping_rule_layouts(const struct ifr_stopping_rule *rule) {
	return layouts_at(rule, rule->analysis);
}

double ifr_stopping_rule_confidence(const struct ifr_stopping_rule *rule) {
	return ifr_interim_confidence(rule->bound[rule->analysis - 1]);
}

/* Tells the user why the experiment ends, and keeps it with the experiment. Takes the text over. */
static int tell_end(const struct ifr_stopping_rule *rule, const char *experiment, char *text,
                    struct ifr_error *err) {
	struct ifr_experiment *opened = NULL;
	if (rule->say)
		rule->say(text);
	int result = ifr_experiment_open(experiment, &opened, err);
	if (!result)
		result = ifr_experiment_warn(opened, text, err);
	ifr_experiment_close(opened);
	free(text);
	return result;
}

int ifr_stopping_rule_judge(struct ifr_stopping_rule *rule, const char *experiment, unsigned *layouts,
                            struct ifr_error *err) {
	bool more = false;
	char *ended = NULL;
	*layouts = 0;
	int result = rule->judge(rule, experiment, &more, &ended, err);
	if (!result && ended)
		result = tell_end(rule, experiment, ended, err);
	if (!result && more && rule->analysis < rule->analyses) {
		rule->analysis++;
		*layouts = ifr_stopping_rule_layouts(rule);
	}
	return result;
}
