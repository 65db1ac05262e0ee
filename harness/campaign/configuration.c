/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The configuration of a campaign, as facts of its experiment. A resumed campaign must have the same. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "common/buffer.h"
#include "common/clock.h"
#include "harness/campaign/cycles.h"
#include "harness/campaign/model_values.h"
#include "harness/campaign/state.h"
#include "harness/output/output.h"

char *campaign_quote_command(char *const *argv) {
	struct ifr_buffer text = {0};
	ifr_quote_command(&text, argv);
	return ifr_buffer_detach(&text);
}

static char *list_axes(unsigned axes) {
	struct ifr_buffer text = {0};
	ifr_axes_print(axes, &text);
	return ifr_buffer_detach(&text);
}

static void list_axis(enum ifr_axis axis, const struct ifr_axis_setting *setting, struct ifr_buffer *text) {
	const struct ifr_axis_info *info = &ifr_axes[axis];
	for (int j = 0; j < IFR_AXIS_PARAMETERS && info->parameter[j].name; j++)
		ifr_buffer_printf(text, "%s%s:%s=%" PRId64, text->length ? " " : "", info->name, info->parameter[j].name,
		                  setting->value[j]);
	for (int j = 0; j < IFR_AXIS_VALUES && info->value[j].name; j++)
		if (setting->given[j] >= 0)
			ifr_buffer_printf(text, "%s%s:%s=%" PRId64, text->length ? " " : "", info->name, info->value[j].name,
			                  setting->given[j]);
	if (setting->only)
		ifr_buffer_printf(text, "%s%s:only=%s", text->length ? " " : "", info->name, setting->only);
	if (setting->except)
		ifr_buffer_printf(text, "%s%s:except=%s", text->length ? " " : "", info->name, setting->except);
}

static char *list_parameters(const struct ifr_layout_generator *generator) {
	struct ifr_buffer text = {0};
	for (int i = 0; i < IFR_AXIS_COUNT; i++)
		if (generator->axes & 1u << i)
			list_axis((enum ifr_axis)i, &generator->parameters.axis[i], &text);
	return text.length ? ifr_buffer_detach(&text) : ifr_strdup("none");
}

static char *list_counters(const struct ifr_counters *counters) {
	struct ifr_buffer text = {0};
	for (unsigned i = 0; i < ifr_counters_count(counters); i++) {
		const struct ifr_counter *counter = ifr_counters_get(counters, i);
		ifr_buffer_printf(&text, "%s%s:%s", i ? "," : "", counter->source, counter->name);
	}
	return ifr_buffer_detach(&text);
}

static char *list_environment(const struct ifr_strings *environment) {
	struct ifr_buffer text = {0};
	ifr_quote_command(&text, environment->items);
	return text.length ? ifr_buffer_detach(&text) : ifr_strdup("");
}

static int refuse_fact(const struct campaign_state *state, const char *name, const char *old, const char *new,
                       struct ifr_error *err) {
	char *had = campaign_phrase_fact(name, old), *has = campaign_phrase_fact(name, new);
	const int result = ifr_fail(
		err, IFR_E_USAGE,
		"%s holds another experiment, with %s instead of %s: choose another -o, replace it with --fresh, or "
		"repeat its command",
		state->plan.file, had, has);
	free(had);
	free(has);
	return result;
}

/* Records a fact, or validates it: it must be the same whenever the campaign is resumed. Takes value over. */
static int validate_fact(struct campaign_state *state, const char *name, char *value, struct ifr_error *err) {
	char *old = ifr_experiment_get(state->experiment, name);
	int result = 0;
	if (!old)
		result = ifr_experiment_set(state->experiment, name, value, err);
	else if (strcmp(old, value))
		result = refuse_fact(state, name, old, value, err);
	free(old);
	free(value);
	return result;
}

/* A fact that may change from one call to the next. Takes value over. */
static int update_fact(struct campaign_state *state, const char *name, char *value, struct ifr_error *err) {
	int result = ifr_experiment_set(state->experiment, name, value, err);
	free(value);
	return result;
}

/* The seed of an existing experiment holds, unless another was asked for. */
static void adopt_seed(struct campaign_state *state) {
	char *seed = ifr_experiment_get(state->experiment, "seed");
	if (seed && !state->plan.seed_given)
		state->plan.generator.seed = strtoull(seed, NULL, 10);
	free(seed);
}

static char *utc_now(void) {
	char text[32];
	time_t now = time(NULL);
	struct tm utc;
	strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
	return ifr_strdup(text);
}

int campaign_record_counters(struct campaign_state *state, struct ifr_error *err) {
	const bool has_model = ifr_counters_has_model(state->counters);
	int result = has_model ? campaign_record_core(state, err) : 0;
	if (!result)
		result = validate_fact(state, "counters", list_counters(state->counters), err);
	if (!result && has_model)
		result = validate_fact(state, "machine", ifr_strdup(state->plan.machine), err);
	return result;
}

