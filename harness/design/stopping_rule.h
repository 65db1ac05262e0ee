/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A stopping rule decides, after each part of an experiment, whether more layouts are worth measuring. Its interim
 * analyses are planned beforehand, and each tests at a level that keeps the false positives of all of them
 * together at 5 % (group sequential design). Ref: Lan and DeMets 1983; Wang and Jiménez 2011, section 6.3 (100,
 * 200, 300 layouts); Chow and Robbins 1965 (ending at a width).
 *
 * To add a stopping rule: a file stop_at_NAME.c with a judge, its constructor below, and the command that offers
 * it. */
#ifndef IFR_HARNESS_STOPPING_RULE_H
#define IFR_HARNESS_STOPPING_RULE_H

#include <stdbool.h>

#include "common/error.h"
#include "harness/analysis/analysis.h"

enum { IFR_INTERIM_MOST = 20 };

struct ifr_stopping_rule {
	unsigned layouts;               /* planned at the last analysis, without the shipped one */
	unsigned analyses;              /* planned, 1 … IFR_INTERIM_MOST */
	unsigned analysis;              /* the next one, from 1 */
	double bound[IFR_INTERIM_MOST]; /* of each analysis: the critical standard normal value */
	/* Decides after an analysis; *ended is a sentence for the user where the rule ends the experiment early,
	 * else NULL. The caller frees it. */
	int (*judge)(struct ifr_stopping_rule *rule, const char *experiment, bool *more, char **ended,
	             struct ifr_error *err);
	void (*say)(const char *text); /* NULL: no notes */
	const char *metric;            /* NULL: the usual one */
	double width;                  /* stop at a width: of the mean's 95 % interval, relative to the mean */
	const struct ifr_comparison_rules *rules; /* stop at a change: of the comparison */
};

/* Plans analyses at equal steps up to `layouts`; fewer where a step would have less than four layouts. */
void ifr_stopping_rule_plan(struct ifr_stopping_rule *rule, unsigned analyses, unsigned layouts);
/* The number of layouts at the next analysis. */
unsigned ifr_stopping_rule_layouts(const struct ifr_stopping_rule *rule);
/* The confidence of intervals at the next analysis, such as 0.95 where one is planned. */
double ifr_stopping_rule_confidence(const struct ifr_stopping_rule *rule);

/* Judges an experiment that has the layouts of the next analysis. Where the experiment ends, the reason goes to `say`
 * and into the experiment as a warning. *layouts: the layouts of the next analysis, 0 to end. */
int ifr_stopping_rule_judge(struct ifr_stopping_rule *rule, const char *experiment, unsigned *layouts,
                            struct ifr_error *err);

/* Ends where the regression line on a counter, or without counters the difference between layouts, is significant
 * or is unlikely to become so. */
void ifr_stop_at_significance(struct ifr_stopping_rule *rule, unsigned analyses, unsigned layouts);
/* Ends where the mean's 95 % interval is no wider than width, relative to the mean. */
void ifr_stop_at_width(struct ifr_stopping_rule *rule, unsigned analyses, unsigned layouts, double width);
/* Ends where the difference of the experiment's two programs is significant, or is unlikely to become so, by the rules
 * of a comparison. The stopping rule borrows them, but sets their confidence and layouts itself. */
void ifr_stop_at_change(struct ifr_stopping_rule *rule, unsigned analyses, unsigned layouts,
                        const struct ifr_comparison_rules *rules);

#endif
