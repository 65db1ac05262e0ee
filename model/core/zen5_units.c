/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ref: AMD, Software Optimization Guide for the Zen 5 microarchitecture (2024), section 2.10: six ALUs, of which three
 * multiply and three execute branches, and four address units: four loads of general registers, two of vectors, and
 * two stores a cycle.
 *
 * Rates and latencies are measured on a Zen 5 (family 26, model 2) with tests/bench/blocks_run: shifts by three ALUs,
 * bit scans by all; integer operations of vectors take two cycles; a move from a general to a vector register takes six
 * cycles and back three, of which only the sum is measured; a division of small quotients 10, one each 7 (64 bits) or 6.
 * Assumed: which of the ALUs shift and multiply. */
#include "model/core/zen5_units.h"

#include "model/core/zen_units.h"

enum {
	ALUS = 0x600f,
	MULTIPLIERS = 0x7,
	BRANCH_ALUS = 0x6008,
	VECTORS = 0xf00,
	SHUFFLES_BEFORE = 0x600, /* of Zen 4 */
	VECTOR_LATENCY = 2,
	DIVISION = 10,
	DIVISION_EACH = 7,
	DIVISION_32_EACH = 6
};

static const struct zen_crossings crossings = {
	.to_vector = 6, .from_vector = 3, .mask = 3, .converted = 7, .back = 6, .compared = 5};

/* The ports of Zen 5 for those of Zen 4. */
static uint16_t ports_for(const struct ifr_operation *operation) {
	switch (operation->ports) {
	case 0x2: /* multiplications, bit scans */
		return operation->latency > 1 ? MULTIPLIERS : ALUS;
	case 0x6: /* shifts, bit tests */
		return MULTIPLIERS;
	case 0x9: /* conditional moves */
	case 0x81:
	case 0x8:
		return operation->kind == IFR_OPERATION_BRANCH ? BRANCH_ALUS : ALUS;
	case 0xf:
		return ALUS;
	case SHUFFLES_BEFORE:
		return VECTORS;
	default:
		return operation->ports;
	}
}

void take_zen5_units(struct builder *builder) {
	struct ifr_operation *operations = &builder->to->operations[builder->instruction->first], *last = NULL;
	for (unsigned i = 0; i < builder->instruction->count; i++) {
		struct ifr_operation *operation = &operations[i];
		if (operation->kind != IFR_OPERATION_COMPUTE && operation->kind != IFR_OPERATION_BRANCH)
			continue;
		operation->ports = ports_for(operation);
		take_zen_operation(builder, operation, ALUS);
		if (operation->ports & VECTORS && operation->latency == 1)
			operation->latency = VECTOR_LATENCY;
		if (operation->unit == IFR_UNIT_INTEGER_DIVIDER) {
			operation->latency = DIVISION;
			operation->occupancy = builder->decoded->insn.operand_width == 64 ? DIVISION_EACH : DIVISION_32_EACH;
		}
		last = operation;
	}
	take_zen_crossing(builder, last, &crossings);
}
