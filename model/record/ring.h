/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ring: chunks in shared memory that pass from the recorder, inside Valgrind or qemu, to the process that writes
 * the trace. A chunk holds 64-bit words of one thread; bits from the highest down:
 *
 *   word     bits                                        meaning
 *   block    1 0 ............ words:16 ........ id:32    a translation block begins; so many accesses follow
 *   access   0 store:1 prefetch:1 insn:9 size:3 00 address:47   an access by instruction `insn` of that block
 *   record   1 1 type:8 ................. words:32       a record (enum ring_record) of so many words follows
 *
 * A block is defined, in a chunk of definitions, before the first chunk that runs it. One thread of the recorder
 * writes to a chunk; whole chunks are handed over under the recorder's lock.
 *
 * A recorder may be killed at any instruction. So the position behind a record is stored after the record, a chunk's turn
 * before the counter that hands it over, and the position is cleared after that: the reader finds each word once. */
#ifndef IFR_MODEL_RING_H
#define IFR_MODEL_RING_H

#include <stdatomic.h>
#include <stdint.h>

#define RING_CHUNKS 288 /* each thread holds one */
#define RING_AHEAD 16   /* chunks handed over and not yet read: enough to even out, few enough for the cache */
#define RING_CHUNK_WORDS 32768
/* Room behind a chunk's limit for the last block or record that begins in it: 512 instructions with 15 accesses
 * each. A block with more accesses (over a hundred fxsave) is refused. */
#define RING_RESERVE_WORDS 8192
#define RING_BLOCK_ACCESSES (RING_RESERVE_WORDS - 1)
#define RING_THREADS 256

#define RING_BLOCK (UINT64_C(1) << 63)
#define RING_RECORD (UINT64_C(3) << 62)
#define RING_ID(word) ((uint32_t)(word))
#define RING_WORDS_SHIFT 32
#define RING_WORDS(word) ((word) >> RING_WORDS_SHIFT & 0xffff)
/* The number is not known when the block begins, or a fault stopped the block. */
#define RING_WORDS_UNKNOWN 0xffff
#define RING_TYPE_SHIFT 54
#define RING_ADDRESS ((UINT64_C(1) << 47) - 1)
/* Fields of an access: instruction number, log2 of the size, store bit. Size and store bit are as far apart as in
 * qemu's qemu_plugin_meminfo_t, so that one shift moves both. */
#define RING_INSN_SHIFT 52
#define RING_SIZE_SHIFT 49
#define RING_STORE_SHIFT 62
#define RING_PREFETCH \
	(UINT64_C(1) << 61) /* a software prefetch of one byte; address 0: of none of the program's */
#define RING_INSN(word) ((word) >> RING_INSN_SHIFT & 0x1ff)
#define RING_SHIFT(word) ((word) >> RING_SIZE_SHIFT & 7)
#define RING_STORE(word) ((word) >> RING_STORE_SHIFT & 1)

enum ring_record {
	RING_DEFINE =
		1,        /* struct ring_block, its instructions' lengths (a byte each), its derived accesses, its code */
	RING_MAPPING, /* a mapping at the start of the program: start, end, protection, offset, path */
	RING_SYSCALL, /* a mapping call: number, result, six arguments, path of an mmapped file */
	RING_NOTE,    /* enum ifr_recording_note, value */
	RING_ENTER,   /* the recorded allocator begins a request */
	RING_LEAVE,   /* and ends it: the operands of IFR_RECORDER_LEAVE (common/recorder_marks.h) */
};

/* Events that make a recording not repeatable, not complete, or that delimit it. */
enum ifr_recording_note {
	IFR_RECORDING_NOTE_TSC = 1,  /* the program reads the time-stamp counter */
	IFR_RECORDING_NOTE_FORK,     /* a child process was started, and is not recorded */
	IFR_RECORDING_NOTE_EXEC,     /* the program replaced itself */
	IFR_RECORDING_NOTE_TIME,     /* the program read a clock; the recorder answered */
	IFR_RECORDING_NOTE_RANDOM,   /* the program read random bytes; the recorder answered */
	IFR_RECORDING_NOTE_IDENTITY, /* a process or thread id was read */
	IFR_RECORDING_NOTE_SIGNAL,   /* a signal handler returned */
	IFR_RECORDING_NOTE_THREAD,   /* a further thread started */
	IFR_RECORDING_NOTE_BEGIN,    /* the recorded region of interfero.h begins, or ends */
	IFR_RECORDING_NOTE_END,
	IFR_RECORDING_NOTE_PREFETCH, /* a prefetch's address is not known to the recorder */
	IFR_RECORDING_NOTES
};

/* Flags in the byte of an instruction's length. RING_RECORDED: its accesses are recorded. */
#define RING_RECORDED 0x80
/* RING_MAYBE: it may make no access (a mask, a repeat count of zero). */
#define RING_MAYBE 0x40
#define RING_LENGTH 0x0f

enum ring_end { RING_END_NONE, RING_END_BRANCH, RING_END_SYSCALL, RING_END_REPEAT };

struct ring_block {
	uint64_t address, target; /* target: of a direct branch; 0: none */
	uint32_t id;
	uint16_t instructions, bytes;
	uint8_t branch; /* enum ifr_branch */
	uint8_t end;    /* enum ring_end */
	uint16_t derived;
};

/* A derived access: its address is that of the first access of instruction `anchor`, plus offset. anchor -1:
 * offset is relative to the block's own address. */
struct ring_derived {
	int64_t offset;
	uint16_t insn;
	int16_t anchor;
	uint8_t shift, store;
	uint16_t unused;
};

struct ring_chunk {
	uint32_t thread; /* RING_THREADS: a chunk of definitions */
	uint32_t words;
	uint32_t turn; /* the counter `filled` behind this chunk, once it is handed over; 0: while it is written */
};

struct ring_cpu {
	uint64_t *next, *limit; /* in the recorder's address space */
	uint32_t chunk;         /* the chunk being written; UINT32_MAX: none */
	uint32_t unused[3];     /* pads the struct to 32 bytes: indexing is one shift */
};

struct ring {
	/* The counters only grow; counter % RING_CHUNKS is the entry. The reader waits on filled, the recorder on
	 * freed. */
	_Atomic uint32_t filled, freed;
	_Atomic uint32_t ended; /* the recorder has handed over everything */
	uint32_t filled_chunks[RING_CHUNKS], freed_chunks[RING_CHUNKS];
	struct ring_chunk chunks[RING_CHUNKS];
	/* Write positions by thread. If the program is killed, the reader finds its last words here. */
	struct ring_cpu cpus[RING_THREADS + 1];
	uint64_t *base; /* of words, in the recorder's address space */
	uint64_t words[RING_CHUNKS][RING_CHUNK_WORDS];
};

#endif
