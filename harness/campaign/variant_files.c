/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The variants' files: made from kits, or taken as they are given. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/file.h"
#include "harness/campaign/budget.h"
#include "harness/campaign/missing_runs.h"
#include "harness/campaign/model_values.h"
#include "harness/campaign/state.h"
#include "relinker/relinker.h"

static int place_file(const char *file, const char *build_id, const char *path, struct ifr_variant *variant,
                      struct ifr_error *err) {
	if (build_id)
		snprintf(variant->build_id, sizeof variant->build_id, "%s", build_id);
	else if (ifr_build_id_read(file, variant->build_id, NULL))
		*variant->build_id = '\0';
	return ifr_file_copy(file, path, 0755, err);
}

/* Copies the program's file, with the plan of its process beside it. */
static int copy_program(const struct ifr_campaign_program *program, const struct ifr_plan *plan, const char *path,
                        struct ifr_variant *variant, struct ifr_error *err) {
	char *plan_path = ifr_format("%s.plan", path);
	struct ifr_buffer text = {0};
	int result = place_file(program->path, program->kit ? program->kit->build_id : NULL, path, variant, err);
	ifr_plan_print(plan, &text);
	if (!result && ifr_plan_axes(plan))
		result = ifr_file_write(plan_path, ifr_buffer_text(&text), text.length, 0644, err);
	ifr_buffer_release(&text);
	free(plan_path);
	return result;
}

/* Whether a layout of the process alone can share the shipped variant's file: its first repetition runs a copy of its
 * own anyway. */
static bool shares_file(const struct campaign_state *state, unsigned id) {
	return campaign_layout_of(state, id) && !campaign_changes_files(state) && !campaign_keeps_file(state, id) &&
	       !state->plan.programs[campaign_program_of(state, id)].files;
}

/* Gives the shipped variant's file a second name, which costs the same for a program of any size. False where that is
 * not possible. */
static bool link_program(const struct campaign_state *state, unsigned id, const struct ifr_plan *plan,
                         const char *path) {
	char *shipped = campaign_variant_path(state, campaign_variant_id(state, campaign_program_of(state, id), 0)),
		 *plan_path = ifr_format("%s.plan", path);
	struct ifr_buffer text = {0};
	ifr_plan_print(plan, &text);
	const bool linked = (!unlink(path) || errno == ENOENT) && !link(shipped, path) &&
	                    !ifr_file_write(plan_path, ifr_buffer_text(&text), text.length, 0644, NULL);
	ifr_buffer_release(&text);
	free(plan_path);
	free(shipped);
	return linked;
}

/* Makes the file of a variant, or copies the file that is given. */
static int place_variant(struct campaign_state *state, struct ifr_builder *builder, unsigned id,
                         const struct ifr_plan *plan, const char *path, struct ifr_variant *variant,
                         struct ifr_error *err) {
	const struct ifr_campaign_program *program = &state->plan.programs[campaign_program_of(state, id)];
	unsigned layout = campaign_layout_of(state, id);
	if (program->files)
		return place_file(program->files->items[layout - 1], NULL, path, variant, err);
	if (shares_file(state, id) && program->kit && link_program(state, id, plan, path)) {
		snprintf(variant->build_id, sizeof variant->build_id, "%s", program->kit->build_id);
		return 0;
	}
	if (!layout || !campaign_changes_files(state))
		return copy_program(program, plan, path, variant, err);
	return ifr_builder_write(builder, plan, state->folder, true, variant, err);
}

/* The digest of a variant's file; that of the shipped one where they share it. */
static int find_digest(const struct campaign_state *state, unsigned id, const char *path,
                       char digest[IFR_SHA256_HEX], struct ifr_error *err) {
	const unsigned shipped = campaign_variant_id(state, campaign_program_of(state, id), 0);
	char *known = shares_file(state, id) ? ifr_experiment_variant_digest(state->experiment, shipped) : NULL;
	if (known)
		snprintf(digest, IFR_SHA256_HEX, "%s", known);
	const int result = known ? 0 : ifr_sha256_file(path, digest, NULL, err);
	free(known);
	return result;
}

