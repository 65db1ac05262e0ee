/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/campaign/campaign.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/file.h"
#include "harness/campaign/budget.h"
#include "harness/campaign/budget_words.h"
#include "harness/campaign/cycles.h"
#include "harness/campaign/figures.h"
#include "harness/campaign/libraries.h"
#include "harness/campaign/missing_runs.h"
#include "harness/campaign/model_values.h"
#include "harness/campaign/state.h"
#include "model/model.h"

/* Makes and locks the folder of the variants; the lock keeps a second interfero off the same experiment. */
static int claim_folder(struct campaign_state *state, struct ifr_error *err) {
	int result = ifr_dir_make(state->folder, err);
	if (!result) {
		state->lock = open(state->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (state->lock < 0 || flock(state->lock, LOCK_EX | LOCK_NB))
			result =
				ifr_fail(err, IFR_E_ENVIRONMENT,
			             "%s is being filled by another interfero; wait, or choose another -o", state->plan.file);
	}
	return result;
}

static void name_folder(struct campaign_state *state) {
	char *name = ifr_format("%s.variants", state->plan.file), *cwd = getcwd(NULL, 0);
	state->folder = ifr_path_normalise(cwd ? cwd : "/", name);
	free(cwd);
	free(name);
}

/* Stores the length of the paths under which programs run: it is the stack's, too. */
static int save_path_length(struct campaign_state *state, struct ifr_error *err) {
	char *path = campaign_variant_path(state, 0), *padded = ifr_context_path(path),
		 *length = ifr_format("%zu", strlen(padded));
	int result = ifr_experiment_set(state->experiment, "path length", length, err);
	free(length);
	free(padded);
	free(path);
	return result;
}

static int save_notes(struct campaign_state *state, const struct ifr_strings *notes, struct ifr_error *err) {
	int result = 0;
	for (size_t i = 0; i < notes->count && !result; i++)
		result = ifr_experiment_warn(state->experiment, notes->items[i], err);
	return result;
}

static int open_counters(struct campaign_state *state, struct ifr_strings *notes, struct ifr_error *err) {
	const char *marker = state->plan.marker;
	if (marker && strpbrk(marker, ", "))
		return ifr_fail(err, IFR_E_USAGE, "the region \"%s\" cannot be asked for: its name has a blank or a comma",
		                marker);
	char *list = ifr_format("%s%s%s", state->plan.counters, marker ? ",repeat:" : "", marker ? marker : "");
	int result = ifr_counters_open(list, state->core, &state->counters, notes, err);
	free(list);
	return result;
}

/* Names the counters that there are instead of a metric; of many the first ones. */
static int refuse_metric(const struct campaign_state *state, struct ifr_error *err) {
	enum { NAMED_MOST = 12 };
	const char *metric = state->plan.metric;
	const unsigned count = ifr_counters_count(state->counters);
	struct ifr_machine *machine;
	if (!ifr_machine_open(&machine, metric, NULL)) {
		ifr_machine_free(machine);
		return ifr_fail(err, IFR_E_USAGE, "--metric: \"%.60s\" is a machine, which --machine takes", metric);
	}
	struct ifr_buffer known = {0};
	for (unsigned i = 0; i < count && i < NAMED_MOST; i++)
		ifr_buffer_printf(&known, "%s%s", i ? ", " : "", ifr_counters_get(state->counters, i)->name);
	if (count > NAMED_MOST)
		ifr_buffer_printf(&known, " and %u more", count - NAMED_MOST);
	int result = ifr_fail(err, IFR_E_USAGE, "--metric: these counters have no \"%.60s\", but %s (--counters)",
	                      metric, ifr_buffer_text(&known));
	ifr_buffer_release(&known);
	return result;
}

/* Refuses a metric that no run will have, before anything runs. */
static int check_metric(const struct campaign_state *state, struct ifr_error *err) {
	const char *metric = state->plan.metric;
	/* The names of the program's own figures are known after its first run. */
	if (!metric || state->plan.metrics)
		return 0;
	const char *event = ifr_starts_with(metric, "model:") ? metric + strlen("model:") : metric;
	bool found = ifr_counters_may_add_model(state->counters) && ifr_event_find(event) != IFR_EVENT_COUNT;
	for (unsigned i = 0; i < ifr_counters_count(state->counters) && !found; i++) {
		const struct ifr_counter *counter = ifr_counters_get(state->counters, i);
		found = ifr_counter_is_named(counter->name, counter->source, metric);
	}
	return found ? 0 : refuse_metric(state, err);
}

static int prepare_campaign(struct campaign_state *state, struct ifr_error *err) {
	const struct ifr_campaign *plan = &state->plan;
	struct ifr_strings notes = {0};
	state->begun_ns = ifr_clock_ns();
	state->deadline_ns = plan->budget_ns ? state->begun_ns + plan->budget_ns : INT64_MAX;
	state->model_deadline_ns = INT64_MAX;
	state->contexts = ifr_alloc(campaign_variant_count(state) * sizeof *state->contexts);
	state->programs = ifr_alloc(plan->program_count * sizeof *state->programs);
	state->copies = ifr_alloc(campaign_variant_count(state) * sizeof *state->copies);
	for (unsigned i = 0; i < campaign_variant_count(state); i++)
		state->copies[i] = -1;
	state->cpu = -1;
	name_folder(state);
	ifr_context_init(&state->context, &plan->environment);
	int result = plan->cpu == -2 ? 0 : ifr_pin_choose(plan->cpu, &state->cpu, err);
	if (!result && !plan->keep_aslr)
		result = ifr_aslr_check(state->cpu, err);
	if (!result)
		result = campaign_choose_core(state, err);
	if (!result)
		result = open_counters(state, &notes, err);
	if (!result)
		result = campaign_open_driver(state, err);
	if (!result)
		result = campaign_open_metrics(state, err);
	if (!result)
		result = check_metric(state, err);
	if (!result && ifr_counters_has_model(state->counters)) {
		if (!ifr_counters_use_core(state->counters))
			state->core = IFR_CORE_NONE;
		result = campaign_check_model(state, err);
	}
	if (!result)
		result = ifr_experiment_open(plan->file, &state->experiment, err);
	if (!result) {
		campaign_adopt_figures(state);
		result = campaign_adopt_model(state, err);
	}
	if (!result)
		result = campaign_record_configuration(state, err);
	if (!result)
		result = campaign_match_programs(state, err);
	if (!result)
		result = claim_folder(state, err);
	if (!result)
		result = save_path_length(state, err);
	if (!result && !campaign_counters_are_open(state))
		result = campaign_save_counters(state, err);
	if (!result)
		result = save_notes(state, &notes, err);
	ifr_strings_release(&notes);
	return result;
}

static void release_campaign(struct campaign_state *state) {
	campaign_close_builders(state);
	ifr_experiment_close(state->experiment);
	if (state->counters)
		ifr_counters_close(state->counters);
	ifr_metrics_close(state->metrics);
	ifr_strings_release(&state->argv);
	for (unsigned i = 0; state->programs && i < state->plan.program_count; i++)
		ifr_own_figures_release(&state->programs[i].benchmarks);
	if (state->lock >= 0)
		close(state->lock);
	for (unsigned i = 0; state->contexts && i < campaign_variant_count(state); i++)
		ifr_context_release(&state->contexts[i]);
	ifr_context_release(&state->context);
	ifr_library_release(&state->library);
	for (unsigned i = 0; state->programs && i < state->plan.program_count; i++) {
		ifr_profile_close(state->programs[i].profile);
		ifr_executed_code_release(&state->programs[i].executed);
	}
	free(state->contexts);
	free(state->programs);
	free(state->copies);
	free(state->again);
	free(state->folder);
	ifr_plan_release(&state->match);
}

/* Whether this call recorded a program. */
static bool has_recorded(const struct campaign_state *state) {
	bool recorded = false;
	for (unsigned i = 0; state->programs && i < state->plan.program_count; i++)
		recorded |= state->programs[i].recorded;
	return recorded;
}

/* Removes the file that this call made, its recordings and variants: without a run they are of no use. */
static void remove_files(const struct campaign_state *state) {
	unlink(state->plan.file);
	for (unsigned i = 0; i < state->plan.program_count; i++) {
		char *recording = campaign_recording_path(state, i);
		if (state->programs && state->programs[i].recorded)
			unlink(recording);
		free(recording);
	}
	if (state->folder)
		ifr_tree_remove(state->folder, NULL);
}

int ifr_campaign_set_aside(const char *file, struct ifr_error *err) {
	static const char *const beside[] = {"-wal", "-shm", ".variants", ".trace", ".2.trace"};
	struct ifr_experiment *experiment;
	if (!ifr_file_exists(file))
		return 0;
	int result = ifr_experiment_open(file, &experiment, err);
	if (result)
		return result;
	/* Closed, all of it is in the one file. */
	ifr_experiment_close(experiment);
	char *kept = ifr_format("%s~", file);
	if (rename(file, kept))
		result = ifr_fail(err, IFR_E_ENVIRONMENT, "cannot rename %s to %s: %s", file, kept, strerror(errno));
	free(kept);
	for (size_t i = 0; i < sizeof beside / sizeof *beside && !result; i++) {
		char *path = ifr_format("%s%s", file, beside[i]);
		result = ifr_tree_remove(path, err);
		free(path);
	}
	return result;
}

/* Without its variants an experiment goes on, too: the same are made again. What compiles them is kept for that. */
static bool may_remove_variants(const struct campaign_state *state, const struct ifr_campaign_result *result) {
	return result->complete || (!result->interrupted && !ifr_axes_recompile(state->plan.generator.axes));
}

/* The caller frees it. */
static char *describe_end(const struct campaign_state *state, const struct ifr_campaign_result *result) {
	const bool measured = state->ready == campaign_variant_count(state) && !campaign_missing_runs(state);
	if (result->complete || result->interrupted)
		return ifr_strdup(result->complete ? "yes" : "no: interrupted");
	return budget_describe_end(measured, result->model_left_out);
}

/* Makes variants, and leads the user of a library, or a driver, to them. */
static int make_variants(struct campaign_state *state, struct ifr_error *err) {
	const unsigned made = state->ready;
	int failed = campaign_make_variants(state, err);
	const bool has_library = state->plan.user && !state->plan.driven;
	if (!failed && !ifr_launch_interrupted() && has_library && !made)
		failed = campaign_open_library(state, err);
	if (!failed && !ifr_launch_interrupted() && has_library)
		campaign_enter_library(state, made);
	campaign_lead_driver(state, made);
	return failed;
}

/* Fills the model's and this machine's values of all variants that the budget has time to make. The model comes first:
 * then measuring has exactly the time that is left. */
static int fill_values(struct campaign_state *state, struct ifr_campaign_result *result, struct ifr_error *err) {
	unsigned made;
	int failed;
	do {
		failed = make_variants(state, err);
		made = state->ready;
		if (!failed && !ifr_launch_interrupted())
			failed = campaign_model(state, result, err);
		if (!failed)
			failed = campaign_measure(state, result, err);
		if (!failed && !result->interrupted && !result->complete && !campaign_missing_runs(state))
			failed = make_variants(state, err);
	} while (!failed && state->ready > made);
	if (!failed && result->complete && campaign_may_look_again(state))
		failed = campaign_plan_second_look(state, err);
	if (!failed && state->again)
		failed = campaign_make_chosen(state, state->again, err);
	if (!failed && state->again)
		failed = campaign_look_again(state, result, err);
	result->measured = result->complete;
	result->complete &= !*result->model_left_out && !result->model_is_partial;
	return failed;
}

/* Whether the second look of a sweep ended early; all planned runs may be there. */
static bool was_cut_short(const struct campaign_state *state) {
	char *end = campaign_may_look_again(state) ? ifr_experiment_get(state->experiment, "complete") : NULL;
	const bool cut = end && strcmp(end, "yes") != 0;
	free(end);
	return cut;
}

/* Does everything that the experiment does not hold yet: a resumed campaign goes on here. */
static int fill_experiment(struct campaign_state *state, struct ifr_campaign_result *result,
                           struct ifr_error *err) {
	const bool references = state->plan.share.references;
	int failed = campaign_raise_runs(state, err);
	if (failed)
		return failed;
	if (!references && !campaign_is_incomplete(state) && !was_cut_short(state)) {
		result->complete = result->measured = true;
		return 0;
	}
	failed = make_variants(state, err);
	if (!failed && !ifr_launch_interrupted() && ifr_counters_passes(state->counters))
		failed = campaign_save_own_libraries(state, err);
	if (!failed && !ifr_launch_interrupted())
		failed = campaign_identify_libraries(state, err);
	if (!failed && !ifr_launch_interrupted())
		failed = campaign_run_references(state, err);
	if (!failed && !ifr_launch_interrupted())
		campaign_announce_budget(state);
	if (references)
		return failed ? failed : ifr_experiment_set(state->experiment, "complete", "no: interrupted", err);
	if (!failed && !ifr_launch_interrupted())
		failed = campaign_profile_programs(state, err);
	if (!failed && !ifr_launch_interrupted())
		failed = campaign_record_programs(state, result, err);
	/* Until the end is reached: a killed process cannot say so afterwards. */
	if (!failed)
		failed = ifr_experiment_set(state->experiment, "complete", "no: interrupted", err);
	if (!failed)
		failed = fill_values(state, result, err);
	if (!failed)
		failed = campaign_check_budget(state, result, err);
	if (!failed)
		failed = campaign_save_units(state, err);
	char *end = describe_end(state, result);
	if (!failed)
		failed = ifr_experiment_set(state->experiment, "complete", end, err);
	free(end);
	return failed;
}

int ifr_campaign_run(const struct ifr_campaign *plan, struct ifr_campaign_result *result, struct ifr_error *err) {
	if (plan->spread)
		return plan->spread(plan, result, err);
	struct campaign_state state = {.plan = *plan, .lock = -1};
	/* Pinning moves this process away from the processor of the runs; the next campaign is to choose as this one.
	 */
	cpu_set_t allowed;
	bool knows_allowed = !sched_getaffinity(0, sizeof allowed, &allowed);
	char *folder = ifr_format("%s.variants", plan->file);
	const bool existed = ifr_file_exists(plan->file), had_folder = ifr_file_exists(folder);
	free(folder);
	*result = (struct ifr_campaign_result){.seed = plan->generator.seed};
	int failed = prepare_campaign(&state, err);
	if (!failed)
		failed = fill_experiment(&state, result, err);
	result->seed = state.plan.generator.seed;
	bool made_here = state.experiment && !existed;
	ifr_experiment_close(state.experiment);
	state.experiment = NULL;
	/* Recordings take long: after an interruption or the end of a budget, the same command goes on with them. */
	const bool kept = (ifr_launch_interrupted() || result->budget_ended) && has_recorded(&state);
	if (made_here && !result->runs && !result->complete && !kept && (failed || !plan->share.references))
		remove_files(&state);
	else if (state.folder && !plan->keep_variants && may_remove_variants(&state, result) &&
	         (!failed || (!had_folder && !result->runs)))
		ifr_tree_remove(state.folder, NULL);
	release_campaign(&state);
	if (knows_allowed)
		sched_setaffinity(0, sizeof allowed, &allowed);
	return failed;
}

int ifr_campaign_run_until(const struct ifr_campaign *plan, struct ifr_stopping_rule *rule,
                           struct ifr_campaign_result *result, struct ifr_error *err) {
	struct ifr_campaign part = *plan;
	int64_t begun_ns = ifr_clock_ns();
	if (!rule)
		return ifr_campaign_run(plan, result, err);
	part.variants = ifr_stopping_rule_layouts(rule);
	for (unsigned runs = 0;;) {
		unsigned layouts = 0;
		int failed = ifr_campaign_run(&part, result, err);
		result->runs += runs;
		runs = result->runs;
		if (!failed && result->complete && !result->refused_variants)
			failed = ifr_stopping_rule_judge(rule, part.file, &layouts, err);
		if (failed || !layouts)
			return failed;
		int64_t left_ns = plan->budget_ns - (ifr_clock_ns() - begun_ns);
		if (plan->budget_ns && left_ns <= 0)
			return 0;
		part.budget_ns = plan->budget_ns ? left_ns : 0;
		part.variants = layouts;
	}
}
