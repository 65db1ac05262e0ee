/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reports: an experiment is analysed once and printed in many forms, which all say the same.
 *
 * The layout that ships (variant 0) is compared with the others, which are a random sample of the possible
 * layouts; spread, ranks and shares are those of the random ones. Refused variants and runs are left out and
 * counted; nothing is imputed and no outlier is dropped. Names, paths and reasons from the experiment are escaped
 * in every form. */
#ifndef IFR_HARNESS_REPORT_H
#define IFR_HARNESS_REPORT_H

#include <stdbool.h>

#include "common/buffer.h"
#include "common/error.h"
#include "harness/store/store.h"

struct ifr_analysis;

/* Analyses one counter, by name; NULL takes cycles where they are, else cpu_time, else duration_time. The report
 * borrows the dataset, which must outlive it. Errors: IFR_E_USAGE for a counter that was not recorded (the message
 * lists those that were), IFR_E_ENVIRONMENT where no run gave a value or the dataset contradicts itself. Too few
 * layouts or runs are no error: the report then says in a sentence what it cannot tell. */
int ifr_analysis_make(const struct ifr_dataset *dataset, const char *metric, struct ifr_analysis **report,
                      struct ifr_error *err);
void ifr_analysis_free(struct ifr_analysis *report);

/* What a report has to show for its layouts. */
struct ifr_evidence {
	char what[160]; /* "the line against branch-misses", or "the difference between layouts" */
	double p;       /* of that, for all counters that were tried; 1 where nothing can be told */
	bool has_width;
	double width; /* of the mean's 95 % interval, relative to the mean */
};
/* The surest line of the response on a counter; where there is no counter, that layouts differ at all. */
void ifr_analysis_weigh(const struct ifr_analysis *report, struct ifr_evidence *evidence);

/* Appends the report in plain words, at most 80 columns wide; color adds ANSI sequences. */
void ifr_report_text(const struct ifr_analysis *report, bool color, struct ifr_buffer *out);

/* A table of programs, a row each: the line of the response on a counter, and its 95 % prediction interval where
 * that counter is 0. Rows append nothing where there is none (IFR_E_USAGE). Ref: Wang and Jiménez 2011, table 1.
 */
void ifr_report_table_head(struct ifr_buffer *out);
int ifr_report_table_row(const struct ifr_analysis *report, const char *counter, struct ifr_buffer *out,
                         struct ifr_error *err);
void ifr_report_table_foot(const struct ifr_analysis *report, const char *counter, struct ifr_buffer *out);

/* Appends one JSON object, with a newline: schema_version 1, tool, version, host, facts, seeds, plans, every raw
 * sample (null where a counter was not on), the analysis (null where it cannot tell). Bytes that are not UTF-8
 * become
 * '?'. */
void ifr_report_json(const struct ifr_analysis *report, struct ifr_buffer *out);

/* Writes one page that needs nothing but itself. Without gnuplot it says so in place of the figures. */
int ifr_report_html(const struct ifr_analysis *report, const char *path, struct ifr_error *err);

/* Writes NAME.gp (with its data inside: `gnuplot NAME.gp` repeats the figure), NAME.svg and NAME.pdf into a
 * folder, which is made: "layouts" (the density of the layouts' medians), "intervals" (each layout's), "normal"
 * (quantiles against a normal distribution), "blame" (what falls to each counter), "line-COUNTER" (regression on a
 * counter). Figures that the data cannot fill are left out. Errors: IFR_E_ENVIRONMENT without gnuplot or where it
 * fails. */
int ifr_report_figures(const struct ifr_analysis *report, const char *dir, struct ifr_error *err);

struct ifr_finding;
struct ifr_comparison;
/* Appends what came of confirming a finding, at most 80 columns wide. */
void ifr_confirmation_text(const struct ifr_finding *finding, const struct ifr_comparison *comparison,
                           struct ifr_buffer *out);

#endif
