/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/commands/report_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/buffer.h"
#include "harness/commands/layout_options.h"
#include "harness/store/store.h"
#include "harness/report/report.h"
#include "harness/commands/suite.h"

static error_t parse_printing(int key, char *argument, struct argp_state *state) {
	struct printing_options *options = state->input;
	switch (key) {
	case 'm':
		options->metric = argument;
		return 0;
	case 'j':
		options->json = true;
		return 0;
	case 'q':
		options->quiet = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option printing_table[] = {
	{"metric", 'm', "COUNTER", 0, "The metric by which layouts are compared (cycles where counted, else cpu_time)",
     4},
	{"json", 'j', NULL, 0, "Print JSON instead of text", 4},
	{"quiet", 'q', NULL, 0, "Print no text report and no progress", 4},
	{0},
};
const struct argp printing_argp = {printing_table, parse_printing, NULL, NULL, NULL, NULL, NULL};

enum { KEY_CSV = 2048 };

static error_t parse_option(int key, char *argument, struct argp_state *state) {
	struct output_options *options = state->input;
	struct ifr_error err = {0};
	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &options->printing;
		return 0;
	case 'H':
		options->html = argument;
		if (option_output("--html", argument, false, &err))
			option_refuse(state, &err);
		return 0;
	case 'F':
		options->figures = argument;
		if (option_output("--figures", argument, true, &err))
			option_refuse(state, &err);
		return 0;
	case KEY_CSV:
		options->csv = true;
		return 0;
	case ARGP_KEY_END:
		if (options->csv &&
		    (options->printing.json || options->html || options->figures || options->printing.metric))
			argp_error(state, "--csv prints the raw samples: leave out --json, --html, --figures and --metric");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option table[] = {
	{"html", 'H', "FILE", 0, "Write one self-contained HTML page", 4},
	{"csv", KEY_CSV, NULL, 0,
     "Print the raw samples as comma-separated values instead of text, a row for each run and counter: "
     "interfero-experiment(5) has the columns",
     4},
	{"figures", 'F', "DIR", 0, "Write every figure as SVG, PDF and a gnuplot script", 4},
	{0},
};
static const struct argp_child children[] = {{&printing_argp, 0, NULL, 0}, {0}};
const struct argp output_argp = {table, parse_option, NULL, NULL, children, NULL, NULL};

static int print_report(const struct ifr_analysis *report, const struct printing_options *options,
                        struct ifr_error *err) {
	struct ifr_buffer text = {0};
	int result = 0;
	if (options->json)
		ifr_report_json(report, &text);
	else if (!options->quiet)
		ifr_report_text(report, isatty(1) && !getenv("NO_COLOR"), &text);
	if (text.length && (fwrite(text.data, 1, text.length, stdout) != text.length || fflush(stdout)))
		result = ifr_fail_errno(err, IFR_E_ENVIRONMENT, "cannot write the report to standard output");
	ifr_buffer_release(&text);
	return result;
}

static int print_csv(const struct ifr_dataset *dataset, struct ifr_error *err) {
	struct ifr_buffer out = {0};
	int result = 0;
	ifr_report_csv(dataset, &out);
	if (fwrite(out.data, 1, out.length, stdout) != out.length || fflush(stdout))
		result = ifr_fail_errno(err, IFR_E_ENVIRONMENT, "cannot write the samples to standard output");
	ifr_buffer_release(&out);
	return result;
}

/* An experiment that is none may be what a suite wrote under that name. */
static int explain_missing(const char *experiment, int result, struct ifr_error *err) {
	struct ifr_strings files = {0};
	suite_find_results(experiment, &files);
	if (files.count)
		result = ifr_fail(err, IFR_E_USAGE,
		                  "%s is a suite of %zu experiments, such as %s: \"interfero compare %s\" reports it",
		                  experiment, files.count, files.items[0], experiment);
	ifr_strings_release(&files);
	return result;
}

int output_report(const char *experiment, const struct output_options *options, struct ifr_error *err) {
	struct ifr_dataset dataset;
	struct ifr_analysis *report = NULL;
	int result = ifr_experiment_load(experiment, &dataset, err);
	if (result)
		return explain_missing(experiment, result, err);
	if (options->csv) {
		result = print_csv(&dataset, err);
		ifr_dataset_release(&dataset);
		return result;
	}
	if (ifr_dataset_fact(&dataset, "programs")) {
		ifr_dataset_release(&dataset);
		return ifr_fail(err, IFR_E_USAGE, "%s holds two programs: \"interfero compare %s\" reports it", experiment,
		                experiment);
	}
	dataset.median_runs = options->median_runs;
	result = ifr_analysis_make(&dataset, options->printing.metric, &report, err);
	if (!result && options->html)
		result = ifr_report_html(report, options->html, err);
	if (!result && options->figures)
		result = ifr_report_figures(report, options->figures, err);
	if (!result)
		result = print_report(report, &options->printing, err);
	if (report)
		ifr_analysis_free(report);
	ifr_dataset_release(&dataset);
	return result;
}
