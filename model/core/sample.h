/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The instructions over which the graph runs.
 *
 * The first IFR_CORE_HEAD instructions are all measured. Behind them, the last SAMPLE_MEASURED of every SAMPLE_PERIOD are
 * measured, with SAMPLE_WARMED before them to fill the pipeline; caches, predictors and front end are exact anyway. The
 * rest of the run takes as many cycles an instruction as the measured fragments together: a ratio estimate, with the
 * standard error of the fragments' residuals.
 * Ref: Wunderlich, Wenisch, Falsafi and Hoe 2003, "SMARTS", section 3; Cochran 1977, "Sampling techniques", 6.3. */
#ifndef IFR_MODEL_CORE_SAMPLE_H
#define IFR_MODEL_CORE_SAMPLE_H

#include "model/core/graph.h"

enum { SAMPLE_PERIOD = 20000, SAMPLE_WARMED = 1000, SAMPLE_MEASURED = 1000 };
enum { SAMPLE_VALUES = 1 + sizeof(struct ifr_core_counts) / sizeof(uint64_t) }; /* cycles, then the counts */

struct ifr_core_sample {
	bool full;
	bool detailed, measured;        /* the next block is in the graph; its cycles count */
	uint64_t instructions;          /* so far */
	uint64_t begun;                 /* instructions before the fragment under way */
	uint64_t values[SAMPLE_VALUES]; /* of the graph at its begin */
	uint64_t head_instructions, head[SAMPLE_VALUES];
	uint64_t fragments, measured_instructions, sums[SAMPLE_VALUES];
	double cycles2, products, instructions2; /* sums of squares and products of cycles and instructions */
};

/* Adds a block of so many instructions; then tells by `detailed` whether the next is in the graph. */
void ifr_core_sample_advance(struct ifr_core_sample *sample, const struct ifr_graph *graph, unsigned instructions);
/* Estimates the values of the whole run. Returns the standard error of the cycles. */
double ifr_core_sample_estimate(const struct ifr_core_sample *sample, const struct ifr_graph *graph,
                                double values[SAMPLE_VALUES]);

#endif
