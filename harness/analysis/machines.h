/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Machines as a factor: the level of each node is fixed, layouts and layouts on a kind of processor are random. */
#ifndef IFR_HARNESS_ANALYSIS_MACHINES_H
#define IFR_HARNESS_ANALYSIS_MACHINES_H

#include "harness/statistics/statistics.h"
#include "harness/store/store.h"

enum { IFR_MACHINE_KINDS = 8 };

struct ifr_machine_kind {
	const char *processor;
	size_t nodes;
	double level;           /* relative to the mean of all kinds */
	double lowest, highest; /* of its nodes' levels, relative to their median */
};

/* A node's noise: standard deviations from run to run, relative. NaN: not known. */
struct ifr_machine_node {
	const char *host;
	size_t kind; /* index into kinds[] */
	size_t runs;
	double level;            /* relative to the median node of its kind */
	double run_sd;           /* of this experiment's runs of one layout on this node */
	size_t run_df;           /* its degrees of freedom */
	double calibrated_sd;    /* by the calibration there (bench --on) */
	double calibrated_calls; /* the share of divisions in which that called the program different from itself */
	double noise; /* the calibrated one, else that of its runs where they have degrees of freedom enough */
};

struct ifr_machine_findings {
	size_t nodes;                  /* that ran something; 0 or 1: the rest is not known */
	struct ifr_machine_node *node; /* [nodes], the noisiest first; those of unknown noise last */
	double usual_noise;            /* the median of the nodes' */
	size_t noisy;                  /* nodes with several times that */
	struct ifr_machine_kind kinds[IFR_MACHINE_KINDS];
	size_t kind_count;
	bool crossed; /* the effect is known */
	struct ifr_crossed effect;
	struct ifr_error why_not;
};

struct ifr_analysis;

/* Takes the levels of nodes and kinds out of values[runs], which keep their unit, and fills the findings. Does nothing
 * where one machine ran all, or where values are not above 0. */
void ifr_machines_level(struct ifr_analysis *analysis, double *values);

/* Fills the nodes' noise from logs[runs] of all runs that count, NaN for others; kind_of[nodes + 1] and level[nodes + 1]
 * (logarithms) are by node of the dataset. Needs nodes and kinds. */
void ifr_machines_find_noise(struct ifr_analysis *analysis, const double *logs, const size_t *kind_of,
                             const double *level);
void ifr_machines_release(struct ifr_machine_findings *machines);

#endif
