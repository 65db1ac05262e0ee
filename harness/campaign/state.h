/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A running campaign, shared by the files that carry it out: campaign.c prepares and ends it, settings.c says what
 * it is, reference.c learns what the program does as it ships, recorded.c records it for the model, measure.c runs
 * it, modelled.c has the model count. */
#ifndef IFR_HARNESS_CAMPAIGN_STATE_H
#define IFR_HARNESS_CAMPAIGN_STATE_H

#include "harness/campaign/campaign.h"
#include "harness/store/experiment.h"
#include "harness/exec/library.h"
#include "harness/exec/launch.h"

enum { SUBJECTS_MOST = 2 };

/* One of the programs that are measured. */
struct campaign_program {
	const char *program;
	const struct ifr_kit *kit;
	const struct ifr_strings *files;
	char reference_digest[IFR_SHA256_HEX]; /* of the output; "" if it is not compared */
};

struct campaign_state {
	struct ifr_campaign *plan;
	struct campaign_program subject[SUBJECTS_MOST];
	unsigned subjects;
	struct ifr_experiment *experiment;
	struct ifr_counters *counters;
	struct ifr_strings environment;
	struct ifr_library library;            /* of the campaign's user, if there is one */
	struct ifr_strings launch_environment; /* of the launch under way, with its variant of the library */
	char *folder;                          /* of the variants */
	int lock;
	int cpu;
	int64_t deadline_ns;  /* of the budget, on CLOCK_MONOTONIC; INT64_MAX without */
	int64_t reference_ns; /* how long a run takes, of the slower program */
	int64_t timeout_ns;
	uint64_t *stack_bytes; /* of each id, like the next two */
	uint64_t *load_pages;
	char **runtime;               /* settings; NULL where no variant has any */
	bool recorded[SUBJECTS_MOST]; /* for the model, by this call */
	unsigned ready;               /* ids 0 … ready-1 are made */
};

/* Ids count the variants of all subjects: 0, 1 … are the layouts that ship, then number 1 of each, and so on. */
unsigned campaign_ids(const struct campaign_state *state);
const struct campaign_program *campaign_program_of(const struct campaign_state *state, unsigned id);
unsigned campaign_index_of(const struct campaign_state *state, unsigned id);
/* Whether there is such a variant: given files have no layout that ships. */
bool campaign_has(const struct campaign_state *state, unsigned id);
/* "v00007", of the second program "w00007". */
void campaign_variant_name(const struct campaign_state *state, unsigned id, char name[IFR_NAME_MAX]);
/* A fact's name for a subject: "kit", "kit 2"; the caller frees. */
char *campaign_fact_name(const char *name, unsigned subject);

int64_t campaign_now_ns(void);

void campaign_programs_set(struct campaign_state *state);

/* Whether any run is still to be done. */
bool campaign_needs_runs(const struct campaign_state *state);
/* Makes what is still needed, or as much of it as the time budget allows. */
int campaign_make_variants(struct campaign_state *state, struct ifr_error *err);

/* Writes what this campaign is into a new experiment, or compares it with an existing one. */
int campaign_record_configuration(struct campaign_state *state, struct ifr_error *err);
/* The same of its counters, which "auto" may come to know later; and the counters themselves. */
int campaign_record_counters(struct campaign_state *state, struct ifr_error *err);
int campaign_save_counters(struct campaign_state *state, struct ifr_error *err);
/* The launch of one variant, whose file is at path; valid until the next one. */
int campaign_prepare_launch(struct campaign_state *state, unsigned variant, const char *path, unsigned pass,
                            struct ifr_launch *launch, struct ifr_error *err);
/* Runs the program as it ships twice, unless the experiment knows the outcome already. */
int campaign_reference(struct campaign_state *state, struct ifr_error *err);
/* Whether there is such a machine, and the model can follow these axes. */
int campaign_can_model(const struct campaign_state *state, struct ifr_error *err);
/* Whether "auto" is still to decide on the model; and adding its counters where it took them when the experiment
 * began. */
bool campaign_undecided(const struct campaign_state *state);
int campaign_adopt_model(struct campaign_state *state, struct ifr_error *err);
/* Records what the model is to replay, after the reference run. With "auto" on a machine without events of the
 * processor, decides for the whole experiment whether the model is taken: only what can be recorded, within a
 * fifth of the budget or of the measuring. */
int campaign_record(struct campaign_state *state, struct ifr_error *err);
/* Where a subject's recording lies; the caller frees. */
char *campaign_recording(const struct campaign_state *state, unsigned subject);
/* Whether the model's values of a variant are still to be had, and getting those of all. */
bool campaign_needs_model(const struct campaign_state *state, unsigned id);
int campaign_model(struct campaign_state *state, struct ifr_campaign_result *result, struct ifr_error *err);
/* The plan of a variant, under the subject's kit and the name that its file has; none for given files. */
void campaign_plan(const struct campaign_state *state, unsigned id, struct ifr_plan *plan);
/* Runs whatever is not in the experiment yet. */
int campaign_measure(struct campaign_state *state, struct ifr_campaign_result *result, struct ifr_error *err);

#endif
