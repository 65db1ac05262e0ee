/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/core/sites.h"

#include "common/buffer.h"
#include "model/core/parameters.h"
#include "model/core/program.h"

static bool has_load(const struct ifr_core_program *program, const struct ifr_core_instruction *instruction) {
	for (unsigned i = 0; i < instruction->ops; i++)
		if (program->ops[instruction->first_op + i].kind == IFR_OPERATION_LOAD)
			return true;
	return false;
}

int ifr_core_sites_find(const struct ifr_trace *trace, const struct ifr_machine *machine,
                        struct ifr_core_site **sites, size_t *count, struct ifr_error *err) {
	struct ifr_core_program program = {0};
	const struct ifr_trace_block *blocks;
	char table[32];
	const int result = ifr_core_program_make(&program, ifr_core_table(machine, table), trace, err);
	*count = program.instructions_count;
	*sites = ifr_alloc((*count + 1) * sizeof **sites);
	ifr_trace_blocks(trace, &blocks);
	for (size_t i = 0; i < 2 * program.blocks_count; i++) {
		const struct ifr_core_code *code = &program.blocks[i / 2][i % 2];
		const bool fused = i % 2 && code->first != program.blocks[i / 2][0].first;
		if (i % 2 && !fused)
			continue;
		for (uint32_t k = code->first; k < code->first + code->count; k++) {
			const struct ifr_core_instruction *instruction = &program.instructions[k];
			const uint64_t address = blocks[i / 2].normalised + instruction->offset;
			const bool joined = fused && k + 1 == code->first + code->count;
			(*sites)[k] = (struct ifr_core_site){
				.normalised = address,
				.branch = joined ? blocks[i / 2].normalised + program.jump_offsets[i / 2] : address,
				.block = (uint32_t)(i / 2),
				.fused = fused,
				.loads = has_load(&program, instruction),
				.branches = instruction->branch != IFR_BRANCH_NONE};
		}
	}
	ifr_core_program_release(&program);
	return result;
}

/* The sites that an operation belongs to. */
static uint16_t marks_of(const struct ifr_site_marks *marks, uint16_t sites, const struct ifr_core_op *op,
                         bool last) {
	if (op->kind != IFR_OPERATION_LOAD)
		sites &= (uint16_t)~marks->loads;
	if (op->kind != IFR_OPERATION_BRANCH)
		sites &= (uint16_t)~marks->branches;
	return last ? sites : sites & (uint16_t)~marks->delayed;
}

void ifr_core_program_mark(struct ifr_core_program *program, const struct ifr_site_marks *marks) {
	program->delayed = marks->delayed;
	for (size_t i = 0; i < program->instructions_count && i < marks->count; i++) {
		struct ifr_core_instruction *instruction = &program->instructions[i];
		struct ifr_core_op *ops = program->ops + instruction->first_op;
		instruction->sites = marks->of[i] & (uint16_t) ~(marks->loads | marks->branches | marks->delayed);
		for (unsigned k = 0; k < instruction->ops; k++)
			ops[k].sites = marks_of(marks, marks->of[i], &ops[k], k + 1 == instruction->ops);
	}
}