int campaign_save_cost(struct campaign_state *state, const char *level, const struct campaign_cost *cost,
                       struct ifr_error *err) {
	char *name = ifr_format("%s cost_ns", level);
	int result = 0;
	if (cost->count)
		result = update_fact(state, name, ifr_format("%" PRId64, cost->spent_ns / cost->count), err);
	free(name);
	return result;
}

int campaign_save_counters(struct campaign_state *state, struct ifr_error *err) {
	int result = 0;
	for (unsigned i = 0; i < ifr_counters_count(state->counters) && !result; i++) {
		const struct ifr_counter *counter = ifr_counters_get(state->counters, i);
		result =
			ifr_experiment_save_counter(state->experiment, i, counter->name, counter->unit, counter->source, err);
	}
	return result;
}

bool campaign_auto_is_open(const struct campaign_state *state) {
	char *recorded = ifr_experiment_get(state->experiment, "counters");
	bool open = !recorded && ifr_counters_may_add_model(state->counters);
	free(recorded);
	return open;
}

int campaign_warn_as(struct campaign_state *state, const char *name, const char *text, struct ifr_error *err) {
	int result = ifr_experiment_set(state->experiment, name, text, err);
	return result ? result : ifr_experiment_warn(state->experiment, text, err);
}

bool campaign_counters_are_open(const struct campaign_state *state) {
	char *recorded = ifr_experiment_get(state->experiment, "counters");
	bool open = !recorded && (state->metrics || ifr_counters_may_add_model(state->counters));
	free(recorded);
	return open;
}

static int validate_program(struct campaign_state *state, unsigned program, struct ifr_error *err) {
	const struct ifr_campaign_program *plan = &state->plan.programs[program];
	char *name = ifr_program_fact_name("program", program), *kit = ifr_program_fact_name("kit", program);
	int result = validate_fact(state, name, ifr_strdup(plan->path), err);
	if (!result)
		result = validate_fact(state, kit,
		                       ifr_strdup(plan->files ? IFR_KIT_OF_GIVEN_FILES
		                                  : plan->kit ? plan->kit->key
		                                              : "none"),
		                       err);
	free(kit);
	free(name);
	return result;
}

/* The programs as the user named them, relative to the folder of the first call. */
static int record_names(struct campaign_state *state, struct ifr_error *err) {
	int result = 0;
	for (unsigned i = 0; i < state->plan.program_count && !result; i++) {
		const char *name = state->plan.programs[i].name;
		char *fact = ifr_program_fact_name("program name", i);
		if (name)
			result = ifr_experiment_set(state->experiment, fact, name, err);
		free(fact);
	}
	return result;
}

/* Adds this boot of the machine to the experiment's list, separated by blanks: a campaign may be resumed in another. */
static int add_boot(struct campaign_state *state, struct ifr_error *err) {
	char *boots = ifr_experiment_get(state->experiment, "boot"), *boot = ifr_host_boot(), *all = NULL;
	if (!boots)
		all = ifr_strdup(boot);
	else if (!strstr(boots, boot))
		all = ifr_format("%s %s", boots, boot);
	free(boots);
	free(boot);
	return all ? update_fact(state, "boot", all, err) : 0;
}

/* The fact "sweep" is that of sweeps alone. */
static int validate_sweeps(struct campaign_state *state, struct ifr_error *err) {
	struct ifr_buffer text = {0};
	char *old = ifr_experiment_get(state->experiment, "sweep");
	ifr_sweeps_print(&state->plan.generator.sweeps, &text);
	if (!old && !text.length)
		return 0;
	free(old);
	char *sweeps = ifr_strdup(ifr_buffer_text(&text));
	ifr_buffer_release(&text);
	return validate_fact(state, "sweep", sweeps, err);
}

/* A name that no other experiment has: 128 random bits. Runs of parts are told apart by it when these are merged. */
static char *make_identity(void) {
	uint64_t bits[2] = {0};
	if (getrandom(bits, sizeof bits, 0) != sizeof bits)
		bits[0] = (uint64_t)ifr_clock_ns(), bits[1] = (uint64_t)getpid();
	return ifr_format("%016" PRIx64 "%016" PRIx64, bits[0], bits[1]);
}

/* The rest of what the campaign needs to be run again, and that may change when it is resumed. */
static int record_circumstances(struct campaign_state *state, struct ifr_error *err) {
	const struct ifr_campaign *plan = &state->plan;
	char *cwd = getcwd(NULL, 0);
	int result = update_fact(state, "started", utc_now(), err);
	/* A piece of a campaign has the campaign's. */
	char *identity = ifr_experiment_get(state->experiment, "identity");
	if (!result && !identity)
		result = update_fact(state, "identity", make_identity(), err);
	free(identity);
	if (!result && cwd)
		result = ifr_experiment_set(state->experiment, "folder", cwd, err);
	if (!result)
		result = ifr_experiment_set(state->experiment, "counters wanted", plan->counters, err);
	if (!result)
		result = record_names(state, err);
	if (!result && plan->coarser_sweep)
		result = ifr_experiment_set(state->experiment, IFR_FACT_COARSER_SWEEP, plan->coarser_sweep, err);
	if (!result && plan->marker)
		result = ifr_experiment_set(state->experiment, "repeat marker", plan->marker, err);
	if (!result)
		result =
			ifr_experiment_set(state->experiment, "output", plan->ignore_output ? "ignored" : "compared", err);
	free(cwd);
	return result;
}

