/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Imports: measurements of other tools become experiments. Their layouts are unknown; compared are "variants" by the
 * names that the tools give, numbered from 1. A variant called "shipped" or "v00000" is number 0. Values that a tool
 * did not give stay missing.
 *
 *     csv        a header "variant,run,COUNTER,...", then a line a run; "", "NA" and "nan" are missing values. A unit
 *                may stand in the counter's name: "cpu_time [ns]". Fields may be quoted.
 *     hyperfine  --export-json: a variant a command, its times as duration_time in ns; runs that failed are refused
 *     google     Google Benchmark's --benchmark_format=json with --benchmark_repetitions: a variant a benchmark,
 *                real_time and cpu_time in ns, and its own counters; aggregates are left out
 *     perf       perf stat -x, -o FILE --append: a variant a file, a run each time an event comes again; runs whose
 *                events were not counted all the time are refused
 *
 * Errors: IFR_E_USAGE with file and line, or with the missing part; the dataset is then to be released too. */
#ifndef IFR_HARNESS_IMPORT_H
#define IFR_HARNESS_IMPORT_H

#include "harness/store/dataset.h"

enum ifr_import_format { IFR_IMPORT_CSV, IFR_IMPORT_HYPERFINE, IFR_IMPORT_GOOGLE, IFR_IMPORT_PERF };

/* A file's text; only perf takes several files. */
struct ifr_import_text {
	const char *origin; /* its name, for messages and facts */
	const char *text;   /* NUL-terminated */
};

/* Fills an initialised dataset. */
int ifr_import_parse(enum ifr_import_format format, const struct ifr_import_text *texts, size_t count,
                     struct ifr_dataset *dataset, struct ifr_error *err);

/* Writes a dataset as a new experiment; a file that is there is an error. */
int ifr_import_save(const struct ifr_dataset *dataset, const char *path, struct ifr_error *err);

#endif
