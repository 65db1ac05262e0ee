/* SPDX-License-Identifier: GPL-3.0-or-later */
/* interfero misses: which loads of a program miss, and in which context. */
#include <stdlib.h>

#include "harness/commands/commands.h"
#include "common/file.h"
#include "harness/commands/interrupts.h"
#include "harness/commands/misses_advice.h"
#include "harness/commands/misses_options.h"
#include "harness/commands/misses_page.h"
#include "harness/commands/misses_result.h"
#include "harness/commands/progress.h"
#include "harness/commands/trace_notes.h"
#include "harness/exec/exec.h"

/* --- the machine ------------------------------------------------------------------------------------------------- */

static int set_value(struct ifr_machine *machine, enum ifr_setting setting, uint64_t value,
                     struct ifr_error *err) {
	char *key = ifr_format("%s.%s", ifr_settings[setting].group, ifr_settings[setting].name);
	char *text = ifr_format("%llu", (unsigned long long)value);
	const int result = ifr_machine_set(machine, key, text, err);
	free(key);
	free(text);
	return result;
}

/* Gives the cache of the level its geometry, and all caches its lines. */
static int set_cache(struct ifr_machine *machine, unsigned level, const struct misses_cache *cache,
                     struct ifr_error *err) {
	static const enum ifr_setting caches[] = {IFR_L1I_BYTES, IFR_L1D_BYTES, IFR_L2_BYTES, IFR_L3_BYTES};
	const enum ifr_setting first = misses_level_setting(level);
	int result = set_value(machine, first, cache->bytes, err);
	if (!result)
		result = set_value(machine, first + 1, cache->ways, err);
	for (unsigned i = 0; i < sizeof caches / sizeof *caches && !result; i++)
		if (machine->values[caches[i]])
			result = set_value(machine, caches[i] + 2, cache->line, err);
	return result ? result : ifr_machine_check(machine, err);
}

static int open_machine(const struct misses_options *options, struct ifr_machine **machine,
                        struct ifr_error *err) {
	int result = ifr_machine_open(machine, options->machine, err);
	if (!result && options->cache.bytes)
		result = set_cache(*machine, (unsigned)options->level, &options->cache, err);
	return result;
}

/* --- the profile ------------------------------------------------------------------------------------------------- */

static int set_latency(const struct misses_options *options, struct misses_result *result, struct ifr_error *err) {
	result->latency_given = options->latency > 0;
	result->latency = (struct ifr_latency){options->latency, options->overhead};
	if (!result->latency_given)
		result->latency.miss = misses_mean_latency(&result->profile.summary, result->machine, result->level);
	if (!result->latency_given && result->profile.misses && result->latency.miss <= 0)
		return ifr_fail(err, IFR_E_USAGE, "the machine %s has no penalty for these misses: give --latency",
		                result->machine_name);
	return 0;
}

static int profile_trace(const struct misses_options *options, struct ifr_trace *trace,
                         const struct ifr_plan plans[2], struct misses_result *result, struct ifr_error *err) {
	const bool shown = progress_wanted(options->quiet);
	const struct ifr_load_misses_request request = {.plan = options->plan ? &plans[0] : NULL,
	                                                .against = options->against ? &plans[1] : NULL,
	                                                .machine = result->machine,
	                                                .core = options->core,
	                                                .level = (unsigned)options->level,
	                                                .top = options->top,
	                                                .least = options->least,
	                                                .most = options->most,
	                                                .lengths = options->lengths,
	                                                .length_count = options->length_count,
	                                                .most_bytes = options->bytes,
	                                                .progress = shown ? progress_show_replay : NULL};
	int status = ifr_load_misses_make(trace, &request, &result->profile, err);
	if (shown)
		progress_clear();
	if (!status)
		status = set_latency(options, result, err);
	if (status)
		return status;
	ifr_load_contexts_judge(result->profile.contexts, result->profile.context_count, options->length_count,
	                        result->latency, &result->judged);
	misses_describe(result, trace);
	return 0;
}

static int write_page(const struct misses_options *options, const struct misses_result *result,
                      struct ifr_trace *trace, struct ifr_error *err) {
	struct misses_advice advice;
	misses_advice_make(result, trace, &advice);
	const int status = misses_page_write(result, &advice, options->html, err);
	misses_advice_release(&advice);
	return status;
}

