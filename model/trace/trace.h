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
 *   TRACE_SITES      uint64_t each: the normalised address of the call, of         as needed; a trace has
 *                    requests in their order; 0: not known                             none, or all
 *   TRACE_BLOCKS     struct ifr_trace_block, its struct ifr_trace_access each, its    as needed
 *                    code, padded to 8 bytes
 *   TRACE_SEQUENCE   block executions, then the normalised addresses of accesses      as needed
 *   TRACE_TOTALS     struct ifr_trace_totals                                          one; only text may follow
 *
 * A frame refers only to earlier frames. A file without totals was cut, and its whole frames can be read.
 * trace/coding.h and trace/misses.h describe sequence frames. Any change of the format changes IFR_TRACE_VERSION. */
#ifndef IFR_MODEL_TRACE_H
#define IFR_MODEL_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/buffer.h"
#include "common/error.h"
#include "common/recorder_marks.h"
#include "model/replay/replay.h"

#define IFR_TRACE_VERSION 5
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

/* The end of a block: the reason why it has no further instruction. */
enum ifr_block_end {
	IFR_END_BRANCH,       /* its last instruction branches (enum ifr_branch) */
	IFR_END_SYSTEM_CALL,  /* its last instruction enters the kernel */
	IFR_END_REPEAT,       /* its last instruction is a repeated string instruction */
	IFR_END_FAULT,        /* the next instruction faulted, or the program was killed there */
	IFR_END_LIMIT,        /* the recorder cut a very long straight run: the next block goes on where it ends */
	IFR_END_INTERRUPTION, /* something else ran next: a signal handler, or nothing */
	IFR_BLOCK_ENDS
};

/* A static block. Each access is stored in the sequence frames, or derives from another access of the block. Its code is
 * as it ran, also where the program wrote it itself: another code at the same address is another block. */
struct ifr_trace_block {
	uint64_t normalised;
	uint64_t target; /* normalised address of a direct branch's target; 0: none */
	uint16_t bytes, instructions;
	uint8_t branch_bytes;
	uint8_t branch; /* enum ifr_branch */
	uint16_t accesses;
	uint32_t first_access;
	uint8_t end; /* enum ifr_block_end */
};

/* A software prefetch is of the cache line that holds its only byte, at any address. It derives from no access, and no
 * access from it. */
enum ifr_access_kind { IFR_ACCESS_LOAD, IFR_ACCESS_STORE, IFR_ACCESS_PREFETCH, IFR_ACCESS_KINDS };

enum { IFR_ACCESS_RECORDED = -1, IFR_ACCESS_ABSOLUTE = -2 };
struct ifr_trace_access {
	int64_t offset; /* from the anchor's normalised address; from the block's if absolute */
	int32_t anchor; /* index in the block of the access that it derives from, or a constant above */
	uint16_t end;   /* offset in the block of the end of its instruction */
	uint8_t bytes;
	uint8_t kind; /* enum ifr_access_kind */
};

/* Prefetches count as recorded accesses. */
struct ifr_trace_totals {
	uint64_t instructions, executions, accesses;
	uint64_t recorded; /* accesses that are stored, not derived */
};

/* --- reading ------------------------------------------------------------------------------------------------- */

struct ifr_trace;

/* Opens a trace and reads all but its sequence frames. A cut or damaged file is opened as far as it is whole. Prefetches
 * are left out, of blocks and of chunks, as if the program had none; ifr_trace_keep_prefetches brings them in.
 * Errors: IFR_E_USAGE if the file is no trace or of another version. */
int ifr_trace_open(const char *path, struct ifr_trace **trace, struct ifr_error *err);
/* Brings the prefetches in, in the place of their instruction, before the first chunk is read. */
void ifr_trace_keep_prefetches(struct ifr_trace *trace);
/* Tells whether the trace has prefetches that are left out. */
bool ifr_trace_hides_prefetches(const struct ifr_trace *trace);
/* Opens a second reader of the same file, for another thread, without prefetches; works also if the file was unlinked. */
int ifr_trace_reopen(const struct ifr_trace *trace, struct ifr_trace **again, struct ifr_error *err);
void ifr_trace_free(struct ifr_trace *trace);
/* Return the damage, NULL if the trace is whole; the text; and the value of a key in it, NULL if there is none, which
 * the caller frees. */
const char *ifr_trace_damage(const struct ifr_trace *trace);
const char *ifr_trace_text(const struct ifr_trace *trace);
char *ifr_trace_fact(const struct ifr_trace *trace, const char *key);
/* Returns the number of mappings; the first IFR_MAPPING_FIRST stand for addresses in no mapping. */
size_t ifr_trace_mappings(const struct ifr_trace *trace, const struct ifr_mapping **mappings);
/* Returns the requests by normalised address; none unless objects were recorded. A request ends at most one
 * earlier object, which no other ends. */
size_t ifr_trace_requests(const struct ifr_trace *trace, const struct ifr_trace_request **requests);
/* The allocation site of a request: a normalised address in the call; 0: not known. */
uint64_t ifr_trace_site(const struct ifr_trace *trace, size_t request);
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
/* The same without addresses, which takes a third of the time: accesses_count is 0. From one rewind to the next, chunks
 * are read in one of both ways. */
void ifr_trace_read_sequence(struct ifr_trace *trace, size_t most_executions, struct ifr_trace_chunk *chunk);
void ifr_trace_rewind(struct ifr_trace *trace);

#endif