/* Whether the file of a variant is there, as the experiment knows it. */
static bool is_made(const struct campaign_state *state, unsigned id, const char *path) {
	char digest[IFR_SHA256_HEX];
	char *known = ifr_experiment_variant_digest(state->experiment, id);
	bool same = known && !ifr_sha256_file(path, digest, NULL, NULL) && !strcmp(known, digest);
	free(known);
	return same;
}

/* Stores a variant that was made, if it is the one that was measured before. */
static int save_variant(struct campaign_state *state, unsigned id, const struct ifr_plan *plan, const char *digest,
                        struct ifr_variant *variant, struct ifr_error *err) {
	unsigned program = campaign_program_of(state, id), layout = campaign_layout_of(state, id);
	struct ifr_buffer text = {0};
	char *known = ifr_experiment_variant_digest(state->experiment, id);
	int result = 0;
	if (known && strcmp(known, digest))
		result = ifr_fail(
			err, IFR_E_ENVIRONMENT,
			"%s was measured with another %s: the program, its kit or the linker has changed; choose another -o, or "
			"replace it with --fresh",
			state->plan.file, plan->name);
	if (layout && !state->plan.programs[program].files)
		ifr_plan_print(plan, &text);
	ifr_context_describe(&state->contexts[id], plan, &variant->facts);
	const struct ifr_experiment_variant saved = {.id = id,
	                                             .program = program,
	                                             .layout = layout,
	                                             .name = plan->name,
	                                             .plan = ifr_buffer_text(&text),
	                                             .build_id = variant->build_id,
	                                             .sha256 = digest,
	                                             .facts = ifr_buffer_text(&variant->facts)};
	if (!result)
		result = ifr_experiment_save_variant(state->experiment, &saved, err);
	free(known);
	ifr_buffer_release(&text);
	return result;
}

/* Makes and stores a variant, unless its file is there. The model alone executes no variant: only the program itself is
 * there then, for the reference. */
static int make_file(struct campaign_state *state, unsigned id, const struct ifr_plan *plan,
                     struct ifr_error *err) {
	struct ifr_variant variant = {0};
	char digest[IFR_SHA256_HEX] = "", *path = campaign_variant_path(state, id);
	const unsigned layout = campaign_layout_of(state, id);
	const int64_t begun_ns = ifr_clock_ns();
	int result = 0;
	if (!is_made(state, id, path)) {
		if (!layout || ifr_counters_passes(state->counters)) {
			result = place_variant(state, state->builders[campaign_program_of(state, id)], id, plan, path,
			                       &variant, err);
			state->copies[id] = ifr_experiment_last_copy(state->experiment, id) + 1;
			if (!result)
				result = find_digest(state, id, path, digest, err);
		}
		if (!result)
			result = save_variant(state, id, plan, digest, &variant, err);
		if (layout)
			state->making = (struct campaign_cost){state->making.spent_ns + ifr_clock_ns() - begun_ns,
			                                       state->making.count + 1};
	}
	free(path);
	ifr_buffer_release(&variant.facts);
	return result;
}

/* The bundle of a campaign on a cluster takes given files from the variants. */
static bool is_wanted(const struct campaign_state *state, unsigned id) {
	return !campaign_layout_of(state, id) || campaign_needs_variant(state, id) ||
	       (state->plan.share.references && state->plan.programs[campaign_program_of(state, id)].files);
}

