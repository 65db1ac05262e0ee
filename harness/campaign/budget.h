/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How a campaign divides its time budget. Pure functions of times, which know no clock.
 *
 *     making      a third, and more where the rest is not needed for measuring what is made
 *     the model   recording and replay together: half of what is left, all of it where nothing else is measured
 *     measuring   the rest */
#ifndef IFR_HARNESS_BUDGET_H
#define IFR_HARNESS_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct making {
	int64_t now_ns, begun_ns, deadline_ns; /* of the campaign; deadline_ns INT64_MAX: no budget */
	int64_t layout_ns;     /* the expected cost of making one layout of all programs; 0: not known yet */
	int64_t run_ns;        /* the cost of one run; 0: not known yet */
	uint64_t missing_runs; /* of the layouts that are made */
	uint64_t layout_runs;  /* of one more layout, of all programs */
	unsigned layouts;      /* random layouts that are made */
	uint64_t least_runs;   /* of two layouts and the shipped one, without which there is no report */
};

/* Whether one more layout is to be made: within the first third of the budget, or where its runs can still be made
 * behind it. A second layout needs no more room than the least that a report needs. */
bool budget_allows_layout(const struct making *making);

/* The runs of a variant that last least_ns together, if each lasts run_ns: so many at least, and `raised` times as many
 * at most. run_ns 0: not known. */
unsigned budget_raise_runs(unsigned runs, unsigned raised, int64_t run_ns, int64_t least_ns);

/* A budget that is enough, in whole seconds, where two layouts are made at layout_ns each behind spent_ns. */
int64_t budget_enough_to_make(int64_t spent_ns, int64_t layout_ns);

/* Whether two layouts can be made in the rest of a budget. */
bool budget_allows_making(int64_t now_ns, int64_t deadline_ns, int64_t layout_ns);

/* The time by which it must be known what a layout costs; INT64_MAX for none. */
int64_t budget_trial_deadline(int64_t begun_ns, int64_t deadline_ns);

/* The time by which the model must be done; INT64_MAX for none. measures: the campaign measures runs, too. */
int64_t budget_model_deadline(int64_t now_ns, int64_t deadline_ns, bool measures);

/* Whether it makes sense to begin a recording that is expected to take so long: an estimate may be four times too
 * high. */
bool budget_allows_recording(int64_t now_ns, int64_t deadline_ns, int64_t expected_ns);

/* A budget, in whole seconds, that has time for a step of the model that is expected to take so long and does not fit
 * by model_deadline_ns. */
int64_t budget_enough_for_model(int64_t now_ns, int64_t model_deadline_ns, int64_t expected_ns, int64_t budget_ns,
                                bool measures);
/* The words on a model that was left out, behind the reason; the caller frees. */
char *budget_explain_model(const char *why, bool measures, int64_t enough_s);

/* How many layouts of each of some programs can be replayed in the time that is left, where to replay that many layouts
 * of one takes expected_ns. A part of the time is kept back, for the pace may vary. */
unsigned budget_layouts_to_replay(int64_t left_ns, int64_t expected_ns, size_t layouts, unsigned programs);

/* A budget that is enough for so many runs, in whole seconds, where a campaign has spent spent_ns before its first run. A
 * run may take half as long again, and what came before as well: a longer budget allows a profile and more variants. */
int64_t budget_enough_seconds(int64_t spent_ns, int64_t run_ns, uint64_t runs);

/* The same for a budget of which this is a part, as of an audit: one whose part is enough_s, and that is longer than the
 * one that was given, whose part was part_ns. whole_ns 0: there is no other. */
int64_t budget_scale_to_whole(int64_t enough_s, int64_t part_ns, int64_t whole_ns);

/* Runs that are missing, of layouts (shipped ones among them) that have so many repetitions each. */
struct plan_size {
	uint64_t missing_runs;
	unsigned layouts, repetitions;
};
/* How many runs the rest of a budget holds, where that is clearly fewer than are missing; NULL where it is not. run_ns:
 * of the fastest run so far. The caller frees it. */
char *budget_describe_few(int64_t run_ns, int64_t left_ns, const struct plan_size *size);

/* The words on a campaign that its budget ended, behind "no: "; the caller frees. measured: all runs are there. */
char *budget_describe_end(bool measured, const char *model_left_out);

#endif
