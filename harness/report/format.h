/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers as a reader wants them: one unit for the whole report, and no more digits than the runs support. Private
 * to this folder. */
#ifndef IFR_HARNESS_REPORT_FORMAT_H
#define IFR_HARNESS_REPORT_FORMAT_H

#include "harness/analysis/analysis_result.h"

struct ifr_scale {
	double divisor;
	int decimals;
	char unit[40]; /* "ms", "million cycles", "" */
};

/* The unit and digits that suit the report's metric. */
struct ifr_scale ifr_scale_choose(const struct ifr_analysis *report);

/* Append a value: "103.4" or "103.4 ms". */
void ifr_format_number(struct ifr_buffer *out, const struct ifr_scale *scale, double value);
void ifr_format_value(struct ifr_buffer *out, const struct ifr_scale *scale, double value);
/* "101.2 to 103.4 ms" */
void ifr_format_range(struct ifr_buffer *out, const struct ifr_scale *scale, double low, double high);

/* Two significant digits, at most two decimals: "12 %", "1.8 %", "0.30 %", "under 0.01 %". The sign is dropped. */
void ifr_format_pct(struct ifr_buffer *out, double pct);
/* With its sign: "+1.8 %", "-0.30 %", "0 %". */
void ifr_format_signed_pct(struct ifr_buffer *out, double pct);
/* "p = 0.03", "p < 0.001" */
void ifr_format_p(struct ifr_buffer *out, double p);

/* Does less of the metric mean faster? */
bool ifr_metric_is_time(const struct ifr_analysis *report);

#endif
