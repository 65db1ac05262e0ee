/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A comparison over kinds of processors: whether all kinds have one ratio of the programs.
 *
 * log ratio of a pair = level of the kind + effect of the layout + rest; kinds are fixed, layouts random. Of layouts that
 * all kinds measured, the F test of the kinds is that of lme4's ratio ~ kind + (1|layout).
 * Ref: Searle, Casella and McCulloch 1992, section 4.3 (two-way mixed model, balanced). */
#ifndef IFR_HARNESS_COMPARISON_KINDS_H
#define IFR_HARNESS_COMPARISON_KINDS_H

#include "harness/analysis/comparison.h"

struct ifr_comparison_kinds {
	struct ifr_strings names;     /* of processors that ran something, in the order of nodes */
	size_t layouts;               /* that all kinds measured; below 2: nothing else is known */
	double ratio;                 /* the geometric mean over kinds, each with the same weight */
	struct ifr_interval interval; /* of it, over layouts */
	double f, p;                  /* that all kinds have one ratio */
};

/* Fills the kinds; with fewer than two, only the names. metric: as of ifr_comparison_make. The caller releases. */
void ifr_comparison_kinds_make(const struct ifr_comparison_side *old, const struct ifr_comparison_side *new,
                               const char *metric, struct ifr_comparison_kinds *kinds);
void ifr_comparison_kinds_release(struct ifr_comparison_kinds *kinds);

#endif
