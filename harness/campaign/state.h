/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A running campaign, shared by the files that carry it out:
 *
 *     campaign.c       prepares, runs the steps, ends; resumes
 *     budget.c         how a time budget is divided
 *     budget_words.c   words on a budget that is short
 *     configuration.c  the campaign's configuration, recorded in the experiment or validated against it
 *     programs.c       the cells of the design: program x layout; called by all others
 *     matched_layouts.c  equal addresses of what two programs have in common
 *     missing_runs.c   what the experiment still lacks
 *     variant_files.c  the variants' files
 *     copies.c         fresh copies of these files for each repetition
 *     reference.c      the reference run of each shipped program
 *     profile.c        where each shipped program spends its time
 *     units.c          the units that reports show
 *     libraries.c      the library under test, and those that programs load
 *     driver.c         the user's driver, and what comes before each run
 *     figures.c        the benchmarks of each program, and their iterations
 *     cycles.c         whether the model replays a core
 *     recordings.c     each program's recording, for the model
 *     shared_recording.c  the recording of a sibling experiment
 *     measurement.c    the jobs of this machine
 *     second_look.c    which layouts of a sweep run again
 *     model_values.c   the jobs of the model
 */
#ifndef IFR_HARNESS_CAMPAIGN_STATE_H
#define IFR_HARNESS_CAMPAIGN_STATE_H

#include "harness/build/build.h"
#include "harness/campaign/campaign.h"
#include "harness/exec/exec.h"
#include "harness/simulate/simulate.h"
#include "harness/store/store.h"

/* A program under test, with the state of its reference and recording. */
struct campaign_program {
	const struct ifr_campaign_program *plan;
	char reference_digest[IFR_SHA256_HEX]; /* of the output; "" if it is not compared */
	int64_t processor_ns;                  /* processor time of the reference run; 0: not known */
	bool recorded;                         /* for the model, by this call */
	bool edit_checked;                     /* whether it was edited after its link */
	struct ifr_profile *profile;           /* of this call; NULL: none */
	struct ifr_executed_code executed;     /* of the recording, read by this call; empty: not read */
	struct ifr_own_figures benchmarks;     /* as it ships */
};

/* Time spent on one level of replication by this call. */
struct campaign_cost {
	int64_t spent_ns;
	unsigned count;
};

struct campaign_state {
	struct ifr_campaign plan;          /* a copy: its seed may be that of the experiment */
	struct campaign_program *programs; /* [plan.program_count] */
	struct ifr_experiment *experiment;
	struct ifr_counters *counters;
	enum ifr_core_use core;         /* of the model's replays */
	struct ifr_metrics *metrics;    /* NULL: the program's own figures are not read */
	bool chooses_iterations;        /* some program, anew in every run */
	const char *adaptive_framework; /* by which it does; NULL: none, or not known */
	const char *adaptive_option;    /* of --metrics, for that */
	struct ifr_strings argv;        /* the plan's, with the arguments that figures need */
	struct ifr_context context;     /* of the shipped layouts */
	struct ifr_library library;     /* of the campaign's user, if there is one; of a driver only the name */
	bool stands_in;                 /* variants take the program's place where a driver looks for it */
	struct ifr_plan match; /* what makes layouts of two programs match: rooms, start, last functions; no axes */
	char *folder;          /* of the variants */
	int lock;
	int cpu;
	int64_t begun_ns;          /* on CLOCK_MONOTONIC, as all moments */
	int64_t deadline_ns;       /* of the budget; INT64_MAX without */
	int64_t model_deadline_ns; /* of its part for the model; INT64_MAX without */
	int64_t run_ns;            /* of one run, as measured last, with its overhead; 0: not known */
	int64_t reference_ns;      /* the duration of a run of the slowest program */
	int64_t fastest_ns;        /* of its runs in this process, the shortest; 0: none */
	int64_t timeout_ns;
	struct ifr_patience patience;  /* with runs before that is known */
	struct ifr_context *contexts;  /* of each variant, by id */
	unsigned ready;                /* variants 0 … ready-1 are made */
	struct ifr_builder **builders; /* of each program, while variants are made; NULL: not open */
	int64_t trial_ns;              /* of compiling the units of all programs once, for axes that need it; else 0 */
	struct campaign_cost making, copying, running; /* of variants, of copies of their files, and of runs */
	int64_t *copies; /* of each variant, by id: the number of the copy that its file is; -1: not known */
	bool *again; /* of each variant, by id: whether it runs in the second look of a sweep; NULL: there is none */
	unsigned again_repetitions; /* of the second look, after the planned ones */
};

/* Ids of variants: 0, 1, … are the shipped layouts, one of each program; layout 1 of each program follows, and so
 * on. */
