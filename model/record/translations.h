/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Translation blocks as the assembler knows them: their access patterns, and the chains that they form. Private to
 * the assembler. */
#ifndef IFR_MODEL_TRANSLATED_H
#define IFR_MODEL_TRANSLATED_H

#include "common/table.h"
#include "model/record/ring.h"
#include "model/record/address_space.h"
#include "model/trace/append.h"
#include "model/trace/writer.h"

#define NONE UINT32_MAX
#define UNWRITTEN (UINT32_MAX - 1)

/* An access pattern of a translation block: which instructions made which recorded accesses. Nearly all blocks
 * have one pattern; repeated string instructions, masked moves and faults make more. */
struct access_pattern {
	uint32_t block;                  /* its translation block */
	uint32_t next;                   /* next pattern of the same block; NONE */
	struct pattern_access *accesses; /* each with its extent of last time */
	uint16_t count;
	uint32_t roots[2]; /* chains that begin with it; [1]: as an iteration of a repeated instruction */
	uint16_t cut;      /* executed instructions: all, unless a fault stopped the block */
};

struct translated {
	struct ring_block block;
	uint64_t normalised, target; /* normalised addresses; target: of a direct branch, 0: none */
	uint64_t follower;           /* successor if the branch is not taken; 0: none */
	uint64_t taken;              /* successor if it is taken; 0: any */
	uint32_t patterns;           /* first pattern, the newest; NONE */
	uint64_t repeats;            /* address of its repeated string instruction; 0: none */
	uint8_t *lengths;
	struct ring_derived *derived;
	uint8_t *code;
};

/* A recorded access of a pattern. The extent's numbers are copied: they hold while nothing was mapped, unmapped or
 * requested since (fast_entry.epoch). */
struct pattern_access {
	uint64_t offset;             /* normalised address less the ring's word */
	uint64_t start, bytes;       /* normalised range of the extent */
	const struct extent *extent; /* &follows_previous: it continues the access before */
	uint64_t tag;                /* word of the ring without its address */
};
/* Marks further eight bytes of a vector access, which go where the first eight do, also beyond the end of their
 * object. */
extern const struct extent follows_previous;

/* Fast-path entry of a translation block: one cache line with all that a usual execution needs. It stands for the last
 * pattern alone, if that pattern is a whole block of the trace. */
struct fast_entry {
	/* Words of the ring that begin its last successors, if the branch is not taken and if it is; 0: none yet. Of the
	 * second, the bits of the mask must be equal: all, or behind an indirect branch those that make a word a block's. */
	uint64_t not_taken, taken, taken_mask;
	uint32_t executions[2];          /* to write for these two */
	struct pattern_access *accesses; /* accesses of the pattern */
	struct address_coder *coders;    /* of these accesses, in the trace's block */
	uint64_t ready; /* fast_ready of its recorded accesses and of the epoch at which they were copied */
	uint32_t instructions;
	uint32_t all_accesses; /* the trace's: with derived ones */
};

/* The rest of a fast-path entry. */
struct fast_facts {
	uint64_t address;
	uint32_t trace_block; /* UNWRITTEN: not in the trace yet; NONE: no fast path */
	uint16_t count;       /* recorded accesses */
	bool branches;        /* taken if its successor is not the instruction behind it */
	bool repeats;         /* its target is another iteration of itself */
};

/* One number for what must be as it was: the words of a block, and the epoch of the address space. */
static inline uint64_t fast_ready(uint64_t words, uint32_t epoch) {
	return (uint64_t)epoch << 32 | words;
}

/* A chain of translation blocks that ran in sequence without a branch: a node of a tree, whose path from the root
 * is the chain. */
struct chain {
	uint32_t parent, pattern;
	uint32_t block; /* block of the trace, once complete; NONE */
	uint32_t child, sibling;
	bool repeated; /* an iteration of a repeated string instruction, which counts no instruction */
};

struct translations {
	struct translated *blocks;
	/* Two a block: as it begins, and as a further iteration of a repeated instruction. */
	struct fast_entry *fast;
	struct fast_facts *facts;
	struct access_pattern *patterns;
	struct chain *chains;
	uint32_t block_count, pattern_count, chain_count;
	struct ifr_table index; /* blocks of the trace by a hash of their contents */
};

void translations_init(struct translations *translations);
void translations_release(struct translations *translations);
/* Adds a block by its definition. normalised_delta: normalised address less address. Returns false if the words
 * are malformed. */
bool translations_define(struct translations *translations, const uint64_t *words, uint32_t count,
                         uint64_t normalised_delta);
/* Adds an access pattern. cut: executed instructions. */
uint32_t translations_add_pattern(struct translations *translations, uint32_t block, const uint64_t *events,
                                  uint32_t count, uint16_t cut);
/* Finds or adds the chain that extends parent (NONE: a new chain) by a pattern. */
uint32_t translations_chain(struct translations *translations, uint32_t parent, uint32_t pattern, bool repeated);
/* Makes a pattern its block's fast-path entry. */
void translations_set_fast_entry(struct translations *translations, uint32_t pattern, bool repeated,
                                 struct ifr_trace_writer *writer);
/* Copies an access's extent. */
void pattern_access_refresh(struct pattern_access *access);
/* Returns the trace's block for a chain; adds it to the trace at first use. limited: the chain ends because it is as long
 * as chains may be. */
uint32_t translations_trace_block(struct translations *translations, uint32_t chain, bool limited,
                                  struct ifr_trace_writer *writer);

#endif
