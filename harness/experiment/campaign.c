/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/experiment/campaign.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "common/file.h"
#include "harness/experiment/campaign_state.h"
#include "harness/launch/runtime.h"

int64_t campaign_now_ns(void) {
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

int campaign_launch(struct campaign_state *state, unsigned variant, const char *path, unsigned pass,
                    struct ifr_launch *launch, struct ifr_error *err) {
	*launch = (struct ifr_launch){
		.program = path,
		.argv = state->plan->argv,
		.environment = &state->environment,
		.stack_bytes = state->stack_bytes[variant],
		.load_pages = state->load_pages[variant],
		.runtime = state->runtime[variant],
		.stdin_file = state->plan->stdin_file,
		.cpu = state->cpu,
		.keep_aslr = state->plan->keep_aslr,
		.timeout_ns = state->timeout_ns,
		.counters = state->counters,
		.pass = pass,
	};
	if (!state->plan->user)
		return 0;
	ifr_strings_release(&state->launch_environment);
	ifr_library_environment(&state->library, path, &state->environment, &state->launch_environment);
	launch->program = state->plan->user;
	launch->environment = &state->launch_environment;
	return ifr_library_name(&state->library, path, err);
}

/* How the program that uses the library comes to its variants. */
static int open_library(struct campaign_state *state, struct ifr_error *err) {
	char *path = ifr_format("%s/v00000", state->folder);
	int result =
		ifr_library_open(&state->library, state->plan->user, state->plan->program, path, &state->environment, err);
	free(path);
	if (!result)
		result = ifr_experiment_set(state->experiment, "library by",
		                            state->library.preload ? "LD_PRELOAD" : "LD_LIBRARY_PATH", err);
	return result;
}

/* The folder of the variants, which is also what a second interfero on the same experiment is kept out by. */
static int claim_folder(struct campaign_state *state, struct ifr_error *err) {
	char *name = ifr_format("%s.variants", state->plan->file), *cwd = getcwd(NULL, 0);
	state->folder = ifr_path_normalise(cwd ? cwd : "/", name);
	int result = ifr_dir_make(state->folder, err);
	if (!result) {
		state->lock = open(state->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (state->lock < 0 || flock(state->lock, LOCK_EX | LOCK_NB))
			result =
				ifr_fail(err, IFR_E_ENVIRONMENT,
			             "%s is being filled by another interfero; wait, or choose another -o", state->plan->file);
	}
	free(cwd);
	free(name);
	return result;
}

static int save_counters(struct campaign_state *state, const struct ifr_strings *notes, struct ifr_error *err) {
	int result = 0;
	for (unsigned i = 0; i < ifr_counters_count(state->counters) && !result; i++) {
		const struct ifr_counter *counter = ifr_counters_get(state->counters, i);
		result =
			ifr_experiment_save_counter(state->experiment, i, counter->name, counter->unit, counter->source, err);
	}
	for (size_t i = 0; i < notes->count && !result; i++)
		result = ifr_experiment_warn(state->experiment, notes->items[i], err);
	return result;
}

/* Variant 0: the program as it ships, at a path as long as the others'. */
static int place_original(const struct campaign_state *state, const char *path, struct ifr_variant *variant,
                          struct ifr_error *err) {
	strcpy(variant->build_id, state->plan->family.kit->build_id);
	return ifr_file_copy(state->plan->program, path, 0755, err);
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
	if (ifr_experiment_variant_refused(state->experiment, index))
		return false;
	for (unsigned round = 0; round < state->plan->rounds; round++)
		for (unsigned pass = 0; pass < ifr_counters_passes(state->counters); pass++)
			if (!ifr_experiment_has_run(state->experiment, index, round, pass))
				return true;
	return false;
}

static bool is_any_needed(const struct campaign_state *state) {
	for (unsigned i = 0; i <= state->plan->variants; i++)
		if (is_needed(state, i))
			return true;
	return false;
}

static int make_variant(struct campaign_state *state, struct ifr_workshop *workshop, unsigned index,
                        struct ifr_error *err) {
	struct ifr_plan plan;
	struct ifr_variant variant = {0};
	struct ifr_buffer text = {0};
	char digest[IFR_SHA256_HEX];
	ifr_family_plan(&state->plan->family, index, &plan);
	state->stack_bytes[index] = ifr_plan_stack_bytes(&plan);
	state->load_pages[index] = ifr_plan_load_pages(&plan);
	free(state->runtime[index]);
	state->runtime[index] = ifr_runtime_settings(&plan, state->plan->family.axes);
	char *path = ifr_format("%s/%s", state->folder, plan.name), *known = NULL;
	int result = 0;
	if (is_made(state, index, path) || (index && !is_needed(state, index)))
		goto out;
	result = index ? ifr_variant_write(workshop, &plan, state->folder, true, &variant, err)
	               : place_original(state, path, &variant, err);
	if (!result)
		result = ifr_sha256_file(path, digest, NULL, err);
	if (result)
		goto out;
	known = ifr_experiment_variant_digest(state->experiment, index);
	if (known && strcmp(known, digest))
		result = ifr_fail(err, IFR_E_ENVIRONMENT,
		                  "%s was measured with another %s: the kit or the linker has changed; choose another -o",
		                  state->plan->file, plan.name);
	if (index)
		ifr_plan_print(&plan, &text);
	if (plan.axis[IFR_AXIS_STACK].on)
		ifr_buffer_printf(&variant.facts, "stack: %llu bytes of environment\n",
		                  (unsigned long long)state->stack_bytes[index]);
	if (plan.axis[IFR_AXIS_LOAD].on)
		ifr_buffer_printf(&variant.facts, "load: mappings %llu pages lower\n",
		                  (unsigned long long)state->load_pages[index]);
	if (!result)
		result = ifr_experiment_save_variant(
			state->experiment,
			&(struct ifr_experiment_variant){index, plan.name, ifr_buffer_text(&text), variant.build_id, digest,
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

static int note_base(struct campaign_state *state, const struct ifr_relinker *relinker, struct ifr_error *err) {
	struct ifr_relinker_info info;
	ifr_relinker_describe(relinker, &info);
	if (info.reproduces)
		return 0;
	char *text = ifr_format("The variants' base layout is not the one that ships: %s.", info.reason);
	int result = ifr_experiment_warn(state->experiment, text, err);
	free(text);
	return result;
}

/* What can move and what cannot, and why: known once variants were made. */
static int note_units(struct campaign_state *state, const struct ifr_relinker *relinker, struct ifr_error *err) {
	struct ifr_relinker_info info;
	struct ifr_buffer pins = {0};
	struct ifr_strings lines = {0};
	bool data = state->plan->family.axes & 1u << IFR_AXIS_DATA;
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
	int result = ifr_experiment_set(state->experiment, "movable", all, err);
	if (!result)
		result = ifr_experiment_set(state->experiment, "pinned", ifr_buffer_text(&pins), err);
	ifr_buffer_release(&pins);
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

static int make_variants(struct campaign_state *state, struct ifr_error *err) {
	struct ifr_workshop *workshop;
	int result = ifr_workshop_open(state->plan->family.kit, &workshop, err);
	if (result)
		return result;
	result = ifr_workshop_check(workshop, state->plan->family.axes, err);
	if (!result)
		result = note_base(state, ifr_workshop_relinker(workshop), err);
	for (unsigned i = 0; i <= state->plan->variants && !result; i++) {
		if (ifr_launch_interrupted() || (i > 1 && making_takes_too_long(state)))
			break;
		result = make_variant(state, workshop, i, err);
		state->ready = i + !result;
	}
	if (!result)
		result = note_units(state, ifr_workshop_relinker(workshop), err);
	/* The terminal's Ctrl-C ends the linker too: that is no failure of the link. */
	if (ifr_launch_interrupted())
		result = 0;
	ifr_workshop_close(workshop);
	return result;
}

static int prepare(struct campaign_state *state, struct ifr_error *err) {
	struct ifr_campaign *plan = state->plan;
	struct ifr_strings notes = {0};
	state->deadline_ns = plan->budget_ns ? campaign_now_ns() + plan->budget_ns : INT64_MAX;
	state->stack_bytes = ifr_alloc((plan->variants + 1) * sizeof *state->stack_bytes);
	state->load_pages = ifr_alloc((plan->variants + 1) * sizeof *state->load_pages);
	state->runtime = ifr_alloc((plan->variants + 1) * sizeof *state->runtime);
	state->cpu = -1;
	ifr_environment_make(&state->environment, &plan->environment);
	int result = plan->cpu == -2 ? 0 : ifr_pin_choose(plan->cpu, &state->cpu, err);
	if (!result && !plan->keep_aslr)
		result = ifr_aslr_check(state->cpu, err);
	if (!result)
		result = ifr_counters_open(plan->counters, &state->counters, &notes, err);
	if (!result)
		result = ifr_experiment_open(plan->file, &state->experiment, err);
	if (!result)
		result = campaign_settle(state, err);
	if (!result)
		result = claim_folder(state, err);
	if (!result)
		result = save_counters(state, &notes, err);
	ifr_strings_release(&notes);
	return result;
}

static void release(struct campaign_state *state) {
	ifr_experiment_close(state->experiment);
	if (state->counters)
		ifr_counters_close(state->counters);
	if (state->lock >= 0)
		close(state->lock);
	ifr_strings_release(&state->environment);
	ifr_strings_release(&state->launch_environment);
	ifr_library_release(&state->library);
	for (unsigned i = 0; state->runtime && i <= state->plan->variants; i++)
		free(state->runtime[i]);
	free(state->runtime);
	free(state->load_pages);
	free(state->stack_bytes);
	free(state->folder);
}

/* A file that this call made and that holds no run yet is of no use to anybody. */
static void remove_traces(const struct campaign_state *state) {
	unlink(state->plan->file);
	if (state->folder)
		ifr_tree_remove(state->folder, NULL);
}

static const char *describe_end(const struct ifr_campaign_result *result) {
	return result->complete ? "yes" : result->interrupted ? "no: interrupted" : "no: the time budget was used up";
}

/* Does all that the experiment does not hold yet. */
static int fill(struct campaign_state *state, struct ifr_campaign_result *result, struct ifr_error *err) {
	if (!is_any_needed(state)) {
		result->complete = true;
		return 0;
	}
	int failed = make_variants(state, err);
	if (!failed && !ifr_launch_interrupted() && state->plan->user)
		failed = open_library(state, err);
	if (!failed && !ifr_launch_interrupted())
		failed = campaign_reference(state, err);
	/* Until the end is reached: a killed process cannot say so afterwards. */
	if (!failed)
		failed = ifr_experiment_set(state->experiment, "complete", "no: interrupted", err);
	if (!failed)
		failed = campaign_measure(state, result, err);
	if (!failed && !result->runs && !result->complete && !result->interrupted)
		failed =
			ifr_fail(err, IFR_E_USAGE, "the budget is too short: one run takes %.1f s; give a longer --budget",
		             (double)state->reference_ns / 1e9);
	if (!failed)
		failed = ifr_experiment_set(state->experiment, "complete", describe_end(result), err);
	return failed;
}

int ifr_campaign_run(struct ifr_campaign *plan, struct ifr_campaign_result *result, struct ifr_error *err) {
	struct campaign_state state = {.plan = plan, .lock = -1};
	bool existed = ifr_file_exists(plan->file);
	*result = (struct ifr_campaign_result){0};
	int failed = prepare(&state, err);
	if (!failed)
		failed = fill(&state, result, err);
	bool made_here = state.experiment && !existed;
	ifr_experiment_close(state.experiment);
	state.experiment = NULL;
	if (made_here && !result->runs && !result->complete)
		remove_traces(&state);
	else if (!failed && result->complete && !plan->keep_variants)
		ifr_tree_remove(state.folder, NULL);
	release(&state);
	return failed;
}
