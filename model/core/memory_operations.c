/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/core/memory_operations.h"

#include "model/core/idioms.h"
#include "model/core/special_operations.h"

enum { LOADED_MAX = 2, WIDE_BYTES = 32 };

static bool is_gather(const ZydisDecodedInstruction *insn) {
	return insn->meta.category == ZYDIS_CATEGORY_AVX2GATHER || insn->meta.category == ZYDIS_CATEGORY_GATHER;
}

/* Cycles that a wide access keeps its port. */
static uint8_t occupancy_of(const struct ifr_core *core, unsigned bytes, bool store) {
	if (bytes == 32 && core->generation <= IFR_IVY_BRIDGE)
		return 2;
	return bytes == 64 && core->generation >= IFR_ZEN2 && (core->generation < IFR_ZEN5 || store) ? 2 : 1;
}

static uint8_t load_latency(const struct builder *builder, const struct memory_operand *memory) {
	const struct ifr_core *core = builder->core;
	if (touches_vectors(&builder->decoded->set))
		return memory->bytes >= WIDE_BYTES ? core->wide_load : core->vector_load;
	const ZydisMnemonic mnemonic = builder->decoded->insn.mnemonic;
	const bool extends = mnemonic == ZYDIS_MNEMONIC_MOVSX || mnemonic == ZYDIS_MNEMONIC_MOVSXD;
	return (uint8_t)((memory->index || memory->far ? core->indexed_load : 0) +
	                 (memory->complex ? core->complex_load : 0) + (extends ? core->extending_load : 0));
}

/* Zen 5 has four address units, of which two load vectors. */
static uint16_t load_ports(const struct builder *builder) {
	const struct ifr_core *core = builder->core;
	return core->generation == IFR_ZEN5 && touches_vectors(&builder->decoded->set) ? 0x30 : core->ports.load;
}

/* Whether rename does not take the value of memory: none that movzx or movsx extends; on Zen 4 none that is extended at
 * all, nor of less than 32 bits, nor an operand of an instruction that does more than load it, unless it writes it. */
static bool is_executed(const struct builder *builder, const struct memory_operand *memory) {
	const struct decoded *decoded = builder->decoded;
	const ZydisMnemonic mnemonic = decoded->insn.mnemonic;
	const bool loads_only = mnemonic == ZYDIS_MNEMONIC_MOV || decoded->set.stack || memory->write;
	return mnemonic == ZYDIS_MNEMONIC_MOVZX || mnemonic == ZYDIS_MNEMONIC_MOVSX ||
	       (builder->core->generation == IFR_ZEN4 && (!loads_only || memory->bytes < 4));
}

/* Gives an access of general registers its name. Push and call store below where rsp points. */
static void set_name(const struct builder *builder, struct ifr_operation *operation,
                     const struct memory_operand *memory) {
	const struct decoded *decoded = builder->decoded;
	const bool pushes = decoded->set.stack && memory->write;
	const bool pops = decoded->set.stack && !pushes && memory->base == IFR_REGISTER_STACK_POINTER;
	if (!memory->bytes || memory->bytes > 8 || !memory->named || touches_vectors(&decoded->set) ||
	    is_string(&decoded->insn) || is_executed(builder, memory) ||
	    builder->instruction->flags & IFR_INSTRUCTION_LOCKED)
		return;
	operation->name = memory->base;
	operation->displacement = pushes ? -memory->bytes : memory->displacement;
	operation->stack = (int16_t)(pushes ? -memory->bytes : pops ? memory->bytes : 0);
}

/* The index is the second source, but where it is the base, too, or the only one. */
static void delay_index(struct ifr_operation *load, uint8_t cycles) {
	if (load->sources[1])
		load->late = cycles;
	else
		load->latency = (uint8_t)(load->latency + cycles);
}

