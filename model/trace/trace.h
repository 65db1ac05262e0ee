/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The trace: what a program did, in a form without addresses.
 *
 * Everything that a program touches lies in a mapping (its own file, a library, the stack, the heap of brk, a
 * mapping), and a normalised is a mapping and an offset: mapping << IFR_MAPPING_SHIFT | offset. The stack's offsets count
 * from IFR_STACK_ORIGIN, where the stack pointer stood when the program began; offsets in the program and in
 * libraries are addresses as their ELF files give them. A layout says where normalised lie (model/layout/layout.h).
 *
 * The file: a head, then frames, each a struct trace_frame and its payload, compressed with zstd and covered by a
 * checksum. In order: text about the recording; then, as often as needed, mappings, requests, blocks, and runs
 * (executions and the normalised of accesses) that only use what came before; at last totals. A file without these was cut,
 * and what is whole of it can be read. Numbers are little-endian. Any change of the form changes
 * IFR_TRACE_VERSION.
 *
 * In a run, executions are predicted from the executions before, and only the mispredicted ones are stored; an access is
 * stored as the difference to the same access of the same block before, and as nothing where the difference is
 * that of last time, or where the access follows from another of the block (trace/coding.h). */
#ifndef IFR_MODEL_TRACE_H
#define IFR_MODEL_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/buffer.h"
#include "common/error.h"
#include "common/recorded.h"
#include "model/replay/replay.h"

#define IFR_TRACE_VERSION 2
#define IFR_MAPPING_SHIFT 44
#define IFR_STACK_ORIGIN (UINT64_C(1) << (IFR_MAPPING_SHIFT - 1))
#define IFR_MAPPING_FIRST 8
#define IFR_MAPPING_LIMIT (1U << 18)
#define IFR_OFFSET_MASK ((UINT64_C(1) << IFR_MAPPING_SHIFT) - 1)

enum ifr_mapping_kind {
	IFR_MAPPING_OTHER, /* what none of the following explains: normalised below IFR_MAPPING_FIRST are addresses */
	IFR_MAPPING_PROGRAM, /* the program's file and its bss */
	IFR_MAPPING_LIBRARY, /* a file that was mapped, a shared library or data */
	IFR_MAPPING_STACK,
	IFR_MAPPING_HEAP,      /* what brk gives */
	IFR_MAPPING_ANONYMOUS, /* anonymous memory */
	IFR_MAPPING_OBJECTS,   /* of the allocator, one behind another (struct ifr_trace_request) */
	IFR_MAPPING_KINDS
};
extern const char *const ifr_mapping_kind_names[IFR_MAPPING_KINDS];

struct ifr_mapping {
	enum ifr_mapping_kind kind;
	char *path;      /* of the file; "" without one */
	uint64_t start;  /* the lowest offset */
	uint64_t bytes;  /* the most that it ever had */
	uint64_t opened; /* the moment when it appeared, in the order of all such; 0: there from the start */
	uint64_t closed; /* likewise, when it went; UINT64_MAX: never */
	bool fixed;      /* an address of its own choice: the program is linked to it, or asked for it */
	bool allocator;  /* the allocator asked for it, in a recording of objects */
};

/* What a program asked its allocator for, in a recording of objects. What is not in an object that is alive has
 * the normalised of the heap or the mapping that it lies in. The normalised of an object's bytes follow one another, with
 * IFR_OBJECT_MARGIN before the first and behind the last that are the object's, too: vectors reach beyond it. */
struct ifr_trace_request {
	uint64_t normalised; /* of the object's first byte */
	uint64_t bytes;      /* asked for */
	uint64_t
		recorded_at; /* where the recording had it: a normalised in the heap or a mapping, or an address; 0: nowhere */
	uint64_t moment; /* among those at which mappings appear and go */
	uint32_t old;    /* the request whose object this one ends; IFR_NO_REQUEST */
	uint16_t thread; /* which asked: 0 is the first */
	uint8_t request; /* enum ifr_request */
	uint8_t alignment_shift;
};
#define IFR_NO_REQUEST UINT32_MAX
#define IFR_OBJECT_MARGIN 64

/* A static block, with its normalised. An access is recorded in the runs, or follows from another of the block. */
struct ifr_trace_block {
	uint64_t normalised;
	uint64_t target; /* of a direct branch, its normalised; 0: none */
	uint16_t bytes, instructions;
	uint8_t branch_bytes;
	uint8_t branch; /* enum ifr_branch */
	uint16_t accesses;
	uint32_t first_access;
};

enum { IFR_ACCESS_RECORDED = -1, IFR_ACCESS_ABSOLUTE = -2 };
struct ifr_trace_access {
	int64_t offset; /* to the anchor's normalised; to the block's where it is absolute */
	int32_t anchor; /* the index in the block of the access that it follows from, or one of the two above */
	uint16_t end;   /* offset in the block of the end of the instruction */
	uint8_t bytes;
	uint8_t store;
};

