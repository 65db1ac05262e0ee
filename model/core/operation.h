/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Operations: a block's instructions as a core executes them, decoded once for each static block.
 *
 * An instruction is one or more operations (µops) of the unfused domain, in program order: loads first, then
 * computation, then store address and store data. Slots of the front end are counted in the fused domain: an operation
 * marked IFR_OPERATION_DECODED_WITH_LAST shares the decoder's and the op cache's slot of the operation before it, which
 * may be a move before its instruction; one
 * marked IFR_OPERATION_ISSUED_WITH_LAST shares its slot at rename, too (an unlaminated pair has the first mark only).
 *
 * Macro-fusion depends on the layout: the pair is given unfused, and the first instruction of a pair that the machine
 * fuses has IFR_INSTRUCTION_FUSES. Where it fuses, the first instruction's last operation executes on the branch's
 * ports and takes its slot, and the branch's operation takes neither slot nor port; its result is the first's.
 *
 * Registers are numbered IFR_REGISTER_*. Parts of a general register are the whole one: a write that leaves the rest of
 * it reads it, too. A number of 0 is no register: always ready, never written. */
#ifndef IFR_MODEL_OPERATION_H
#define IFR_MODEL_OPERATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/buffer.h"
#include "common/error.h"
#include "model/replay/branch.h"
#include "model/trace/trace.h"

enum ifr_register {
	IFR_REGISTER_NONE,
	IFR_REGISTER_GENERAL, /* rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8 to r15 */
	IFR_REGISTER_STACK_POINTER = IFR_REGISTER_GENERAL + 4,
	IFR_REGISTER_VECTOR = IFR_REGISTER_GENERAL + 16, /* xmm0 to xmm31, or ymm or zmm */
	IFR_REGISTER_MASK = IFR_REGISTER_VECTOR + 32,    /* k0 to k7 */
	IFR_REGISTER_MMX = IFR_REGISTER_MASK + 8,        /* mm0 to mm7 */
	IFR_REGISTER_X87 = IFR_REGISTER_MMX + 8,         /* the stack of the x87, as one register */
	IFR_REGISTER_CARRY,                              /* the flag C */
	IFR_REGISTER_FLAGS,                              /* the other flags */
	IFR_REGISTER_TEMPORARY,                          /* results between operations of one instruction */
	IFR_REGISTERS = IFR_REGISTER_TEMPORARY + 4
};

enum ifr_operation_kind {
	IFR_OPERATION_COMPUTE,
	IFR_OPERATION_LOAD,          /* sources are address registers, and what it merges into */
	IFR_OPERATION_STORE_ADDRESS, /* sources are address registers */
	IFR_OPERATION_STORE_DATA,    /* follows its store address */
	IFR_OPERATION_BRANCH,
	IFR_OPERATION_PREFETCH, /* a load without a result */
	IFR_OPERATION_NOP       /* a slot and nothing else */
};

/* Units beside the ports. An operation that uses one keeps it for `occupancy` cycles, its port for one. */
enum ifr_unit { IFR_UNIT_NONE, IFR_UNIT_DIVIDER, IFR_UNIT_INTEGER_DIVIDER, IFR_UNITS };

enum ifr_operation_flag {
	IFR_OPERATION_DECODED_WITH_LAST = 1, /* micro-fused with the operation before it, in decoders and op cache */
	IFR_OPERATION_ISSUED_WITH_LAST = 2,  /* and still at rename */
	IFR_OPERATION_ELIMINATED = 4,        /* done at rename: no port, no cycle. Sources: of an eliminated move */
	IFR_OPERATION_END = 8,               /* last of its instruction */
	IFR_OPERATION_MERGES = 16            /* writes a part of a register: reads the rest */
};

struct ifr_operation {
	uint8_t sources[4]; /* enum ifr_register, from the first on; then IFR_REGISTER_NONE */
	uint8_t destinations[3];
	uint8_t kind;         /* enum ifr_operation_kind */
	uint16_t ports;       /* bit n: may go to port n (ifr_decoder_port); 0: to none */
	uint16_t taken_ports; /* the same of a branch that is taken; 0: no others */
	uint8_t latency;      /* cycles. Of a load: in addition to the first-level cache's */
	uint8_t occupancy;    /* cycles that it keeps its unit, or, without a unit, its port; at least 1 */
	uint8_t late;         /* cycles that the second source takes longer than the others */
	uint8_t unit;         /* enum ifr_unit */
	uint8_t flags;        /* enum ifr_operation_flag */
	uint8_t access;       /* a load: the how-many-eth load of its instruction, from 0; a store: store */
	uint8_t bytes;        /* of the access; 0: none, or unknown */
	uint8_t
		name; /* base register of what a load or a store's address names (names.h); IFR_REGISTER_NONE: no name */
	int16_t stack;        /* bytes by which it moves the stack pointer; 0: not, or not by a constant */
	int32_t displacement; /* of the name, from the base register as it is before the instruction */
};

