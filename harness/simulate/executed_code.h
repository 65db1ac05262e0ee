/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The executed code of a recording: its blocks, and how often each was executed. */
#ifndef IFR_HARNESS_EXECUTED_CODE_H
#define IFR_HARNESS_EXECUTED_CODE_H

#include "common/strings.h"
#include "model/model.h"

struct ifr_executed_block {
	size_t block;     /* of the trace */
	size_t file;      /* index into files */
	uint64_t address; /* in the file's own terms, as its symbols have it */
	uint64_t executions;
	uint64_t falls; /* executions that follow a branch that was not taken: of the block before it in the code */
	uint16_t bytes, instructions;
};

struct ifr_executed_code {
	struct ifr_strings files; /* "" for code that is in none */
	struct ifr_executed_block *blocks;
	size_t count;
};

/* Reads a trace from its begin to its end. Blocks that were never executed are left out. The caller releases the code,
 * after an error too. Errors: IFR_E_ENVIRONMENT if interrupted. */
int ifr_executed_code_read(struct ifr_trace *trace, struct ifr_executed_code *code, struct ifr_error *err);
void ifr_executed_code_release(struct ifr_executed_code *code);

#endif
