/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/model_kernel_code.h"

#include <stdlib.h>

uint32_t kernel_code(struct kernel *kernel, const char *core, const uint8_t *code, size_t bytes,
                     unsigned instructions, const struct ifr_trace_access *accesses, size_t count) {
	const uint32_t block = (uint32_t)kernel->program.blocks_count;
	struct ifr_operations operations = {0};
	struct ifr_decoder *decoder;
	struct ifr_error err = {0};
	if (ifr_decoder_new(core, &decoder, &err) ||
	    ifr_decoder_decode(decoder, code, bytes, instructions, &operations) != instructions)
		abort();
	ifr_core_program_add(&kernel->program, &operations, 0, instructions, accesses, count);
	for (size_t i = 0; i < count; i++)
		kernel->accesses[i].bytes = accesses[i].bytes;
	kernel->block_bytes[block] = (uint16_t)bytes;
	ifr_operations_release(&operations);
	ifr_decoder_free(decoder);
	return block;
}
