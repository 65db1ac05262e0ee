/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The variants' files: made from kits, or taken as they are given. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "harness/campaign/state.h"
#include "harness/build/variant_builder.h"
#include "harness/exec/runtime_settings.h"

static int place_file(const char *file, const char *build_id, const char *path, struct ifr_variant *variant,
                      struct ifr_error *err) {
	if (build_id)
		snprintf(variant->build_id, sizeof variant->build_id, "%s", build_id);
	else if (ifr_build_id_read(file, variant->build_id, NULL))
		*variant->build_id = '\0';
	return ifr_file_copy(file, path, 0755, err);
}

/* Makes the file of a variant, or takes the one that is given. */
static int place_variant(const struct campaign_state *state, struct ifr_builder *builder, unsigned id,
                         const struct ifr_plan *plan, const char *path, struct ifr_variant *variant,
                         struct ifr_error *err) {
	const struct campaign_program *subject = campaign_program_of(state, id);
	unsigned index = campaign_index_of(state, id);
	if (subject->files)
		return place_file(subject->files->items[index - 1], NULL, path, variant, err);
	return index ? ifr_variant_write(builder, plan, state->folder, true, variant, err)
	             : place_file(subject->program, subject->kit->build_id, path, variant, err);
}

/* Whether the file of a variant is there, as the experiment knows it. */
static bool is_made(const struct campaign_state *state, unsigned index, const char *path) {
	char digest[IFR_SHA256_HEX];
	char *known = ifr_experiment_variant_digest(state->experiment, index);
	bool same = known && !ifr_sha256_file(path, digest, NULL, NULL) && !strcmp(known, digest);
	free(known);
	return same;
}

/* Whether any run of a variant is still to be done. */
static bool is_needed(const struct campaign_state *state, unsigned index) {
	if (!campaign_has(state, index) || ifr_experiment_variant_refused(state->experiment, index))
		return false;
	for (unsigned round = 0; round < state->plan->rounds; round++)
		for (unsigned pass = 0; pass < ifr_counters_passes(state->counters); pass++)
			if (!ifr_experiment_has_run(state->experiment, index, round, pass))
				return true;
	return campaign_needs_model(state, index);
}

bool campaign_needs_runs(const struct campaign_state *state) {
	for (unsigned i = 0; i < campaign_ids(state); i++)
		if (is_needed(state, i))
			return true;
	return false;
}

void campaign_plan(const struct campaign_state *state, unsigned id, struct ifr_plan *plan) {
	const struct campaign_program *subject = campaign_program_of(state, id);
	struct ifr_layout_generator generator = state->plan->generator;
	ifr_plan_init(plan);
	if (!subject->files) {
		generator.kit = subject->kit;
		ifr_layout_generator_plan(&generator, campaign_index_of(state, id), plan);
	}
	campaign_variant_name(state, id, plan->name);
}

