/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From addresses in the recorded process to places (model/trace/trace.h): what is mapped where, at this moment. */
#ifndef IFR_MODEL_SPACES_H
#define IFR_MODEL_SPACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/record/extents.h"
#include "model/trace/trace.h"

struct address_space;

/* program: its file's real path; name: by which the trace knows it, NULL for that path. */
struct address_space *address_space_new(struct ifr_trace_writer *writer, const char *program, const char *name);
void address_space_free(struct address_space *space);

/* A mapping that was there when the program began. */
struct initial_mapping {
	uint64_t start, end;
	bool writable;
	uint64_t file_offset;
	const char *path;
};
void address_space_add_initial(struct address_space *space, const struct initial_mapping *row);
/* The first block to run, of the loader or of the program: the rows are all there. */
void address_space_start_program(struct address_space *space, uint64_t first_block);
/* A mapping call returned, made by the allocator or by the program itself; numbers as in RING_SYSCALL. */
void address_space_apply_call(struct address_space *space, const uint64_t *numbers, const char *path,
                              bool allocator);
/* The allocator has done what it was asked; numbers as IFR_MARK_LEAVE has them. Objects are extents of their own. */
void address_space_apply_request(struct address_space *space, uint16_t thread, const uint64_t *numbers);

/* The extent that holds an address. A first access to what can only be the stack makes it the stack. */
const struct extent *address_space_find(struct address_space *space, uint64_t address, bool store);

/* Whether an address is in the loader that started the program; never in a static one. */
bool address_space_in_loader(struct address_space *space, uint64_t address);

#endif
