/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rates and latencies that are measured on a Zen 4 (family 25, model 17) with tests/bench/blocks_run, where LLVM's
 * scheduling model has others: a division of small quotients takes 9 cycles, of any width; tzcnt one, four a cycle; lea
 * without a displacement one, and with three components two, by two ALUs; a move from a general to a vector register and
 * back 7, a conversion of an integer and back 12, and a comparison of floating-point numbers, a flag and a conversion 11,
 * of which only the sums are measured. Assumed: how the sums divide, and which of the ALUs take lea. */
#include "model/core/zen4_units.h"

#include "model/core/zen_units.h"

enum { ALUS = 0xf, LEA_ALUS = 0x3, DIVISION = 9, DIVISION_EACH = 6 };

/* A conversion is behind an operation of one cycle. */
static const struct zen_crossings crossings = {
	.to_vector = 3, .from_vector = 4, .mask = 4, .converted = 5, .back = 6, .compared = 3};

static void take_lea(struct ifr_operation *operation, const ZydisDecodedOperandMem *memory) {
	const bool displaced = memory->disp.has_displacement && memory->base != ZYDIS_REGISTER_RIP;
	if (!displaced) {
		operation->ports = ALUS;
		operation->latency = 1;
	} else if (operation->latency > 1) {
		operation->ports = LEA_ALUS;
	}
}

void take_zen4_units(struct builder *builder) {
	struct ifr_operation *operations = &builder->to->operations[builder->instruction->first], *last = NULL;
	for (unsigned i = 0; i < builder->instruction->count; i++) {
		struct ifr_operation *operation = &operations[i];
		if (operation->kind != IFR_OPERATION_COMPUTE)
			continue;
		take_zen_operation(builder, operation, ALUS);
		if (builder->decoded->insn.mnemonic == ZYDIS_MNEMONIC_LEA)
			take_lea(operation, &builder->decoded->operands[1].mem);
		if (operation->unit == IFR_UNIT_INTEGER_DIVIDER) {
			operation->latency = DIVISION;
			operation->occupancy = DIVISION_EACH;
		}
		last = operation;
	}
	take_zen_crossing(builder, last, &crossings);
}
