/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Small programs for the core, put together by hand: blocks of instructions of operations, and a sequence of block
 * executions. */
#ifndef IFR_TESTS_MODEL_KERNEL_H
#define IFR_TESTS_MODEL_KERNEL_H

#include "tests/unit/model_cycles.h"

enum { KERNEL_STEPS = 6000, KERNEL_ACCESSES = 16 };

struct kernel {
	struct ifr_core_program program;
	struct cycles_step *steps;
	size_t count;
	uint64_t (*addresses)[KERNEL_ACCESSES];
	uint8_t (*levels)[KERNEL_ACCESSES];
	struct ifr_access accesses[KERNEL_ACCESSES]; /* of all blocks */
	unsigned next_access;
	uint16_t block_bytes[64];
	bool taken[64];       /* by block: its branch was taken */
	int last_instruction; /* of the block under way; -1: none */
};

void kernel_init(struct kernel *kernel);
void kernel_release(struct kernel *kernel);

/* Begins a block. Returns its number. */
uint32_t kernel_block(struct kernel *kernel);
/* Adds an instruction to it, of so many bytes. */
void kernel_instruction(struct kernel *kernel, unsigned bytes, uint8_t branch, unsigned flags);
/* Adds an operation to the instruction; the first begins a slot, further ones too unless `with_last`. */
struct ifr_core_op *kernel_op(struct kernel *kernel, unsigned kind, unsigned ports, unsigned latency, unsigned to,
                              unsigned from, unsigned from2, bool with_last);
/* One-operation instructions. */
void kernel_alu(struct kernel *kernel, unsigned bytes, unsigned to, unsigned from, unsigned ports,
                unsigned latency);
void kernel_nop(struct kernel *kernel, unsigned bytes);
void kernel_load(struct kernel *kernel, unsigned bytes, unsigned to, unsigned from, unsigned access_bytes);
void kernel_prefetch(struct kernel *kernel, unsigned bytes, unsigned from);
void kernel_store(struct kernel *kernel, unsigned bytes, unsigned address, unsigned data, unsigned access_bytes);
void kernel_jump(struct kernel *kernel, unsigned bytes, unsigned from);
/* A test and a jump that fuse. */
void kernel_test_jump(struct kernel *kernel, unsigned test_bytes, unsigned jump_bytes, unsigned from);
/* Ends the block. */
void kernel_end(struct kernel *kernel);
/* A whole block: two nops of three bytes and a branch of one, of a kind. Returns its number. */
uint32_t kernel_hop(struct kernel *kernel, uint8_t branch);
/* Appends an execution of a block at an address. Returns its step, for outcomes. */
struct cycles_step *kernel_run(struct kernel *kernel, uint32_t block, uint64_t address, bool taken);

/* Runs a block as a loop. */
void kernel_repeat(struct kernel *kernel, uint32_t block, uint64_t address, unsigned times);

/* Cycles by the graph on a machine. */
void kernel_graph(const struct kernel *kernel, const struct ifr_machine *machine, struct cycles_result *result,
                  struct ifr_core_counts *counts);

/* Cycles by the graph with a set of causes idealised. */
int64_t kernel_idealised(const struct kernel *kernel, const struct ifr_machine *machine, uint32_t set);
/* The same; adds to retirement[n] the cycles by which slots of instruction n retire later than those before. */
int64_t kernel_retirement(const struct kernel *kernel, const struct ifr_machine *machine, uint32_t set,
                          uint64_t *retirement);

/* Ports of these programs, as Intel's since Haswell. */
enum { P0 = 1, P1 = 2, P2 = 4, P3 = 8, P4 = 16, P5 = 32, P6 = 64, ALU = P0 | P1 | P5 | P6, AGU = P2 | P3 };
enum { RAX = IFR_REGISTER_GENERAL, RCX, RDX, RBX };

#endif
