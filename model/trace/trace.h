/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The trace: a recorded execution without addresses.
 *
 * All memory of a program lies in mappings (its own file, a library, the stack, the heap of brk, anonymous
 * memory). A normalised address names a byte by its mapping and its offset: mapping << IFR_MAPPING_SHIFT | offset.
 * Offsets in the program and in libraries are the addresses of their ELF files. Offsets in the stack count from
 * IFR_STACK_ORIGIN, the initial stack pointer. A layout gives each normalised address an address
 * (model/layout/layout.h).
 *
 * The execution is a dynamic block sequence. An element, a block execution, is a block's id shifted left by one,
 * plus 1 if its branch was taken; IFR_EXECUTION_BREAK where the sequence is interrupted.
 *
 * The file is a head (struct trace_head) and frames. A frame is a struct trace_frame and a payload, compressed
 * with zstd and covered by a checksum. Numbers are little-endian.
 *
 *   frame            payload                                                          how many
 *   TRACE_TEXT       lines "key value" about the recording                            one first, others anywhere
 *   TRACE_MAPPINGS   struct trace_mapping and path each; a later one replaces         as needed
 *   TRACE_REQUESTS   struct ifr_trace_request each                                    as needed
 *   TRACE_BLOCKS     struct ifr_trace_block and its struct ifr_trace_access each      as needed
 *   TRACE_SEQUENCE   block executions, then the normalised addresses of accesses      as needed
 *   TRACE_TOTALS     struct ifr_trace_totals                                          one; only text may follow
 *
 * A frame refers only to earlier frames. A file without totals was cut, and its whole frames can be read.
 * trace/coding.h describes sequence frames. Any change of the format changes IFR_TRACE_VERSION. */
#ifndef IFR_MODEL_TRACE_H
#define IFR_MODEL_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/buffer.h"
#include "common/error.h"
#include "common/recorder_marks.h"
#include "model/replay/replay.h"

#define IFR_TRACE_VERSION 3
#define IFR_MAPPING_SHIFT 44
#define IFR_STACK_ORIGIN (UINT64_C(1) << (IFR_MAPPING_SHIFT - 1))
#define IFR_MAPPING_FIRST 8
#define IFR_MAPPING_LIMIT (1U << 18)
#define IFR_OFFSET_MASK ((UINT64_C(1) << IFR_MAPPING_SHIFT) - 1)

enum ifr_mapping_kind {
	IFR_MAPPING_OTHER,   /* anything else; below IFR_MAPPING_FIRST, normalised addresses are addresses */
	IFR_MAPPING_PROGRAM, /* the program's file and its bss */
	IFR_MAPPING_LIBRARY, /* a mapped file: a shared library or data */
	IFR_MAPPING_STACK,
	IFR_MAPPING_HEAP,      /* memory of brk */
	IFR_MAPPING_ANONYMOUS, /* anonymous memory */
	IFR_MAPPING_OBJECTS,   /* heap objects, one behind another (struct ifr_trace_request) */
	IFR_MAPPING_KINDS
};
extern const char *const ifr_mapping_kind_names[IFR_MAPPING_KINDS];

struct ifr_mapping {
	enum ifr_mapping_kind kind;
	char *path;      /* path of the file; "" without one */
	uint64_t start;  /* lowest offset */
	uint64_t bytes;  /* largest size ever */
	uint64_t opened; /* moment of mapping, in the common order of all such events; 0: before the start */
	uint64_t closed; /* moment of unmapping; UINT64_MAX: never */
	bool fixed;      /* at an address of its own choice: linked to it, or mapped with MAP_FIXED */
	bool allocator;  /* mapped by the recorded allocator */
};

/* A request to the allocator, in a recording of heap objects. Memory in no live object has the normalised address
 * of the heap or mapping that holds it. An object owns the IFR_OBJECT_MARGIN normalised addresses before its first
 * byte and behind its last, too, because vector accesses reach beyond it. */
struct ifr_trace_request {
	uint64_t normalised;  /* first byte of the object */
	uint64_t bytes;       /* requested size */
	uint64_t recorded_at; /* its normalised address in heap or mapping, or its address, when recorded; 0: none */
	uint64_t moment;      /* in the order of mapping and unmapping */
	uint32_t old;         /* the request whose object this one ends; IFR_NO_REQUEST */
	uint16_t thread;      /* number of the requesting thread; 0: the first */
	uint8_t request;      /* enum ifr_heap_request */
	uint8_t alignment_shift;
};
#define IFR_NO_REQUEST UINT32_MAX
#define IFR_OBJECT_MARGIN 64

/* A static block. Each access is stored in the sequence frames, or derives from another access of the block. */
struct ifr_trace_block {
	uint64_t normalised;
	uint64_t target; /* normalised address of a direct branch's target; 0: none */
	uint16_t bytes, instructions;
	uint8_t branch_bytes;
	uint8_t branch; /* enum ifr_branch */
	uint16_t accesses;
	uint32_t first_access;
};

enum { IFR_ACCESS_RECORDED = -1, IFR_ACCESS_ABSOLUTE = -2 };
struct ifr_trace_access {
	int64_t offset; /* from the anchor's normalised address; from the block's if absolute */
	int32_t anchor; /* index in the block of the access that it derives from, or a constant above */
	uint16_t end;   /* offset in the block of the end of its instruction */
	uint8_t bytes;
	uint8_t store;
};

