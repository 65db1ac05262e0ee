/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The functions behind an audit's findings: named, moved alone, and kept for the report. */
#ifndef IFR_HARNESS_AUDIT_CODE_H
#define IFR_HARNESS_AUDIT_CODE_H

#include "harness/campaign/campaign.h"

struct audit_code {
	struct ifr_relinker *relinker;
	struct ifr_audit_code_search *searches; /* [count] */
	size_t count;
};

/* Names the function of each row that was found (row->code), where the program has a kit. confirm: moves each function
 * alone, for the first row that names it, until a quarter of the time that is left is spent (INT64_MAX: no limit). The
 * rows must outlive the result. */
void audit_code_make(const struct ifr_audit *audit, struct ifr_audit_row *rows, size_t count, bool confirm,
                     int64_t deadline_ns, struct audit_code *code);
void audit_code_release(struct audit_code *code);

#endif
