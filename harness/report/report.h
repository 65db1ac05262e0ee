/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Findings as text, HTML, JSON and figures. Every form of a report says the same and infers nothing; names,
 * paths and reasons from the experiment are escaped in every form. Text is at most 80 columns wide. JSON
 * documents begin with schema_version, tool and version, and end with a newline. */
#ifndef IFR_HARNESS_REPORT_H
#define IFR_HARNESS_REPORT_H

#include <stdbool.h>

#include "common/buffer.h"
#include "common/error.h"
#include "harness/analysis/analysis.h"
#include "harness/report/spread_table.h"

/* --- one experiment ------------------------------------------------------------------------------------------- */

/* Appends the report as text. It opens with three lines: how far apart the layouts are, with an interval; the standing
 * of the shipped layout; the next step, with a command to paste where there is one. color adds ANSI sequences. */
void ifr_report_text(const struct ifr_analysis *analysis, bool color, struct ifr_buffer *out);

/* Appends JSON (schema_version 3): host, facts, seeds, plans, every raw sample (null where a counter was not
 * on), the analysis (null where a finding is unknown). Of a regression on a counter:
 *
 *     slope, r, r2      without noise of runs that event and response share, and corrected for the event's noise
 *     shared_noise      "removed"; "possible" where each layout has one run; "none" where they share no run
 *     reliability       part of the event's variance that is the layouts'; null where nothing was corrected
 *
 * Of the conclusion: headline holds the three lines of the text, next_command the third one's command.
 * Of spread: expected_range_pct is range_pct when all layouts are measured again; unmet_share
 * is the share below which a kind of layout may not have been met (3 / layouts). Of best and worst: the interval of
 * measured_again.against_shipped is of the two layouts' own values. Of relative_importance:
 * p is of a permutation test that repeats the choice among candidates; dropped names the others with "weak", "fewer
 * layouts" or "collinear"; slope is partial, of the layouts' own values, and coefficient
 * and its p (not adjusted for the number of counters) are by least squares. */
void ifr_report_json(const struct ifr_analysis *analysis, struct ifr_buffer *out);

/* Appends the raw samples as comma-separated values with a header: a row for each run and counter, a column for each
 * value of each axis that varies (docs/interfero-experiment.md has the columns). Runs and variants without a value
 * have a row with an empty counter. The fields are as the file has them: nothing is escaped but for RFC 4180. */
void ifr_report_csv(const struct ifr_dataset *dataset, struct ifr_buffer *out);

/* Writes one page that needs nothing but itself. Without gnuplot it says so in place of the figures. */
int ifr_report_html(const struct ifr_analysis *analysis, const char *path, struct ifr_error *err);

/* Writes NAME.gp (with its data inside: `gnuplot NAME.gp` repeats the figure), NAME.svg and NAME.pdf into a
 * folder, which is made: "layouts" (density of the layouts' medians), "intervals" (of each layout), "normal"
 * (quantiles against a normal distribution), "relative-importance" (of counters), "line-COUNTER" (regression on
 * a counter). Figures that the data cannot fill are left out. Errors: IFR_E_ENVIRONMENT without gnuplot or
 * where it fails. */
int ifr_report_figures(const struct ifr_analysis *analysis, const char *dir, struct ifr_error *err);

/* A table of programs, a row each: the regression line of the response on a counter, and its 95 % prediction
 * interval where that counter is 0. A program without such a line appends no row (IFR_E_USAGE). Ref: Wang and
 * Jiménez 2011, table 1. */
void ifr_report_table_head(struct ifr_buffer *out);
int ifr_report_table_row(const struct ifr_analysis *analysis, const char *counter, struct ifr_buffer *out,
                         struct ifr_error *err);
void ifr_report_table_foot(const struct ifr_analysis *analysis, const char *counter, struct ifr_buffer *out);

/* --- attribution, calibration, forecast ----------------------------------------------------------------------- */

/* The text of an experiment in which only the axes of the process varied, so that no code moved. */
void ifr_attribution_of_process(unsigned axes, struct ifr_buffer *out);
/* Appends a finding in two sentences, the last without its end. */
void ifr_finding_describe(const struct ifr_finding *finding, struct ifr_buffer *out);
void ifr_attribution_text(const struct ifr_analysis *analysis, const struct ifr_attribution *attribution,
                          struct ifr_buffer *out);

void ifr_calibration_text(const struct ifr_analysis *analysis, const struct ifr_calibration *calibration,
                          struct ifr_buffer *out);
/* schema_version 1 */
void ifr_calibration_json(const struct ifr_analysis *analysis, const struct ifr_calibration *calibration,
                          struct ifr_buffer *out);

void ifr_forecast_text(const struct ifr_forecast *forecast, struct ifr_buffer *out);
/* schema_version 1 */
void ifr_forecast_json(const struct ifr_forecast *forecast, struct ifr_buffer *out);
/* Writes "mispredictions" and "predicted", as figures 7 and 8 of the paper, like ifr_report_figures. */
int ifr_forecast_figures(const struct ifr_forecast *forecast, const char *dir, struct ifr_error *err);
/* Bars, each a stack of the same parts. */
struct ifr_stacked_bars {
	const char *name, *caption, *axis;
	const char *const *bars, *const *parts; /* names of bars without quotes */
	size_t bar_count, part_count;           /* at most 10 parts */
	const double *values;                   /* [bar][part] */
};
/* Draws each as NAME.svg, NAME.pdf and NAME.gp into a folder, which is made. Errors: IFR_E_IO, IFR_E_ENVIRONMENT. */
int ifr_stacked_bars_draw(const struct ifr_stacked_bars *all, size_t count, const char *dir,
                          struct ifr_error *err);

