/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Kernels: small loops of machine code with exact addresses, each of which an experiment runs at one of its points.
 *
 * A kernel is built once and runs in two places: the model replays its blocks (modelled.c), the processor executes its
 * bytes (clock.c). Both are written by the same calls, so the model is told of the code that the processor runs; a unit
 * test decodes the bytes and compares.
 *
 * The code is a function of the System V ABI:
 *     rdi  rounds of the loop, at least 1
 *     rsi  kernel->start, the first datum
 *     rdx  kernel->end, rcx  kernel->start: patterns begin again at the end
 * The code changes rax, rcx, rdx, rsi, rdi and flags only. One period (`executions`, and `addresses` of their accesses)
 * takes `rounds` rounds; the loop's prologue and final return are not in it. */
#ifndef IFR_HARNESS_PROBE_KERNEL_H
#define IFR_HARNESS_PROBE_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/buffer.h"
#include "model/model.h"

/* Code, data and stack begin at multiples of 4 GiB, so that their low 32 address bits are those of the offsets. They lie
 * where neither Linux nor a sanitizer has anything. */
#define PROBE_CODE UINT64_C(0x110000000000)
#define PROBE_DATA UINT64_C(0x210000000000)
#define PROBE_STACK UINT64_C(0x310000000000)
#define PROBE_APART (UINT64_C(1) << 32)
/* From the code of a kernel to its far code. */
#define PROBE_FAR (UINT64_C(1) << 40)

struct probe_piece { /* bytes at an address */
	uint64_t address;
	uint32_t at, bytes; /* in kernel->bytes */
};

struct probe_word { /* a datum of 8 bytes, or of 1 */
	uint64_t address, value;
	bool byte;
};

struct probe_kernel {
	uint64_t code, far, data; /* where code, far code and data begin */
	uint64_t entry;           /* address of the function */
	uint64_t code_end, far_end, data_end;
	uint64_t start, end;
	struct ifr_buffer bytes;
	struct probe_piece *pieces;
	struct probe_word *words;
	struct ifr_block *blocks;
	struct ifr_geometry *geometry;
	struct ifr_access *accesses;
	uint16_t *access_ends;
	uint32_t *executions;
	uint64_t *addresses;
	size_t pieces_count, words_count, blocks_count, accesses_count, executions_count, addresses_count;
	size_t pieces_room, words_room, blocks_room, accesses_room, executions_room, addresses_room;
	size_t rounds;   /* of the loop in a period */
	size_t elements; /* in a period: branches, loads, calls, …: results are divided by it */
	bool is_hard;    /* the core's cycles are those with the described predictors, not with perfect ones */
};

/* number: kernels of different numbers have other addresses, with the same low 32 bits, and can be mapped together. */
void probe_kernel_init(struct probe_kernel *kernel, unsigned number);
void probe_kernel_release(struct probe_kernel *kernel);

/* Puts bytes of code at an address. */
void probe_put(struct probe_kernel *kernel, uint64_t address, const void *bytes, size_t count);
/* Puts that many bytes of nops, each of at most 8. Returns their number. */
unsigned probe_put_nops(struct probe_kernel *kernel, uint64_t address, size_t bytes);
/* Conditions of jumps, by the low four bits of their operation codes. */
enum probe_condition {
	PROBE_IF_NO_CARRY = 3,
	PROBE_IF_ZERO = 4,
	PROBE_IF_NOT_ZERO = 5,
	PROBE_IF_NEGATIVE = 8,
	PROBE_ALWAYS = 16,
	PROBE_CALL
};
/* Puts a jump or call whose last byte is at `last`, in its short form (2 bytes) or its long one. Returns its length. */
unsigned probe_put_jump(struct probe_kernel *kernel, uint64_t last, enum probe_condition condition, bool is_short,
                        uint64_t target);
unsigned probe_jump_bytes(enum probe_condition condition, bool is_short);

/* Adds a block, from `start` to the last byte of its branch. Returns its number. */
uint32_t probe_add_block(struct probe_kernel *kernel, uint64_t start, uint64_t last, unsigned instructions,
                         enum ifr_branch branch, unsigned branch_bytes, bool backward);
/* Adds an access to the last block, by an instruction that ends at that offset of it. */
void probe_add_access(struct probe_kernel *kernel, unsigned bytes, bool store, unsigned end);

/* Appends an execution to the period, and addresses of its accesses. */
void probe_execute(struct probe_kernel *kernel, uint32_t block, bool taken);
void probe_touch(struct probe_kernel *kernel, uint64_t address);

/* Sets a datum. */
void probe_set_word(struct probe_kernel *kernel, uint64_t address, uint64_t value);
void probe_set_byte(struct probe_kernel *kernel, uint64_t address, uint8_t value);

#endif
