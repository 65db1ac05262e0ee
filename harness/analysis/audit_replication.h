/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The replication of a finding: the layouts of a trigger measured once more, in an experiment of its own with fresh
 * copies of all files. Only its runs are tested, so that whatever chose the finding does not count. Part of
 * harness/analysis/analysis.h. */
#ifndef IFR_HARNESS_ANALYSIS_AUDIT_REPLICATION_H
#define IFR_HARNESS_ANALYSIS_AUDIT_REPLICATION_H

#include <stdbool.h>
#include <stddef.h>

#include "common/error.h"

struct ifr_analysis;
struct ifr_audit_row;

struct ifr_audit_replication {
	bool wanted;              /* the trigger's first runs differ, and a claim needs a replication */
	bool made;                /* the next ones are known */
	size_t layouts;           /* that both experiments have */
	double runs;              /* of a layout in the second one, on average */
	bool has_r;               /* of a trigger whose layouts are the same in both */
	double r;                 /* Spearman's, of the layouts' medians in both */
	double p, p_adjusted;     /* that layouts differ as they did; adjusted for all replications (Holm) */
	const char *experiment;   /* the second one */
	struct ifr_error why_not; /* why it was not made */
};

/* Tests in the second experiment what the first row found. Layouts that are the same in both must rank alike (Spearman,
 * one-sided), or the one farthest from the median must be so again (stratified rank-sum test): the smaller p counts
 * twice. Below 8 layouts, and where the file's place in memory is the layout (same_layouts false), p is that of the
 * second row. Fewer than two runs a layout, or half of the layouts, are no replication. */
void ifr_audit_replicate(struct ifr_audit_row *row, const struct ifr_analysis *second, bool same_layouts);

#endif
