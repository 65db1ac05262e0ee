/* SPDX-License-Identifier: GPL-3.0-or-later */
/* References and misses of a load by contexts of one kind, for several lengths at once. Private to the room.
 *
 * Problem: a reference belongs to a context of each length, and a run has 10^8 references.
 * Idea: a longer context determines the shorter ones. So a table a length, whose contexts know the one of the next
 * shorter length that contains them; a reference is counted in the longest one only, and shorter ones get their sums at
 * the end. A length whose contexts do not fit is given up, and so are longer ones, which have at least as many: their
 * sums then go to the longest that is left.
 * Invariant: a context is in the tables of all shorter lengths, too. */
#ifndef INTERFERO_MODEL_CONTEXT_CHAIN_H
#define INTERFERO_MODEL_CONTEXT_CHAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { IFR_LOAD_CONTEXT_LENGTHS = 16 };

/* A context of a load. */
struct ifr_load_context {
	uint64_t key;
	uint64_t first; /* number of the block execution, from the trace's first on, that met it first */
	uint64_t references, misses;
};

struct ifr_context_table {
	struct ifr_load_context *items; /* by age */
	uint32_t *shorter;              /* by item: its context in the table of the next shorter length */
	uint32_t *slots;                /* by hash of the key: an item's number + 1; 0: none */
	size_t count, slot_count;
};

struct ifr_context_chain {
	struct ifr_context_table tables[IFR_LOAD_CONTEXT_LENGTHS]; /* the shortest length first */
	size_t lengths;                                            /* that are not given up */
	uint32_t last;                                             /* number of the longest length's last item met */
};

/* Bytes of a table with so many slots, whose contexts are at most seven eighths of them. */
size_t ifr_context_table_bytes(size_t slot_count);
/* Counts a reference by the key of the longest length; false if that context is new. */
bool ifr_context_chain_meet(struct ifr_context_chain *chain, uint64_t key, bool missed);
/* Counts a reference whose context is new, by the keys of all lengths that are not given up. most: contexts of a length;
 * more of them give it up. */
void ifr_context_chain_add(struct ifr_context_chain *chain, const uint64_t *keys, bool missed, uint64_t moment,
                           size_t most);
/* Gives each length its sums. Nothing is counted afterwards. */
void ifr_context_chain_sum(struct ifr_context_chain *chain);
/* Returns the contexts of a length, the most references first, and their number; its table is empty afterwards. The
 * caller frees. */
struct ifr_load_context *ifr_context_chain_take(struct ifr_context_chain *chain, size_t length, size_t *count);

#endif