struct ifr_trace_totals {
	uint64_t instructions, executions, accesses;
	uint64_t recorded; /* accesses that are stored, not derived */
};

/* --- writing ------------------------------------------------------------------------------------------------- */

struct ifr_trace_writer;

/* Creates a trace. The file appears at path when it is closed; until then it has a temporary name beside it. text:
 * lines "key value". */
int ifr_trace_create(const char *path, const char *text, struct ifr_trace_writer **writer, struct ifr_error *err);
/* Adds a mapping. Returns its number, from IFR_MAPPING_FIRST on; 0 (IFR_MAPPING_OTHER) if there are
 * IFR_MAPPING_LIMIT. */
uint32_t ifr_trace_add_mapping(struct ifr_trace_writer *writer, const struct ifr_mapping *mapping);
/* Marks the start of the program: mappings added from now on have a moment. */
void ifr_trace_start_program(struct ifr_trace_writer *writer);
/* Extends a mapping to include a range; ends a mapping at this moment. */
void ifr_trace_grow_mapping(struct ifr_trace_writer *writer, uint32_t mapping, uint64_t start, uint64_t bytes);
void ifr_trace_close_mapping(struct ifr_trace_writer *writer, uint32_t mapping);
/* Adds a request; sets its normalised address and its moment. Returns its number, from 0 on. */
uint32_t ifr_trace_add_request(struct ifr_trace_writer *writer, struct ifr_trace_request *request);
/* Adds a block; copies the accesses and sets first_access. Returns the block's id. */
uint32_t ifr_trace_add_block(struct ifr_trace_writer *writer, const struct ifr_trace_block *block,
                             const struct ifr_trace_access *accesses);
/* Adds a block execution. normalised: normalised addresses of the block's stored accesses, in order. */
void ifr_trace_add_execution(struct ifr_trace_writer *writer, uint32_t block, bool taken,
                             const uint64_t *normalised);
/* Adds an interruption: the block before it has no successor. */
void ifr_trace_add_break(struct ifr_trace_writer *writer);
/* Adds a line to the text. */
void ifr_trace_add_text(struct ifr_trace_writer *writer, const char *line);
/* Finishes the file, or removes it if discard. Errors: IFR_E_ENVIRONMENT for any failure since the creation, such
 * as a full disk; the file is removed then. */
int ifr_trace_close(struct ifr_trace_writer *writer, bool discard, struct ifr_trace_totals *totals,
                    struct ifr_error *err);

/* Adds a line to the text of a finished trace. Errors: IFR_E_USAGE if the trace is not whole; IFR_E_ENVIRONMENT,
 * and the file is unchanged. */
int ifr_trace_amend(const char *path, const char *line, struct ifr_error *err);

/* --- reading ------------------------------------------------------------------------------------------------- */

struct ifr_trace;

/* Opens a trace and reads all but its sequence frames. A cut or damaged file is opened as far as it is whole.
 * Errors: IFR_E_USAGE if the file is no trace or of another version. */
int ifr_trace_open(const char *path, struct ifr_trace **trace, struct ifr_error *err);
/* Opens a second reader of the same file, for another thread; works also if the file was unlinked. */
int ifr_trace_reopen(const struct ifr_trace *trace, struct ifr_trace **again, struct ifr_error *err);
void ifr_trace_free(struct ifr_trace *trace);
/* Describes the damage; NULL if the trace is whole. */
const char *ifr_trace_damage(const struct ifr_trace *trace);
/* Return the text, and the value of a key in it. ifr_trace_fact: NULL if there is none; the caller frees. */
const char *ifr_trace_text(const struct ifr_trace *trace);
char *ifr_trace_fact(const struct ifr_trace *trace, const char *key);
/* Returns the number of mappings; the first IFR_MAPPING_FIRST stand for addresses in no mapping. */
size_t ifr_trace_mappings(const struct ifr_trace *trace, const struct ifr_mapping **mappings);
/* Returns the requests by normalised address; none unless objects were recorded. A request ends at most one
 * earlier object, which no other ends. */
size_t ifr_trace_requests(const struct ifr_trace *trace, const struct ifr_trace_request **requests);
size_t ifr_trace_blocks(const struct ifr_trace *trace, const struct ifr_trace_block **blocks);
size_t ifr_trace_accesses(const struct ifr_trace *trace, const struct ifr_trace_access **accesses);
void ifr_trace_totals(const struct ifr_trace *trace, struct ifr_trace_totals *totals);

/* Reads the next block executions, at most so many, and the normalised addresses of all their accesses. Both
 * belong to the trace until the next call. executions_count is 0 at the end. A damaged frame ends the sequence,
 * and ifr_trace_damage describes it. */
struct ifr_trace_chunk {
	const uint32_t *executions;
	const uint64_t *normalised;
	size_t executions_count, accesses_count;
};
void ifr_trace_read_chunk(struct ifr_trace *trace, size_t most_executions, struct ifr_trace_chunk *chunk);
void ifr_trace_rewind(struct ifr_trace *trace);

#endif