static char *print_cure(const struct ifr_plan *cure) {
	struct ifr_buffer text = {0};
	ifr_plan_print(cure, &text);
	return ifr_buffer_detach(&text);
}

/* Facts that every continuation must share: what was run, where and how. */
static int validate_fixed_facts(struct campaign_state *state, struct ifr_error *err) {
	const struct ifr_campaign *plan = &state->plan;
	const struct {
		const char *name;
		char *value;
	} fixed[] = {
		{"program", ifr_strdup(plan->programs->path)},
		{"run in", ifr_strdup(plan->user ? plan->user : "itself")},
		{"command", campaign_quote_command(plan->argv)},
		{"kit", ifr_strdup(plan->programs->kit     ? plan->programs->kit->key
	                       : plan->programs->files ? IFR_KIT_OF_GIVEN_FILES
	                                               : "none")},
		{"seed", ifr_format("%" PRIu64, plan->generator.seed)},
		{"axes", list_axes(plan->generator.axes)},
		{"parameters", list_parameters(&plan->generator)},
		{"host", ifr_host_name()},
		{"processor", ifr_host_processor()},
		{"kernel", ifr_host_kernel()},
		{"pinned to", state->cpu < 0 ? ifr_strdup("not pinned") : ifr_format("processor %d", state->cpu)},
		{"aslr", ifr_strdup(plan->keep_aslr ? "on" : "off, checked")},
		{"copies", ifr_strdup(plan->one_file ? "one for all repetitions" : "one for each repetition")},
		{"environment", list_environment(&state->context.environment)},
		{"standard input", ifr_strdup(plan->stdin_file ? plan->stdin_file : "/dev/null")},
		{"driver of", ifr_strdup(plan->driven ? plan->driven : "none")},
		{"prepare", ifr_strdup(plan->prepare ? plan->prepare : "none")},
		{"warmup runs", ifr_format("%u", plan->warmups)},
		{"metrics", ifr_strdup(plan->metrics ? plan->metrics : "none")},
		{"expected exit status", ifr_format("%d", plan->expected_exit)},
	};
	int result = 0;
	for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) {
		if (result)
			free(fixed[i].value);
		else
			result = validate_fact(state, fixed[i].name, fixed[i].value, err);
	}
	return result;
}

int campaign_record_configuration(struct campaign_state *state, struct ifr_error *err) {
	const struct ifr_campaign *plan = &state->plan;
	char *merged = ifr_experiment_get(state->experiment, "merged");
	free(merged);
	if (merged)
		return ifr_fail(err, IFR_E_USAGE, "%s was merged from others and cannot be continued: choose another -o",
		                plan->file);
	adopt_seed(state);
	int result = validate_fixed_facts(state, err);
	if (!result)
		result = validate_sweeps(state, err);
	if (!result && !campaign_counters_are_open(state))
		result = campaign_record_counters(state, err);
	if (!result && plan->program_count > 1)
		result = validate_fact(state, "programs", ifr_format("%u", plan->program_count), err);
	for (unsigned i = 1; i < plan->program_count && !result; i++)
		result = validate_program(state, i, err);
	for (unsigned i = 1; i < plan->program_count && !result; i++)
		if (plan->programs[i].cure)
			result = validate_fact(state, "cure", print_cure(plan->programs[i].cure), err);
	if (!result && plan->context_axes)
		result = update_fact(state, "context axes", list_axes(plan->context_axes), err);
	if (!result && plan->files_in_contexts)
		result = update_fact(state, "files in contexts", ifr_strdup("yes"), err);
	if (!result && plan->options)
		result = update_fact(state, "options", ifr_strdup(plan->options), err);
	if (!result && plan->programs_removed)
		result = update_fact(state, "programs removed", ifr_strdup("yes"), err);
	char *started = ifr_experiment_get(state->experiment, "started");
	if (!result && !started)
		result = record_circumstances(state, err);
	free(started);
	if (!result)
		result = add_boot(state, err);
	if (!result)
		result = update_fact(state, "tool version", ifr_strdup(INTERFERO_VERSION), err);
	if (!result)
		result = update_fact(state, "variants planned", ifr_format("%u", plan->variants), err);
	if (!result)
		result = update_fact(state, "rounds planned", ifr_format("%u", plan->repetitions), err);
	return result;
}
