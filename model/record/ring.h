/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What passes from the recorder, a plugin inside qemu, to the process that makes the trace: a ring of chunks in
 * shared memory. A chunk holds 64-bit words of one thread:
 *
 *   block    1 0 .............................. id:32        a translation block begins
 *   access   0 store:1 0 insn:9 size:3 00 address:47         an access of that block's instruction `insn`
 *   record   1 1 type:8 ................. words:32           a record of so many words follows (ring_record)
 *
 * A block is defined, in a chunk of definitions, before the first chunk that runs it. Only one thread of the
 * recorder writes to a chunk; chunks are handed over whole, under the recorder's lock. */
#ifndef IFR_MODEL_RING_H
#define IFR_MODEL_RING_H

#include <stdatomic.h>
#include <stdint.h>

#define RING_CHUNKS 288 /* every thread holds one */
#define RING_AHEAD 16   /* handed over and not yet read: enough to even out, few enough to stay in the cache */
#define RING_CHUNK_WORDS 32768
/* A block, or a record, that begins in a chunk fits: 512 instructions with 15 accesses each. A block that makes
 * more, by more than a hundred of fxsave, is refused. */
#define RING_RESERVE_WORDS 8192
#define RING_BLOCK_ACCESSES (RING_RESERVE_WORDS - 1)
#define RING_THREADS 256

#define RING_BLOCK (UINT64_C(1) << 63)
#define RING_RECORD (UINT64_C(3) << 62)
#define RING_TYPE_SHIFT 54
#define RING_ADDRESS ((UINT64_C(1) << 47) - 1)
/* Of an access: the instruction in its block, log2 of its bytes, whether it stores; the latter two as far apart as
 * in what qemu says of it, so that one shift brings both here. */
#define RING_INSN_SHIFT 52
#define RING_SIZE_SHIFT 49
#define RING_STORE_SHIFT 62
#define RING_INSN(word) ((word) >> RING_INSN_SHIFT & 0x1ff)
#define RING_SHIFT(word) ((word) >> RING_SIZE_SHIFT & 7)
#define RING_STORE(word) ((word) >> RING_STORE_SHIFT & 1)

enum ring_record {
	RING_DEFINE = 1, /* struct ring_block, its instructions' lengths (a byte each), its derived accesses */
	RING_MAPPING,    /* start, end, protection, offset, path: a mapping when the program started */
	RING_SYSCALL,    /* number, result, six arguments, path of the file for mmap */
	RING_NOTE,       /* enum ring_note, value */
	RING_ENTER,      /* the allocator of objects.so begins its work, */
	RING_LEAVE,      /* and ends it: what IFR_MARK_LEAVE says (common/recorded.h) */
};

/* What makes a recording less than exact, or ends it. */
enum ring_note {
	RING_NOTE_TSC = 1,  /* the program reads the time-stamp counter */
	RING_NOTE_FORK,     /* a child was started: it is not recorded */
	RING_NOTE_EXEC,     /* the program replaced itself */
	RING_NOTE_TIME,     /* a clock was read, and answered by the recorder */
	RING_NOTE_RANDOM,   /* random bytes were read, and answered by the recorder */
	RING_NOTE_IDENTITY, /* a process or thread id was read */
	RING_NOTE_SIGNAL,   /* a signal handler returned */
	RING_NOTE_THREAD,   /* a further thread started */
	RING_NOTE_BEGIN,    /* the region that is recorded begins, or ends */
	RING_NOTE_END,
	RING_NOTES
};

/* In the byte of a length: this instruction's accesses are recorded. */
#define RING_RECORDED 0x80
/* And there may be none of them: a mask, or a count of zero. */
#define RING_MAYBE 0x40
#define RING_LENGTH 0x0f

enum ring_end { RING_END_NONE, RING_END_BRANCH, RING_END_SYSCALL, RING_END_REPEAT };

struct ring_block {
	uint64_t address, target; /* target: of a direct branch */
	uint32_t id;
	uint16_t instructions, bytes;
	uint8_t branch; /* enum ifr_branch */
	uint8_t end;    /* enum ring_end */
	uint16_t derived;
};

/* An access whose address follows from another's: that of instruction `anchor`'s first access, plus offset; for
 * anchor -1 offset is the address itself, relative to the block's. */
struct ring_derived {
	int64_t offset;
	uint16_t insn;
	int16_t anchor;
	uint8_t shift, store;
	uint16_t unused;
};

struct ring_chunk {
	uint32_t thread; /* RING_THREADS: definitions */
	uint32_t words;
};

struct ring_cpu {
	uint64_t *next, *limit; /* in the recorder's address space */
	uint32_t chunk;         /* whose words are being written; UINT32_MAX: none */
	uint32_t unused[3];     /* one shift finds a cpu's */
};

struct ring {
	/* Counters only grow; the entry is counter % RING_CHUNKS. The consumer waits on filled, the recorder on
	 * freed. */
	_Atomic uint32_t filled, freed;
	_Atomic uint32_t ended; /* the recorder handed over all there was */
	uint32_t filled_chunks[RING_CHUNKS], freed_chunks[RING_CHUNKS];
	struct ring_chunk chunks[RING_CHUNKS];
	/* What a program leaves behind that is killed. */
	struct ring_cpu cpus[RING_THREADS + 1];
	uint64_t *base; /* of words, in the recorder's address space */
	uint64_t words[RING_CHUNKS][RING_CHUNK_WORDS];
};

#endif