static int print_result(const struct misses_options *options, const struct misses_result *result,
                        struct ifr_trace *trace, struct ifr_error *err) {
	struct ifr_buffer text = {0};
	(options->json ? misses_print_json : misses_print_text)(result, &text);
	int status = options->figures ? misses_draw(result, options->figures, err) : 0;
	if (!status && options->html)
		status = write_page(options, result, trace, err);
	if (!status)
		status = ifr_command_print(&text, err);
	ifr_buffer_release(&text);
	return status;
}

/* Prints the advice, and writes its file. */
static int print_advice(const struct misses_options *options, const struct misses_result *result,
                        struct ifr_trace *trace, struct ifr_error *err) {
	struct misses_advice advice;
	struct ifr_buffer text = {0}, file = {0};
	struct ifr_prefetches built = {0};
	int status = options->built ? ifr_prefetches_read(options->built, &built, err) : 0;
	if (status) {
		ifr_prefetches_release(&built);
		return status;
	}
	if (options->built)
		misses_advice_keep(result, trace, &built, &advice);
	else
		misses_advice_make(result, trace, &advice);
	if (options->measured)
		status = misses_advice_measure(options->measured, &advice, err);
	(options->json ? misses_advice_print_json : misses_advice_print)(result, &advice, &text);
	misses_advice_print_file(result, &advice, &file);
	if (!status && options->output)
		status = ifr_file_write(options->output, ifr_buffer_text(&file), file.length, 0666, err);
	if (!status && options->html)
		status = misses_page_write(result, &advice, options->html, err);
	if (!status)
		status = ifr_command_print(&text, err);
	ifr_buffer_release(&file);
	ifr_buffer_release(&text);
	misses_advice_release(&advice);
	ifr_prefetches_release(&built);
	return status;
}

/* Profiles the trace, or the program, once it is recorded. *failed: exit status 3. */
static int run_command(struct misses_options *options, const struct ifr_machine *machine, bool *failed,
                       struct ifr_error *err) {
	const struct trace_input *input = &options->input;
	struct misses_result result = {.trace = input->trace ? input->trace : input->recording.argv[0],
	                               .machine_name = options->machine,
	                               .against = options->against,
	                               .machine = machine,
	                               .level = (unsigned)options->level,
	                               .core = options->core != IFR_CORE_NONE,
	                               .least = options->least,
	                               .most = options->most,
	                               .top = options->top,
	                               .lengths = options->lengths,
	                               .length_count = options->length_count};
	struct ifr_trace *trace = NULL;
	struct ifr_plan plans[2];
	const char *const files[2] = {options->plan, options->against};
	ifr_plan_init(&plans[0]);
	ifr_plan_init(&plans[1]);
	int ended = 0, status = trace_input_open(&options->input, options->quiet, &trace, &ended, err);
	for (unsigned i = 0; i < 2; i++)
		if (!status && files[i])
			status = ifr_plan_read(files[i], &plans[i], err);
	if (!status)
		status = trace_notes_check_plans(trace, plans, 2, err);
	if (!status && options->advise)
		status = ifr_recorded_program_check(trace, err);
	if (!status)
		trace_notes_say_names(trace);
	if (!status)
		status = profile_trace(options, trace, plans, &result, err);
	if (!status) {
		result.damage = ifr_trace_damage(trace);
		result.recording = ifr_trace_text(trace);
		*failed = result.damage || ended;
		trace_notes_say(trace, result.trace, "profiled");
		status = (options->advise ? print_advice : print_result)(options, &result, trace, err);
	}
	misses_result_release(&result);
	ifr_plan_release(&plans[0]);
	ifr_plan_release(&plans[1]);
	ifr_trace_free(trace);
	return status;
}

int ifr_command_misses(int argc, char **argv) {
	struct misses_options options;
	struct ifr_error err = {0};
	struct ifr_machine *machine = NULL;
	bool failed = false;
	misses_options_init(&options);
	argp_parse(&ifr_misses_argp, argc, argv, ARGP_IN_ORDER, NULL, &options);
	catch_interrupts();
	int result = open_machine(&options, &machine, &err);
	if (!result)
		result = run_command(&options, machine, &failed, &err);
	ifr_machine_free(machine);
	trace_input_release(&options.input);
	if (ifr_launch_interrupted())
		return STOPPED_BY_INTERRUPT;
	if (result)
		return ifr_command_failed(&err);
	return failed ? IFR_E_PROGRAM : 0;
}
