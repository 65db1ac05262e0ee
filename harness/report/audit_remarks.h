/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Remarks about the triggers of an audit. Private to this folder. */
#ifndef IFR_HARNESS_REPORT_AUDIT_REMARKS_H
#define IFR_HARNESS_REPORT_AUDIT_REMARKS_H

#include "harness/report/report.h"

enum audit_verdict { AUDIT_NOT_TESTED, AUDIT_FOUND, AUDIT_NOT_FOUND, AUDIT_UNDECIDED };

/* A small p of a trigger whose runs are not complete, or that was not replicated, decides nothing. */
enum audit_verdict audit_judge(const struct ifr_audit_row *row);
/* Why a row with values is not tested; NULL: it is, or has none. The caller frees. */
char *audit_explain_not_tested(const struct ifr_audit_row *row);
/* The adjusted p that decides: of the replication, where there is one. */
double audit_p(const struct ifr_audit_row *row);
/* A sweep whose steps are larger than they could be: effects between its values are not seen. */
bool audit_is_coarse(const struct ifr_audit_row *row);

/* Why triggers were left out, are not complete or not decided, and what they lack: a paragraph for all that share a
 * reason. */
void audit_remarks_text(const struct ifr_audit_row *rows, size_t count, struct ifr_buffer *out);

#endif
