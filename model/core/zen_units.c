/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/core/zen_units.h"

enum { VECTOR_STORE = 0x1000 };

static bool is_general(const struct decoded *decoded, unsigned operand) {
	return decoded->operands[operand].type == ZYDIS_OPERAND_TYPE_REGISTER &&
	       register_of(decoded->operands[operand].reg.value) < IFR_REGISTER_VECTOR;
}

/* 0: of an instruction that is not between registers of both kinds. */
static uint8_t crossing_latency(const struct decoded *decoded, const struct zen_crossings *crossings) {
	const bool to_vector = is_general(decoded, 1), from_vector = is_general(decoded, 0);
	switch (decoded->insn.mnemonic) {
	case ZYDIS_MNEMONIC_MOVD:
	case ZYDIS_MNEMONIC_MOVQ:
	case ZYDIS_MNEMONIC_VMOVD:
	case ZYDIS_MNEMONIC_VMOVQ:
		return to_vector ? crossings->to_vector : from_vector ? crossings->from_vector : 0;
	case ZYDIS_MNEMONIC_PMOVMSKB:
	case ZYDIS_MNEMONIC_VPMOVMSKB:
	case ZYDIS_MNEMONIC_MOVMSKPS:
	case ZYDIS_MNEMONIC_MOVMSKPD:
		return crossings->mask;
	case ZYDIS_MNEMONIC_CVTSI2SD:
	case ZYDIS_MNEMONIC_CVTSI2SS:
	case ZYDIS_MNEMONIC_VCVTSI2SD:
	case ZYDIS_MNEMONIC_VCVTSI2SS:
		return to_vector ? crossings->converted : 0;
	case ZYDIS_MNEMONIC_CVTTSD2SI:
	case ZYDIS_MNEMONIC_CVTTSS2SI:
	case ZYDIS_MNEMONIC_VCVTTSD2SI:
	case ZYDIS_MNEMONIC_VCVTTSS2SI:
		return crossings->back;
	case ZYDIS_MNEMONIC_COMISD:
	case ZYDIS_MNEMONIC_COMISS:
	case ZYDIS_MNEMONIC_UCOMISD:
	case ZYDIS_MNEMONIC_UCOMISS:
	case ZYDIS_MNEMONIC_VCOMISD:
	case ZYDIS_MNEMONIC_VCOMISS:
	case ZYDIS_MNEMONIC_VUCOMISD:
	case ZYDIS_MNEMONIC_VUCOMISS:
		return crossings->compared;
	default:
		return 0;
	}
}

void take_zen_operation(const struct builder *builder, struct ifr_operation *operation, uint16_t alus) {
	if (builder->decoded->insn.mnemonic == ZYDIS_MNEMONIC_TZCNT) {
		operation->ports = alus;
		operation->latency = 1;
	}
	if (operation->ports == VECTOR_STORE)
		operation->occupancy = 1;
}

void take_zen_crossing(const struct builder *builder, struct ifr_operation *last,
                       const struct zen_crossings *crossings) {
	const uint8_t latency = crossing_latency(builder->decoded, crossings);
	if (last && latency)
		last->latency = latency;
}
