/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Regression on one counter in several programs. Ref: Wang and Jiménez 2011, table 1. */
#include <stdlib.h>
#include <string.h>

#include "harness/output/output.h"
#include "harness/report/format.h"

static const struct ifr_counter_regression *find_regression(const struct ifr_analysis *analysis,
                                                            const char *counter) {
	for (size_t i = 0; i < analysis->regression_count; i++)
		if (!strcmp(analysis->regressions[i].counter->name, counter))
			return &analysis->regressions[i];
	return NULL;
}

void ifr_report_table_head(struct ifr_buffer *out) {
	ifr_buffer_printf(out, "%-18s %7s %10s %10s %10s %10s %6s\n", "program", "layouts", "slope", "intercept",
	                  "low", "high", "r^2");
}

int ifr_report_table_row(const struct ifr_analysis *analysis, const char *counter, struct ifr_buffer *out,
                         struct ifr_error *err) {
	const int index = ifr_dataset_find_counter(analysis->dataset, counter);
	const struct ifr_counter_regression *r =
		index < 0 ? NULL : find_regression(analysis, analysis->dataset->counters[index].name);
	const char *program = ifr_dataset_fact(analysis->dataset, "program");
	if (index < 0)
		return ifr_fail(err, IFR_E_USAGE, "%s: its runs did not record \"%s\"",
		                program ? program : "an experiment", counter);
	if (!r)
		return ifr_fail(err, IFR_E_USAGE,
		                "%s: there is no line against %s: it takes three random layouts in which both vary",
		                program ? program : "an experiment", counter);
	char *name = ifr_format_row_name(analysis->dataset);
	ifr_buffer_printf(out, "%-18s %7zu %10.5g %10.5g %10.5g %10.5g %6.3f%s\n", name, r->count, r->line.slope,
	                  r->line.intercept, r->zero_layout.low, r->zero_layout.high, r->line.r2,
	                  r->line.p < IFR_REPORT_LEVEL ? "" : " *");
	free(name);
	return 0;
}

void ifr_report_table_foot(const struct ifr_analysis *analysis, const char *counter, struct ifr_buffer *out) {
	const int index = ifr_dataset_find_counter(analysis->dataset, counter);
	const bool of_model = index >= 0 && !strcmp(analysis->dataset->counters[index].source, "model");
	struct ifr_buffer note = {0};
	ifr_buffer_printf(&note, "%s against %s%s%s. Low and high: 95 %% prediction interval at 0.",
	                  analysis->response_is_cpi ? "cycles per instruction" : analysis->metric->name, counter,
	                  of_model ? " of the model" : "",
	                  analysis->per_1000_instructions ? " per 1000 instructions" : "");
	ifr_buffer_puts(out, "\n");
	ifr_text_wrap(out, ifr_buffer_text(&note), "", "");
	ifr_text_wrap(out, "p >= 0.05 (not corrected for the number of rows): these layouts do not settle the slope.",
	              "* ", "  ");
	ifr_buffer_release(&note);
}
