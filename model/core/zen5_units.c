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

enum {
	ALUS = 0x600f,
	MULTIPLIERS = 0x7,
	BRANCH_ALUS = 0x6008,
	VECTORS = 0xf00,
	SHUFFLES_BEFORE = 0x600, /* of Zen 4 */
	VECTOR_STORE_BEFORE = 0x1000,
	VECTOR_LATENCY = 2,
	DIVISION = 10,
	DIVISION_EACH = 7,
	DIVISION_32_EACH = 6
};

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
		return to_vector ? 6 : from_vector ? 3 : 0;
	case ZYDIS_MNEMONIC_PMOVMSKB:
	case ZYDIS_MNEMONIC_VPMOVMSKB:
	case ZYDIS_MNEMONIC_MOVMSKPS:
	case ZYDIS_MNEMONIC_MOVMSKPD:
		return 3;
	case ZYDIS_MNEMONIC_CVTSI2SD:
	case ZYDIS_MNEMONIC_CVTSI2SS:
	case ZYDIS_MNEMONIC_VCVTSI2SD:
	case ZYDIS_MNEMONIC_VCVTSI2SS:
		return to_vector ? 7 : 0;
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
		return 5;
	default:
		return 0;
	}
}

void take_zen5_units(struct builder *builder) {
	struct ifr_operation *operations = &builder->to->operations[builder->instruction->first], *last = NULL;
	for (unsigned i = 0; i < builder->instruction->count; i++) {
		struct ifr_operation *operation = &operations[i];
		if (operation->kind != IFR_OPERATION_COMPUTE && operation->kind != IFR_OPERATION_BRANCH)
			continue;
		operation->ports = ports_for(operation);
		if (builder->decoded->insn.mnemonic == ZYDIS_MNEMONIC_TZCNT) {
			operation->ports = ALUS;
			operation->latency = 1;
		}
		if (operation->ports == VECTOR_STORE_BEFORE) /* between general and vector registers */
			operation->occupancy = 1;
		if (operation->ports & VECTORS && operation->latency == 1)
			operation->latency = VECTOR_LATENCY;
		if (operation->unit == IFR_UNIT_INTEGER_DIVIDER) {
			operation->latency = DIVISION;
			operation->occupancy = builder->decoded->insn.operand_width == 64 ? DIVISION_EACH : DIVISION_32_EACH;
		}
		last = operation;
	}
	const uint8_t latency = crossing_latency(builder->decoded);
	if (last && latency)
		last->latency = latency;
}