static int make_variant(struct campaign_state *state, unsigned id, struct ifr_error *err) {
	struct ifr_plan plan;
	if (campaign_layout_of(state, id) && campaign_leaves_to_others(state, id))
		return 0;
	campaign_variant_plan(state, id, &plan);
	ifr_context_release(&state->contexts[id]);
	ifr_context_copy(&state->contexts[id], &state->context);
	ifr_context_set_plan(&state->contexts[id], &plan, state->plan.generator.axes,
	                     ifr_counters_has_regions(state->counters));
	int result = ifr_context_check(&state->contexts[id],
	                               state->plan.user ? state->plan.user : state->plan.programs[0].path, err);
	if (!result)
		result = ifr_directory_check(&state->contexts[id], state->plan.argv, err);
	if (!result && is_wanted(state, id))
		result = make_file(state, id, &plan, err);
	ifr_plan_release(&plan);
	return result;
}

static int note_base(struct campaign_state *state, unsigned program, const struct ifr_relinker *relinker,
                     struct ifr_error *err) {
	struct ifr_relinker_info info;
	ifr_relinker_describe(relinker, &info);
	if (info.reproduces)
		return 0;
	char *of = program ? ifr_format(" of program %u", program + 1) : ifr_strdup("");
	char *text = ifr_format("The variants' base layout%s is not the one that ships: %s.", of, info.reason);
	int result = ifr_experiment_warn(state->experiment, text, err);
	free(text);
	free(of);
	return result;
}

/* Warns in the experiment, and at once, of a program whose shipped file is not what its variants are made from. */
static int note_edit(struct campaign_state *state, unsigned program, const struct ifr_builder *builder,
                     struct ifr_error *err) {
	const char *path = state->plan.programs[program].path;
	const bool checked = state->programs[program].edit_checked;
	state->programs[program].edit_checked = true;
	char *text =
		checked ? NULL : ifr_program_find_edit(path, ifr_builder_kit(builder), ifr_builder_relinker(builder));
	if (!text)
		return 0;
	char *fact = ifr_program_fact_name("edited", program);
	campaign_say(state, text);
	int result = ifr_experiment_warn(state->experiment, text, err);
	if (!result)
		result = ifr_experiment_set(state->experiment, fact, "after its link", err);
	free(fact);
	free(text);
	return result;
}

