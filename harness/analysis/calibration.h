/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What comparisons on this machine are worth, from one experiment of one program: how often it is called different
 * from itself, and the smallest change that would be found. */
#ifndef IFR_HARNESS_CALIBRATION_H
#define IFR_HARNESS_CALIBRATION_H

#include <stdint.h>

#include "harness/report/report.h"
#include "harness/statistics/statistics.h"

enum { IFR_CALIBRATION_DRAWS = 2000, IFR_CALIBRATION_SIZES = 5, IFR_CALIBRATION_RUNS = 4 };
extern const size_t ifr_calibration_layouts[IFR_CALIBRATION_SIZES], ifr_calibration_runs[IFR_CALIBRATION_RUNS];

struct ifr_calibration {
	/* Of IFR_CALIBRATION_DRAWS random divisions, those in which the halves were called different at 5 %. */
	size_t called_runs;         /* the runs of each layout in two halves, compared in pairs */
	size_t called_layouts;      /* the layouts in two halves */
	bool has_runs, has_layouts; /* two runs of a layout, four layouts at least */
	struct ifr_interval runs_interval, layouts_interval; /* of the shares */
	struct ifr_noise noise; /* relative variances of one program: between layouts, and of a run */
	size_t runs_worthwhile; /* of a layout */
	/* Smallest relative change of a program that is found 9 times in 10, where the layouts of old and new have
	 * nothing in common: the worst case. */
	double effect[IFR_CALIBRATION_SIZES][IFR_CALIBRATION_RUNS];
	size_t layouts_for_1_pct; /* with runs_worthwhile runs each; 0: over 100000 */
};

/* Errors: IFR_E_USAGE where layouts or runs do not suffice to tell noise from layouts. The divisions depend on the
 * seed. */
int ifr_calibration_make(const struct ifr_analysis *report, uint64_t seed, struct ifr_calibration *calibration,
                         struct ifr_error *err);

/* Append it in words, at most 80 columns wide, or as JSON with a newline (schema_version 1). */
void ifr_calibration_text(const struct ifr_analysis *report, const struct ifr_calibration *calibration,
                          struct ifr_buffer *out);
void ifr_calibration_json(const struct ifr_analysis *report, const struct ifr_calibration *calibration,
                          struct ifr_buffer *out);

#endif
