/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The model cannot follow every trigger: allocators, copies of the file, the runtime's stack offset. These are measured
 * without it, where other counters were asked for. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/campaign/audit_state.h"
#include "harness/campaign/model_values.h"
#include "harness/simulate/simulate.h"

static bool is_of_model(const char *word, size_t length) {
	static const char model[] = "model";
	const size_t named = sizeof model - 1;
	return length >= named && !strncmp(word, model, named) && (length == named || word[named] == ':');
}

/* The list without the model's words; the caller frees. "": no other is there. */
static char *list_others(const char *counters, bool *has_model) {
	struct ifr_buffer others = {0};
	*has_model = false;
	for (const char *word = counters; *word;) {
		const size_t length = strcspn(word, ",");
		if (is_of_model(word, length))
			*has_model = true;
		else
			ifr_buffer_printf(&others, "%s%.*s", others.length ? "," : "", (int)length, word);
		word += length + (word[length] == ',');
	}
	ifr_buffer_puts(&others, "");
	return ifr_buffer_detach(&others);
}

static int check_model(const struct ifr_campaign *campaign, const struct ifr_plan *cure, struct ifr_error *err) {
	const struct ifr_sweeps *sweeps = &campaign->generator.sweeps;
	unsigned axes = campaign->generator.axes;
	struct ifr_plan plan;
	ifr_plan_init(&plan);
	for (int i = 0; i < IFR_AXIS_COUNT; i++)
		plan.axis[i].on = axes & 1u << i;
	if (sweeps->count)
		ifr_sweeps_apply(sweeps, ifr_sweeps_layouts(sweeps), &plan);
	int result = ifr_layout_check_runtime(&plan, err);
	if (!result && cure) {
		axes |= ifr_plan_axes(cure);
		result = ifr_layout_check_runtime(cure, err);
	}
	ifr_plan_release(&plan);
	return result ? result : campaign_check_model_axes(axes, err);
}

char *audit_drop_model(const char *counters) {
	bool has_model;
	return list_others(counters, &has_model);
}

char *audit_choose_counters(const struct ifr_campaign *campaign, const struct ifr_plan *cure,
                            struct ifr_error *why_not) {
	bool has_model = false;
	char *others = list_others(campaign->counters, &has_model);
	const bool replaced = has_model && *others && check_model(campaign, cure, why_not);
	if (replaced)
		return others;
	free(others);
	return NULL;
}
