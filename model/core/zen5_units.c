/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ref: AMD, Software Optimization Guide for the Zen 5 microarchitecture (2024), section 2.10: six ALUs, of which three
 * multiply and three execute branches, and four address units: four loads of general registers, two of vectors, and
 * two stores a cycle.
 *
 * Rates and latencies are measured on a Zen 5 (family 26, model 2) with tests/bench/blocks_run and
 * tests/bench/instructions (measured.txt): shifts by three ALUs; integer operations of vectors take two cycles; in lea
 * the base of an address of three components takes two cycles, its index one. Assumed: which ALUs shift and multiply. */
#include "model/core/zen5_units.h"

enum {
	ALUS = 0x600f,
	MULTIPLIERS = 0x7,
	BRANCH_ALUS = 0x6008,
	VECTORS = 0xf00,
	SHUFFLES_BEFORE = 0x600, /* of Zen 4 */
	VECTOR_STORE_BEFORE = 0x1000,
	VECTOR_STORES = 0x1080,
	VECTOR_LATENCY = 2
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
	case VECTOR_STORE_BEFORE:
		return VECTOR_STORES;
	default:
		return operation->ports;
	}
}

static void take_lea(const struct builder *builder, struct ifr_operation *operation) {
	if (builder->decoded->set.relative)
		operation->ports = MULTIPLIERS;
	if (operation->latency == 1 || !operation->sources[1])
		return;
	const uint8_t base = operation->sources[0];
	operation->sources[0] = operation->sources[1];
	operation->sources[1] = base;
	operation->late = (uint8_t)(operation->latency - 1);
	operation->latency = 1;
}

/* Stores of vectors: their values go to loads as those of general registers do. */
static void take_store(struct ifr_operation *operation) {
	if (operation->ports & VECTOR_STORES)
		operation->latency = 0;
}

void take_zen5_units(struct builder *builder) {
	struct ifr_operation *operations = &builder->to->operations[builder->instruction->first];
	for (unsigned i = 0; i < builder->instruction->count; i++) {
		struct ifr_operation *operation = &operations[i];
		if (operation->kind == IFR_OPERATION_STORE_DATA)
			take_store(operation);
		if (operation->kind != IFR_OPERATION_COMPUTE && operation->kind != IFR_OPERATION_BRANCH)
			continue;
		if (builder->measured)
			continue;
		operation->ports = ports_for(operation);
		if (operation->ports == VECTOR_STORES)
			operation->occupancy = 1;
		if (operation->ports & VECTORS && operation->latency == 1)
			operation->latency = VECTOR_LATENCY;
		if (builder->decoded->insn.mnemonic == ZYDIS_MNEMONIC_LEA)
			take_lea(builder, operation);
	}
}