static void add_load(struct builder *builder, const struct memory_operand *memory, unsigned number) {
	struct ifr_operation *operation =
		add_operation(builder, IFR_OPERATION_LOAD, load_ports(builder), load_latency(builder, memory));
	add_source(operation, memory->base);
	add_source(operation, memory->index);
	if (memory->complex)
		delay_index(operation, builder->core->late_index);
	operation->access = (uint8_t)number;
	operation->bytes = memory->bytes;
	set_name(builder, operation, memory);
	operation->occupancy = occupancy_of(builder->core, memory->bytes, false);
	if (number < LOADED_MAX)
		add_destination(operation, (uint8_t)(IFR_REGISTER_TEMPORARY + number));
	builder->loaded = (uint8_t)(number < LOADED_MAX ? number + 1 : LOADED_MAX);
}

/* A gather loads each element. */
static void add_gathered(struct builder *builder, const struct memory_operand *memory) {
	const ZydisDecodedInstruction *insn = &builder->decoded->insn;
	const unsigned element = memory->bytes ? memory->bytes : 4, count = insn->avx.vector_length / 8 / element;
	for (unsigned i = 0; i < count && i < 16; i++)
		add_load(builder, memory, builder->loads++);
}

void add_loads(struct builder *builder) {
	const struct operand_set *set = &builder->decoded->set;
	for (unsigned i = 0; i < set->memory_count; i++) {
		struct memory_operand memory = set->memories[i];
		if (builder->decoded->insn.mnemonic == ZYDIS_MNEMONIC_LEAVE)
			memory.base = IFR_REGISTER_STACK_POINTER + 1;
		builder->stores = (uint8_t)(builder->stores + memory.write);
		if (memory.read && is_gather(&builder->decoded->insn))
			add_gathered(builder, &memory);
		else if (memory.read)
			add_load(builder, &memory, builder->loads++);
	}
	builder->instruction->loads = builder->loads;
	builder->instruction->stores = builder->stores;
}

static bool sets_destination(const struct ifr_operations *to, uint32_t from, uint8_t reg) {
	for (size_t i = from; i < to->operations_count; i++)
		for (unsigned j = 0; j < 3; j++)
			if (to->operations[i].destinations[j] == reg)
				return true;
	return false;
}

void settle_loads(struct builder *builder) {
	const struct operand_set *set = &builder->decoded->set;
	struct ifr_operation *load = &builder->to->operations[builder->instruction->first];
	if (!builder->loads || builder->computed || builder->instruction->branch)
		return;
	const bool string = is_string(&builder->decoded->insn);
	if (!builder->stores && !register_in(&set->writes, IFR_REGISTER_FLAGS))
		load->destinations[0] = IFR_REGISTER_NONE;
	for (unsigned i = 0; i < set->writes.count; i++)
		if ((!string || set->writes.items[i] == IFR_REGISTER_GENERAL) &&
		    !sets_destination(builder->to, builder->instruction->first, set->writes.items[i])) {
			if (!load->destinations[0])
				load->destinations[0] = set->writes.items[i];
			else
				add_destination(load, set->writes.items[i]);
		}
	if (builder->stores || string || builder->decoded->insn.mnemonic == ZYDIS_MNEMONIC_LEAVE)
		return;
	for (unsigned i = 0; i < set->reads.count; i++) /* masks, and registers of which a part is written */
		add_source(load, set->reads.items[i]);
}

static uint16_t address_ports(const struct builder *builder, const struct memory_operand *memory) {
	const struct ifr_core_ports *ports = &builder->core->ports;
	return memory->index ? ports->indexed_store : ports->store_address;
}

