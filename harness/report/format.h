/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers in one unit for the whole report, with no more digits than the runs support. Private to this folder. */
#ifndef IFR_HARNESS_REPORT_FORMAT_H
#define IFR_HARNESS_REPORT_FORMAT_H

#include <jansson.h>

#include "harness/report/report.h"

/* Append a value: "103.4" or "103.4 ms". */
void ifr_format_number(struct ifr_buffer *out, const struct ifr_scale *scale, double value);
void ifr_format_value(struct ifr_buffer *out, const struct ifr_scale *scale, double value);
/* "101.2 to 103.4 ms" */
void ifr_format_range(struct ifr_buffer *out, const struct ifr_scale *scale, double low, double high);

/* Two significant digits, at most two decimals: "12 %", "1.8 %", "0.30 %", "under 0.01 %". The sign is dropped. */
void ifr_format_pct(struct ifr_buffer *out, double pct);
/* With its sign: "+1.8 %", "-0.30 %", "0 %". */
void ifr_format_signed_pct(struct ifr_buffer *out, double pct);
/* Whether an interval reaches more than 100 % of base away from its value: as figures it would tell nothing. */
bool ifr_format_is_vague(const struct ifr_interval *interval, double value, double base);
/* "p = 0.03", "p < 0.001" */
void ifr_format_p(struct ifr_buffer *out, double p);

/* The program's name in a table's row, of a longer one the end: IFR_ROW_NAME bytes at most. The caller frees. */
enum { IFR_ROW_NAME = 18 };
char *ifr_format_row_name(const struct ifr_dataset *dataset);

/* Lists the warnings about a program's behaviour: threads, processes that it leaves, iterations of its own choice. The
 * caller releases. */
void ifr_format_program_warnings(const struct ifr_dataset *dataset, struct ifr_strings *texts);
/* The same as paragraphs marked "!", and as an array of JSON. */
void ifr_format_put_warnings(const struct ifr_dataset *dataset, struct ifr_buffer *out);
json_t *ifr_format_json_warnings(const struct ifr_dataset *dataset);

#endif