/* --- cure --------------------------------------------------------------------------------------------------------- */

/* A cure: a program with lines of a plan against the program without them, in the same contexts. */
struct ifr_cure {
	const struct ifr_cure_result *result;
	const char *plan;                 /* the lines, a plan */
	const char *command, *experiment; /* as the user wrote the command */
	bool makes_file;                  /* the lines change the program's file */
};

/* Appends whether the cure helps, with its intervals, and where it does the plan that applies it. */
void ifr_cure_text(const struct ifr_cure *cure, bool color, struct ifr_buffer *out);
/* schema_version 1. exhaustive: values without noise, of all contexts of a sweep, so that the ratio itself is
 * exact, and low and high only tell of contexts like these. Of worst_context: the ratio, its interval, and how
 * far it is above the median context, without the cure and with it. Of spread: the relative standard deviations
 * between contexts. Null where they are not known. */
void ifr_cure_json(const struct ifr_cure *cure, struct ifr_buffer *out);

/* --- audit ------------------------------------------------------------------------------------------------------ */

/* A cure that an audit proposes for what it found. */
struct ifr_audit_cure {
	const char *trigger, *reason; /* "the load of inc and the store to j agree in their low 12 bits" */
	const char *event;            /* of the model, which it is to remove; NULL: none */
	struct ifr_cure cure;         /* its result is NULL where it was not measured */
	const char *why_not;          /* why it was not */
};

/* Everything of an audit. The rows are adjusted: ifr_audit_adjust. */
struct ifr_audit_report {
	const char *folder; /* of the experiments */
	const struct ifr_audit_row *rows;
	size_t count;
	const struct ifr_audit_cure *cures; /* proposed for rows that were found */
	size_t cure_count;
	bool cures_wanted;
};

/* Appends the sentence about all triggers that a paper's methods section can quote. */
void ifr_audit_sentence(const struct ifr_audit_row *rows, size_t count, struct ifr_buffer *text);
/* Appends the sentence, a table of the triggers, for each that matters the plot of its sweep and the events that go
 * along, and the cures with what came of them. */
void ifr_audit_text(const struct ifr_audit_report *audit, bool color, struct ifr_buffer *out);
/* schema_version 1: everything, also the runs of every layout. verdict is found, not found, undecided, not
 * tested (with not_tested_because) or left out (with left_out_because, null for a trigger that was measured);
 * range_pct is null where the lowest value is 0. shipped is the median of the shipped layout, or null;
 * shipped_outside, whether it lies outside of the range of all random layouts, by more than the noise. Of cures,
 * verdict is that of a cure's effect, "withdrawn" where it does not help or does harm, "not measured" with
 * not_measured_because. */
void ifr_audit_json(const struct ifr_audit_report *audit, struct ifr_buffer *out);

/* --- comparison ----------------------------------------------------------------------------------------------- */

/* One command's comparison in a suite, or that of one of the program's own benchmarks. */
struct ifr_comparison_entry {
	const char *name;      /* "" where there is one command only */
	const char *benchmark; /* of the program; NULL: all of a run is compared */
	const char *command;
	struct ifr_comparison main;
	struct ifr_comparison *others; /* the other counters that both sides have */
	size_t other_count;
	const char *failure; /* why there is no comparison, or NULL; with it, main is not filled */
	const struct ifr_comparison_kinds *kinds; /* of processors, of which the entry is one; NULL: of one kind */
};

/* Append all entries: as text, each with its verdict first, its meaning and the next step; as a page of its
 * own; as a table for a review comment; as JUnit's XML, in which a regression is a failure and a command that
 * could not be compared an error; as JSON (schema_version 2). */
void ifr_comparison_text(const struct ifr_comparison_entry *entries, size_t count, bool color,
                         struct ifr_buffer *out);
void ifr_comparison_html(const struct ifr_comparison_entry *entries, size_t count, struct ifr_buffer *out);
void ifr_comparison_markdown(const struct ifr_comparison_entry *entries, size_t count, struct ifr_buffer *out);
void ifr_comparison_junit(const struct ifr_comparison_entry *entries, size_t count, struct ifr_buffer *out);
void ifr_comparison_json(const struct ifr_comparison_entry *entries, size_t count, struct ifr_buffer *out);

/* Appends whether an experiment's repetition agrees with it, and, unless only the verdict is wanted, what differed. */
void ifr_agreement_text(const struct ifr_agreement *agreement, bool verdict_only, struct ifr_buffer *out);

/* Appends a sentence: what came of confirming a finding. */
void ifr_confirmation_describe(const struct ifr_finding *finding, const struct ifr_comparison *comparison,
                               struct ifr_buffer *out);
/* Appends the same with the unit's name, at most 80 columns wide. */
void ifr_confirmation_text(const struct ifr_finding *finding, const struct ifr_comparison *comparison,
                           struct ifr_buffer *out);

#endif