static void add_store(struct builder *builder, const struct memory_operand *memory, uint8_t value,
                      unsigned number) {
	const struct operand_set *set = &builder->decoded->set;
	const struct ifr_core_ports *ports = &builder->core->ports;
	struct ifr_operation *address =
		add_operation(builder, IFR_OPERATION_STORE_ADDRESS, address_ports(builder, memory), 1);
	add_source(address, memory->base);
	add_source(address, memory->index);
	const uint16_t data_ports = touches_vectors(set) ? ports->vector_store : ports->store_data;
	struct ifr_operation *data = add_operation(builder, IFR_OPERATION_STORE_DATA, data_ports, 1);
	data->occupancy = occupancy_of(builder->core, memory->bytes, true);
	address->access = data->access = (uint8_t)number;
	address->bytes = data->bytes = memory->bytes;
	set_name(builder, address, memory);
	if (value)
		add_source(data, value);
	else if (builder->loaded)
		add_source(data, IFR_REGISTER_TEMPORARY);
	else if (!builder->instruction->branch)
		for (unsigned i = 0; i < set->reads.count; i++)
			add_source(data, set->reads.items[i]);
}

void add_stores(struct builder *builder, uint8_t value) {
	unsigned number = 0;
	for (unsigned i = 0; i < builder->decoded->set.memory_count; i++)
		if (builder->decoded->set.memories[i].write)
			add_store(builder, &builder->decoded->set.memories[i], value, number++);
}

/* --- slots --------------------------------------------------------------------------------------------------- */

/* AMD's operations carry a load, a computation and a store together. Intel's pairs are a load with what uses it, and
 * the address and data of a store; not with an immediate and an address by rip. */
static bool is_fused(const struct builder *builder, const struct ifr_operation *previous,
                     const struct ifr_operation *operation, unsigned computing) {
	const ZydisDecodedInstruction *insn = &builder->decoded->insn;
	if (ifr_core_is_amd(builder->core)) {
		const bool computes = operation->kind == IFR_OPERATION_COMPUTE || operation->kind == IFR_OPERATION_BRANCH;
		return !(computes && computing > 1) &&
		       !(operation->kind == IFR_OPERATION_LOAD && previous->kind != IFR_OPERATION_LOAD);
	}
	if (builder->decoded->set.relative && insn->raw.imm[0].size && !builder->instruction->branch)
		return false;
	if (operation->kind == IFR_OPERATION_STORE_DATA)
		return true;
	return previous->kind == IFR_OPERATION_LOAD && builder->loads == 1 &&
	       insn->meta.category != ZYDIS_CATEGORY_STRINGOP &&
	       (operation->kind == IFR_OPERATION_COMPUTE || operation->kind == IFR_OPERATION_BRANCH) &&
	       insn->mnemonic != ZYDIS_MNEMONIC_LEAVE;
}

static bool is_split(const struct builder *builder, bool store) {
	const struct operand_set *set = &builder->decoded->set;
	if (builder->core->simulated)
		return !store; /* a load and what uses it are two instructions of Alpha's, a store is one */
	for (unsigned i = 0; i < set->memory_count; i++)
		if ((store ? set->memories[i].write : set->memories[i].read) &&
		    is_unlaminated(builder->core, builder->decoded, &set->memories[i], store))
			return true;
	return false;
}

void count_slots(struct builder *builder) {
	struct ifr_operations_of *instruction = builder->instruction;
	struct ifr_operation *operations = &builder->to->operations[instruction->first];
	unsigned computing = 0;
	for (unsigned i = 0; i < instruction->count; i++) {
		struct ifr_operation *operation = &operations[i];
		computing += operation->kind == IFR_OPERATION_COMPUTE || operation->kind == IFR_OPERATION_BRANCH;
		const bool fused = i && is_fused(builder, &operations[i - 1], operation, computing);
		const bool issued = fused && !is_split(builder, operation->kind == IFR_OPERATION_STORE_DATA);
		operation->flags |= (uint8_t)((fused ? IFR_OPERATION_DECODED_WITH_LAST : 0) |
		                              (issued ? IFR_OPERATION_ISSUED_WITH_LAST : 0) |
		                              (builder->decoded->set.merges ? IFR_OPERATION_MERGES : 0));
		instruction->decoded = (uint8_t)(instruction->decoded + !fused);
		instruction->issued = (uint8_t)(instruction->issued + !issued);
	}
	operations[instruction->count - 1].flags |= IFR_OPERATION_END;
}
