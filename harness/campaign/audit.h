/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An audit: a campaign for each trigger, in two stages (design/audit_triggers.h). The rest of a budget is spent
 * on finer steps of sweeps that found nothing, then on triggers for which there was no time, then on further runs of
 * the others. Its folder holds one experiment a trigger, FOLDER/TRIGGER.exp, which "interfero report" reads as any
 * other. Repeating an audit continues it: an experiment that is there keeps its seed and its sweep. */
#ifndef IFR_HARNESS_CAMPAIGN_AUDIT_H
#define IFR_HARNESS_CAMPAIGN_AUDIT_H

#include "harness/campaign/campaign_plan.h"

struct ifr_audit {
	struct ifr_campaign campaign; /* of every trigger; its file is the folder, its budget that of the audit, its
	                                 repetitions those of a trigger that the screen passes, of its generator only the
	                                 seed counts */
	const bool *wanted;           /* [ifr_trigger_count] */
	bool has_loader;              /* the program that runs is dynamically linked */
	/* Called before each campaign; may be NULL. number: of the triggers of this stage, from 1 to count. */
	void (*announce)(const struct ifr_trigger *trigger, bool screen, unsigned number, unsigned count);
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
	double p;                 /* of the screen */
};

/* Carries out the audit into outcomes[ifr_trigger_count]. Errors: those of the first trigger where no trigger could be
 * measured, and IFR_E_PROGRAM of any. *interrupted: the user ended it; what was measured remains. */
int ifr_audit_run(const struct ifr_audit *audit, struct ifr_audit_outcome *outcomes, bool *interrupted,
                  struct ifr_error *err);

/* The experiment of a trigger; the caller frees. */
char *ifr_audit_file(const char *folder, const struct ifr_trigger *trigger);

#endif
