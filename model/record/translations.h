/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the assembler knows of translation blocks, of the ways they ran, and of chains of them. */
#ifndef IFR_MODEL_TRANSLATED_H
#define IFR_MODEL_TRANSLATED_H

#include "model/record/ring.h"
#include "model/record/address_space.h"
#include "model/trace/trace.h"

#define NONE UINT32_MAX
#define UNWRITTEN (UINT32_MAX - 1)

/* A way a translation block ran: which instructions made which accesses that were recorded. Nearly all blocks have
 * one way; repeated string instructions, masked moves and faults make more. */
struct access_pattern {
	uint32_t block;                  /* of the table */
	uint32_t next;                   /* pattern of the same block, NONE */
	struct pattern_access *accesses; /* with the extents where each fell last time */
	uint16_t count;
	uint32_t roots[2]; /* the chains that begin with it; the second as a further round of a repeated instruction */
	uint16_t cut;      /* instructions that ran; all, unless a fault ended them */
};

struct translated {
	struct ring_block block;
	uint64_t normalised, target; /* target: of a direct branch, 0: none */
	uint32_t patterns;           /* the first, NONE; the one that came last stands first */
	uint64_t repeats;            /* its last instruction's address, of a repeated one */
	uint8_t *lengths;
	struct ring_derived *derived;
};

/* What is needed of a translation block on the way of every one that runs: all of one cache line, and its accesses
 * behind one another. It stands for the way that it ran last, alone, if that makes a block of the trace. */
struct pattern_access {
	const struct extent *extent; /* &follows_previous: the normalised follows that of the access before */
	uint64_t tag;                /* the access less its address, as in the ring */
};
/* A vector's further eight bytes go where the first do, also behind the end of the object that it begins in. */
extern const struct extent follows_previous;
struct fast_entry {
	uint64_t address;
	uint64_t fall;                   /* where it goes on if its branch is not taken; UINT64_MAX: nowhere */
	uint64_t target;                 /* and if it is; 0: anywhere */
	struct pattern_access *accesses; /* of its pattern */
	uint32_t trace_block;            /* UNWRITTEN: not one yet; NONE: it takes the long way */
	uint16_t count, instructions;
};

/* A chain of translation blocks that ran one after the other without a branch. */
struct chain {
	uint32_t parent, pattern;
	uint32_t block; /* of the trace, once it is complete; NONE */
	uint32_t child, sibling;
	bool repeated; /* a further round of a repeated instruction: it counts no instruction */
};

struct translations {
	struct translated *blocks;
	struct fast_entry *fast; /* of each block */
	struct access_pattern *patterns;
	struct chain *chains;
	uint32_t block_count, pattern_count, chain_count;
	struct block_index *index; /* blocks of the trace by what they are */
};

void translations_init(struct translations *translations);
void translations_release(struct translations *translations);
/* A definition's words. Returns false if they make no sense. */
bool translations_define(struct translations *translations, const uint64_t *words, uint32_t count,
                         uint64_t place_delta);
uint32_t translations_add_pattern(struct translations *translations, uint32_t block, const uint64_t *events,
                                  uint32_t count, uint16_t cut);
uint32_t translations_chain(struct translations *translations, uint32_t parent, uint32_t pattern, bool repeated);
/* From now on the block runs as this pattern does, until it does not. */
void translations_set_fast_entry(struct translations *translations, uint32_t pattern);
/* The trace's block of a chain. */
uint32_t translations_trace_block(struct translations *translations, uint32_t chain,
                                  struct ifr_trace_writer *writer);

#endif
