/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Agreement of two experiments of one campaign: whether the layouts differ in the second as they did in the first. */
#ifndef IFR_HARNESS_ANALYSIS_AGREEMENT_H
#define IFR_HARNESS_ANALYSIS_AGREEMENT_H

#include "harness/analysis/comparison.h"

struct ifr_agreement {
	struct ifr_dataset_counter metric;
	size_t layouts;                      /* random layouts that both have; by their medians */
	bool known;                          /* the correlations: three layouts at least, whose medians differ */
	struct ifr_correlation linear, rank; /* Pearson's and Spearman's, with 95 % intervals */
	bool has_spread;                     /* of both: runs tell the noise */
	double sd[2];                        /* between layouts, as a share of the median one's value, >= 0 */
	struct ifr_interval sd_interval[2];
	double expected_r; /* Pearson's of medians of equal layout effects with the noise of both, 0 … 1 */
	struct ifr_comparison comparison;   /* the second to the first: its ratio is of the means over layouts */
	size_t shipped_rank[2], ranked[2];  /* of the shipped layout by its median, from 1 for the least; 0: unknown */
	size_t other_bytes, compared_bytes; /* variants whose file is another one than then, of those with a digest */
	struct ifr_strings differences;     /* sentences about the machine, versions and libraries */
};

/* Compares program `program` of both experiments, of which the second repeats the first. metric NULL: the default that
 * both have. The caller releases, after an error too. Errors: those of ifr_analysis_make and ifr_comparison_make. */
int ifr_agreement_make(const struct ifr_dataset *first, const struct ifr_dataset *second, unsigned program,
                       const char *metric, struct ifr_agreement *agreement, struct ifr_error *err);
void ifr_agreement_release(struct ifr_agreement *agreement);

#endif
