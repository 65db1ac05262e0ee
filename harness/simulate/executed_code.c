/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/simulate/executed_code.h"

#include <stdlib.h>

#include "harness/exec/exec.h"

/* executions, falls: by block. */
static int count_executions(struct ifr_trace *trace, uint64_t *executions, uint64_t *falls,
                            struct ifr_error *err) {
	enum { CHUNK = 16384 };
	struct ifr_trace_chunk chunk;
	uint32_t before = IFR_EXECUTION_BREAK;
	ifr_trace_rewind(trace);
	for (ifr_trace_read_chunk(trace, CHUNK, &chunk); chunk.executions_count;
	     ifr_trace_read_chunk(trace, CHUNK, &chunk)) {
		if (ifr_launch_interrupted())
			return ifr_fail(err, IFR_E_ENVIRONMENT, "interrupted in the middle of a trace");
		for (size_t i = 0; i < chunk.executions_count; i++) {
			const uint32_t now = chunk.executions[i];
			if (now != IFR_EXECUTION_BREAK) {
				executions[now >> 1]++;
				falls[now >> 1] += !(before & 1); /* a break counts as taken */
			}
			before = now;
		}
	}
	ifr_trace_rewind(trace);
	return 0;
}

/* A file for each mapping, in their order: block addresses name mappings. */
static void list_files(const struct ifr_trace *trace, struct ifr_strings *files) {
	const struct ifr_mapping *mappings;
	const size_t count = ifr_trace_mappings(trace, &mappings);
	for (size_t i = 0; i < count; i++) {
		const bool file = i >= IFR_MAPPING_FIRST &&
		                  (mappings[i].kind == IFR_MAPPING_PROGRAM || mappings[i].kind == IFR_MAPPING_LIBRARY);
		ifr_strings_add(files, file ? mappings[i].path : "");
	}
}

int ifr_executed_code_read(struct ifr_trace *trace, struct ifr_executed_code *code, struct ifr_error *err) {
	const struct ifr_trace_block *blocks;
	const size_t count = ifr_trace_blocks(trace, &blocks);
	uint64_t *executions = ifr_alloc((count + 1) * sizeof *executions),
			 *falls = ifr_alloc((count + 1) * sizeof *falls);
	*code = (struct ifr_executed_code){.blocks = ifr_alloc((count + 1) * sizeof *code->blocks)};
	list_files(trace, &code->files);
	int result = count_executions(trace, executions, falls, err);
	for (size_t i = 0; i < count && !result; i++) {
		const size_t mapping = blocks[i].normalised >> IFR_MAPPING_SHIFT;
		if (executions[i] && mapping < code->files.count)
			code->blocks[code->count++] = (struct ifr_executed_block){
				.block = i,
				.file = mapping,
				.address = blocks[i].normalised & ((UINT64_C(1) << IFR_MAPPING_SHIFT) - 1),
				.executions = executions[i],
				.falls = falls[i],
				.bytes = blocks[i].bytes,
				.instructions = blocks[i].instructions};
	}
	free(executions);
	free(falls);
	return result;
}

void ifr_executed_code_release(struct ifr_executed_code *code) {
	ifr_strings_release(&code->files);
	free(code->blocks);
	*code = (struct ifr_executed_code){0};
}
