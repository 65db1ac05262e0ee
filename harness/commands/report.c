/* SPDX-License-Identifier: GPL-3.0-or-later */
/* interfero report: reports an experiment, or several in one table. */
#include <stdio.h>
#include <stdlib.h>

#include "common/strings.h"
#include "harness/commands/commands.h"
#include "harness/commands/report_options.h"
#include "harness/store/store.h"
#include "harness/report/report.h"

struct options {
	struct ifr_strings experiments;
	const char *table; /* the counter; NULL: no table */
	bool is_spread, median_runs;
	struct output_options output;
};

enum { KEY_TABLE = 256, KEY_SPREAD, KEY_MEDIAN_RUN };

static void check_options(const struct options *options, struct argp_state *state) {
	if (!options->experiments.count)
		argp_error(state, "which experiment? Name the file that \"interfero bench\" wrote");
	const bool is_table = options->table || options->is_spread;
	const struct output_options *output = &options->output;
	if (!is_table && options->experiments.count > 1)
		argp_error(
			state,
			"one experiment at a time, not also \"%s\"; several go into one table with --spread or --table1",
			options->experiments.items[1]);
	if (options->table && options->is_spread)
		argp_error(state, "--table1 and --spread are two tables: one at a time");
	if (is_table && (output->html || output->printing.json || output->csv))
		argp_error(state, "--spread and --table1 print text: leave out --html, --json and --csv");
	if (options->table && output->figures)
		argp_error(state, "--table1 draws nothing: leave out --figures");
}

static error_t parse_option(int key, char *argument, struct argp_state *state) {
	struct options *options = state->input;
	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &options->output;
		return 0;
	case KEY_TABLE:
		options->table = argument ? argument : "branch-misses";
		return 0;
	case KEY_SPREAD:
		options->is_spread = true;
		return 0;
	case KEY_MEDIAN_RUN:
		options->median_runs = options->output.median_runs = true;
		return 0;
	case ARGP_KEY_ARG:
		ifr_strings_add(&options->experiments, argument);
		return 0;
	case ARGP_KEY_END:
		check_options(options, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option table[] = {
	{"spread", KEY_SPREAD, NULL, 0,
     "Print a table instead, one row per EXPERIMENT: how far its layouts lie from their mean, in percent; with "
     "--figures, violins side by side",
     4},
	{"median-run", KEY_MEDIAN_RUN, NULL, 0,
     "Take all counters of a layout from its run of median --metric, as Wang and Jimenez 2011 do, instead of the "
     "median of each counter",
     4},
	{"table1", KEY_TABLE, "COUNTER", OPTION_ARG_OPTIONAL,
     "Print a table instead, one row per EXPERIMENT: the regression line on this counter (branch-misses), and "
     "the metric extrapolated to zero events",
     4},
	{0},
};
static const struct argp_child children[] = {{&output_argp, 0, NULL, 0}, {0}};
const struct argp ifr_report_argp = {
	table,
	parse_option,
	"EXPERIMENT\n"
	"--spread [--figures=DIR] EXPERIMENT...\n"
	"--table1[=COUNTER] EXPERIMENT...",
	"Report an experiment. All figures are computed from the raw samples in its file.",
	children,
	NULL,
	NULL};

struct tables { /* of several experiments: lines of text, or spreads */
	struct ifr_buffer lines;
	struct ifr_spreads spreads;
};

static int add_row(const struct options *options, size_t number, struct tables *tables, struct ifr_error *err) {
	struct ifr_dataset dataset;
	struct ifr_analysis *report = NULL;
	int result = ifr_experiment_load(options->experiments.items[number], &dataset, err);
	if (result)
		return result;
	dataset.median_runs = options->median_runs;
	if (ifr_dataset_fact(&dataset, "programs"))
		result = ifr_fail(err, IFR_E_USAGE, "%s holds two programs, and a row is of one",
		                  options->experiments.items[number]);
	if (!result)
		result = ifr_analysis_make(&dataset, options->output.printing.metric, &report, err);
	if (!result)
		result = options->is_spread ? ifr_spreads_add(&tables->spreads, report, err)
		                            : ifr_report_table_row(report, options->table, &tables->lines, err);
	if (!result && options->table && number + 1 == options->experiments.count)
		ifr_report_table_foot(report, options->table, &tables->lines);
	ifr_analysis_free(report);
	ifr_dataset_release(&dataset);
	return result;
}

static int print_table(const struct options *options, struct ifr_error *err) {
	struct tables tables = {0};
	struct ifr_buffer *out = &tables.lines;
	int result = 0;
	if (options->table)
		ifr_report_table_head(out);
	for (size_t i = 0; i < options->experiments.count && !result; i++)
		result = add_row(options, i, &tables, err);
	if (!result && options->is_spread)
		ifr_spreads_text(&tables.spreads, out);
	if (!result && (fwrite(out->data, 1, out->length, stdout) != out->length || fflush(stdout)))
		result = ifr_fail_errno(err, IFR_E_ENVIRONMENT, "cannot write the table to standard output");
	if (!result && options->is_spread && options->output.figures)
		result = ifr_spreads_figure(&tables.spreads, options->output.figures, err);
	ifr_spreads_release(&tables.spreads);
	ifr_buffer_release(&tables.lines);
	return result;
}

int ifr_command_report(int argc, char **argv) {
	struct options options = {0};
	struct ifr_error err = {0};
	argp_parse(&ifr_report_argp, argc, argv, 0, NULL, &options);
	int result = options.table || options.is_spread
	                 ? print_table(&options, &err)
	                 : output_report(options.experiments.items[0], &options.output, &err);
	ifr_strings_release(&options.experiments);
	return result ? ifr_command_failed(&err) : 0;
}