/* Stores the numbers of movable and pinned units, with the reasons, as facts once variants are made. */
static int note_units(struct campaign_state *state, unsigned program, const struct ifr_relinker *relinker,
                      struct ifr_error *err) {
	struct ifr_relinker_info info;
	struct ifr_buffer pins = {0};
	struct ifr_strings lines = {0};
	bool data = state->plan.generator.axes & 1u << IFR_AXIS_DATA;
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
	char *movable = ifr_program_fact_name("movable", program), *pinned = ifr_program_fact_name("pinned", program);
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

/* The layouts that are made, but the shipped one. */
static unsigned count_made(const struct campaign_state *state) {
	const unsigned made = state->ready / state->plan.program_count;
	return made ? made - 1 : 0;
}

/* Variants that are not made by the end of the budget are left for the next call. */
static bool may_make_layout(const struct campaign_state *state, uint64_t missing_runs) {
	enum { LEAST_RUNS = (2 + 1) * 2 };
	const struct ifr_campaign *plan = &state->plan;
	const unsigned programs = plan->program_count, passes = ifr_counters_passes(state->counters);
	const struct making making = {.now_ns = ifr_clock_ns(),
	                              .begun_ns = state->begun_ns,
	                              .deadline_ns = state->deadline_ns,
	                              .layout_ns = state->making.count
	                                               ? state->making.spent_ns / state->making.count * programs
	                                               : state->trial_ns,
	                              .run_ns = state->run_ns ? state->run_ns : state->reference_ns,
	                              .missing_runs = missing_runs,
	                              .layout_runs = (uint64_t)programs * passes * plan->repetitions,
	                              .layouts = count_made(state),
	                              .least_runs = (uint64_t)LEAST_RUNS * programs * passes};
	return budget_allows_layout(&making);
}

static int note_unbuildable(struct campaign_state *state, const struct ifr_builder *builder,
                            struct ifr_error *err) {
	struct ifr_buffer text = {0};
	struct ifr_strings lines = {0};
	int result = 0;
	ifr_builder_print_unbuildable(builder, state->plan.generator.axes, &text);
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

static int open_builder(struct campaign_state *state, unsigned program, struct ifr_builder **builder,
                        struct ifr_error *err) {
	int result = ifr_builder_open(state->plan.programs[program].kit, builder, err);
	if (!result)
		result = ifr_builder_check(*builder, state->plan.generator.axes, err);
	if (!result)
		result = note_base(state, program, ifr_builder_relinker(*builder), err);
	if (!result)
		result = note_edit(state, program, *builder, err);
	if (!result)
		result = campaign_estimate_rebuilds(state, program, *builder, campaign_count_needed(state, program), err);
	if (!result)
		result = note_unbuildable(state, *builder, err);
	return result;
}

/* Whether the first program's variant begins a layout that costs time: one whose values are all there needs no file. */
static bool begins_layout(const struct campaign_state *state, unsigned id) {
	bool needed = false;
	if (campaign_program_of(state, id) || campaign_layout_of(state, id) <= 1)
		return false;
	for (unsigned program = 0; program < state->plan.program_count && !needed; program++)
		needed = campaign_needs_variant(state, id + program);
	return needed;
}

/* Makes the variants of one layout after the other, of all programs. */
static int make_layouts(struct campaign_state *state, struct ifr_error *err) {
	uint64_t missing_runs = campaign_missing_runs(state);
	int result = 0;
	for (unsigned id = state->ready; id < campaign_variant_count(state) && !result; id++) {
		if (ifr_launch_interrupted() || (begins_layout(state, id) && !may_make_layout(state, missing_runs)))
			break;
		if (campaign_has_variant(state, id))
			result = make_variant(state, id, err);
		missing_runs += campaign_missing_runs_of(state, id);
		state->ready = id + !result;
	}
	return result;
}

static int open_builders(struct campaign_state *state, struct ifr_error *err) {
	int result = 0;
	if (state->builders)
		return 0;
	state->builders = ifr_alloc(state->plan.program_count * sizeof *state->builders);
	for (unsigned i = 0; i < state->plan.program_count && !result; i++)
		if (!state->plan.programs[i].files && campaign_changes_files(state))
			result = open_builder(state, i, &state->builders[i], err);
	return result;
}

void campaign_close_builders(struct campaign_state *state) {
	for (unsigned i = 0; i < state->plan.program_count && state->builders; i++)
		if (state->builders[i])
			ifr_builder_close(state->builders[i]);
	free(state->builders);
	state->builders = NULL;
}

int campaign_make_chosen(struct campaign_state *state, const bool *chosen, struct ifr_error *err) {
	int result = open_builders(state, err);
	for (unsigned id = 0; id < campaign_variant_count(state) && !result && !ifr_launch_interrupted(); id++) {
		struct ifr_plan plan;
		if (!chosen[id])
			continue;
		campaign_variant_plan(state, id, &plan);
		result = make_file(state, id, &plan, err);
		ifr_plan_release(&plan);
	}
	campaign_close_builders(state);
	return ifr_launch_interrupted() ? 0 : result;
}

int campaign_make_variants(struct campaign_state *state, struct ifr_error *err) {
	int result = open_builders(state, err);
	if (!result)
		result = make_layouts(state, err);
	for (unsigned i = 0; i < state->plan.program_count && !result; i++)
		if (state->builders[i])
			result = note_units(state, i, ifr_builder_relinker(state->builders[i]), err);
	if (!result)
		result = campaign_save_cost(state, "layout", &state->making, err);
	if (state->ready == campaign_variant_count(state))
		campaign_close_builders(state);
	/* The terminal's Ctrl-C ends the linker too: that is no failure of the link. */
	return ifr_launch_interrupted() ? 0 : result;
}
