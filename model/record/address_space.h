/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The address-space map of the recorded process: translates its addresses, at the current moment of the recording,
 * to normalised addresses (model/trace/trace.h). */
#ifndef IFR_MODEL_SPACES_H
#define IFR_MODEL_SPACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/record/extents.h"
#include "model/trace/writer.h"

struct address_space;

/* program: real path of the program's file. name: the program's name in the trace; NULL: that path. */
struct address_space *address_space_new(struct ifr_trace_writer *writer, const char *program, const char *name);
void address_space_free(struct address_space *space);

/* A mapping that existed when the program started. */
struct initial_mapping {
	uint64_t start, end;
	bool writable;
	uint64_t file_offset;
	const char *path;
};
void address_space_add_initial(struct address_space *space, const struct initial_mapping *row);
/* Ends the initial mappings. first_block: address of the first block that runs, in the loader or in the program.
 */
void address_space_start_program(struct address_space *space, uint64_t first_block);
/* Applies a mapping call that returned, made by the recorded allocator or by the program. numbers: as in
 * RING_SYSCALL. */
void address_space_apply_call(struct address_space *space, const uint64_t *numbers, const char *path,
                              bool allocator);
/* Applies an answered request to the allocator. numbers: operands of IFR_RECORDER_LEAVE. Each live object is an extent
 * of its own. */
void address_space_apply_request(struct address_space *space, uint16_t thread, const uint64_t *numbers);

/* Number that grows with each change of the address space, from 1 on. */
uint32_t address_space_epoch(const struct address_space *space);

/* Returns the extent that holds an address. The first access that can only be to the stack defines the stack. */
const struct extent *address_space_find(struct address_space *space, uint64_t address, bool store);

/* Whether an address lies in the dynamic loader; never in a static program. */
bool address_space_in_loader(struct address_space *space, uint64_t address);

#endif
