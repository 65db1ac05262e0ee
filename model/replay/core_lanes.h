/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The state of the core's stage: of each lane its front ends and graphs. Private to the folder. */
#ifndef IFR_MODEL_CORE_LANES_H
#define IFR_MODEL_CORE_LANES_H

#include "model/core/sample.h"
#include "model/replay/core_course.h"
#include "model/replay/stages.h"

enum { PIECE_EXECUTIONS = 1024, FRONTS_MOST = 8 };

/* A front end, and the sets of causes that share it. */
struct core_front {
	uint32_t set; /* of IFR_CAUSES_OF_FRONT */
	struct ifr_core core;
	struct ifr_front *front;
	struct ifr_placed *placed; /* by block; without parts until it is executed */
	size_t placed_count;
};

/* A graph: the run with a set of causes idealised. The first has none, and stands for an empty set, too. */
struct core_graph {
	unsigned front;
	struct ifr_core core;
	struct ifr_graph *graph; /* NULL of an empty set behind the first */
	struct ifr_core_sample sample;
	uint64_t slots[IFR_SOURCES];
	uint32_t *fragments; /* cycles of each, if sets are asked for */
	size_t fragments_count, fragments_room;
	uint64_t fragments_sum;
	struct ifr_sampled_cycles retirement; /* by instruction, if that is asked for */
};

struct core_lane {
	struct core_front fronts[FRONTS_MOST];
	unsigned fronts_count;
	struct core_graph *graphs;
};

/* A block execution of the piece under way. */
struct core_step {
	struct ifr_core_outcome outcome;
	const struct ifr_placed *placed;
	uint32_t block, first_delivery, deliveries_count;
	uint16_t instructions, slots[IFR_SOURCES]; /* slots: of this execution */
	bool call, cut;                            /* behind a call or return; the sequence was cut before it */
	bool decoded;                              /* by the first front end, from the decoders in part */
};

struct cores {
	struct ifr_core core;
	struct ifr_core_course course;
	struct core_lane *lanes;
	size_t graphs_count; /* of each lane */
	struct core_step steps[PIECE_EXECUTIONS];
	size_t steps_count;
	struct ifr_delivery *deliveries;
	size_t deliveries_count, deliveries_room;
	uint32_t *fragment_instructions;
	size_t fragments_room;
	uint64_t fragments_sum; /* of their instructions */
};

/* As in struct ifr_stage. */
void *core_lanes_create(const struct ifr_pass *pass);
void core_lanes_destroy(void *state, const struct ifr_pass *pass);
/* Makes room for so many sites, which begin without cycles. */
void core_reserve_cycles(struct ifr_sampled_cycles *cycles, size_t count);
/* Makes room for so many blocks. */
void core_front_add_blocks(struct core_front *front, size_t count);

#endif
