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

struct ifr_machine_findings {
	size_t nodes; /* that ran something; 0 or 1: the rest is not known */
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

#endif