static int make_variant(struct campaign_state *state, struct ifr_builder *builder, unsigned id,
                        struct ifr_error *err) {
	unsigned index = campaign_index_of(state, id);
	struct ifr_plan plan;
	struct ifr_variant variant = {0};
	struct ifr_buffer text = {0};
	char digest[IFR_SHA256_HEX] = "";
	campaign_plan(state, id, &plan);
	state->stack_bytes[id] = ifr_plan_stack_bytes(&plan);
	state->load_pages[id] = ifr_plan_load_pages(&plan);
	free(state->runtime[id]);
	state->runtime[id] =
		ifr_runtime_settings(&plan, state->plan->generator.axes, ifr_counters_regions(state->counters));
	char *path = ifr_format("%s/%s", state->folder, plan.name), *known = NULL;
	int result = 0;
	if (is_made(state, id, path) || (index && !is_needed(state, id)))
		goto out;
	/* The model alone executes no variant: only the program itself is there, for the reference. */
	if (!index || ifr_counters_passes(state->counters)) {
		result = place_variant(state, builder, id, &plan, path, &variant, err);
		if (!result)
			result = ifr_sha256_file(path, digest, NULL, err);
	}
	if (result)
		goto out;
	known = ifr_experiment_variant_digest(state->experiment, id);
	if (known && strcmp(known, digest))
		result = ifr_fail(
			err, IFR_E_ENVIRONMENT,
			"%s was measured with another %s: the program, its kit or the linker has changed; choose another -o",
			state->plan->file, plan.name);
	if (index && !campaign_program_of(state, id)->files)
		ifr_plan_print(&plan, &text);
	if (plan.axis[IFR_AXIS_STACK].on)
		ifr_buffer_printf(&variant.facts, "stack: %llu bytes of environment\n",
		                  (unsigned long long)state->stack_bytes[id]);
	if (plan.axis[IFR_AXIS_STACK].on && plan.axis[IFR_AXIS_STACK].value[1])
		ifr_buffer_printf(&variant.facts, "stack: %llu bytes above main's frame\n",
		                  (unsigned long long)ifr_plan_main_bytes(&plan));
	if (plan.axis[IFR_AXIS_LOAD].on)
		ifr_buffer_printf(&variant.facts, "load: mappings %llu pages lower\n",
		                  (unsigned long long)state->load_pages[id]);
	if (!result)
		result = ifr_experiment_save_variant(
			state->experiment,
			&(struct ifr_experiment_variant){id, plan.name, ifr_buffer_text(&text), variant.build_id, digest,
		                                     ifr_buffer_text(&variant.facts)},
			err);
out:
	ifr_plan_release(&plan);
	free(known);
	free(path);
	ifr_buffer_release(&text);
	ifr_buffer_release(&variant.facts);
	return result;
}

static int note_base(struct campaign_state *state, unsigned subject, const struct ifr_relinker *relinker,
                     struct ifr_error *err) {
	struct ifr_relinker_info info;
	ifr_relinker_describe(relinker, &info);
	if (info.reproduces)
		return 0;
	char *text = ifr_format("The variants' base layout%s is not the one that ships: %s.",
	                        subject ? " of the second program" : "", info.reason);
	int result = ifr_experiment_warn(state->experiment, text, err);
	free(text);
	return result;
}

/* What can move and what cannot, and why: known once variants were made. */
static int note_units(struct campaign_state *state, unsigned subject, const struct ifr_relinker *relinker,
                      struct ifr_error *err) {
	struct ifr_relinker_info info;
	struct ifr_buffer pins = {0};
	struct ifr_strings lines = {0};
	bool data = state->plan->generator.axes & 1u << IFR_AXIS_DATA;
	ifr_relinker_describe(relinker, &info);
	char *units = ifr_format("%zu of %zu units of code", info.movable, info.units),
		 *all = data ? ifr_format("%s, %zu of %zu of data", units, info.data_movable, info.data_units)
	                 : ifr_strdup(units);
	ifr_relinker_print_pins(relinker, data, &pins);
	ifr_strings_split(&lines, ifr_buffer_text(&pins), "\n");
	ifr_buffer_clear(&pins);
	for (size_t i = 0; i < lines.count; i++)
		ifr_buffer_printf(&pins, "%s%s", i ? "; " : "", lines.items[i]);
	ifr_strings_release(&lines);
	char *movable = campaign_fact_name("movable", subject), *pinned = campaign_fact_name("pinned", subject);
	int result = ifr_experiment_set(state->experiment, movable, all, err);
	if (!result)
		result = ifr_experiment_set(state->experiment, pinned, ifr_buffer_text(&pins), err);
	ifr_buffer_release(&pins);
	free(movable);
	free(pinned);
	free(units);
	free(all);
	return result;
}

/* Making variants may take a third of the time budget; those that are not made by then are left for the next call.
 */
static bool making_takes_too_long(const struct campaign_state *state) {
	int64_t share_ns = state->plan->budget_ns - state->plan->budget_ns / 3;
	return state->plan->budget_ns && campaign_now_ns() > state->deadline_ns - share_ns;
}

