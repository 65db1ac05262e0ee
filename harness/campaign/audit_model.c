/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The model's events for a trigger that was found by the clock: its layouts are replayed in an experiment of their own,
 * which pairs with the trigger's by the layouts' numbers. */
#include <stdlib.h>
#include <string.h>

#include "harness/campaign/audit_state.h"

char *ifr_audit_model_file(const char *folder, const struct ifr_trigger *trigger) {
	return ifr_format("%s/%s.model", folder, trigger->name);
}

/* Recordings that may serve: the triggers' own, and those of other replays. */
static void list_siblings(const char *folder, struct ifr_strings *files) {
	audit_list_experiments(folder, files);
	for (unsigned i = 0; i < ifr_trigger_count; i++)
		ifr_strings_take(files, ifr_audit_model_file(folder, &ifr_triggers[i]));
}

static unsigned find_last_layout(const struct ifr_dataset *dataset) {
	unsigned last = 0;
	for (size_t i = 0; i < dataset->variant_count; i++)
		last = dataset->variants[i].layout > last ? dataset->variants[i].layout : last;
	return last;
}

/* The layouts of the trigger's experiment: its seed and its sweep make them again. */
static int take_design(const struct ifr_audit_row *row, const struct ifr_trigger *trigger,
                       struct ifr_campaign *campaign, struct ifr_error *err) {
	const struct ifr_dataset *dataset = row->analysis->dataset;
	const char *seed = ifr_dataset_fact(dataset, "seed");
	int result =
		ifr_trigger_design(trigger, seed ? strtoull(seed, NULL, 10) : campaign->generator.seed, 0,
	                       ifr_dataset_fact(dataset, "sweep"), &campaign->generator, &campaign->variants, err);
	campaign->variants = find_last_layout(dataset);
	return result;
}

bool ifr_audit_wants_model(const struct ifr_audit *audit) {
	struct ifr_strings words = {0};
	ifr_strings_split(&words, audit->campaign.counters, ", ");
	const bool wants = ifr_strings_contain(&words, "auto") || ifr_strings_contain(&words, "model");
	ifr_strings_release(&words);
	return wants;
}

/* Behind the reason there is a budget that would suffice, but that of one trigger. */
static int fail_for_time(const char *why, struct ifr_error *err) {
	const int length = (int)strcspn(why, ";");
	return length ? ifr_fail(err, IFR_E_USAGE, "%.*s", length, why)
	              : ifr_fail(err, IFR_E_USAGE, "time ended before its layouts were replayed");
}

int ifr_audit_model(const struct ifr_audit *audit, const struct ifr_audit_row *row, int64_t budget_ns, char **file,
                    struct ifr_error *err) {
	const struct ifr_trigger *trigger = &ifr_triggers[ifr_trigger_find(row->trigger)];
	struct ifr_campaign campaign = audit->campaign;
	struct ifr_campaign_result done = {0};
	struct ifr_strings siblings = {0};
	*file = ifr_audit_model_file(campaign.file, trigger);
	list_siblings(campaign.file, &siblings);
	campaign.file = *file;
	campaign.siblings = &siblings;
	campaign.counters = "clock,model";
	campaign.core = campaign.core ? campaign.core : "none";
	campaign.machine = audit->model_machine;
	campaign.metric = campaign.metrics = campaign.marker = campaign.options = NULL;
	campaign.seed_given = false;
	campaign.one_look = true;
	campaign.budget_ns = budget_ns;
	int result = take_design(row, trigger, &campaign, err);
	char *others = result ? NULL : audit_choose_counters(&campaign, NULL, err);
	campaign.counters = "model";
	if (others)
		result = ifr_fail(err, IFR_E_USAGE, "it cannot follow this trigger");
	if (!result)
		result = ifr_campaign_run(&campaign, &done, err);
	/* A correlation needs some layouts, not all. */
	if (!result && !done.complete && done.runs < IFR_AUDIT_LAYOUTS_LEAST)
		result = fail_for_time(done.model_left_out, err);
	ifr_plan_release(&campaign.generator.parameters);
	ifr_strings_release(&siblings);
	free(others);
	return result;
}
