/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From addresses in the recorded process to places (model/trace/trace.h): what is mapped where, at this moment. */
#ifndef IFR_MODEL_SPACES_H
#define IFR_MODEL_SPACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/record/spans.h"
#include "model/trace/trace.h"

struct spaces;

/* program: its file's real path; name: by which the trace knows it, NULL for that path. */
struct spaces *spaces_new(struct ifr_trace_writer *writer, const char *program, const char *name);
void spaces_free(struct spaces *spaces);

/* A mapping that was there when the program began. */
struct spaces_row {
	uint64_t start, end;
	bool writable;
	uint64_t file_offset;
	const char *path;
};
void spaces_initial(struct spaces *spaces, const struct spaces_row *row);
/* The first block to run, of the loader or of the program: the rows are all there. */
void spaces_begin(struct spaces *spaces, uint64_t first_block);
/* A mapping call returned, made by the allocator or by the program itself; numbers as in RING_SYSCALL. */
void spaces_call(struct spaces *spaces, const uint64_t *numbers, const char *path, bool allocator);
/* The allocator has done what it was asked; numbers as IFR_RECORDER_LEAVE has them. Objects are spans of their own. */
void spaces_request(struct spaces *spaces, uint16_t thread, const uint64_t *numbers);

/* The span that holds an address. A first access to what can only be the stack makes it the stack. */
const struct span *spaces_find(struct spaces *spaces, uint64_t address, bool store);

/* Whether an address is in the loader that started the program; never in a static one. */
bool spaces_in_loader(struct spaces *spaces, uint64_t address);

#endif
