/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The model's events for an audit's findings that have none: replayed, and kept for the report. */
#ifndef IFR_HARNESS_AUDIT_MODEL_H
#define IFR_HARNESS_AUDIT_MODEL_H

#include "harness/campaign/campaign.h"

struct audit_model {
	struct audit_model_replay *replays; /* [count] */
	size_t count;
};

/* Replays the layouts of each row that was found without events of the model, where the audit's counters allow it, the
 * widest range first, until a fifth of the time that is left is spent (INT64_MAX: no limit); row->no_model says why not.
 * The result must outlive the rows. */
void audit_model_make(const struct ifr_audit *audit, struct ifr_audit_row *rows, size_t count, int64_t deadline_ns,
                      struct audit_model *model);
void audit_model_release(struct audit_model *model);

#endif
