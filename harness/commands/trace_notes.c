/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/commands/trace_notes.h"

#include <stdlib.h>

#include "harness/commands/commands.h"
#include "harness/simulate/simulate.h"

int trace_notes_check_plans(const struct ifr_trace *trace, const struct ifr_plan *plans, size_t count,
                            struct ifr_error *err) {
	char *variant = ifr_trace_fact(trace, "variant");
	int result = 0;
	for (size_t i = 0; i < count && variant && !result; i++)
		if (ifr_plan_axes(&plans[i]) || plans[i].place_count)
			result = ifr_fail(
				err, IFR_E_USAGE,
				"the trace is of a variant, %.60s: other layouts need a recording of the program itself", variant);
	free(variant);
	return result;
}

void trace_notes_say(const struct ifr_trace *trace, const char *path, const char *done) {
	const char *damage = ifr_trace_damage(trace);
	if (damage)
		ifr_command_note("%s: %s: only the part before the damage is %s", path, damage, done);
	char *moved = ifr_trace_fact(trace, IFR_RECORDING_APPROXIMATE);
	if (moved)
		ifr_command_note(
			"the program's behaviour depends on addresses (record --check): where a layout moves its %s, "
			"counters are approximate",
			moved);
	free(moved);
}

void trace_notes_say_names(const struct ifr_trace *trace) {
	char *changed = ifr_recorded_program_changed(trace);
	if (changed)
		ifr_command_note(
			"%s was built again since it was recorded: its functions and lines are not named; record it "
			"again, or put the old one back",
			changed);
	free(changed);
}
