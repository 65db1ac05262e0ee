/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The cycles of a replay's core with sets of causes idealised (model/core/causes.h), from the same outcomes. */
#ifndef INTERFERO_MODEL_IDEALISED_H
#define INTERFERO_MODEL_IDEALISED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ifr_replay;

/* Cycles of one layout, by set. The fragments are those of the samples (model/core/sample.h); without any, all is
 * measured. */
struct ifr_ideal_times {
	double *cycles; /* by set: of the whole run */
	size_t sets, fragments;
	uint32_t *fragment_instructions; /* by fragment */
	double *fragment_cycles;         /* [set * fragments + fragment] */
	double rest;                     /* instructions that the fragments stand for */
	/* If they are asked for, [set * instructions + instruction of the core's program]: cycles by which its slots retire
	 * later than those before them. All of a set together are its cycles. */
	double *instruction_cycles;
	size_t instructions;
};
void ifr_ideal_times_release(struct ifr_ideal_times *times);

/* After ifr_replay_set_core and before the lanes: lets the core run under each set, too, and notes the cycles by
 * instruction, if wanted. The sets are borrowed. */
void ifr_replay_idealise(struct ifr_replay *replay, const uint32_t *sets, size_t count, bool instructions);
/* After ifr_replay_counters: takes the times of a lane, which the caller releases. */
void ifr_replay_take_ideal_times(struct ifr_replay *replay, size_t lane, struct ifr_ideal_times *times);

#endif
