/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Entries of the first BTB that two blocks of code share (fetch.block_tag = hashed). Private to the folder.
 *
 * An entry is known by hashes of two addresses: where its block of code begins, and where the one before does. A block
 * begins where a taken branch leads to, and behind a branch that was not taken and is known to the BTB; it ends with a
 * branch of either kind. Two blocks with equal hashes have one entry, and each is mispredicted if the other had it
 * last. This holds for blocks that a direct jump leads to, or that go on in the line of the branch before, and that
 * end in the line in which they begin; one of the two at least goes on behind a branch that was not taken.
 *
 * Problem: hashes differ from layout to layout, and hardly any are equal, but each branch would have to look.
 * Idea: which blocks follow each other is the same in all layouts. A pair of a block and the one before is found in a
 * table once for all lanes; when it is new, its hashes are looked for among those of each lane's other pairs.
 * Invariant: in each lane the pairs with equal hashes all have a share, once two of them may lose their entry to each
 * other, and none before.
 *
 * Evidence: tests/bench/btb_tags, on a Zen 4 (2026). */
#ifndef IFR_MODEL_BLOCK_ENTRIES_H
#define IFR_MODEL_BLOCK_ENTRIES_H

#include "model/replay/stages.h"

enum { IFR_BLOCK_BEFORE_BITS = 9 }; /* of ifr_block_before_hash */

/* Bits 0 to 11 of an address, exclusive or 12 to 23, and so on. */
static inline uint32_t ifr_block_hash(uint64_t address) {
	return (uint32_t)(address ^ address >> 12 ^ address >> 24 ^ address >> 36) & 0xfff;
}

/* Bits 5 to 13, exclusive or 15 to 19 on bits 6 to 10, and 14 on 5 and 12. */
static inline uint32_t ifr_block_before_hash(uint64_t address) {
	const uint64_t own = address >> 5 & 0x1ff, upper = address >> 15 & 0x1f, alone = address >> 14 & 1;
	return (uint32_t)(own ^ upper << 1 ^ alone ^ alone << 7);
}

struct ifr_block_entries;

/* NULL: this machine's BTB knows whole addresses. */
struct ifr_block_entries *ifr_block_entries_new(const struct ifr_pass *pass);
void ifr_block_entries_free(struct ifr_block_entries *entries);

/* Forgets the marks of the chunk before. */
void ifr_block_entries_begin(struct ifr_block_entries *entries);
/* Something came in between: the next block is not behind the last one. */
void ifr_block_entries_cut(struct ifr_block_entries *entries);
/* The branch of `before` led to execution i of the chunk. It was taken, or is known to the BTB. Marks the lanes in which
 * its block had lost its entry. */
void ifr_block_entries_follow(struct ifr_block_entries *entries, const struct ifr_pass *pass, uint32_t before,
                              size_t i);
/* Of a lane: executions of the chunk before which a branch was mispredicted so, in ascending order. */
const struct ifr_marks *ifr_block_entries_marks(const struct ifr_block_entries *entries, size_t lane);

#endif
