/* SPDX-License-Identifier: GPL-3.0-or-later */
/* interfero piece: carries out a piece of a campaign or of a replay on a node of a cluster. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/file.h"
#include "harness/cluster/cluster.h"
#include "harness/commands/campaign_options.h"
#include "harness/commands/commands.h"
#include "harness/commands/interrupts.h"
#include "harness/commands/node_facts.h"
#include "harness/commands/rerun.h"

struct options {
	const char *folder;
	unsigned number;
	bool numbered;
};

static error_t parse_option(int key, char *argument, struct argp_state *state) {
	struct options *options = state->input;
	struct ifr_error err = {0};
	uint64_t number = 0;
	switch (key) {
	case ARGP_KEY_ARG:
		if (!options->folder) {
			options->folder = argument;
			return 0;
		}
		if (options->numbered)
			argp_error(state, "one piece at a time");
		if (option_number("the piece", argument, 0, UINT32_MAX, &number, &err))
			option_refuse(state, &err);
		options->number = (unsigned)number;
		options->numbered = true;
		return 0;
	case ARGP_KEY_END:
		if (!options->numbered)
			argp_error(state, "which piece? Name the folder and the number");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp ifr_piece_argp = {
	NULL,
	parse_option,
	"FOLDER NUMBER",
	"Carry out a piece of the work that a command with --on slurm cut, and put its result into FOLDER.\v"
	"The jobs that such a command submits call this. By hand it does the same: NUMBER.result is there whole, or "
	"NUMBER.failed says why it is not. The bundle of the work is fetched into a folder of this node "
	"(INTERFERO_CACHE, or /tmp/interfero-USER-NODE) once for all pieces.\n"
	"\n"
	"Exit status: 0 the result is there; 2 usage, 3 the program failed, 4 the machine or a file.",
	NULL,
	NULL,
	NULL};

/* Pieces have their campaign's identity, and what is known of their node. */
static int adopt_facts(const char *file, const struct ifr_piece *piece, const struct ifr_campaign *campaign,
                       const struct ifr_dataset *recorded, struct ifr_error *err) {
	struct ifr_experiment *experiment = NULL;
	struct ifr_buffer checkup = {0}, calibration = {0};
	int result = node_adopt_reference(file, recorded, &experiment, err);
	if (!result) {
		node_checkup(piece, &checkup);
		node_calibrate(piece, campaign, recorded, &calibration);
		result = ifr_experiment_set(experiment, "doctor", ifr_buffer_text(&checkup), err);
	}
	if (!result && calibration.length)
		result = ifr_experiment_set(experiment, "calibration", ifr_buffer_text(&calibration), err);
	ifr_buffer_release(&calibration);
	ifr_buffer_release(&checkup);
	ifr_experiment_close(experiment);
	return result;
}

/* The counters that were recorded, but the model's, as --counters takes them. The caller frees. */
static char *list_measured(const struct ifr_dataset *recorded) {
	const char *list = ifr_dataset_fact(recorded, "counters");
	struct ifr_strings words = {0};
	struct ifr_buffer text = {0};
	ifr_strings_split(&words, list ? list : "", ",");
	ifr_buffer_puts(&text, "clock");
	for (size_t i = 0; i < words.count; i++)
		if (ifr_starts_with(words.items[i], "perf:") || ifr_starts_with(words.items[i], "region:"))
			ifr_buffer_printf(&text, ",%s", words.items[i]);
	ifr_strings_release(&words);
	return ifr_buffer_detach(&text);
}

static unsigned number_fact(const struct ifr_dataset *dataset, const char *name) {
	const char *value = ifr_dataset_fact(dataset, name);
	return value ? (unsigned)strtoul(value, NULL, 10) : 0;
}

static int measure(const struct ifr_piece *piece, const char *file, struct ifr_campaign *campaign,
                   const struct ifr_dataset *recorded, struct ifr_error *err) {
	struct ifr_campaign_result done = {0};
	char *counters = list_measured(recorded);
	campaign->variants = number_fact(recorded, "variants planned");
	campaign->repetitions = number_fact(recorded, "rounds planned");
	campaign->counters = counters;
	campaign->no_profile = true;
	campaign->one_look = true;
	campaign->share = (struct ifr_share){.chunks = piece->chunks,
	                                     .chunk = piece->number % piece->chunks,
	                                     .repetition = piece->number / piece->chunks};
	int result = adopt_facts(file, piece, campaign, recorded, err);
	if (!result && campaign->share.repetition >= campaign->repetitions)
		result = ifr_fail(err, IFR_E_USAGE, "the campaign has no piece %u", piece->number);
	if (!result)
		result = ifr_campaign_run(campaign, &done, err);
	if (!result && !done.complete)
		result = ifr_fail(err, IFR_E_ENVIRONMENT, "interrupted");
	free(counters);
	return result;
}

/* Measures into a closed, whole experiment. */
static int measure_campaign(const struct ifr_piece *piece, const char *whole, struct ifr_error *err) {
	struct ifr_campaign campaign;
	struct rerun *rerun = NULL;
	char *file = ifr_format("%s/e", piece->scratch);
	campaign_options_init(&campaign);
	campaign.file = file;
	int result = rerun_open(piece->bundle, &campaign, &rerun, err);
	if (!result)
		result = measure(piece, file, &campaign, rerun_recorded(rerun), err);
	if (!result)
		result = ifr_experiment_copy(file, whole, err);
	ifr_strings_release(&campaign.environment);
	ifr_plan_release(&campaign.generator.parameters);
	rerun_close(rerun);
	free(file);
	return result;
}

static int carry_out(const struct ifr_piece *piece, struct ifr_error *err) {
	char *file = ifr_format("%s/result", piece->scratch), *kits = ifr_format("%s/kits", piece->cache);
	setenv("INTERFERO_KITS", kits, 1);
	int result = piece->replays ? ifr_piece_replay(piece, file, err) : measure_campaign(piece, file, err);
	if (!result)
		result = ifr_piece_publish(piece, file, err);
	free(kits);
	free(file);
	return result;
}

int ifr_command_piece(int argc, char **argv) {
	struct options options = {0};
	struct ifr_error err = {0};
	struct ifr_piece piece;
	argp_parse(&ifr_piece_argp, argc, argv, 0, NULL, &options);
	catch_interrupts();
	int result = ifr_piece_open(options.folder, options.number, &piece, &err);
	if (!result && !ifr_piece_is_done(&piece))
		result = carry_out(&piece, &err);
	if (result && !ifr_launch_interrupted())
		ifr_piece_fail(&piece, err.message);
	ifr_piece_release(&piece);
	return result ? ifr_command_failed(&err) : 0;
}
