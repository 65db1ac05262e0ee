/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sibling experiments, such as those of one audit, record the same program in the same context: each trace is the
 * others', too. The first that needs a recording makes it, the others link it beside themselves. A recording with heap
 * objects leaves out the allocator's own instructions, so that it serves only experiments that move such objects. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/file.h"
#include "harness/campaign/model_values.h"

/* A recording depends on these facts, and on the program's file. */
static const char *const deciding[] = {
	"program",   "run in",    "command", "library by",           "environment",        "standard input",
	"driver of", "libraries", "metrics", "expected exit status", "iterations argument"};

static bool is_same(const char *one, const char *other) {
	return one == other || (one && other && !strcmp(one, other));
}

static bool moves_objects(unsigned axes) {
	return axes & ifr_object_axes();
}

static bool serves(const struct campaign_state *state, const struct ifr_dataset *sibling) {
	const char *list = ifr_dataset_fact(sibling, "axes");
	unsigned axes = 0;
	char *digest = ifr_experiment_variant_digest(state->experiment, 0);
	bool same = list && !ifr_axes_parse(list, &axes, NULL) &&
	            moves_objects(axes) == moves_objects(state->plan.generator.axes) && sibling->variant_count &&
	            digest && *digest && is_same(sibling->variants[0].sha256, digest);
	for (size_t i = 0; i < sizeof deciding / sizeof *deciding && same; i++) {
		char *own = ifr_experiment_get(state->experiment, deciding[i]);
		same = is_same(own, ifr_dataset_fact(sibling, deciding[i]));
		free(own);
	}
	return same;
}

/* The facts and warnings that the sibling got with its recording. */
static int take_facts(struct campaign_state *state, const struct ifr_dataset *sibling, const char *path,
                      struct ifr_error *err) {
	const char *classes = ifr_dataset_fact(sibling, IFR_FACT_CLASSES);
	int result = ifr_experiment_set(state->experiment, "recording", ifr_path_base(path), err);
	if (!result && classes)
		result = ifr_experiment_set(state->experiment, IFR_FACT_CLASSES, classes, err);
	for (size_t i = 0; i < sibling->warnings.count && !result; i++)
		if (ifr_starts_with(sibling->warnings.items[i], CAMPAIGN_RECORDING_WARNING))
			result = ifr_experiment_warn(state->experiment, sibling->warnings.items[i], err);
	return result;
}

static int try_sibling(struct campaign_state *state, const char *file, const char *path, struct ifr_error *err) {
	struct ifr_dataset sibling;
	char *recording = ifr_format("%s.trace", file);
	int result = 0;
	if (strcmp(file, state->plan.file) && ifr_file_exists(file) && ifr_file_exists(recording) &&
	    !ifr_experiment_load(file, &sibling, NULL)) {
		/* A file system without links leaves the recording to be made anew. */
		if (ifr_dataset_fact(&sibling, "recording") && serves(state, &sibling) &&
		    (!unlink(path) || errno == ENOENT) && !link(recording, path)) {
			state->programs[0].recorded = true;
			result = take_facts(state, &sibling, path, err);
		}
		ifr_dataset_release(&sibling);
	}
	free(recording);
	return result;
}

int campaign_share_recording(struct campaign_state *state, struct ifr_error *err) {
	const struct ifr_strings *siblings = state->plan.siblings;
	char *path = campaign_recording_path(state, 0);
	int result = 0;
	for (size_t i = 0; siblings && i < siblings->count && !state->programs[0].recorded && !result; i++)
		result = try_sibling(state, siblings->items[i], path, err);
	free(path);
	return result;
}

bool campaign_reuses_recording(const struct campaign_state *state, unsigned program) {
	return program && state->plan.programs[program].cure && campaign_has_recording(state, 0);
}

bool campaign_reuse_recording(struct campaign_state *state, unsigned program) {
	char *path = campaign_recording_path(state, program), *first = campaign_recording_path(state, 0);
	const bool linked =
		campaign_reuses_recording(state, program) && (!unlink(path) || errno == ENOENT) && !link(first, path);
	state->programs[program].recorded |= linked;
	free(first);
	free(path);
	return linked;
}
