/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An audit: a campaign for each trigger, in two stages (design/audit_triggers.h), and a replication of what they find.
 * The rest of a budget is spent on finer steps of sweeps that found nothing, then on triggers for which there was no
 * time, then on further runs of the others. Its folder holds one experiment a trigger, FOLDER/TRIGGER.exp, which
 * "interfero report" reads as any other, and its replication, FOLDER/TRIGGER.again. Repeating an audit continues it: an
 * experiment that is there keeps its seed and its sweep. */
#ifndef IFR_HARNESS_CAMPAIGN_AUDIT_H
#define IFR_HARNESS_CAMPAIGN_AUDIT_H

#include "harness/analysis/analysis.h"
#include "harness/campaign/campaign_plan.h"
#include "harness/campaign/cure_candidates.h"

enum ifr_audit_step { IFR_AUDIT_SCREEN, IFR_AUDIT_MORE_RUNS, IFR_AUDIT_REPLICATION };

struct ifr_audit {
	struct ifr_campaign campaign; /* of every trigger; its file is the folder, its budget that of the audit, its
	                                 repetitions those of a trigger that the screen passes, of its generator only the
	                                 seed counts */
	const bool *wanted;           /* [ifr_trigger_count] */
	struct {
		bool given;
		int64_t offset, increment; /* bytes */
	} environment; /* the values of the trigger environment: two periods of 4096 bytes, or one where time is short */
	bool has_loader; /* the program that runs is dynamically linked */
	int64_t
		cures_ns; /* of the budget: left for cures where a trigger was found, and spent on triggers where none was */
	const char *model_machine; /* on which layouts are replayed that were found without the model */
	/* Called before each campaign; may be NULL. number: of the triggers of this step, from 1 to count. */
	void (*announce)(const struct ifr_trigger *trigger, enum ifr_audit_step step, unsigned number, unsigned count);
};

/* The outcome of one trigger. */
struct ifr_audit_outcome {
	bool measured;            /* its experiment has runs */
	bool full;                /* the screen passed it, and every run was made */
	struct ifr_error why_not; /* why it was not measured: it was not asked for, lacks a kit, the budget ended */
	char note[256];           /* what this machine lacks of the trigger; "": nothing */
	char model_left_out[256]; /* why values of the model are missing; "": none are */
	unsigned refused;         /* variants */
	char refusal[512];        /* the first of them, and why */
	bool screened, refined;   /* its screen, and its further runs, were made; the latter as far as time allowed */
	bool resumed;             /* its experiment was there before */
	int64_t layout_ns, step;  /* of the screen: the cost of a layout, and the step of a sweep */
	unsigned layouts;         /* of the screen */
	double p;                 /* of the runs that were made */
	double noise_pct;         /* of them; 0: not known */
	bool exact, clocked;      /* the metric has no noise; it is a time */
	bool no_time;             /* the budget ended before its screen */
	bool replicated;          /* its replication has runs */
	struct ifr_error not_replicated; /* why it has none, where it needs some */
};

/* Whether the first runs of a trigger differ, so that a claim needs a replication. */
bool ifr_audit_outcome_suspected(const struct ifr_audit_outcome *outcome);

/* Carries out the audit into outcomes[ifr_trigger_count]. Errors: those of the first trigger where no trigger could be
 * measured, and IFR_E_PROGRAM of any. *interrupted: the user ended it; what was measured remains. */
int ifr_audit_run(const struct ifr_audit *audit, struct ifr_audit_outcome *outcomes, bool *interrupted,
                  struct ifr_error *err);

/* The part of a budget that is left for cures. */
int64_t ifr_audit_cures_ns(int64_t budget_ns);

/* Measures a cure in fresh contexts of the trigger that it is of (ifr_trigger_contexts), in the first file
 * FOLDER/cure-K.exp that has none or this one, which it then resumes. Of a budget (0: none), half decides on the runs of
 * each context, at run_ns a run (0: not known): from two to those of the audit. *file: the experiment, the caller's, also
 * after an error. *whole: it has all runs of all contexts; without some, the worst context may be missing. Errors: those
 * of ifr_cure_run. */
int ifr_audit_cure(const struct ifr_audit *audit, const struct ifr_cure_candidate *candidate, int64_t budget_ns,
                   int64_t run_ns, char **file, bool *whole, struct ifr_error *err);
/* The time of its runs at the least, two of each context, at run_ns a run. */
int64_t ifr_audit_cure_least_ns(const struct ifr_audit *audit, const struct ifr_cure_candidate *candidate,
                                int64_t run_ns);
/* The experiment of cure 1, 2, …; the caller frees. */
char *ifr_audit_cure_file(const char *folder, unsigned number);

/* Whether the audit's counters leave it to the audit to ask the model: auto, or model. */
bool ifr_audit_wants_model(const struct ifr_audit *audit);
/* Replays the layouts of a row that was found, in FOLDER/TRIGGER.model, on audit->model_machine; without the core unless
 * the audit names a way to compute cycles. budget_ns: 0: none. *file: the experiment, the caller's, also after an error.
 * Errors: IFR_E_USAGE where the model cannot follow the trigger, or time did not suffice; those of ifr_campaign_run. */
int ifr_audit_model(const struct ifr_audit *audit, const struct ifr_audit_row *row, int64_t budget_ns, char **file,
                    struct ifr_error *err);
/* The experiment of a trigger's replays; the caller frees. */
char *ifr_audit_model_file(const char *folder, const struct ifr_trigger *trigger);

/* The experiment of a trigger, and that of its replication; the caller frees. */
char *ifr_audit_replication_file(const char *folder, const struct ifr_trigger *trigger);
char *ifr_audit_file(const char *folder, const struct ifr_trigger *trigger);
/* That of the intervention that confirms the trigger's function; the caller frees. */
char *ifr_audit_confirmation_file(const char *folder, const struct ifr_trigger *trigger);

#endif
