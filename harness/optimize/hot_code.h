/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The hot code of a recorded program: its blocks by unit, and which functions call which. */
#ifndef IFR_HARNESS_HOT_CODE_H
#define IFR_HARNESS_HOT_CODE_H

#include "model/model.h"
#include "relinker/relinker.h"

/* A block of a unit that moves as a whole. */
struct hot_block {
	size_t unit; /* of the relinker */
	uint64_t offset, executions;
	uint64_t falls; /* executions that were entered from the block before it, without a jump */
	uint32_t bytes, branch_bytes;
};

/* A block of a library. No layout of the program moves it, and it begins pages where its file does: the address modulo
 * 4096, and with it the set of a cache, is known. */
struct outside_block {
	uint64_t address; /* of the file, beyond bit 44 its number: another file has other lines */
	uint64_t executions;
	uint32_t bytes, branch_bytes;
};

struct hot_unit {
	size_t unit; /* of the relinker */
	const char *name;
	uint64_t bytes, instructions;
	unsigned align;
	bool moves; /* the axes of the relinker may move it */
};

/* Calls from one hot unit to another, as indices of units[]. */
struct hot_call {
	size_t from, to;
	uint64_t count;
	double site; /* offset in the caller behind the calling instruction; of several the mean by counts */
};

struct hot_code {
	struct hot_block *blocks; /* by unit and offset */
	size_t block_count;
	struct hot_unit *units; /* the most executed first */
	size_t unit_count;
	struct hot_call *calls; /* the most frequent first */
	size_t call_count;
	struct outside_block *outside; /* by address */
	size_t outside_count;
	uint64_t instructions; /* of the program's own code; libraries are not counted */
};

/* Reads a trace of the relinker's program. Blocks of the program's units that make up 99.9 % of its own executed
 * instructions are kept, and so many of libraries, of theirs. The caller releases the code, after an error too. Names
 * belong to the relinker. Errors: IFR_E_USAGE if the recording executed no code of these units; IFR_E_ENVIRONMENT if
 * interrupted. */
int hot_code_read(struct ifr_trace *trace, const struct ifr_relinker *relinker, struct hot_code *code,
                  struct ifr_error *err);
void hot_code_release(struct hot_code *code);

/* Makes the code of several recordings of one program in one: as if each had executed its share of the instructions, by
 * weights that are together 1. Features of it, per instruction, are the weighted means of theirs. Releases codes. */
void hot_code_mix(struct hot_code *codes, const double *weights, size_t count, struct hot_code *mixed);

/* The symbol of "lvm.o:.text.luaV_execute", a part of the name, or NULL. GCC puts start-up and seldom executed functions
 * into sections of these names. */
const char *hot_unit_symbol(const char *unit);

#endif
