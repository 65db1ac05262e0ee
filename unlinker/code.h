/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where instructions begin in a part of code, and where their fields lie that can hold an address. */
#ifndef IFR_UNLINKER_CODE_H
#define IFR_UNLINKER_CODE_H

#include "unlinker/program.h"

/* Marks of a byte: the first of an instruction, or the first of a field. */
enum {
	MARK_START = 1,
	MARK_BRANCH8 = 2,   /* a distance of one byte to the target of a branch */
	MARK_BRANCH32 = 4,  /* of four bytes */
	MARK_MEMORY = 8,    /* a distance of four bytes to an operand in memory */
	MARK_ABSOLUTE = 16, /* a displacement or an immediate operand of four bytes */
	MARK_WIDE = 32      /* of eight bytes */
};

struct code {
	const struct part *part;
	uint8_t *marks; /* by offset in the part */
	uint8_t *rest;  /* by offset of a field: the bytes from there to the end of the instruction */
	bool readable;  /* all of it was decoded */
};

struct code_run {
	uint64_t end; /* of the last instruction that is no padding, as an address */
	bool runs_on; /* execution can run on behind it */
};

void code_init(struct code *code, const struct part *part);
void code_release(struct code *code);
/* Decodes the instructions at [from, to), addresses; run->end and runs_on change where instructions are found that are no
 * padding. Returns false if an instruction is unknown or reaches beyond the end; at receives its address. */
bool code_decode(struct code *code, uint64_t from, uint64_t to, struct code_run *run, uint64_t *at);

/* The marks at an address of the part; 0 outside. */
static inline unsigned code_marks(const struct code *code, uint64_t address) {
	const uint64_t offset = address - code->part->header.sh_addr;
	return offset < code->part->header.sh_size ? code->marks[offset] : 0;
}
static inline uint64_t code_rest(const struct code *code, uint64_t address) {
	return code->rest[address - code->part->header.sh_addr];
}

/* The value of the field at an address. */
int64_t code_value(const struct part *part, uint64_t address, unsigned bytes);
/* The address that a field of MARK_BRANCH8, MARK_BRANCH32 or MARK_MEMORY leads to. */
uint64_t code_target(const struct code *code, uint64_t address);

#endif
