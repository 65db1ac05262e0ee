/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The cells of the design, program x layout: how variants are numbered, named and launched. Every other file of the
 * room may call this one. */
#include <string.h>

#include "common/buffer.h"
#include "harness/campaign/cure.h"
#include "harness/campaign/model_values.h"
#include "harness/campaign/state.h"

unsigned campaign_variant_count(const struct campaign_state *state) {
	return (state->plan.variants + 1) * state->plan.program_count;
}

unsigned campaign_variant_id(const struct campaign_state *state, unsigned program, unsigned layout) {
	return layout * state->plan.program_count + program;
}

unsigned campaign_program_of(const struct campaign_state *state, unsigned id) {
	return id % state->plan.program_count;
}

unsigned campaign_layout_of(const struct campaign_state *state, unsigned id) {
	return id / state->plan.program_count;
}

bool campaign_has_variant(const struct campaign_state *state, unsigned id) {
	return campaign_layout_of(state, id) || !state->plan.programs[campaign_program_of(state, id)].files;
}

unsigned campaign_first_variant(const struct campaign_state *state, unsigned program) {
	unsigned shipped = campaign_variant_id(state, program, 0);
	return campaign_has_variant(state, shipped) ? shipped : campaign_variant_id(state, program, 1);
}

void campaign_variant_name(const struct campaign_state *state, unsigned id, char name[IFR_NAME_MAX]) {
	ifr_variant_name(campaign_program_of(state, id), campaign_layout_of(state, id), name);
}

char *campaign_variant_path(const struct campaign_state *state, unsigned id) {
	char name[IFR_NAME_MAX];
	campaign_variant_name(state, id, name);
	return ifr_format("%s/%s", state->folder, name);
}

/* Whether a setting is nothing but values, such as "stack main-bytes=64". */
static bool gives_values_alone(const struct ifr_axis_setting *setting) {
	bool gives = false;
	for (int i = 0; i < IFR_AXIS_VALUES; i++)
		gives |= setting->given[i] >= 0;
	return gives && !setting->only && !setting->except;
}

/* A cure's values on top of a context's setting of the same axis. */
static void set_values(const struct ifr_axis_setting *context, struct ifr_axis_setting *setting) {
	setting->seed = context->seed;
	memcpy(setting->value, context->value, sizeof setting->value);
	for (int i = 0; i < IFR_AXIS_VALUES; i++)
		if (setting->given[i] < 0)
			setting->given[i] = context->given[i];
}

static void adopt_cure(const struct ifr_plan *cure, struct ifr_plan *plan) {
	struct ifr_plan context;
	ifr_plan_copy(&context, plan);
	ifr_plan_adopt(plan, cure);
	for (int i = 0; i < IFR_AXIS_COUNT; i++)
		if (context.axis[i].on && cure->axis[i].on && gives_values_alone(&cure->axis[i]))
			set_values(&context.axis[i], &plan->axis[i]);
	ifr_plan_release(&context);
}

/* Programs differ by a cure alone: the others are as without its axes, unless these belong to the contexts. */
static void apply_cures(const struct campaign_state *state, const struct ifr_plan *own, struct ifr_plan *plan) {
	unsigned cured = 0;
	for (unsigned i = 0; i < state->plan.program_count; i++)
		cured |= state->plan.programs[i].cure ? ifr_plan_axes(state->plan.programs[i].cure) : 0;
	cured &= ~state->plan.context_axes;
	for (int i = 0; i < IFR_AXIS_COUNT; i++)
		plan->axis[i].on = plan->axis[i].on && !(cured & 1u << i);
	if (own)
		adopt_cure(own, plan);
}

void campaign_variant_plan(const struct campaign_state *state, unsigned id, struct ifr_plan *plan) {
	const struct ifr_campaign_program *program = &state->plan.programs[campaign_program_of(state, id)];
	ifr_plan_init(plan);
	if (!program->files || state->plan.files_in_contexts)
		ifr_layout_generator_plan(&state->plan.generator, program->kit ? program->kit->key : NULL,
		                          campaign_layout_of(state, id), plan);
	if (campaign_layout_of(state, id))
		apply_cures(state, program->cure, plan);
	if (campaign_layout_of(state, id))
		ifr_plan_match(plan, &state->match);
	campaign_variant_name(state, id, plan->name);
}

bool campaign_changes_files(const struct campaign_state *state) {
	bool changes = state->plan.generator.axes & ifr_axes_of(IFR_OWNER_RELINKER | IFR_OWNER_PLUGIN);
	for (unsigned i = 0; i < state->plan.program_count; i++)
		changes |= state->plan.programs[i].cure && ifr_cure_makes_file(state->plan.programs[i].cure);
	return changes;
}

void campaign_describe_launch(const struct campaign_state *state, unsigned id, const char *path, unsigned pass,
                              struct ifr_launch *launch) {
	*launch = (struct ifr_launch){
		.program = state->plan.user ? state->plan.user : path,
		.stand_in = state->stands_in ? path : NULL,
		.place = state->plan.driven,
		.argv = state->argv.items,
		.context = &state->contexts[id],
		.stdin_file = state->plan.stdin_file,
		.cpu = state->cpu,
		.keep_aslr = state->plan.keep_aslr,
		.timeout_ns = state->timeout_ns,
		.counters = state->counters,
		.metrics = state->metrics,
		.repeats = ifr_counters_has_repeats(state->counters) ? IFR_REGION_REPEATS : 1,
		.pass = pass,
	};
}

char *campaign_recording_path(const struct campaign_state *state, unsigned program) {
	return program ? ifr_format("%s.%u.trace", state->plan.file, program + 1)
	               : ifr_format("%s.trace", state->plan.file);
}

void campaign_say(const struct campaign_state *state, const char *text) {
	if (state->plan.say)
		state->plan.say(text);
}

bool campaign_needs_model(const struct campaign_state *state, unsigned id) {
	return ifr_counters_has_model(state->counters) && campaign_has_variant(state, id) &&
	       !ifr_experiment_is_simulated(state->experiment, id);
}
