/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/simulate/recording_context.h"

#include "harness/simulate/heap_objects.h"

void ifr_recording_context(struct ifr_context *context, const struct ifr_strings *more_environment,
                           const struct ifr_plan *plan, uint64_t more_stack_bytes) {
	struct ifr_plan shipped;
	ifr_plan_init(&shipped);
	ifr_context_init(context, more_environment);
	ifr_context_set_plan(context, plan ? plan : &shipped, ifr_object_axes(), false);
	context->stack_bytes += more_stack_bytes;
	ifr_plan_release(&shipped);
}
