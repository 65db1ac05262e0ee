/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Registers and memory that an instruction names. Private to the decoder. */
#ifndef IFR_MODEL_OPERANDS_H
#define IFR_MODEL_OPERANDS_H

#include <Zydis/Zydis.h>
#include <stdbool.h>
#include <stdint.h>

enum { OPERAND_REGISTERS = 8, OPERAND_MEMORIES = 3 };

struct register_set {
	uint8_t items[OPERAND_REGISTERS];
	uint8_t count;
};

struct memory_operand {
	uint8_t base, index; /* enum ifr_register; a vector's index, too */
	uint8_t bytes;
	bool read, write, far; /* far: a displacement of 2048 or more */
	bool named;            /* by a base register and a displacement alone */
	bool complex;          /* by a scaled index, or an index and a displacement */
	int32_t displacement;
};

struct operand_set {
	struct register_set reads, writes; /* without addresses; flags are registers, too */
	struct memory_operand memories[OPERAND_MEMORIES];
	uint8_t memory_count;
	uint8_t address[2]; /* registers of lea's address */
	bool merges;        /* writes a part of a register and keeps the rest */
	bool relative;      /* addresses memory by rip */
	bool stack;         /* moves rsp as push, pop, call and ret do */
};

/* A decoded instruction: what Zydis says, and its operands as registers of the core. */
struct decoded {
	ZydisDecodedInstruction insn;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	struct operand_set set;
};

/* Returns enum ifr_register; IFR_REGISTER_NONE for registers that no operation waits for. */
uint8_t register_of(ZydisRegister reg);
void register_add(struct register_set *set, uint8_t reg);
bool register_in(const struct register_set *set, uint8_t reg);
void operands_read(struct decoded *decoded);

#endif
