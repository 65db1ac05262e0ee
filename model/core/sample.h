/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The instructions over which front end and graph run.
 *
 * The first IFR_CORE_HEAD instructions are all measured. Behind them, the last SAMPLE_MEASURED of every period are
 * measured, with SAMPLE_WARMED before them to fill the pipeline, and SAMPLE_FRONT before these to fill the op cache;
 * caches and predictors are exact anyway. The rest of the run takes as many cycles an instruction as the measured
 * fragments together: a ratio estimate, with the standard error of the fragments' residuals.
 * Ref: Wunderlich, Wenisch, Falsafi and Hoe 2003, "SMARTS", section 3; Cochran 1977, "Sampling techniques", 6.3. */
#ifndef IFR_MODEL_CORE_SAMPLE_H
#define IFR_MODEL_CORE_SAMPLE_H

#include "model/core/graph.h"

enum { SAMPLE_WARMED = 1000, SAMPLE_MEASURED = 1000, SAMPLE_FRONT = 4000 };
/* Cycles, then the counts of the graph, then the slots of the front end by source. */
enum {
	SAMPLE_COUNTS = sizeof(struct ifr_core_counts) / sizeof(uint64_t),
	SAMPLE_SLOTS = 1 + SAMPLE_COUNTS,
	SAMPLE_VALUES = SAMPLE_SLOTS + IFR_SOURCES
};

struct ifr_core_sample {
	uint64_t period;                /* in instructions; 0: all are measured */
	bool detailed, measured;        /* the next block is in the graph; its cycles count */
	uint64_t instructions;          /* so far */
	uint64_t unchanged;             /* up to so many, nothing that depends on their number changes */
	uint64_t begun;                 /* instructions before the fragment under way */
	uint64_t values[SAMPLE_VALUES]; /* at its begin */
	uint64_t head_instructions, head[SAMPLE_VALUES];
	uint64_t fragments, measured_instructions, sums[SAMPLE_VALUES];
	double squares[SAMPLE_VALUES], products[SAMPLE_VALUES]; /* sums: of values, and of values and instructions */
	double instructions2;
};

/* Whether a block is run, at least by the front end, behind so many instructions. unchanged: set to the number of
 * instructions up to which the answer is the same. */
bool ifr_core_sample_runs(uint64_t instructions, uint64_t period, uint64_t *unchanged);
/* Goes on behind so many instructions of the run, of which some were skipped. */
void ifr_core_sample_skip(struct ifr_core_sample *sample, uint64_t instructions);
/* Ends and begins what ends and begins behind the instructions so far; for ifr_core_sample_advance. */
void ifr_core_sample_change(struct ifr_core_sample *sample, const struct ifr_graph *graph,
                            const uint64_t slots[IFR_SOURCES]);
/* Adds a block of so many instructions; slots: so far, by source. Then tells by `detailed` whether the next block is in
 * the graph. */
static inline void ifr_core_sample_advance(struct ifr_core_sample *sample, const struct ifr_graph *graph,
                                           const uint64_t slots[IFR_SOURCES], unsigned instructions) {
	sample->instructions += instructions;
	if (sample->instructions > sample->unchanged)
		ifr_core_sample_change(sample, graph, slots);
}
/* How many instructions behind the head each measured one stands for; 0 without measured ones. */
double ifr_core_sample_scale(const struct ifr_core_sample *sample);
/* Estimates the values of the whole run, and their standard errors. */
void ifr_core_sample_estimate(const struct ifr_core_sample *sample, const struct ifr_graph *graph,
                              const uint64_t slots[IFR_SOURCES], double values[SAMPLE_VALUES],
                              double errors[SAMPLE_VALUES]);

#endif