unsigned campaign_variant_count(const struct campaign_state *state);
unsigned campaign_variant_id(const struct campaign_state *state, unsigned program, unsigned layout);
unsigned campaign_program_of(const struct campaign_state *state, unsigned id);
unsigned campaign_layout_of(const struct campaign_state *state, unsigned id);
/* Whether the variant exists: given files have no shipped layout. */
bool campaign_has_variant(const struct campaign_state *state, unsigned id);
/* The first variant of a program: the layout that ships, or the first of the given files. */
unsigned campaign_first_variant(const struct campaign_state *state, unsigned program);
void campaign_variant_name(const struct campaign_state *state, unsigned id, char name[IFR_NAME_MAX]);
/* The path of a variant's file; the caller frees. */
char *campaign_variant_path(const struct campaign_state *state, unsigned id);
/* The plan of a variant, under its program's kit and the name of its file; without axes for given files. */
void campaign_variant_plan(const struct campaign_state *state, unsigned id, struct ifr_plan *plan);
/* Finds what makes the layouts of two programs match (matched_layouts.c); behind the configuration. */
int campaign_match_programs(struct campaign_state *state, struct ifr_error *err);
/* Whether an axis or a cure changes the programs' files; else variants are copies of the shipped file. */
bool campaign_changes_files(const struct campaign_state *state);

/* Stores the mean cost of a level ("layout", "copy", "run") as a fact; without any, the fact stays. */
int campaign_save_cost(struct campaign_state *state, const char *level, const struct campaign_cost *cost,
                       struct ifr_error *err);

void campaign_say(const struct campaign_state *state, const char *text);

/* Whether one file of the variant serves all repetitions. */
bool campaign_keeps_file(const struct campaign_state *state, unsigned id);
/* Whether a variant has a twin run in a repetition. */
bool campaign_has_twin(const struct campaign_state *state, unsigned id, unsigned repetition);
/* Whether a job's run is still missing, and can be made: a twin runs on the copy of its sibling, which runs before. */
bool campaign_needs_run(const struct campaign_state *state, const struct ifr_job *job);
/* Puts a fresh copy into the place of the file of each variant that still has runs in the repetition. Ends early, with
 * *whole false, where the user interrupts or the next copy would end behind the deadline. A copy that fails leaves the
 * old file there. */
int campaign_copy_variants(struct campaign_state *state, unsigned repetition, int64_t deadline_ns, bool *whole,
                           struct ifr_error *err);

/* Makes the missing variants, or as many as the time budget allows. Called again where more of it is known: makes
 * more. */
int campaign_make_variants(struct campaign_state *state, struct ifr_error *err);
/* Where units are compiled again for the variants that are needed: measures and says what that costs before it begins.
 * Errors: those of the compilation; IFR_E_USAGE, with a budget that is enough, where it has no time for two layouts. */
int campaign_estimate_rebuilds(struct campaign_state *state, unsigned program, struct ifr_builder *builder,
                               unsigned needed, struct ifr_error *err);
/* Makes the files of the chosen variants, by id, whose planned runs may all be there. */
int campaign_make_chosen(struct campaign_state *state, const bool *chosen, struct ifr_error *err);
/* Ends the making. */
void campaign_close_builders(struct campaign_state *state);

/* Records the configuration in a new experiment, or validates it against an existing one. */
int campaign_record_configuration(struct campaign_state *state, struct ifr_error *err);
/* Records or validates the list of counters, to which "auto" may add the model's later. */
int campaign_record_counters(struct campaign_state *state, struct ifr_error *err);
/* Stores the counters with their units and sources. */
int campaign_save_counters(struct campaign_state *state, struct ifr_error *err);

/* Fills in the launch of one variant; its pointers hold as long as the state. */
void campaign_describe_launch(const struct campaign_state *state, unsigned id, const char *path, unsigned pass,
                              struct ifr_launch *launch);
/* Runs each shipped program twice, unless the experiment holds the outcome. Errors: IFR_E_PROGRAM if it fails. */
int campaign_run_references(struct campaign_state *state, struct ifr_error *err);

/* Samples where each program spends its time, unless the experiment knows. A kernel that refuses is no error. */
int campaign_profile_programs(struct campaign_state *state, struct ifr_error *err);
/* Stores the units of all programs that have kits, with their addresses, samples and executed instructions. */
int campaign_save_units(struct campaign_state *state, struct ifr_error *err);
/* Runs a program as it ships, without counters. watch_stdin: as in struct ifr_launch. The caller releases the outcome. */
int campaign_observe_run(struct campaign_state *state, unsigned program, bool watch_stdin,
                         struct ifr_outcome *outcome, struct ifr_error *err);

/* Adds a warning to the experiment that comparisons show, too: they find it as the fact of that name. */
int campaign_warn_as(struct campaign_state *state, const char *name, const char *text, struct ifr_error *err);
/* Warns where a run left processes. */
int campaign_note_left(struct campaign_state *state, const struct ifr_outcome *outcome, struct ifr_error *err);
/* The value of a fact as a phrase: "the seed 42", "no --metrics". The caller frees it. */
char *campaign_phrase_fact(const char *fact, const char *value);
/* A command as a shell takes it; the caller frees it. */
char *campaign_quote_command(char *const *argv);
/* Whether the list of counters still depends on the reference runs: "auto", or the program's own figures. */
bool campaign_counters_are_open(const struct campaign_state *state);

/* Carries out the missing jobs on this machine. */
int campaign_measure(struct campaign_state *state, struct ifr_campaign_result *result, struct ifr_error *err);
/* Whether the campaign is one whose suspects run again. */
bool campaign_may_look_again(const struct campaign_state *state);
/* Chooses them from the runs in the experiment: again and again_repetitions; nothing where the runs are too few. */
int campaign_plan_second_look(struct campaign_state *state, struct ifr_error *err);
/* Runs them. */
int campaign_look_again(struct campaign_state *state, struct ifr_campaign_result *result, struct ifr_error *err);

#endif
