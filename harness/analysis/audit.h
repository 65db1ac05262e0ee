/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The findings of an audit: a row for each trigger, and the events that go along with the metric. Part of
 * harness/analysis/analysis.h. */
#ifndef IFR_HARNESS_ANALYSIS_AUDIT_H
#define IFR_HARNESS_ANALYSIS_AUDIT_H

#include <stdbool.h>
#include <stddef.h>

#include "common/error.h"
#include "harness/analysis/attribution.h"
#include "harness/analysis/audit_replication.h"
#include "harness/analysis/comparison.h"
#include "harness/analysis/spike_train.h"
#include "harness/statistics/statistics.h"

struct ifr_analysis;

#define IFR_AUDIT_SCREEN_LEVEL 0.2 /* p up to which a trigger runs on behind its screen */
#define IFR_AUDIT_R 0.3            /* events that go along less are left out. Ref: Melhus 2013, section 3.2 */

/* An event over the layouts of a trigger. */
struct ifr_audit_event {
	const char *name, *source; /* of the dataset */
	double low, high;          /* of the layouts' medians */
	bool constant;             /* low = high: the event is ruled out */
	double r;                  /* Pearson's, with the metric; 0 for a constant */
	double *medians;           /* of each layout of the analysis, in its order; NAN: not known. The row's */
};

/* The function whose place makes the layouts of a trigger differ, and what came of moving it alone. */
struct ifr_audit_code {
	const struct ifr_finding *finding;
	bool significant;    /* else the function is suspected because it runs most */
	size_t alike;        /* further functions that lie at the same offsets in all layouts */
	double share;        /* of the samples of the program */
	uint64_t address[2]; /* in the layout of the lowest median, and in that of the highest; 0: unknown */
	uint64_t best_at;    /* of the shipped program's addresses the one of the best class; 0: unknown */
	const char *lead;    /* ifr_unit_addresses_lead of the function, or NULL */
	bool confirmed;      /* the intervention was made: the next two are known */
	struct ifr_comparison comparison;
	const char *experiment;
	struct ifr_error why_not;  /* why it was not made */
	const char *confirmed_for; /* the trigger of another row whose intervention moved the same function; or NULL */
};

/* The effect of a trigger on the metric. */
struct ifr_audit_row {
	const char *trigger, *summary, *sets; /* its name, a line, and the plural of its layouts in sentences */
	const struct ifr_analysis *analysis;  /* NULL: not measured */
	const char *metric;                   /* as it was asked for; NULL: the experiment's usual one */
	struct ifr_error why_not;             /* why there is no analysis */
	int64_t finest_step;                  /* of the trigger's sweep; 0: none, or not known */
	const char *note;                     /* what the machine or the program lacks of the trigger; "": nothing */
	const char *model_left_out;           /* why values of the model are missing; NULL or "": none are */
	size_t layouts, refused;              /* random or swept ones with values; variants that were refused */
	double runs;                          /* of a layout, on average */
	int64_t step;                         /* of the sweep; 0: none */
	double range_pct;                     /* from the lowest median of a layout to the highest */
	bool full;                            /* the screen passed it, and it has the full number of runs */
	bool interrupted;                     /* the audit was, by its user */
	bool has_sd, has_noise, tested, found, has_period;
	bool
		shipped_outside; /* of the range of the medians of random layouts, by more than the noise; those are 8 at least */
	double sd_pct, noise_pct;            /* between layouts, less the noise; from run to run */
	struct ifr_interval sd_interval_pct; /* of sd_pct, where that is known */
	double
		detectable_pct; /* of a row that is tested and not found: the effect of one value of a sweep, else the standard
	                          deviation between layouts, that the screen and the test find with a power of 80 %; else 0 */
	double p, p_adjusted; /* of no difference between layouts; adjusted for all tested triggers (Holm) */
	struct ifr_audit_replication replication;
	struct ifr_spike_train train;
	int64_t period; /* of any shape, in the unit of the sweep */
	struct ifr_audit_event *events;
	const struct ifr_audit_code *code; /* NULL: no function is named */
	const char *model_experiment;      /* with the model's events, where the row's own has none; or NULL */
	const char *model_machine;         /* of it */
	struct ifr_error no_model;         /* why it was not made, where it was tried */
	char *mechanism; /* the accesses behind the spikes, by name: lines of a report; NULL: not known. The row's */
	char *names;     /* the same as a JSON object's text; or NULL */
	size_t event_count; /* those that vary first, by |r|; then the constant ones */
};

/* Fills the row of a trigger from its analysis, which it borrows. The tests are the F test of the layouts' aligned
 * ranks and that of their values (alone below 4 layouts); for a sweep, in place of the latter, that of single values,
 * and where there was a second look that of its suspects; p is the smallest one times their number (Bonferroni). A
 * sweep that has larger steps than finest_step may be repeated with smaller ones, and an experiment may be that
 * repetition: both have their p doubled, as there are two chances. A metric of the model has no noise: p is 0 where
 * layouts differ. */
void ifr_audit_row_make(const struct ifr_analysis *analysis, struct ifr_audit_row *row);
/* Adds the events of another experiment with the row's layouts, the model's: medians are paired by the layouts' numbers.
 * Its dataset must outlive the row. */
void ifr_audit_row_add_model(struct ifr_audit_row *row, const struct ifr_analysis *model);
/* Whether the row has events of the model, or is about one. */
bool ifr_audit_row_has_model(const struct ifr_audit_row *row);
void ifr_audit_row_release(struct ifr_audit_row *row);

/* Adjusts the p of all rows that are tested, and those of replications, and sets found; else detectable_pct. Found is an
 * adjusted p < IFR_REPORT_LEVEL in a row that is full; where a replication is wanted, that of the replication. */
void ifr_audit_adjust(struct ifr_audit_row *rows, size_t count);

/* Tests whether layouts but the shipped one differ, by ranks within repetitions: long tails of the noise hide nothing.
 * Returns
 * false where it cannot, as with one run of each. */
bool ifr_layout_ranks_test(const struct ifr_analysis *analysis, double *p);

#endif
