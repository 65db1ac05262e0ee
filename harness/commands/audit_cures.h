/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The cures of an audit: proposed from what was found, measured, and kept for the report. */
#ifndef IFR_HARNESS_AUDIT_CURES_H
#define IFR_HARNESS_AUDIT_CURES_H

#include "harness/campaign/campaign.h"
#include "harness/report/report.h"

struct audit_cures {
	struct ifr_cure_candidates candidates;
	struct ifr_audit_cure *items;    /* [candidates.count] */
	struct ifr_cure_result *results; /* [candidates.count] */
	struct ifr_error *why_not;       /* [candidates.count] */
	char **files, **plans;           /* [candidates.count] */
};

/* Names the mechanism of each row that was found (row->mechanism), and proposes `most` cures at most. The rows must
 * outlive the cures. */
void audit_cures_propose(const struct ifr_audit *audit, struct ifr_audit_row *rows, size_t count, size_t most,
                         struct audit_cures *cures);
/* Measures them one after the other, each in an equal part of the time that is left (INT64_MAX: no limit). outcomes:
 * of the triggers [ifr_trigger_count]. */
void audit_cures_measure(const struct ifr_audit *audit, const struct ifr_audit_outcome *outcomes,
                         int64_t deadline_ns, struct audit_cures *cures);
void audit_cures_release(struct audit_cures *cures);

#endif
