/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rates and latencies that are measured on a Zen 4 (family 25, model 17) with tests/bench/blocks_run, where LLVM's
 * scheduling model has others: a division of small quotients takes 9 cycles, of any width; tzcnt one, four a cycle; lea
 * without a displacement one, and with three components two, by two ALUs; a move from a general to a vector register and
 * back 7, a conversion of an integer and back 12, and a comparison of floating-point numbers, a flag and a conversion 11,
 * of which only the sums are measured. Assumed: how the sums divide, and which of the ALUs take lea. */
#include "model/core/zen4_units.h"

enum { ALUS = 0xf, LEA_ALUS = 0x3, VECTOR_STORE = 0x1000, DIVISION = 9, DIVISION_EACH = 6 };

/* Latencies of instructions between registers of both kinds; 0: of another instruction. */
static uint8_t crossing_latency(const struct decoded *decoded) {
	const bool to_vector = decoded->operands[1].type == ZYDIS_OPERAND_TYPE_REGISTER &&
	                       register_of(decoded->operands[1].reg.value) < IFR_REGISTER_VECTOR;
	const bool from_vector = decoded->operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
	                         register_of(decoded->operands[0].reg.value) < IFR_REGISTER_VECTOR;
	switch (decoded->insn.mnemonic) {
	case ZYDIS_MNEMONIC_MOVD:
	case ZYDIS_MNEMONIC_MOVQ:
	case ZYDIS_MNEMONIC_VMOVD:
	case ZYDIS_MNEMONIC_VMOVQ:
		return to_vector ? 3 : from_vector ? 4 : 0;
	case ZYDIS_MNEMONIC_PMOVMSKB:
	case ZYDIS_MNEMONIC_VPMOVMSKB:
	case ZYDIS_MNEMONIC_MOVMSKPS:
	case ZYDIS_MNEMONIC_MOVMSKPD:
		return 4;
	case ZYDIS_MNEMONIC_CVTSI2SD:
	case ZYDIS_MNEMONIC_CVTSI2SS:
	case ZYDIS_MNEMONIC_VCVTSI2SD:
	case ZYDIS_MNEMONIC_VCVTSI2SS:
		return to_vector ? 5 : 0; /* behind an operation of one cycle */
	case ZYDIS_MNEMONIC_CVTTSD2SI:
	case ZYDIS_MNEMONIC_CVTTSS2SI:
	case ZYDIS_MNEMONIC_VCVTTSD2SI:
	case ZYDIS_MNEMONIC_VCVTTSS2SI:
		return 6;
	case ZYDIS_MNEMONIC_COMISD:
	case ZYDIS_MNEMONIC_COMISS:
	case ZYDIS_MNEMONIC_UCOMISD:
	case ZYDIS_MNEMONIC_UCOMISS:
	case ZYDIS_MNEMONIC_VCOMISD:
	case ZYDIS_MNEMONIC_VCOMISS:
	case ZYDIS_MNEMONIC_VUCOMISD:
	case ZYDIS_MNEMONIC_VUCOMISS:
		return 3;
	default:
		return 0;
	}
}

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
	const ZydisMnemonic mnemonic = builder->decoded->insn.mnemonic;
	for (unsigned i = 0; i < builder->instruction->count; i++) {
		struct ifr_operation *operation = &operations[i];
		if (operation->kind != IFR_OPERATION_COMPUTE)
			continue;
		if (mnemonic == ZYDIS_MNEMONIC_TZCNT) {
			operation->ports = ALUS;
			operation->latency = 1;
		}
		if (mnemonic == ZYDIS_MNEMONIC_LEA)
			take_lea(operation, &builder->decoded->operands[1].mem);
		if (operation->ports == VECTOR_STORE) /* between general and vector registers */
			operation->occupancy = 1;
		if (operation->unit == IFR_UNIT_INTEGER_DIVIDER) {
			operation->latency = DIVISION;
			operation->occupancy = DIVISION_EACH;
		}
		last = operation;
	}
	const uint8_t latency = crossing_latency(builder->decoded);
	if (last && latency)
		last->latency = latency;
}
