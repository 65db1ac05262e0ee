/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The units that matter and where each lay in every layout: what a picture of causes shows. */
#ifndef IFR_HARNESS_UNIT_MAP_H
#define IFR_HARNESS_UNIT_MAP_H

#include "harness/analysis/attribution.h"
#include "harness/analysis/result.h"

enum { IFR_UNIT_MAP_ROWS = 12 };

/* How the rows were chosen, after the units that an attribution finds. */
enum ifr_unit_basis {
	IFR_UNITS_BY_SAMPLES,      /* the hottest in the profile */
	IFR_UNITS_BY_INSTRUCTIONS, /* there is no profile: those that executed most instructions of the recording */
	IFR_UNITS_BY_SIZE          /* neither fell into units that move: the largest */
};

struct ifr_unit_row {
	const struct ifr_dataset_unit *unit;
	double share; /* of the samples, or without a profile of the executed instructions; NaN without both */
	bool found;   /* by the attribution: the next three are known */
	enum ifr_feature feature;
	double p;          /* adjusted */
	double difference; /* of the response between the worst and the best class, relative */
	bool moves;        /* has two addresses at least */
};

struct ifr_unit_map {
	enum ifr_unit_basis basis;
	struct ifr_unit_row rows[IFR_UNIT_MAP_ROWS]; /* those that move; the ones that the attribution finds first */
	size_t row_count, found;
	struct ifr_unit_row *hot; /* every unit and file with a share, the largest first */
	size_t hot_count;
	uint64_t samples, instructions; /* in all */
	size_t tested;                  /* units that the attribution tested; 0: too few layouts */
};

/* Chooses units of a program by its samples and by attribution among the sampled units; without a profile by executed
 * instructions, and without both among all that the experiment holds. The choice never uses the response but through
 * the attribution, whose findings hold at a false discovery rate of 5 %. An experiment without stored units gives an
 * empty map. The caller releases. */
void ifr_unit_map_make(const struct ifr_analysis *analysis, struct ifr_unit_map *map);
void ifr_unit_map_release(struct ifr_unit_map *map);

/* Marks the units among which a map attributes as the first of these addresses, so that both have the same findings. */
void ifr_unit_map_mark(const struct ifr_analysis *analysis, struct ifr_unit_addresses *addresses);

/* The address of a row's unit in a layout; 0: unknown. */
uint64_t ifr_unit_map_address(const struct ifr_analysis *analysis, const struct ifr_unit_row *row, size_t layout);

/* The dynamic loader's share of a program's recorded instructions, which start the program; NaN without a recording. */
double ifr_loader_share(const struct ifr_dataset *dataset, unsigned program);

#endif
