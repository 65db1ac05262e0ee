/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of a cure's report, which an audit has, too. Private to this folder. */
#ifndef IFR_HARNESS_REPORT_CURE_H
#define IFR_HARNESS_REPORT_CURE_H

#include "harness/output/output.h"
#include "harness/report/report.h"

/* Appends "blocks seed=0 policy=2; align seed=1 loops=32": the plan without its first line. */
void cure_put_lines(const char *plan, struct ifr_buffer *text);
/* Append sentences about the change of the mean, and about the worst context and the spread (nothing where both are
 * unknown). */
void cure_say_mean(const struct ifr_cure_result *result, struct ifr_buffer *text);
void cure_say_spread(const struct ifr_cure_result *result, struct ifr_buffer *text);
/* Appends "To apply it, save this plan as cure.plan and run:", the command, and the plan. */
void cure_put_application(const struct ifr_cure *cure, struct ifr_buffer *out);
/* Sets what was measured: effect, ratio and its interval, worst_context, spread. */
void cure_json_result(const struct ifr_cure_result *result, json_t *made);

#endif
