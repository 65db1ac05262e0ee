/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The cures of an audit's report. Private to this folder. */
#ifndef IFR_HARNESS_REPORT_AUDIT_CURES_H
#define IFR_HARNESS_REPORT_AUDIT_CURES_H

#include "harness/output/output.h"
#include "harness/report/report.h"

/* Appends a section with all cures; nothing where no trigger was found, or no cures were wanted. */
void audit_cures_text(const struct ifr_audit_report *audit, struct ifr_buffer *out);
json_t *audit_cures_json(const struct ifr_audit_report *audit);

#endif
