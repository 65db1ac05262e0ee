/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The source lines that bound a run: cost, criticality and slack of the lines that retirement waits for longest.
 *
 * Criticality of a line: cycles that the run takes more for each execution of the line's instructions if the result of
 * each comes a cycle later. 1: every execution is critical, and has no slack; 0: each has slack of a cycle at least.
 * Ref: Fields, Bodík and Hill 2002, "Slack: maximizing performance under technological constraints"; Tune, Tullsen and
 * Calder 2002, "Quantifying instruction criticality" (cost and criticality by changed latencies). */
#ifndef IFR_HARNESS_ICOST_LINE_COSTS_H
#define IFR_HARNESS_ICOST_LINE_COSTS_H

#include "harness/icost/subject.h"

enum { IFR_LINE_COSTS_MOST = IFR_CAUSE_SITES / 2 };

struct ifr_line_cost {
	uint32_t line;                /* of `lines` */
	uint64_t executed;            /* its instructions, over the run */
	double retires;               /* cycles by which it retires later than what is before it */
	struct ifr_icost_value cost;  /* cycles less if the line takes no time (struct ifr_site_marks) */
	struct ifr_icost_value later; /* cycles more if its results come a cycle later */
	double criticality;           /* later / executed */
};
struct ifr_line_costs {
	struct ifr_code_lines lines;
	struct ifr_line_cost items[IFR_LINE_COSTS_MOST]; /* the largest `retires` first */
	size_t count;
	double cycles; /* of the run */
	uint64_t instructions;
};

/* Errors: those of ifr_replay_plans. The caller releases the costs, after an error, too. */
int ifr_line_costs_find(const struct ifr_icost_subject *subject, struct ifr_line_costs *costs,
                        struct ifr_error *err);
void ifr_line_costs_release(struct ifr_line_costs *costs);
void ifr_line_costs_text(const struct ifr_line_costs *costs, const struct ifr_icost_run *run,
                         struct ifr_buffer *out);
void ifr_line_costs_json(const struct ifr_line_costs *costs, const struct ifr_icost_run *run,
                         struct ifr_buffer *out);

#endif
