/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/design/layout_generator.h"

#include <assert.h>
#include <stdio.h>

void ifr_layout_generator_plan(const struct ifr_layout_generator *generator, const char *kit_key, unsigned layout,
                               struct ifr_plan *plan) {
	ifr_plan_copy(plan, &generator->parameters);
	for (int i = 0; i < IFR_AXIS_COUNT; i++)
		plan->axis[i].on = false;
	if (kit_key)
		snprintf(plan->kit, sizeof plan->kit, "%s", kit_key);
	ifr_variant_name(0, layout, plan->name);
	ifr_plan_derive(plan, generator->seed, generator->axes, layout);
	const unsigned swept = ifr_sweeps_axes(&generator->sweeps);
	ifr_sweeps_set_limits(&generator->sweeps, plan);
	for (int i = 0; i < IFR_AXIS_COUNT && layout; i++)
		if (swept & 1u << i)
			ifr_plan_enable(plan, (enum ifr_axis)i, ifr_plan_seed(generator->seed, (enum ifr_axis)i, 1));
	if (layout && generator->sweeps.count)
		ifr_sweeps_apply(&generator->sweeps, layout, plan);
}

void ifr_variant_name(unsigned program, unsigned layout, char name[IFR_NAME_MAX]) {
	enum { DECIMAL_NAMES = 100000 };
	static const char letters[] = "vwxyzabcdefghijklmnopqrstu", digits[] = "0123456789abcdefghijklmnopqrstuvwxyz";
	_Static_assert(sizeof letters - 1 == IFR_PROGRAMS_MAX, "a letter for each program");
	assert(program < IFR_PROGRAMS_MAX);
	const unsigned rest = layout - DECIMAL_NAMES;
	if (layout < DECIMAL_NAMES)
		snprintf(name, IFR_NAME_MAX, "%c%05u", letters[program], layout);
	else
		snprintf(name, IFR_NAME_MAX, "%c%c%c%c%c%c", letters[program], digits[10 + rest / (36 * 36 * 36 * 36)],
		         digits[rest / (36 * 36 * 36) % 36], digits[rest / (36 * 36) % 36], digits[rest / 36 % 36],
		         digits[rest % 36]);
}
