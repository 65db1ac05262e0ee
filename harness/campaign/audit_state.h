/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A running audit, shared by the files that carry it out:
 *
 *     audit.c          chooses triggers, screens them all
 *     audit_counters.c the counters of a trigger that the model cannot follow
 *     audit_levels.c   the levels of a sweep that this machine has
 *     audit_trigger.c  one stage of one trigger
 *     audit_stages.c   the time of a stage; further runs
 *     audit_rest.c     the rest of a budget
 *     audit_replication.c  the same layouts again, where the first runs differ
 *     audit_stored.c   experiments of earlier calls
 *     audit_model.c    replays of layouts that were found by the clock
 *     audit_code.c     the function behind what was found, and its confirmation
 *     audit_cure.c     a cure of what was found
 */
#ifndef IFR_HARNESS_CAMPAIGN_AUDIT_STATE_H
#define IFR_HARNESS_CAMPAIGN_AUDIT_STATE_H

#include "harness/campaign/audit.h"

struct audit_state {
	const struct ifr_audit *audit;
	struct ifr_audit_outcome *outcomes;
	bool *possible;       /* [ifr_trigger_count]: asked for, and the program has what it needs */
	char **sweeps;        /* [ifr_trigger_count]: of what this machine has; NULL: the trigger's own */
	unsigned most;        /* layouts of a trigger in its first screen; 0: no limit */
	int64_t deadline_ns;  /* INT64_MAX without a budget */
	int64_t first_run_ns; /* of a run, with all around it, at the start; 0: without a budget */
	int64_t run_ns;       /* the same in the last campaign that had some; 0: not known */
	bool interrupted;
};

/* One stage of one trigger within a part of the time. */
struct audit_stage {
	unsigned repetitions, most; /* most: layouts of a new experiment; 0: no limit */
	int64_t budget_ns;          /* 0: none */
	bool finer;                 /* a sweep of smaller steps takes the place of the one that is there */
};

/* Chooses the allocators that are installed, and the parts that huge pages can hold; the outcome's note names the
 * others. Errors: IFR_E_USAGE where fewer than two levels remain. */
int audit_choose_levels(struct audit_state *state, unsigned which, struct ifr_error *err);

/* Carries it out, and notes in the trigger's outcome what came of it. *whole: the budget sufficed. */
int audit_run_trigger(struct audit_state *state, unsigned which, const struct audit_stage *stage, bool *whole,
                      struct ifr_error *err);

/* The sweep of an experiment that is there; NULL without one. The caller frees. */
char *audit_find_sweep(const char *file);
/* Reads the seed of an experiment that is there; else *seed stays. */
void audit_find_seed(const char *file, uint64_t *seed);
/* The experiments of all triggers: the recording of one serves the others. */
void audit_list_experiments(const char *folder, struct ifr_strings *files);

/* The counters of a campaign without the model's, where the model cannot follow its layouts, or the cure (may be NULL),
 * and others were asked for: the caller frees them, and *why_not says why. Else NULL. */
char *audit_choose_counters(const struct ifr_campaign *campaign, const struct ifr_plan *cure,
                            struct ifr_error *why_not);

/* The counters without the model's; "": there are no others. The caller frees. */
char *audit_drop_model(const char *counters);

/* Notes the end of a campaign that was begun at begun_ns. modelled: the metric is of the model, without whose values no
 * trigger is whole; others are, as the model then only explains them. Returns whether it is. */
bool audit_note_end(const struct ifr_campaign *campaign, const struct ifr_campaign_result *done, bool modelled,
                    int64_t begun_ns, struct ifr_audit_outcome *outcome);

/* A part of the time, but never too little to measure one trigger: the last ones are then left out. 0 without a
 * budget. */
int64_t audit_divide_time(const struct audit_state *state, int64_t deadline_ns, int64_t part, int64_t all);
/* Even an experiment without time for its layouts costs its reference runs. */
int audit_check_time(const struct audit_state *state, struct ifr_error *err);
void audit_announce(const struct audit_state *state, unsigned which, enum ifr_audit_step step, unsigned number,
                    unsigned count);

/* The runs of each layout that a stage of a trigger makes. A trigger of few layouts, such as the allocators, makes all of
 * them in its screen, and so many that neighbours in time tell disturbances of the machine from layouts. */
/* Fits further runs into a stage's time, by what the trigger's screen took: as many layouts of a random family as have
 * room, but at least those of the screen; of these fewer runs where time is shorter, three at least. Time alone decides,
 * so that the trigger's test keeps its level. */
void audit_fit_stage(const struct audit_state *state, unsigned which, struct audit_stage *stage);
unsigned audit_count_screen_runs(const struct audit_state *state, unsigned which);
unsigned audit_count_all_runs(const struct audit_state *state, unsigned which);
/* A trigger that cannot be carried out is left out with its reason; a program that fails ends the audit. */
int audit_screen_trigger(struct audit_state *state, unsigned which, const struct audit_stage *stage,
                         struct ifr_error *err);
/* Whether the screen passed the trigger, and its further runs were not made: its p is low, or its noise so far above that
 * of the others that the screen tells nothing. */
bool audit_passes(const struct audit_state *state, unsigned which);
/* The further runs of one trigger, number of count, and of all that the screen passed. */
int audit_refine_trigger(struct audit_state *state, unsigned which, unsigned number, unsigned count,
                         struct ifr_error *err);
int audit_refine_triggers(struct audit_state *state, struct ifr_error *err);

/* Spends the rest of the budget: finer steps, then missing triggers, then further runs of the others. */
int audit_spend_rest(struct audit_state *state, struct ifr_error *err);

/* Notes what experiments of earlier calls have that this call had no time for. */
void audit_note_stored(const struct audit_state *state);

/* Replicates what was found and has no replication, until the deadline. Triggers for which there is no time have a
 * reason. Returns the number of replications that were made. */
unsigned audit_replicate(struct audit_state *state);

#endif
