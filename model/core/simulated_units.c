/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An x86 instruction has the operations that it has on Skylake, none fused at rename; each takes a unit by what it
 * computes. Assumed: vectors are as floating point; a store's data need a unit of their own.
 *
 * fields2004: table VII of Fields, Bodik, Hill and Newburn 2004, whose machine executes Alpha's instructions: 6 integer
 * ALUs (1 cycle), 2 integer multipliers (3), 4 floating ALUs (2), 2 floating multipliers and dividers (4, 12), 3 load
 * and store ports (2). Two of the four floating ALUs are left out: there are sixteen ports, and a store's data need one.
 * Assumed: a division of integers takes 20 cycles of a multiplier, as in SimpleScalar's default; dividers and square
 * roots are not pipelined.
 *
 * r10000: Yeager 1996, "The MIPS R10000 superscalar microprocessor", IEEE Micro 16(2): two integer ALUs, of which the
 * first takes branches, and the second multiplies and divides; a floating adder and a floating multiplier (2 cycles
 * each), which divides, too; one load or store a cycle. Multiplications and divisions of 64 bits and of doubles. */
#include "model/core/simulated_units.h"

#include <string.h>

struct unit {
	uint16_t ports;
	uint8_t latency, occupancy;
};

static const struct simulated_units {
	struct unit alu, multiply, divide, floating, floating_multiply, floating_divide, branch;
	uint16_t memory, data;
} all_units[IFR_SIMULATED] = {
	[IFR_SIMULATED_FIELDS2004] = {.alu = {0x3f, 1, 1},
                                  .multiply = {0xc0, 3, 1},
                                  .divide = {0xc0, 20, 20},
                                  .floating = {0x300, 2, 1},
                                  .floating_multiply = {0xc00, 4, 1},
                                  .floating_divide = {0xc00, 12, 12},
                                  .branch = {0x3f, 1, 1},
                                  .memory = 0x7000,
                                  .data = 0x8000},
	[IFR_SIMULATED_R10000] = {.alu = {0x3, 1, 1},
                              .multiply = {0x2, 9, 10},
                              .divide = {0x2, 66, 67},
                              .floating = {0x4, 2, 1},
                              .floating_multiply = {0x8, 2, 1},
                              .floating_divide = {0x8, 19, 21},
                              .branch = {0x1, 1, 1},
                              .memory = 0x10,
                              .data = 0x20},
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

static void take_unit(struct ifr_operation *operation, const struct unit *unit) {
	take(operation, unit->ports, unit->latency, unit->occupancy);
}

/* Operations beside the one that is named are of an ALU. */
static void take_computing(const struct builder *builder, const struct simulated_units *units,
                           struct ifr_operation *operation, bool last) {
	const bool floating = touches_vectors(&builder->decoded->set);
	const bool divides = last && (is_named(builder, "div") || is_named(builder, "sqrt"));
	const bool multiplies = last && (is_named(builder, "mul") || is_named(builder, "fmadd"));
	if (divides)
		take_unit(operation, floating ? &units->floating_divide : &units->divide);
	else if (multiplies)
		take_unit(operation, floating ? &units->floating_multiply : &units->multiply);
	else
		take_unit(operation, floating ? &units->floating : &units->alu);
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
	const struct simulated_units *units = &all_units[builder->core->simulated];
	const struct ifr_operation *last = last_computing(operations, count);
	for (unsigned i = 0; i < count; i++) {
		struct ifr_operation *operation = &operations[i];
		if (!operation->ports)
			continue;
		if (operation->kind == IFR_OPERATION_COMPUTE)
			take_computing(builder, units, operation, operation == last);
		else if (operation->kind == IFR_OPERATION_BRANCH)
			take_unit(operation, &units->branch);
		else if (operation->kind == IFR_OPERATION_STORE_DATA)
			take(operation, units->data, operation->latency, 1);
		else
			take(operation, units->memory, operation->kind == IFR_OPERATION_LOAD ? 0 : operation->latency, 1);
	}
}
