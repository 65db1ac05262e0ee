/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The figures that a program prints or writes about its own benchmarks: read from each run, they become counters.
 *
 *     google-benchmark  --benchmark_format=json, or the file of --benchmark_out
 *     criterion         estimates.json of each benchmark, below CRITERION_HOME
 *     catch2            --reporter xml
 *     go                the lines of go test -bench
 *     hyperfine         --export-json
 *     nanobench         its table, or its JSON
 *     json:PATH         numbers in JSON, by a path such as .results[].mean; json:FILE and json:FILE:PATH read a file
 *     regex:PATTERN     a POSIX extended expression with groups: the value, or name and value, or name, value and unit
 *
 * A framework's name may be followed by :FILE. There is a parser a file; formats.h joins them. */
#ifndef IFR_HARNESS_METRICS_H
#define IFR_HARNESS_METRICS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/error.h"
#include "common/strings.h"
#include "harness/metrics/observation.h"

/* A benchmark's figure in one run. */
struct ifr_own_figure {
	char name[IFR_FIGURE_NAME]; /* of the benchmark; longer ones end in a digest */
	char unit[16];              /* "ns", or "" where it is not told */
	double value;               /* the median of its repetitions in the run */
	double iterations;          /* of a repetition, the most; 0 where the program does not tell */
	bool failed;                /* the program reported an error instead of a value */
};
struct ifr_own_figures {
	struct ifr_own_figure *items; /* [count], in the program's order */
	size_t count;
};
void ifr_own_figures_release(struct ifr_own_figures *figures);
const struct ifr_own_figure *ifr_own_figures_find(const struct ifr_own_figures *figures, const char *name);

struct ifr_metrics;

/* Opens what --metrics names; the caller closes it. Errors: IFR_E_USAGE. */
int ifr_metrics_open(const char *specification, struct ifr_metrics **metrics, struct ifr_error *err);
void ifr_metrics_close(struct ifr_metrics *metrics);

/* "Google Benchmark"; "a pattern" for regex */
const char *ifr_metrics_title(const struct ifr_metrics *metrics);
/* Whether standard output holds the figures, so that it differs from run to run. */
bool ifr_metrics_are_printed(const struct ifr_metrics *metrics);

/* Adds what makes the framework print or write its figures: arguments for the program's command line, if it is not
 * there yet, unless a driver starts the program; and variables. folder: where a framework may write, removed before each
 * run. */
void ifr_metrics_request(struct ifr_metrics *metrics, const char *folder, bool driven, char *const *argv,
                         struct ifr_strings *arguments, struct ifr_strings *environment);

/* Makes a file of an earlier run unreadable as one of the next. Call before each run. */
void ifr_metrics_prepare(const struct ifr_metrics *metrics);
/* Reads the figures of a run that has ended: from its output, or from the file. The caller releases them, after an error,
 * too. Errors: IFR_E_PROGRAM with the way to get figures. */
int ifr_metrics_read(const struct ifr_metrics *metrics, const char *output, const char *errors,
                     struct ifr_own_figures *figures, struct ifr_error *err);

/* The argument that fixes the iterations of all benchmarks, such as "--benchmark_min_time=100x"; the caller frees. NULL
 * where the framework has none. */
char *ifr_metrics_fix_argument(const struct ifr_metrics *metrics, double iterations);
/* How iterations are fixed in the source: a half sentence. */
const char *ifr_metrics_fix_advice(const struct ifr_metrics *metrics);

/* --- programs that choose their own iterations ------------------------------------------------------------------ */

struct ifr_adaptation {
	const char *framework; /* "Google Benchmark"; NULL: not recognised */
	const char *option;    /* of --metrics: "google-benchmark"; NULL */
	bool differs;          /* the outputs name iterations that differ */
};
/* Compares what two runs of one program printed. Only iterations that both outputs name, under the same words, and that
 * differ, count as chosen by the program: one that prints the same iterations in both is not adaptive. */
void ifr_adaptation_recognise(const char *first, const char *second, struct ifr_adaptation *adaptation);

#endif
