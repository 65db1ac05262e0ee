/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Table VII of Fields, Bodik, Hill and Newburn 2004: 6 integer ALUs (1 cycle), 2 integer multipliers (3), 4 floating ALUs
 * (2), 2 floating multipliers and dividers (4, 12), 3 load and store ports (2).
 *
 * That machine executes Alpha's instructions. An x86 instruction has the operations that it has on Skylake, none fused at
 * rename; each takes a unit by what it computes. Two of the four floating ALUs are left out: there are sixteen ports,
 * and a store's data need one. Assumed: a division of integers takes 20 cycles of a multiplier, as in SimpleScalar's
 * default; dividers and square roots are not pipelined; vectors are as floating point. */
#include "model/core/simulated_units.h"

#include <string.h>

enum {
	INTEGER_ALUS = 0x3f,
	INTEGER_MULTIPLIERS = 0xc0,
	FLOATING_ALUS = 0x300,
	FLOATING_MULTIPLIERS = 0xc00,
	MEMORY_PORTS = 0x7000,
	STORE_DATA_PORT = 0x8000
};

static void take(struct ifr_operation *operation, uint16_t ports, uint8_t latency, uint8_t occupancy) {
	operation->ports = ports;
	operation->latency = latency;
	operation->occupancy = occupancy;
	operation->unit = IFR_UNIT_NONE;
}

static bool is_named(const struct builder *builder, const char *part) {
	return strstr(ZydisMnemonicGetString(builder->decoded->insn.mnemonic), part);
}

/* Operations beside the one that is named are of an ALU. */
static void take_computing(const struct builder *builder, struct ifr_operation *operation, bool last) {
	const bool floating = touches_vectors(&builder->decoded->set);
	const bool divides = last && (is_named(builder, "div") || is_named(builder, "sqrt"));
	const bool multiplies = last && (is_named(builder, "mul") || is_named(builder, "fmadd"));
	if (divides)
		take(operation, floating ? FLOATING_MULTIPLIERS : INTEGER_MULTIPLIERS, floating ? 12 : 20,
		     floating ? 12 : 20);
	else if (multiplies)
		take(operation, floating ? FLOATING_MULTIPLIERS : INTEGER_MULTIPLIERS, floating ? 4 : 3, 1);
	else
		take(operation, floating ? FLOATING_ALUS : INTEGER_ALUS, floating ? 2 : 1, 1);
}

static const struct ifr_operation *last_computing(const struct ifr_operation *operations, unsigned count) {
	const struct ifr_operation *last = NULL;
	for (unsigned i = 0; i < count; i++)
		if (operations[i].kind == IFR_OPERATION_COMPUTE)
			last = &operations[i];
	return last;
}

void take_simulated_units(struct builder *builder) {
	struct ifr_operation *operations = &builder->to->operations[builder->instruction->first];
	const unsigned count = builder->instruction->count;
	const struct ifr_operation *last = last_computing(operations, count);
	for (unsigned i = 0; i < count; i++) {
		struct ifr_operation *operation = &operations[i];
		if (!operation->ports)
			continue;
		if (operation->kind == IFR_OPERATION_COMPUTE)
			take_computing(builder, operation, operation == last);
		else if (operation->kind == IFR_OPERATION_BRANCH)
			take(operation, INTEGER_ALUS, 1, 1);
		else if (operation->kind == IFR_OPERATION_STORE_DATA)
			take(operation, STORE_DATA_PORT, operation->latency, 1);
		else
			take(operation, MEMORY_PORTS, operation->kind == IFR_OPERATION_LOAD ? 0 : operation->latency, 1);
	}
}