struct ifr_trace_totals {
	uint64_t instructions, executions, accesses;
	uint64_t recorded; /* accesses that are stored */
};

/* --- writing --------------------------------------------------------------------------------------------------
 */

struct ifr_trace_writer;

/* The file appears at path when it is closed; until then it has a name beside it. text: lines "key value". */
int ifr_trace_create(const char *path, const char *text, struct ifr_trace_writer **writer, struct ifr_error *err);
/* Returns the mapping's number, from IFR_MAPPING_FIRST on; 0, other, when there are IFR_MAPPING_LIMIT. */
uint32_t ifr_trace_add_mapping(struct ifr_trace_writer *writer, const struct ifr_mapping *mapping);
/* The program is in memory with its loader: mappings that are added from now on come while it runs. */
void ifr_trace_start_program(struct ifr_trace_writer *writer);
/* What became of a mapping. */
void ifr_trace_grow_mapping(struct ifr_trace_writer *writer, uint32_t mapping, uint64_t start, uint64_t bytes);
void ifr_trace_close_mapping(struct ifr_trace_writer *writer, uint32_t mapping);
/* Gives the request its normalised and moment. Returns its number, from 0 on. */
uint32_t ifr_trace_add_request(struct ifr_trace_writer *writer, struct ifr_trace_request *request);
/* Returns the block's id; the accesses are copied, first_access is set. */
uint32_t ifr_trace_add_block(struct ifr_trace_writer *writer, const struct ifr_trace_block *block,
                             const struct ifr_trace_access *accesses);
/* A block ran, and its branch was taken or not: normalised of its recorded accesses, in order. */
void ifr_trace_add_execution(struct ifr_trace_writer *writer, uint32_t block, bool taken,
                             const uint64_t *normalised);
void ifr_trace_add_break(struct ifr_trace_writer *writer);
/* A line about the recording, known only now. */
void ifr_trace_add_text(struct ifr_trace_writer *writer, const char *line);
/* Finishes the file, or removes it if discard. Errors: IFR_E_ENVIRONMENT for what went wrong at any time, a full
 * disk for example; then the file is removed, too. */
int ifr_trace_close(struct ifr_trace_writer *writer, bool discard, struct ifr_trace_totals *totals,
                    struct ifr_error *err);

/* Adds a line to the text of a trace that is whole. Errors: IFR_E_USAGE if it is not; IFR_E_ENVIRONMENT, and the
 * file is as before. */
int ifr_trace_amend(const char *path, const char *line, struct ifr_error *err);

/* --- reading --------------------------------------------------------------------------------------------------
 */

struct ifr_trace;

/* Reads all but the runs. A cut or damaged file is opened as far as it is whole; ifr_trace_damage says what is
 * wrong with it, NULL if nothing is. Errors: IFR_E_USAGE if it is no trace or of another version. */
int ifr_trace_open(const char *path, struct ifr_trace **trace, struct ifr_error *err);
/* A second reader of the same file, for another thread; also if the file has gone from its folder since. */
int ifr_trace_reopen(const struct ifr_trace *trace, struct ifr_trace **again, struct ifr_error *err);
void ifr_trace_free(struct ifr_trace *trace);
const char *ifr_trace_damage(const struct ifr_trace *trace);
/* The lines about the recording. ifr_trace_fact: what is behind a key, NULL if it is not there. */
const char *ifr_trace_text(const struct ifr_trace *trace);
char *ifr_trace_fact(const struct ifr_trace *trace, const char *key);
/* The first IFR_MAPPING_FIRST are of what lies in no mapping. */
size_t ifr_trace_mappings(const struct ifr_trace *trace, const struct ifr_mapping **mappings);
/* By their normalised; none unless objects were recorded. Each ends an object of before, if any, that no other ended.
 */
size_t ifr_trace_requests(const struct ifr_trace *trace, const struct ifr_trace_request **requests);
size_t ifr_trace_blocks(const struct ifr_trace *trace, const struct ifr_trace_block **blocks);
size_t ifr_trace_accesses(const struct ifr_trace *trace, const struct ifr_trace_access **accesses);
void ifr_trace_totals(const struct ifr_trace *trace, struct ifr_trace_totals *totals);

/* The next executions, at most so many, and the normalised of all their accesses; both belong to the trace until the next
 * call. executions_count is 0 at the end. A damaged run ends it, and ifr_trace_damage says so. */
struct ifr_trace_chunk {
	const uint32_t *executions;
	const uint64_t *normalised;
	size_t executions_count, accesses_count;
};
void ifr_trace_read_chunk(struct ifr_trace *trace, size_t most_executions, struct ifr_trace_chunk *chunk);
void ifr_trace_rewind(struct ifr_trace *trace);

#endif
