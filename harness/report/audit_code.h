/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The function behind a trigger of an audit. Private to this folder. */
#ifndef IFR_HARNESS_REPORT_AUDIT_CODE_H
#define IFR_HARNESS_REPORT_AUDIT_CODE_H

#include <jansson.h>

#include "harness/report/report.h"

/* Appends a point of the row's section; nothing where no function is named. */
void audit_code_text(const struct ifr_audit_row *row, struct ifr_buffer *out);
/* {unit, source, significant, share_of_variation, p, …, confirmation}; null where no function is named. */
json_t *audit_code_json(const struct ifr_audit_row *row);

#endif
