/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A cycle-by-cycle simulator of a described core, slow and plain: the oracle of the dependence graph. It is written from
 * the description of the machine (docs/interfero-machine.md, settings.c), and shares with the graph the form of programs
 * and nothing else: it walks cycles, not operations. */
#ifndef IFR_TESTS_MODEL_CYCLES_H
#define IFR_TESTS_MODEL_CYCLES_H

#include "model/core/graph.h"

/* A block execution. */
struct cycles_step {
	uint32_t block;
	uint64_t address;
	uint16_t bytes;
	bool call; /* the branch before was a call or a return */
	struct ifr_core_outcome outcome;
};

struct cycles_result {
	int64_t cycle; /* in which the last slot retired */
	uint64_t slots[IFR_SOURCES];
	uint64_t aliases, blocked, clears, late;
};

void cycles_simulate(const struct ifr_machine *machine, const struct ifr_core_program *program,
                     const struct cycles_step *steps, size_t count, struct cycles_result *result);

#endif
