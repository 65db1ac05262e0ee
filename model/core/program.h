/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program for one core: the operations of every block, in the form that the front end and the graph walk, once for
 * each way in which the block's last test and jump may fuse. Layouts share it. */
#ifndef IFR_MODEL_CORE_PROGRAM_H
#define IFR_MODEL_CORE_PROGRAM_H

#include <stdlib.h>

#include "model/core/operation.h"

enum ifr_core_op_flag {
	IFR_CORE_OP_DECODED = 1,    /* begins a slot of the front end */
	IFR_CORE_OP_ISSUED = 2,     /* begins a slot of rename */
	IFR_CORE_OP_ELIMINATED = 4, /* needs no port */
};

struct ifr_core_op {
	uint8_t sources[4];
	uint8_t destinations[3];
	uint8_t kind;                /* enum ifr_operation_kind */
	uint16_t ports, taken_ports; /* taken_ports: of a branch that is taken; 0: no others */
	uint8_t latency, occupancy, unit, flags;
	uint8_t late;    /* cycles that the second source takes longer */
	uint16_t access; /* first access in the block */
	uint8_t pieces;  /* accesses from there on; 0: none */
	/* Of an operation that begins a slot of rename: what the slot needs in scheduler and queues. */
	uint8_t entries, loads, stores;
	uint16_t sites; /* bit n: the operation belongs to site n (sites.h) */
	/* The name of a load or of a store's address (names.h), and by how much the operation moves the stack pointer. */
	uint8_t name, name_bytes; /* base register, 0: none; bytes of the access */
	int16_t stack;
	int32_t displacement;
};

/* The ports that an operation may go to. leaves: its block is left by a taken branch. */
static inline uint16_t ifr_core_op_ports(const struct ifr_core_op *op, bool leaves) {
	return leaves && op->taken_ports ? op->taken_ports : op->ports;
}

struct ifr_core_instruction {
	uint32_t first_op;
	uint16_t offset, flags; /* flags: enum ifr_instruction_flag */
	uint8_t bytes, ops, decoded, branch;
	uint16_t sites; /* whose code is idealised */
};

/* The instructions of a block, in order; of a fused pair, both are one. */
struct ifr_core_code {
	uint32_t first;
	uint16_t count;
};

struct ifr_core_program {
	struct ifr_core_op *ops;
	struct ifr_core_instruction *instructions;
	struct ifr_core_code (*blocks)[2]; /* by block: with the pair unfused, and fused (the same if none is) */
	uint16_t *jump_offsets;            /* by block: of the jump that may fuse; 0: none */
	size_t blocks_count, ops_count, instructions_count;
	size_t ops_room, instructions_room, blocks_room;
	uint16_t delayed; /* sites that take a cycle longer, instead of none */
};

static inline void ifr_core_program_release(struct ifr_core_program *program) {
	free(program->ops);
	free(program->instructions);
	free(program->blocks);
	free(program->jump_offsets);
	*program = (struct ifr_core_program){0};
}

/* Appends a block. operations, from, count: its decoded instructions, `from` the first of them. accesses: the block's
 * accesses. */
void ifr_core_program_add(struct ifr_core_program *program, const struct ifr_operations *operations, size_t from,
                          size_t count, const struct ifr_trace_access *accesses, size_t accesses_count);
/* Appends a block without code: a further round of a repeated string instruction, or code that the decoder does not
 * know. Its `instructions` (0 for a round) are of one operation each; each access is an operation, too. */
void ifr_core_program_add_unknown(struct ifr_core_program *program, unsigned instructions, unsigned bytes,
                                  uint8_t branch, const struct ifr_trace_access *accesses, size_t accesses_count);

/* Makes the program of a trace, decoded for a core (ifr_decoder_new). Errors: as ifr_decoder_new. */
int ifr_core_program_make(struct ifr_core_program *program, const char *core, const struct ifr_trace *trace,
                          struct ifr_error *err);

#endif
