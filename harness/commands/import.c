/* SPDX-License-Identifier: GPL-3.0-or-later */
/* interfero import: makes an experiment from other tools' measurements. */
#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "harness/commands/commands.h"
#include "harness/commands/layout_options.h"
#include "harness/store/store.h"

struct options {
	int format; /* enum ifr_import_format, or -1 */
	struct ifr_strings files;
	const char *output;
};

enum { KEY_CSV = 256, KEY_HYPERFINE, KEY_GOOGLE, KEY_PERF, SIZE_MOST = 1 << 28 };

static error_t parse_option(int key, char *argument, struct argp_state *state) {
	struct options *options = state->input;
	struct ifr_error err = {0};
	switch (key) {
	case KEY_CSV:
	case KEY_HYPERFINE:
	case KEY_GOOGLE:
	case KEY_PERF:
		if (options->format >= 0 && options->format != key - KEY_CSV)
			argp_error(state, "one format at a time: import each into an experiment of its own (-o)");
		options->format = key - KEY_CSV;
		ifr_strings_add(&options->files, argument);
		return 0;
	case 'o':
		options->output = argument;
		if (option_file("-o", argument, &err))
			option_refuse(state, &err);
		return 0;
	case ARGP_KEY_ARG:
		ifr_strings_add(&options->files, argument);
		return 0;
	case ARGP_KEY_END:
		if (options->format < 0)
			argp_error(state, "which format? Give the file with --csv, --hyperfine, --google-benchmark or --perf");
		if (!options->output)
			argp_error(state, "where to? Name the experiment with -o");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option table[] = {
	{"csv", KEY_CSV, "FILE", 0, "CSV with columns variant, run, and one per counter, such as \"cpu_time [ns]\"",
     0},
	{"hyperfine", KEY_HYPERFINE, "FILE", 0, "Output of hyperfine --export-json: each command is a variant", 0},
	{"google-benchmark", KEY_GOOGLE, "FILE", 0,
     "Output of --benchmark_format=json with repetitions: each benchmark is a variant", 0},
	{"perf", KEY_PERF, "FILE", 0,
     "Output of perf stat -x, -o FILE --append: each FILE is a variant; more may follow", 0},
	{"output", 'o', "EXPERIMENT", 0, "The experiment to make", 0},
	{0},
};
const struct argp ifr_import_argp = {
	table,
	parse_option,
	"[FILE...]",
	"Make an experiment from other tools' measurements, for \"interfero report\" and \"interfero compare\".\v"
	"An experiment compares variants, each with repeated runs. The report sets a variant named \"shipped\" "
	"against the others. Runs that the tool marks as failed, or whose counters were multiplexed, are refused; no "
	"value is imputed.",
	NULL,
	NULL,
	NULL};

static int import_files(const struct options *options, struct ifr_error *err) {
	size_t count = options->files.count;
	struct ifr_buffer *buffers = ifr_alloc(count * sizeof *buffers);
	struct ifr_import_text *texts = ifr_alloc(count * sizeof *texts);
	struct ifr_dataset dataset;
	int result = 0;
	ifr_dataset_init(&dataset);
	for (size_t i = 0; i < count && !result; i++) {
		result = ifr_file_read_named(options->files.items[i], SIZE_MOST, &buffers[i], err);
		texts[i] = (struct ifr_import_text){options->files.items[i], ifr_buffer_text(&buffers[i])};
	}
	if (!result)
		result = ifr_import_parse((enum ifr_import_format)options->format, texts, count, &dataset, err);
	if (!result)
		result = ifr_import_save(&dataset, options->output, err);
	for (size_t i = 0; i < count; i++)
		ifr_buffer_release(&buffers[i]);
	ifr_dataset_release(&dataset);
	free(texts);
	free(buffers);
	return result;
}

int ifr_command_import(int argc, char **argv) {
	struct options options = {.format = -1};
	struct ifr_error err = {0};
	argp_parse(&ifr_import_argp, argc, argv, 0, NULL, &options);
	int result = import_files(&options, &err);
	ifr_strings_release(&options.files);
	return result ? ifr_command_failed(&err) : 0;
}
