/* SPDX-License-Identifier: GPL-3.0-or-later */
/* interfero predict: predicts a program's cycles under other branch predictors. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "harness/commands/cluster_option.h"
#include "harness/commands/commands.h"
#include "harness/commands/interrupts.h"
#include "harness/commands/machine_option.h"
#include "harness/commands/layout_options.h"
#include "harness/commands/progress.h"
#include "harness/store/store.h"
#include "harness/exec/exec.h"
#include "harness/simulate/simulate.h"
#include "harness/report/report.h"

struct options {
	const char *experiment, *metric, *trace, *machine, *predictors, *figures;
	bool json;
	struct ifr_cluster *cluster; /* NULL: here */
};

enum { KEY_TRACE = 256, KEY_MACHINE, KEY_PREDICTOR, KEY_ON };

static error_t parse_option(int key, char *argument, struct argp_state *state) {
	struct options *options = state->input;
	struct ifr_error err = {0};
	switch (key) {
	case 'p':
	case KEY_PREDICTOR:
		options->predictors = argument;
		return 0;
	case KEY_MACHINE:
		if (machine_option(argument, &options->machine, &err))
			option_refuse(state, &err);
		return 0;
	case 'm':
	case 'x':
		options->metric = argument;
		return 0;
	case KEY_TRACE:
		options->trace = argument;
		return 0;
	case 'F':
		options->figures = argument;
		if (option_output("--figures", argument, true, &err))
			option_refuse(state, &err);
		return 0;
	case KEY_ON:
		if (cluster_option(argument, &options->cluster, &err))
			option_refuse(state, &err);
		return 0;
	case 'j':
		options->json = true;
		return 0;
	case ARGP_KEY_ARG:
		if (options->experiment)
			argp_error(state, "one experiment at a time, not also \"%s\"", argument);
		options->experiment = argument;
		return 0;
	case ARGP_KEY_END:
		if (!options->experiment)
			argp_error(state,
			           "which experiment? \"interfero bench --counters clock,model -- ./prog args\" makes one");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option table[] = {
	{"predictor", KEY_PREDICTOR, "LIST", 0,
     "The predictors (gas-2k,gas-4k,gas-8k,gas-16k,l-tage,perfect); \"interfero replay --help\" lists all", 0},
	{"machine", KEY_MACHINE, "MACHINE", 0,
     "The machine whose own predictor the measured layouts had (the experiment's, else skylake)", 0},
	{NULL, 'p', "LIST", OPTION_HIDDEN, NULL, 0},
	{NULL, 'x', "COUNTER", OPTION_HIDDEN, NULL, 0},
	{"metric", 'm', "COUNTER", 0, "The metric to predict (cycles per instruction where counted, else cpu_time)",
     0},
	{"trace", KEY_TRACE, "TRACE", 0, "The recording (the one that bench --counters model made)", 0},
	{"figures", 'F', "DIR", 0, "Also draw mispredictions and predictions as SVG and PDF", 0},
	{"json", 'j', NULL, 0, "Print JSON instead of the table", 0},
	CLUSTER_OPTION(KEY_ON, 0),
	{0},
};
const struct argp ifr_predict_argp = {
	table,
	parse_option,
	"EXPERIMENT",
	"Predict a program's cycles (or time) under other branch predictors, from the regression of its layouts' "
	"cycles on their mispredictions.\v"
	"The experiment's layouts are replayed with the machine's own predictor, which gives a regression line of "
	"the measured metric against mispredictions. Each other predictor is replayed in the same layouts; the line "
	"gives the cost of its mispredictions, with a 95% prediction interval.\n"
	"\n"
	"Ref: Wang and Jimenez 2011, section 7.",
	NULL,
	NULL,
	NULL};

/* A dataset's layouts, and the mispredictions of predictors in them. */
struct predicting {
	struct ifr_dataset dataset;
	struct ifr_trace *trace;
	struct ifr_plan *plans; /* of each variant */
	/* The machine as it is, then with each of the predictors. */
	struct ifr_strings names;
	struct ifr_strings specs;
	struct ifr_machine **machines;
	size_t machine_count;
	struct ifr_cluster *cluster;
	char *trace_file;
	double *mpki; /* [machine * variants + variant]; NaN where there is none */
};

static int read_plans(struct predicting *predicting, struct ifr_error *err) {
	size_t count = predicting->dataset.variant_count;
	int result = 0;
	predicting->plans = ifr_alloc((count + 1) * sizeof *predicting->plans);
	for (size_t i = 0; i < count; i++)
		ifr_plan_init(&predicting->plans[i]);
	for (size_t i = 0; i < count && !result; i++) {
		const struct ifr_dataset_variant *variant = &predicting->dataset.variants[i];
		if (*variant->plan)
			result =
				ifr_plan_parse(variant->plan, strlen(variant->plan), variant->name, &predicting->plans[i], err);
	}
	return result;
}

static void release_predicting(struct predicting *predicting) {
	for (size_t i = 0; predicting->plans && i < predicting->dataset.variant_count; i++)
		ifr_plan_release(&predicting->plans[i]);
	free(predicting->plans);
	for (size_t i = 0; i < predicting->machine_count; i++)
		ifr_machine_free(predicting->machines[i]);
	free(predicting->machines);
	free(predicting->mpki);
	ifr_strings_release(&predicting->names);
	ifr_strings_release(&predicting->specs);
	free(predicting->trace_file);
	ifr_trace_free(predicting->trace);
	ifr_dataset_release(&predicting->dataset);
}

static int open_machine(struct predicting *predicting, const char *specification, struct ifr_error *err) {
	struct ifr_machine **opened = &predicting->machines[predicting->machine_count];
	int result = ifr_machine_open(opened, specification, err);
	predicting->machine_count += !result;
	ifr_strings_add(&predicting->specs, specification);
	return result;
}

static int open_machines(struct predicting *predicting, const char *machine, const char *predictors,
                         struct ifr_error *err) {
	ifr_strings_split(&predicting->names, predictors, ",");
	predicting->machines = ifr_alloc((predicting->names.count + 1) * sizeof *predicting->machines);
	int result = open_machine(predicting, machine, err);
	for (size_t i = 0; i < predicting->names.count && !result; i++) {
		/* The perfect predictor of the paper mispredicts nothing. */
		const char *name = predicting->names.items[i];
		char *spec =
			ifr_format("%s,predictor=%s%s", machine, name, strcmp(name, "perfect") ? "" : ",indirect=perfect");
		result = open_machine(predicting, spec, err);
		free(spec);
	}
	return result;
}

/* Counts the mispredictions per 1000 instructions of all layouts on some of the machines. */
static int count_misses(struct predicting *predicting, size_t first, size_t machines, struct ifr_error *err) {
	const size_t count = predicting->dataset.variant_count;
	struct ifr_plan_replay replaying = {.trace = predicting->trace,
	                                    .machines =
	                                        (const struct ifr_machine *const *)predicting->machines + first,
	                                    .machine_count = machines,
	                                    .spread = predicting->cluster ? ifr_cluster_replay : NULL,
	                                    .cluster = predicting->cluster,
	                                    .trace_file = predicting->trace_file,
	                                    .machine_specs = (const char *const *)predicting->specs.items + first,
	                                    .progress = progress_wanted(false) ? progress_show_replay : NULL};
	struct ifr_counts *counts = ifr_alloc((machines * count + 1) * sizeof *counts);
	int result = ifr_replay_plans(&replaying, predicting->plans, count, counts, err);
	if (replaying.progress)
		progress_clear();
	for (size_t i = 0; i < machines * count; i++) {
		const uint64_t *value = counts[i].value;
		predicting->mpki[first * count + i] =
			result || predicting->dataset.variants[i % count].refused || !value[IFR_EVENT_INSTRUCTIONS]
				? NAN
				: 1000.0 * (double)value[IFR_EVENT_BRANCH_MISSES] / (double)value[IFR_EVENT_INSTRUCTIONS];
	}
	free(counts);
	return result;
}

static int print_forecast(const struct options *options, const struct ifr_forecast *prediction,
                          struct ifr_error *err) {
	struct ifr_buffer text = {0};
	const bool draws = options->figures && !ifr_forecast_refusal(prediction);
	int result = draws ? ifr_forecast_figures(prediction, options->figures, err) : 0;
	if (options->json)
		ifr_forecast_json(prediction, &text);
	else
		ifr_forecast_text(prediction, &text);
	if (!result)
		result = ifr_command_print(&text, err);
	ifr_buffer_release(&text);
	return result;
}

static int predict_cycles(const struct options *options, struct predicting *predicting, struct ifr_error *err) {
	struct ifr_analysis *report = NULL;
	struct ifr_forecast prediction = {0};
	const char *known = ifr_dataset_fact(&predicting->dataset, "machine");
	const char *machine = options->machine ? options->machine : known ? known : "skylake";
	int result = read_plans(predicting, err);
	if (!result)
		result = ifr_analysis_make(&predicting->dataset, options->metric, &report, err);
	if (!result)
		result = open_machines(predicting, machine, options->predictors, err);
	predicting->mpki =
		ifr_alloc((predicting->machine_count * predicting->dataset.variant_count + 1) * sizeof *predicting->mpki);
	if (!result)
		result = count_misses(predicting, 0, 1, err);
	if (!result)
		result = ifr_forecast_fit(report, machine, predicting->mpki, &prediction, err);
	/* Without a line, the other predictors are not worth their replay. */
	const bool usable = !result && !ifr_forecast_refusal(&prediction);
	if (usable)
		result = count_misses(predicting, 1, predicting->names.count, err);
	for (size_t i = 0; i < predicting->names.count && usable && !result; i++)
		ifr_forecast_add(&prediction, predicting->names.items[i],
		                 predicting->mpki + (i + 1) * predicting->dataset.variant_count);
	if (!result)
		result = print_forecast(options, &prediction, err);
	ifr_forecast_release(&prediction);
	ifr_analysis_free(report);
	return result;
}

/* The trace to replay: that of --trace, or the one beside the experiment. The caller frees it. */
static char *find_trace(const struct options *options, const struct ifr_dataset *dataset) {
	const char *kept = ifr_dataset_fact(dataset, "recording");
	if (options->trace || !kept)
		return options->trace ? ifr_strdup(options->trace) : NULL;
	char *folder = ifr_path_dir(options->experiment), *path = ifr_format("%s/%s", folder, kept);
	free(folder);
	return path;
}

/* Checks that the trace is whole and of the experiment's program: a kit's key is the build-id, where there is one. */
static int check_trace(const struct predicting *predicting, const char *path, struct ifr_error *err) {
	const char *kit = ifr_dataset_fact(&predicting->dataset, "kit"), *damage = ifr_trace_damage(predicting->trace);
	char *library = ifr_trace_fact(predicting->trace, "library");
	char *build_id = ifr_trace_fact(predicting->trace, library ? "library_build_id" : "build_id");
	int result = 0;
	free(library);
	if (damage)
		result = ifr_fail(err, IFR_E_PROGRAM, "%s: %s: record again, to predict from the whole run", path, damage);
	else if (kit && build_id && strlen(kit) == strlen(build_id) && strcmp(kit, build_id) != 0)
		result = ifr_fail(err, IFR_E_USAGE,
		                  "%s is a recording of another program, or of another build, than was measured", path);
	free(build_id);
	return result;
}

static int predict_experiment(const struct options *options, struct ifr_error *err) {
	struct predicting predicting = {.cluster = options->cluster};
	int result = ifr_experiment_load(options->experiment, &predicting.dataset, err);
	if (result)
		return result;
	char *trace = predicting.trace_file = find_trace(options, &predicting.dataset);
	if (ifr_dataset_fact(&predicting.dataset, "programs"))
		result = ifr_fail(err, IFR_E_USAGE, "%s holds two programs: predict takes what \"interfero bench\" wrote",
		                  options->experiment);
	else if (!trace)
		result =
			ifr_fail(err, IFR_E_USAGE,
		             "%s has no recording: make one with \"interfero record -- ./prog args\", and give it with "
		             "--trace; or measure with --counters clock,model",
		             options->experiment);
	if (!result)
		result = ifr_trace_open(trace, &predicting.trace, err);
	if (!result)
		result = check_trace(&predicting, trace, err);
	if (!result)
		result = predict_cycles(options, &predicting, err);
	release_predicting(&predicting);
	return result;
}

int ifr_command_predict(int argc, char **argv) {
	struct options options = {.predictors = "gas-2k,gas-4k,gas-8k,gas-16k,l-tage,perfect"};
	struct ifr_error err = {0};
	argp_parse(&ifr_predict_argp, argc, argv, 0, NULL, &options);
	catch_interrupts();
	int result = predict_experiment(&options, &err);
	cluster_option_release(&options.cluster);
	if (ifr_launch_interrupted())
		return STOPPED_BY_INTERRUPT;
	return result ? ifr_command_failed(&err) : 0;
}
