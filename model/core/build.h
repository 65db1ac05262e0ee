/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Operations of one instruction. Private to the decoder. */
#ifndef IFR_MODEL_BUILD_H
#define IFR_MODEL_BUILD_H

#include "model/core/cores.h"
#include "model/core/instruction_table.h"
#include "model/core/operands.h"
#include "model/core/operation.h"

struct ifr_decoder {
	const struct ifr_core *core;
	struct ifr_instruction_table table;
	ZydisDecoder zydis;
};

/* Appends an instruction's operations; fills all of `instruction` but its offset and length. */
void build_operations(const struct ifr_decoder *decoder, struct decoded *decoded, struct ifr_operations *to,
                      struct ifr_operations_of *instruction);
void operations_reserve(struct ifr_operations *operations, size_t instructions, size_t more);

#endif
