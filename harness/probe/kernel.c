/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/probe/kernel.h"

#include <stdlib.h>
#include <string.h>

/* Grows an array of a kernel for one item more, and evaluates to a pointer to it. */
#define APPEND(kernel, items)                                                                                    \
	((kernel)->items##_count == (kernel)->items##_room                                                           \
	     ? (void)((kernel)->items =                                                                              \
	                  ifr_realloc((kernel)->items, next_room(&(kernel)->items##_room), sizeof *(kernel)->items)) \
	     : (void)0,                                                                                              \
	 &(kernel)->items[(kernel)->items##_count++])

static size_t next_room(size_t *room) {
	return *room = *room ? 2 * *room : 64;
}

void probe_kernel_init(struct probe_kernel *kernel, unsigned number) {
	*kernel = (struct probe_kernel){.code = PROBE_CODE + number * PROBE_APART,
	                                .far = PROBE_CODE + PROBE_FAR + number * PROBE_APART,
	                                .data = PROBE_DATA + number * PROBE_APART};
	kernel->code_end = kernel->code;
	kernel->far_end = kernel->far;
	kernel->data_end = kernel->data;
}

void probe_kernel_release(struct probe_kernel *kernel) {
	ifr_buffer_release(&kernel->bytes);
	free(kernel->pieces);
	free(kernel->words);
	free(kernel->blocks);
	free(kernel->geometry);
	free(kernel->accesses);
	free(kernel->access_ends);
	free(kernel->executions);
	free(kernel->addresses);
	*kernel = (struct probe_kernel){0};
}

void probe_put(struct probe_kernel *kernel, uint64_t address, const void *bytes, size_t count) {
	*APPEND(kernel, pieces) = (struct probe_piece){address, (uint32_t)kernel->bytes.length, (uint32_t)count};
	ifr_buffer_append(&kernel->bytes, bytes, count);
	uint64_t *end = address < kernel->far ? &kernel->code_end : &kernel->far_end;
	if (*end < address + count)
		*end = address + count;
}

/* Ref: Intel, Software Developer's Manual, volume 2, NOP, table 4-12. */
unsigned probe_put_nops(struct probe_kernel *kernel, uint64_t address, size_t bytes) {
	static const uint8_t nops[9][8] = {
		{0},
		{0x90},
		{0x66, 0x90},
		{0x0f, 0x1f, 0x00},
		{0x0f, 0x1f, 0x40, 0},
		{0x0f, 0x1f, 0x44, 0, 0},
		{0x66, 0x0f, 0x1f, 0x44, 0, 0},
		{0x0f, 0x1f, 0x80, 0, 0, 0, 0},
		{0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0},
	};
	unsigned count = 0;
	while (bytes) {
		const size_t length = bytes < 8 ? bytes : 8;
		probe_put(kernel, address, nops[length], length);
		address += length;
		bytes -= length;
		count++;
	}
	return count;
}

unsigned probe_jump_bytes(enum probe_condition condition, bool is_short) {
	return is_short ? 2 : condition < PROBE_ALWAYS ? 6 : 5;
}

unsigned probe_put_jump(struct probe_kernel *kernel, uint64_t last, enum probe_condition condition, bool is_short,
                        uint64_t target) {
	const unsigned length = probe_jump_bytes(condition, is_short);
	const int32_t distance = (int32_t)(target - last - 1);
	uint8_t bytes[6];
	unsigned at = 0;
	if (condition < PROBE_ALWAYS && !is_short)
		bytes[at++] = 0x0f;
	if (condition < PROBE_ALWAYS)
		bytes[at++] = (uint8_t)((is_short ? 0x70 : 0x80) + condition);
	else
		bytes[at++] = condition == PROBE_CALL ? 0xe8 : is_short ? 0xeb : 0xe9;
	memcpy(bytes + at, &distance, length - at); /* little-endian, as the processor's */
	probe_put(kernel, last + 1 - length, bytes, length);
	return length;
}

uint32_t probe_add_block(struct probe_kernel *kernel, uint64_t start, uint64_t last, unsigned instructions,
                         enum ifr_branch branch, unsigned branch_bytes, bool backward) {
	const size_t room = kernel->blocks_room;
	*APPEND(kernel, blocks) =
		(struct ifr_block){.first_access = (uint32_t)kernel->accesses_count, .branch = (uint8_t)branch};
	if (room != kernel->blocks_room)
		kernel->geometry = ifr_realloc(kernel->geometry, kernel->blocks_room, sizeof *kernel->geometry);
	kernel->geometry[kernel->blocks_count - 1] = (struct ifr_geometry){.address = start,
	                                                                   .bytes = (uint16_t)(last + 1 - start),
	                                                                   .instructions = (uint16_t)instructions,
	                                                                   .branch_bytes = (uint8_t)branch_bytes,
	                                                                   .backward = backward};
	return (uint32_t)(kernel->blocks_count - 1);
}

void probe_add_access(struct probe_kernel *kernel, unsigned bytes, bool store, unsigned end) {
	const size_t room = kernel->accesses_room;
	*APPEND(kernel, accesses) = (struct ifr_access){.bytes = (uint8_t)bytes, .store = store};
	if (room != kernel->accesses_room)
		kernel->access_ends = ifr_realloc(kernel->access_ends, kernel->accesses_room, sizeof *kernel->access_ends);
	kernel->access_ends[kernel->accesses_count - 1] = (uint16_t)end;
	kernel->blocks[kernel->blocks_count - 1].accesses++;
}

void probe_execute(struct probe_kernel *kernel, uint32_t block, bool taken) {
	*APPEND(kernel, executions) = block << 1 | taken;
}

void probe_touch(struct probe_kernel *kernel, uint64_t address) {
	*APPEND(kernel, addresses) = address;
}

static void set(struct probe_kernel *kernel, struct probe_word word) {
	const uint64_t end = word.address + (word.byte ? 1 : 8);
	*APPEND(kernel, words) = word;
	if (kernel->data_end < end)
		kernel->data_end = end;
}

void probe_set_word(struct probe_kernel *kernel, uint64_t address, uint64_t value) {
	set(kernel, (struct probe_word){address, value, false});
}

void probe_set_byte(struct probe_kernel *kernel, uint64_t address, uint8_t value) {
	set(kernel, (struct probe_word){address, value, true});
}
