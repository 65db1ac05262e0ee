/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A text that parses as a layout plan prints as a plan that parses to the same values; any other text has an error
 * with a line number. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "common/plan.h"

int ifr_fuzz_one(const unsigned char *data, size_t size);

static void is_in_range(const struct ifr_plan *plan) {
	for (int i = 0; i < IFR_AXIS_COUNT; i++)
		for (int j = 0; j < IFR_AXIS_PARAMETERS && ifr_axes[i].parameter[j].name; j++) {
			assert(plan->axis[i].value[j] >= ifr_axes[i].parameter[j].minimum);
			assert(plan->axis[i].value[j] <= ifr_axes[i].parameter[j].maximum);
		}
}

static void is_printed_back(const struct ifr_plan *plan) {
	struct ifr_plan back;
	struct ifr_buffer text = {0}, again = {0};
	ifr_plan_print(plan, &text);
	assert(!ifr_plan_parse(ifr_buffer_text(&text), text.length, "again", &back, NULL));
	assert(!strcmp(plan->name, back.name) && !strcmp(plan->kit, back.kit));
	assert(ifr_plan_axes(plan) == ifr_plan_axes(&back));
	assert(plan->place_count == back.place_count && plan->room_count == back.room_count);
	assert(plan->last_count == back.last_count && plan->code_start == back.code_start);
	for (int i = 0; i < IFR_AXIS_COUNT; i++) {
		assert(plan->axis[i].seed == back.axis[i].seed);
		assert(!memcmp(plan->axis[i].value, back.axis[i].value, sizeof back.axis[i].value));
		assert(!memcmp(plan->axis[i].given, back.axis[i].given, sizeof back.axis[i].given));
	}
	ifr_plan_print(&back, &again);
	assert(!strcmp(ifr_buffer_text(&text), ifr_buffer_text(&again)));
	ifr_buffer_release(&text);
	ifr_buffer_release(&again);
	ifr_plan_release(&back);
}

int ifr_fuzz_one(const unsigned char *data, size_t size) {
	struct ifr_plan plan;
	struct ifr_error err = {0};
	int result = ifr_plan_parse((const char *)data, size, "fuzz", &plan, &err), line;
	if (!result) {
		/* A plan with a NUL must be refused. */
		assert(!memchr(data, '\0', size));
		is_in_range(&plan);
		is_printed_back(&plan);
		ifr_plan_release(&plan);
		return 0;
	}
	assert(result == -IFR_E_USAGE && err.code == IFR_E_USAGE);
	assert(sscanf(err.message, "fuzz:%d: ", &line) == 1 && line >= 1);
	assert(!strchr(err.message, '\n'));
	return 0;
}
