/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A running campaign, shared by the files that carry it out:
 *
 *     campaign.c       prepares, runs the steps, ends; resumes
 *     configuration.c  what the campaign is, recorded in the experiment or validated against it
 *     programs.c       the cells of the design: program x layout
 *     variant_files.c  the variants' files
 *     reference.c      what each program does as it ships
 *     recordings.c     each program's recording, for the model
 *     measurement.c    the jobs of this machine
 *     model_values.c   the jobs of the model
 */
#ifndef IFR_HARNESS_CAMPAIGN_STATE_H
#define IFR_HARNESS_CAMPAIGN_STATE_H

#include "harness/build/build.h"
#include "harness/campaign/campaign.h"
#include "harness/exec/exec.h"
#include "harness/simulate/simulate.h"
#include "harness/store/store.h"

/* A program under test, as far as it is known by now. */
struct campaign_program {
	const struct ifr_campaign_program *plan;
	char reference_digest[IFR_SHA256_HEX]; /* of the output; "" if it is not compared */
	bool recorded;                         /* for the model, by this call */
};

struct campaign_state {
	struct ifr_campaign plan;          /* a copy: its seed may be the experiment's, its counters become known */
	struct campaign_program *programs; /* [plan.program_count] */
	struct ifr_experiment *experiment;
	struct ifr_counters *counters;
	struct ifr_context context; /* of the layouts that ship */
	struct ifr_library library; /* of the campaign's user, if there is one */
	char *folder;               /* of the variants */
	int lock;
	int cpu;
	int64_t deadline_ns;  /* of the budget, on CLOCK_MONOTONIC; INT64_MAX without */
	int64_t reference_ns; /* how long a run takes, of the slowest program */
	int64_t timeout_ns;
	struct ifr_context *contexts; /* of each variant, by id */
	unsigned ready;               /* variants 0 … ready-1 are made */
};

/* Variants have ids: 0, 1, … are the layouts that ship, one of each program, then layout 1 of each, and so on. */
unsigned campaign_variant_count(const struct campaign_state *state);
unsigned campaign_variant_id(const struct campaign_state *state, unsigned program, unsigned layout);
unsigned campaign_program_of(const struct campaign_state *state, unsigned id);
unsigned campaign_layout_of(const struct campaign_state *state, unsigned id);
/* Whether there is such a variant: given files have no layout that ships. */
bool campaign_has_variant(const struct campaign_state *state, unsigned id);
void campaign_variant_name(const struct campaign_state *state, unsigned id, char name[IFR_NAME_MAX]);
/* The path of a variant's file; the caller frees. */
char *campaign_variant_path(const struct campaign_state *state, unsigned id);
/* The plan of a variant, under its program's kit and the name of its file; without axes for given files. */
void campaign_variant_plan(const struct campaign_state *state, unsigned id, struct ifr_plan *plan);
/* A fact's name for a program: "kit", "kit 2"; the caller frees. */
char *campaign_fact_name(const char *name, unsigned program);

void campaign_say(const struct campaign_state *state, const char *text);

/* Whether any run, or any value of the model, is still missing. */
bool campaign_is_incomplete(const struct campaign_state *state);
/* Makes the variants that are still needed, or as many as the time budget allows. */
int campaign_make_variants(struct campaign_state *state, struct ifr_error *err);

/* Records the configuration in a new experiment, or validates it against an existing one. */
int campaign_record_configuration(struct campaign_state *state, struct ifr_error *err);
/* The same for the counters, which "auto" may add to later; and storing the counters themselves. */
int campaign_record_counters(struct campaign_state *state, struct ifr_error *err);
int campaign_save_counters(struct campaign_state *state, struct ifr_error *err);

/* Fills in the launch of one variant; its pointers hold as long as the state. */
void campaign_describe_launch(const struct campaign_state *state, unsigned id, const char *path, unsigned pass,
                              struct ifr_launch *launch);
/* Runs each program as it ships twice, unless the experiment knows the outcome already. */
int campaign_run_references(struct campaign_state *state, struct ifr_error *err);

/* Whether there is such a machine, and the model can follow the axes. */
int campaign_check_model(const struct campaign_state *state, struct ifr_error *err);
/* Whether "auto" is still to decide on the model. */
bool campaign_auto_is_open(const struct campaign_state *state);
/* Adds the model's counters where "auto" took them when the experiment began. */
int campaign_resume_model(struct campaign_state *state, struct ifr_error *err);
/* Records the programs for the model, after the reference runs. With "auto" on a machine without events of the
 * processor, decides for the whole experiment whether the model is taken: only if the programs can be recorded,
 * within a fifth of the budget or of the measuring. */
int campaign_record_programs(struct campaign_state *state, struct ifr_error *err);
/* The path of a program's recording; the caller frees. */
char *campaign_recording_path(const struct campaign_state *state, unsigned program);

/* Whether the model's values of a variant are still missing. */
bool campaign_needs_model(const struct campaign_state *state, unsigned id);
/* Carries out the jobs that are still to be done: on this machine, and in the model. */
int campaign_measure(struct campaign_state *state, struct ifr_campaign_result *result, struct ifr_error *err);
int campaign_model(struct campaign_state *state, struct ifr_campaign_result *result, struct ifr_error *err);

#endif
