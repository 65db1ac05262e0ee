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
		for (uint32_t k = code->first; k < code->first + code->count; k++) {
			const struct ifr_core_instruction *instruction = &program.instructions[k];
			(*sites)[k] = (struct ifr_core_site){.normalised = blocks[i / 2].normalised + instruction->offset,
			                                     .loads = has_load(&program, instruction),
			                                     .branches = instruction->branch != IFR_BRANCH_NONE};
		}
	}
	ifr_core_program_release(&program);
	return result;
}
