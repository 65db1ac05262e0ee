/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a counter costs in several programs. Ref: Wang and Jiménez 2011, table 1. */
#include <string.h>

#include "common/file.h"
#include "harness/analysis/analysis_result.h"
#include "harness/report/escape.h"

static const struct ifr_counter_regression *find(const struct ifr_analysis *report, const char *counter) {
	for (size_t i = 0; i < report->regression_count; i++)
		if (!strcmp(report->regressions[i].counter->name, counter))
			return &report->regressions[i];
	return NULL;
}

void ifr_report_table_head(struct ifr_buffer *out) {
	ifr_buffer_printf(out, "%-22s %7s %12s %12s %12s %12s %6s\n", "program", "layouts", "slope", "y-intercept",
	                  "low", "high", "r^2");
}

int ifr_report_table_row(const struct ifr_analysis *report, const char *counter, struct ifr_buffer *out,
                         struct ifr_error *err) {
	const struct ifr_counter_regression *r = find(report, counter);
	const char *program = ifr_dataset_fact(report->dataset, "program");
	if (ifr_dataset_counter(report->dataset, counter) < 0)
		return ifr_fail(err, IFR_E_USAGE, "%s: its runs did not record \"%s\"",
		                program ? program : "an experiment", counter);
	if (!r)
		return ifr_fail(err, IFR_E_USAGE,
		                "%s: there is no line against %s: it takes three random layouts in which both vary",
		                program ? program : "an experiment", counter);
	struct ifr_interval line, point;
	struct ifr_buffer name = {0};
	ifr_regression_line_bands(&r->line, 0, IFR_REPORT_CONFIDENCE, &line, &point);
	ifr_escape_plain(&name, program ? ifr_path_base(program) : "?");
	ifr_buffer_printf(out, "%-22s %7zu %12.5g %12.5g %12.5g %12.5g %6.3f%s\n", ifr_buffer_text(&name), r->count,
	                  r->line.slope, r->line.intercept, point.low, point.high, r->line.r2,
	                  r->line.p < IFR_REPORT_LEVEL ? "" : " *");
	ifr_buffer_release(&name);
	return 0;
}

void ifr_report_table_foot(const struct ifr_analysis *report, const char *counter, struct ifr_buffer *out) {
	ifr_buffer_printf(out,
	                  "\n%s against %s%s. Low and high: 95 %% prediction interval at 0.\n"
	                  "* cannot be told from no line (p >= 0.05), so that nothing follows from it.\n",
	                  report->response_is_cpi ? "cycles per instruction" : report->metric->name, counter,
	                  report->per_1000_instructions ? " per 1000 instructions" : "");
}
