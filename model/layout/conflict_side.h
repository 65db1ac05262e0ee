/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The caches, BTBs and predictor entries of one layout, where set conflicts are counted. Private to this folder. */
#ifndef IFR_MODEL_CONFLICT_SIDE_H
#define IFR_MODEL_CONFLICT_SIDE_H

#include "model/layout/conflict_lines.h"
#include "model/replay/replay.h"

/* Branches meet in no predictor of more entries: programs have fewer bytes of code. */
enum { CONFLICT_BTB_LEVELS = 3, CONFLICT_PREDICTOR_ENTRIES = 1 << 20 };

/* The structures of one layout. */
struct conflict_side {
	const struct ifr_address_map *map;
	struct ifr_geometry *blocks;
	uint16_t *ends;
	struct ifr_cache data, fetch, outer;
	struct ifr_cache branches[CONFLICT_BTB_LEVELS]; /* the levels of the BTB, or the entries of the predictor */
	unsigned levels;
	uint64_t *addresses;
	struct conflict_lines lines;
};

/* The shape of a structure; of no sets where the machine has none. */
struct ifr_cache_shape conflict_shape(const struct ifr_machine *machine, enum ifr_conflict_structure structure);

/* Makes the structures, empty, and places the trace's blocks. The caller closes the side, also behind an error. Errors:
 * those of ifr_address_map_blocks. */
int conflict_side_open(struct conflict_side *side, const struct ifr_trace *trace,
                       const struct ifr_address_map *map, const struct ifr_machine *machine,
                       enum ifr_conflict_structure structure, struct ifr_error *err);
void conflict_side_close(struct conflict_side *side);

#endif
