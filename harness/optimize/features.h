/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Exact features of a layout: what a front end meets there. They follow from the addresses of the hot blocks alone, so
 * that a layout costs no run and no replay. Blocks of libraries, which no layout moves, take sets and branch entries,
 * too. */
#ifndef IFR_HARNESS_FEATURES_H
#define IFR_HARNESS_FEATURES_H

#include "harness/optimize/hot_code.h"

/* Features of the whole program; of each of its most executed functions, windows and offsets; and one of the model. */
enum { FEATURES_OF_PROGRAM = 10, FEATURE_UNITS_MOST = 6, FEATURES_OF_UNIT = 3, OFFSETS_OF_UNIT = 4 };
enum { FEATURES_MOST = FEATURES_OF_PROGRAM + FEATURE_UNITS_MOST * (FEATURES_OF_UNIT + OFFSETS_OF_UNIT) + 1 };
/* Of the whole program. */
enum { FEATURE_WINDOWS_OF_64 = 2, FEATURE_CROWDED = 4, FEATURE_BRANCH_ALIASES = 8, FEATURE_SETS = 9 };

/* The number of features of a program's layouts: counts first, then offsets. Modelled cycles, their logarithm, stand
 * behind them, at this index. */
size_t features_count(const struct hot_code *code);
/* The number of those that are counts. */
size_t features_count_counts(const struct hot_code *code);
/* Appends a feature's name, such as "windows of 32 bytes entered, in luaV_execute". */
void features_name(const struct hot_code *code, size_t feature, struct ifr_buffer *name);

/* Computes the features of a layout, as numbers for each 1000 executed instructions, or of lines and pages; offsets as
 * cosine and sine of an address's part of 64 and of 4096 bytes. Modelled cycles become NaN. addresses: of the relinker's
 * units. values: [features_count + 1]. */
void features_compute(const struct hot_code *code, const uint64_t *addresses, double *values);

#endif
