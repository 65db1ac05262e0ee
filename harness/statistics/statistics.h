/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The statistics of layouts, as pure functions over arrays: no state, no files, no knowledge of experiments.
 *
 *     sample.h       one sample: quantiles, moments, intervals, normality, density
 *     components.h   runs within layouts: variance components, the mean of all layouts, prediction
 *     replication.h  copies within layouts; how many of each level pay
 *     crossed.h      layouts crossed with kinds of machines
 *     inference.h    ratios, differences of medians, correlation, classes, multiple tests, interim analyses, power
 *     regression.h   regression line, multiple regression, relative importance
 *     ridge.h        ridge regression
 *     series.h       a series at equal steps: its period, and values that stand out
 *     disturbance.h  serial disturbances of the machine, detected and removed
 *     tolerance.h    cycles that predicted misses cost, and save
 *
 * Rules of all parts:
 *   units         values may have any unit; results have the same one
 *   values        finite; other values are refused
 *   confidence    a fraction, 0 < confidence < 1; so are levels (alpha) and powers
 *   errors        a function that can fail returns 0, or a negative code; err->message then says in a sentence what
 *                 the data lack (IFR_E_USAGE unless the function names another code) and the result is not touched
 *   randomness    only functions with a seed use it; the same seed gives the same result
 */
#ifndef IFR_HARNESS_STATISTICS_H
#define IFR_HARNESS_STATISTICS_H

#include "harness/statistics/components.h"
#include "harness/statistics/crossed.h"
#include "harness/statistics/disturbance.h"
#include "harness/statistics/inference.h"
#include "harness/statistics/regression.h"
#include "harness/statistics/replication.h"
#include "harness/statistics/ridge.h"
#include "harness/statistics/sample.h"
#include "harness/statistics/series.h"
#include "harness/statistics/tolerance.h"

#endif
