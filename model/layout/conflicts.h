/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Set conflicts: the lines, or branches, that meet in one set of a cache, or of a BTB, in one layout, and how often they
 * miss there again and again while the same lines do not in another layout. */
#ifndef IFR_MODEL_CONFLICTS_H
#define IFR_MODEL_CONFLICTS_H

#include "model/layout/layout.h"
#include "model/machines/machine.h"

/* L2 holds the lines that miss in the first caches, of code and data. The BTB is the machine's last. An entry of the
 * outcome predictor is a set of one way, which a conditional branch misses where another one had it last. */
enum ifr_conflict_structure {
	IFR_CONFLICT_L1D,
	IFR_CONFLICT_L1I,
	IFR_CONFLICT_L2,
	IFR_CONFLICT_BTB,
	IFR_CONFLICT_PREDICTOR
};

/* Whether branches meet in it, and not lines. */
bool ifr_conflict_is_of_branches(enum ifr_conflict_structure structure);

enum { IFR_CONFLICT_NO_ACCESS = UINT32_MAX };

/* A line, or a branch, that meets others: it has a tenth of the misses of its set's first, or is there at half of all the
 * set's misses. Its first miss is no conflict and is not counted. */
struct ifr_conflict_line {
	uint64_t key;       /* address / line bytes, or the address of a branch, in the second layout */
	uint64_t misses[2]; /* of the same data or code in the first layout, and in the second */
	uint64_t met;       /* misses of its set in the second layout at which the line was there */
	uint32_t block,
		access;          /* of its last touch at a miss of its set; IFR_CONFLICT_NO_ACCESS: a fetch or a branch */
	uint64_t normalised; /* of the data, or of the code */
	uint32_t set;
};

struct ifr_conflict_set {
	uint32_t set;
	uint64_t misses[2];  /* sums over its lines */
	size_t first, count; /* of its lines */
};

struct ifr_conflicts {
	struct ifr_conflict_line *lines; /* by set; in a set, the most misses first */
	struct ifr_conflict_set *sets;   /* with more misses in the second layout; the largest difference first */
	size_t line_count, set_count;
	struct ifr_cache_shape shape;
	uint64_t misses[2]; /* all misses of the structure, first ones included: as the replay counts them */
};

/* Replays the trace from its beginning under two maps. The caller releases the conflicts. Errors: IFR_E_USAGE for a
 * machine without the structure, and for a layout with an instruction map. */
int ifr_conflicts_count(struct ifr_trace *trace, const struct ifr_address_map *const maps[2],
                        const struct ifr_machine *machine, enum ifr_conflict_structure structure,
                        struct ifr_conflicts *conflicts, struct ifr_error *err);
void ifr_conflicts_release(struct ifr_conflicts *conflicts);

#endif
