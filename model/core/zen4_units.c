/* SPDX-License-Identifier: GPL-3.0-or-later */
/* By the clock of a Zen 4 (family 25, model 17), with tests/bench/blocks_run: lea without a displacement takes one cycle,
 * four a cycle; with three components two, by two ALUs. Assumed: which. */
#include "model/core/zen4_units.h"

enum { ALUS = 0xf, LEA_ALUS = 0x3, VECTOR_STORE = 0x1000 };

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
	struct ifr_operation *operations = &builder->to->operations[builder->instruction->first];
	for (unsigned i = 0; i < builder->instruction->count; i++) {
		struct ifr_operation *operation = &operations[i];
		if (operation->kind != IFR_OPERATION_COMPUTE)
			continue;
		if (operation->ports == VECTOR_STORE)
			operation->occupancy = 1;
		if (builder->decoded->insn.mnemonic == ZYDIS_MNEMONIC_LEA)
			take_lea(operation, &builder->decoded->operands[1].mem);
	}
}
