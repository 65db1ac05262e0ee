/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/design/layout_generator.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "common/random.h"

void ifr_variant_name(unsigned index, char name[IFR_NAME_MAX]) {
	snprintf(name, IFR_NAME_MAX, "v%05u", index);
}

void ifr_layout_generator_plan(const struct ifr_layout_generator *generator, unsigned index,
                               struct ifr_plan *plan) {
	ifr_plan_copy(plan, &generator->parameters);
	for (int i = 0; i < IFR_AXIS_COUNT; i++)
		plan->axis[i].on = false;
	if (generator->kit)
		snprintf(plan->kit, sizeof plan->kit, "%s", generator->kit->key);
	ifr_variant_name(index, plan->name);
	ifr_plan_derive(plan, generator->seed, generator->axes, index);
}

int ifr_variant_write(struct ifr_builder *builder, const struct ifr_plan *plan, const char *folder, bool plan_too,
                      struct ifr_variant *variant, struct ifr_error *err) {
	char *path = ifr_format("%s/%s", folder, plan->name), *plan_path = ifr_format("%s.plan", path);
	struct ifr_buffer text = {0};
	ifr_plan_print(plan, &text);
	int result = ifr_builder_make(builder, plan, path, variant, err);
	if (!result && plan_too)
		result = ifr_file_write(plan_path, ifr_buffer_text(&text), text.length, 0644, err);
	ifr_buffer_release(&text);
	free(plan_path);
	free(path);
	return result;
}

uint64_t ifr_plan_stack_bytes(const struct ifr_plan *plan) {
	const struct ifr_axis_setting *stack = &plan->axis[IFR_AXIS_STACK];
	if (!stack->on)
		return 0;
	return ifr_random_below(ifr_random_keyed(stack->seed, "stack", "environment"), (uint64_t)stack->value[0] + 1);
}

uint64_t ifr_plan_load_pages(const struct ifr_plan *plan) {
	const struct ifr_axis_setting *load = &plan->axis[IFR_AXIS_LOAD];
	if (!load->on)
		return 0;
	return 1 + ifr_random_below(ifr_random_keyed(load->seed, "load", "mappings"), (uint64_t)load->value[0]);
}
