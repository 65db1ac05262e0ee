/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Facts of a node.
 *
 * Problem: pieces of one node come at any time, several at once, and any of them may be killed; a checkup takes a second,
 * and a calibration some twenty runs.
 *
 * Idea: the first piece makes the fact and keeps it in the node's cache, under a name that says of what it is. A lock
 * that the kernel drops with its process tells the others that somebody is at it; nobody waits.
 *
 * Invariant: a file of the cache is there whole or not at all, so that a fact is made again only where its maker died. */
#include "harness/commands/node_facts.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "common/file.h"
#include "harness/analysis/analysis.h"
#include "harness/commands/commands.h"
#include "harness/doctor/doctor.h"
#include "harness/output/output.h"
#include "harness/report/report.h"
#include "kit/kit.h"

/* Of a calibration: as many repetitions as go into its time, and none where the fewest last longer than a piece may. */
enum { LAYOUTS = 4, FEWEST_REPETITIONS = 2, MOST_REPETITIONS = 5, FACT_LIMIT = 65536 };
static const int64_t usual_ns = INT64_C(60000000000), most_ns = INT64_C(600000000000);

void node_checkup(const struct ifr_piece *piece, struct ifr_buffer *text) {
	char *boot = ifr_host_boot(), *path = ifr_format("%s/doctor-%s", piece->cache, boot);
	if (ifr_file_read(path, FACT_LIMIT, text, NULL)) {
		struct ifr_checkup checkup;
		ifr_checkup_init(&checkup);
		ifr_checkup_run(&checkup);
		ifr_buffer_clear(text);
		ifr_checkup_json(&checkup, text);
		ifr_file_write(path, ifr_buffer_text(text), text->length, 0600, NULL);
		ifr_checkup_release(&checkup);
	}
	free(path);
	free(boot);
}

int node_adopt_reference(const char *file, const struct ifr_dataset *recorded, struct ifr_experiment **experiment,
                         struct ifr_error *err) {
	int result = ifr_experiment_open(file, experiment, err);
	for (size_t i = 0; i < recorded->fact_count && !result; i++) {
		const struct ifr_dataset_fact *fact = &recorded->facts[i];
		if (!strcmp(fact->name, "identity") || ifr_starts_with(fact->name, "reference "))
			result = ifr_experiment_set(*experiment, fact->name, fact->value, err);
	}
	return result;
}

/* ---- the calibration ---- */

static const char *fact_or_none(const struct ifr_dataset *dataset, const char *name) {
	const char *value = ifr_dataset_fact(dataset, name);
	return value ? value : "none";
}

/* The path of the calibration in the cache; the caller frees it. */
static char *name_calibration(const struct ifr_piece *piece, const struct ifr_dataset *recorded) {
	char digest[IFR_SHA256_HEX], *boot = ifr_host_boot(), *program = NULL;
	for (size_t i = 0; i < recorded->variant_count && !program; i++)
		if (!recorded->variants[i].program && !recorded->variants[i].layout)
			program = ifr_strdup(recorded->variants[i].sha256);
	char *key = ifr_format("%s\n%s\n%s\n%s\n%s\n%s", boot, INTERFERO_VERSION, program ? program : "",
	                       fact_or_none(recorded, "command"), fact_or_none(recorded, "environment"),
	                       fact_or_none(recorded, "counters"));
	ifr_sha256(key, strlen(key), digest);
	free(key);
	free(program);
	free(boot);
	return ifr_format("%s/calibration-%s", piece->cache, digest);
}

/* 0: the program runs for too long. */
static unsigned choose_repetitions(const struct ifr_campaign *campaign, const struct ifr_dataset *recorded) {
	const char *fact = ifr_dataset_fact(recorded, "reference time_ns");
	const int64_t run_ns = fact ? strtoll(fact, NULL, 10) : 0,
				  repetition_ns = run_ns * (1 + campaign->warmups) * (LAYOUTS + 1);
	if (repetition_ns * FEWEST_REPETITIONS > most_ns)
		return 0;
	unsigned repetitions = MOST_REPETITIONS;
	while (repetitions > FEWEST_REPETITIONS && repetitions * repetition_ns > usual_ns)
		repetitions--;
	return repetitions;
}

static int measure(const char *file, const struct ifr_campaign *campaign, unsigned repetitions,
                   const struct ifr_dataset *recorded, struct ifr_error *err) {
	struct ifr_campaign own = *campaign;
	struct ifr_campaign_result done = {0};
	struct ifr_experiment *experiment = NULL;
	own.file = file;
	own.program_count = 1;
	own.share = (struct ifr_share){0};
	own.variants = campaign->variants < LAYOUTS ? campaign->variants : LAYOUTS;
	own.repetitions = repetitions;
	int result = node_adopt_reference(file, recorded, &experiment, err);
	ifr_experiment_close(experiment);
	if (!result)
		result = ifr_campaign_run(&own, &done, err);
	if (!result && !done.complete)
		result = ifr_fail(err, IFR_E_ENVIRONMENT, "interrupted");
	return result;
}

static int judge(const char *file, struct ifr_buffer *text, struct ifr_error *err) {
	struct ifr_dataset dataset;
	struct ifr_analysis *analysis = NULL;
	struct ifr_calibration calibration;
	int result = ifr_experiment_load(file, &dataset, err);
	if (result)
		return result;
	result = ifr_analysis_make(&dataset, NULL, &analysis, err);
	if (!result)
		result = ifr_calibration_make(analysis, 0, 0, &calibration, err);
	if (!result)
		ifr_calibration_json(analysis, &calibration, text);
	ifr_analysis_free(analysis);
	ifr_dataset_release(&dataset);
	return result;
}

static void make_calibration(const struct ifr_piece *piece, const struct ifr_campaign *campaign,
                             const struct ifr_dataset *recorded, struct ifr_buffer *text) {
	struct ifr_error err = {0};
	char *file = ifr_format("%s/calibration", piece->scratch);
	const unsigned repetitions = choose_repetitions(campaign, recorded);
	int result = repetitions ? measure(file, campaign, repetitions, recorded, &err)
	                         : ifr_fail(&err, IFR_E_USAGE, "its runs take too long");
	if (!result)
		result = judge(file, text, &err);
	if (result) {
		json_t *none = json_object();
		ifr_json_set(none, "unknown_because", ifr_json_text(err.message));
		ifr_buffer_clear(text);
		ifr_json_print(none, text);
	}
	free(file);
}

void node_calibrate(const struct ifr_piece *piece, const struct ifr_campaign *campaign,
                    const struct ifr_dataset *recorded, struct ifr_buffer *text) {
	char *path = name_calibration(piece, recorded), *lock = ifr_format("%s.lock", path);
	const int fd = open(lock, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	const bool ours = fd >= 0 && !flock(fd, LOCK_EX | LOCK_NB);
	if (ifr_file_read(path, FACT_LIMIT, text, NULL)) {
		ifr_buffer_clear(text);
		if (ours)
			make_calibration(piece, campaign, recorded, text);
		if (ours && !ifr_launch_interrupted())
			ifr_file_write(path, ifr_buffer_text(text), text->length, 0600, NULL);
	}
	if (fd >= 0)
		close(fd);
	free(lock);
	free(path);
}
