/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loads and stores of an instruction, and the slots that its operations take. Private to the decoder. */
#ifndef IFR_MODEL_MEMORY_OPERATIONS_H
#define IFR_MODEL_MEMORY_OPERATIONS_H

#include "model/core/build.h"

struct builder {
	const struct ifr_core *core;
	const struct ifr_instruction_table *table;
	const struct ifr_port_group *groups;
	struct decoded *decoded;
	struct ifr_operations *to;
	struct ifr_operations_of *instruction;
	uint8_t loads, stores; /* memory operands that are read, and written */
	uint8_t loaded;        /* temporary registers that hold what was loaded */
	bool computed;         /* the results are computed, not just loaded */
	bool measured;         /* by a measured row (instruction_table.h) */
};

/* Adds an operation of the instruction. Its sources and destinations are set with add_source and add_destination,
 * which leave out what has no room; add_destination returns false then. */
struct ifr_operation *add_operation(struct builder *builder, uint8_t kind, uint16_t ports, uint8_t latency);
void add_source(struct ifr_operation *operation, uint8_t reg);
bool add_destination(struct ifr_operation *operation, uint8_t reg);
/* Add the sources of a computation, and its results; results beyond the three of the last go to the first. */
void add_sources(const struct builder *builder, struct ifr_operation *operation);
void add_destinations(const struct builder *builder, struct ifr_operation *last, struct ifr_operation *first);
/* Adds a computation of one operation. */
void add_simple(struct builder *builder, uint16_t ports, uint8_t latency);
bool touches_vectors(const struct operand_set *set);

/* Adds the loads, which write temporary registers. */
void add_loads(struct builder *builder);
/* Lets the last load write the instruction's results, where nothing is computed. */
void settle_loads(struct builder *builder);
/* Adds the stores. value: register that is stored; IFR_REGISTER_NONE: what was loaded or is read. */
void add_stores(struct builder *builder, uint8_t value);
/* Marks what shares slots, and counts them. */
void count_slots(struct builder *builder);

#endif