static void say(const struct campaign_state *state, const char *text) {
	if (state->plan->say)
		state->plan->say(text);
}

/* How many variants a subject still needs. */
static unsigned count_needed(const struct campaign_state *state, unsigned subject) {
	unsigned needed = 0;
	for (unsigned id = subject + state->subjects; id < campaign_ids(state); id += state->subjects)
		needed += is_needed(state, id);
	return needed;
}

/* Where units are compiled again: what that costs, before it begins, and whether the budget allows it. */
static int weigh(struct campaign_state *state, unsigned subject, struct ifr_builder *builder,
                 struct ifr_error *err) {
	struct ifr_rebuild_trial trial;
	unsigned axes = state->plan->generator.axes, needed = count_needed(state, subject);
	if (!needed || !ifr_axes_recompile(axes))
		return 0;
	char *text = ifr_format("compiling the units of %s once, to see what a variant costs",
	                        ifr_path_base(state->subject[subject].program));
	say(state, text);
	free(text);
	int result = ifr_builder_try(builder, axes, &trial, err);
	if (result)
		return result;
	text = ifr_rebuild_trial_describe(&trial, needed);
	say(state, text);
	free(text);
	if (state->plan->budget_ns && trial.seconds > (double)state->plan->budget_ns / 3e9)
		return ifr_fail(err, IFR_E_USAGE,
		                "the budget is too short: one variant takes %.1f s to compile, and making them may take a "
		                "third of it; give a longer --budget, or leave out frames and globals",
		                trial.seconds);
	return 0;
}

static int note_left(struct campaign_state *state, const struct ifr_builder *builder, struct ifr_error *err) {
	struct ifr_buffer text = {0};
	struct ifr_strings lines = {0};
	int result = 0;
	ifr_builder_print_unbuildable(builder, state->plan->generator.axes, &text);
	ifr_strings_split(&lines, ifr_buffer_text(&text), "\n");
	for (size_t i = 0; i < lines.count && !result; i++) {
		char *line = ifr_format("%s.", lines.items[i]);
		result = ifr_experiment_warn(state->experiment, line, err);
		free(line);
	}
	ifr_strings_release(&lines);
	ifr_buffer_release(&text);
	return result;
}

static int open_workshops(struct campaign_state *state, struct ifr_builder **builders, struct ifr_error *err) {
	int result = 0;
	for (unsigned i = 0; i < state->subjects && !result; i++) {
		if (state->subject[i].files)
			continue;
		result = ifr_builder_open(state->subject[i].kit, &builders[i], err);
		if (!result)
			result = ifr_builder_check(builders[i], state->plan->generator.axes, err);
		if (!result)
			result = note_base(state, i, ifr_builder_relinker(builders[i]), err);
		if (!result)
			result = weigh(state, i, builders[i], err);
		if (!result)
			result = note_left(state, builders[i], err);
	}
	return result;
}

int campaign_make_variants(struct campaign_state *state, struct ifr_error *err) {
	struct ifr_builder *builders[SUBJECTS_MOST] = {NULL};
	int result = open_workshops(state, builders, err);
	for (unsigned id = 0; id < campaign_ids(state) && !result; id++) {
		bool whole = id % state->subjects == 0 && id > state->subjects;
		if (ifr_launch_interrupted() || (whole && making_takes_too_long(state)))
			break;
		if (campaign_has(state, id))
			result = make_variant(state, builders[id % state->subjects], id, err);
		state->ready = id + !result;
	}
	for (unsigned i = 0; i < state->subjects && !result; i++)
		if (builders[i])
			result = note_units(state, i, ifr_builder_relinker(builders[i]), err);
	/* The terminal's Ctrl-C ends the linker too: that is no failure of the link. */
	if (ifr_launch_interrupted())
		result = 0;
	for (unsigned i = 0; i < SUBJECTS_MOST; i++)
		if (builders[i])
			ifr_builder_close(builders[i]);
	return result;
}