enum ifr_instruction_flag {
	IFR_INSTRUCTION_FUSES = 1,           /* with the next instruction of the block, a jump, into one operation */
	IFR_INSTRUCTION_LENGTH_CHANGING = 2, /* a prefix changes the length of its immediate: predecoding stalls */
	IFR_INSTRUCTION_WIDE_IMMEDIATE =
		4,                          /* a 64-bit immediate, or 32 bits with a displacement: two op-cache slots */
	IFR_INSTRUCTION_MICROCODED = 8, /* from the microcode sequencer */
	IFR_INSTRUCTION_COMPLEX = 16,   /* only the first decoder takes it */
	IFR_INSTRUCTION_REPEATED = 32,  /* rep: the operations are of one iteration */
	IFR_INSTRUCTION_LOCKED = 64,    /* locked: waits for earlier stores, later loads wait for it */
	IFR_INSTRUCTION_SERIALISING =
		128,                       /* waits for all before it; all behind it wait: cpuid, lfence, system calls */
	IFR_INSTRUCTION_UNKNOWN = 256, /* not in the machine's table: operations are a guess from its operands */
	IFR_INSTRUCTION_NOT_DECODED = 512, /* no instruction that the decoder knows: one slot */
	IFR_INSTRUCTION_NOP = 1024,
	IFR_INSTRUCTION_RIP_RELATIVE = 2048,
	IFR_INSTRUCTION_TWO_CONSTANTS = 4096 /* an immediate and a displacement */
};

struct ifr_operations_of { /* of an instruction */
	uint32_t first;        /* index of its first operation */
	uint16_t offset;       /* in the block's bytes */
	uint16_t flags;        /* enum ifr_instruction_flag */
	uint8_t length;        /* bytes */
	uint8_t count;         /* operations */
	uint8_t decoded;       /* slots of the fused domain, in decoders and op cache; 0: with the move before it */
	uint8_t issued;        /* slots at rename; the same */
	uint8_t branch;        /* enum ifr_branch */
	uint8_t loads, stores; /* accesses that it makes, of any size */
	uint8_t reserved;
};

/* Decoded blocks, one behind another. */
struct ifr_operations {
	struct ifr_operation *operations;
	struct ifr_operations_of *instructions;
	size_t operations_count, instructions_count, operations_room, instructions_room;
};
void ifr_operations_release(struct ifr_operations *operations);

/* A decoder for one core. */
struct ifr_decoder;

/* Creates a decoder. core: "sandybridge", "ivybridge", "haswell", "skylake", "skylake-avx512", "icelake", "goldencove",
 * "zen2", "zen3", "zen4", "zen5" or "fields2004". Errors: IFR_E_USAGE for another name. */
int ifr_decoder_new(const char *core, struct ifr_decoder **decoder, struct ifr_error *err);
void ifr_decoder_free(struct ifr_decoder *decoder);
/* Adds, separated by spaces, the names that ifr_decoder_new takes. */
void ifr_decoder_print_names(struct ifr_buffer *out);

/* Appends a block's instructions: `count` of them, or as many as `bytes` hold. Returns their number. Bytes that are no
 * instruction are one instruction of all the remaining bytes, IFR_INSTRUCTION_NOT_DECODED. */
size_t ifr_decoder_decode(const struct ifr_decoder *decoder, const uint8_t *code, size_t bytes, size_t count,
                          struct ifr_operations *to);

/* Returns the name of a port ("p0", "alu1"); NULL if the core has no such port. */
const char *ifr_decoder_port(const struct ifr_decoder *decoder, unsigned port);

/* Finds the accesses of one instruction's operations. accesses: those of its block, whose `end` is the instruction's
 * offset + length belong to it; pieces of one access follow each other. first[i], pieces[i]: the first access of the
 * instruction's i-th operation, relative to `accesses`, and their number; -1 and 0 where it has none. Room for
 * instruction->count each. Accesses that no operation takes are the last load's or store's pieces. */
void ifr_operations_bind(const struct ifr_operations *operations, const struct ifr_operations_of *instruction,
                         const struct ifr_trace_access *accesses, size_t count, int32_t *first, uint16_t *pieces);

#endif
