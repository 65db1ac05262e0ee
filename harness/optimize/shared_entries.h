/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Hot code that is in its own way on a described machine: branches that share entries, and blocks across windows. */
#ifndef IFR_HARNESS_OPTIMIZE_SHARED_ENTRIES_H
#define IFR_HARNESS_OPTIMIZE_SHARED_ENTRIES_H

#include <stddef.h>
#include <stdint.h>

#include "model/model.h"

/* A block in a layout. */
struct placed_block {
	uint64_t address, executions;
	uint32_t bytes, branch_bytes; /* branch_bytes 0: no branch at its end */
	size_t owner;                 /* of the caller: its function */
};

enum shared_structure { SHARED_BTB, SHARED_PREDICTOR, SHARED_STRUCTURES };

/* Two branches, indices of blocks, that share a BTB set with more hot branches than it has ways, or an entry of the
 * outcome predictor whatever the history. */
struct shared_pair {
	enum shared_structure structure;
	size_t first, second; /* the most executed two of their entry */
	uint64_t executions;  /* of the second */
};

/* Sums for an owner. */
struct shared_counts {
	uint64_t shared[SHARED_STRUCTURES]; /* executions of its branches that share an entry with another one */
	uint64_t windows;                   /* that its blocks enter beyond the fewest that they could */
};

/* Finds pairs, the most executed first, and adds up counts[owner], which the caller has set to 0. The caller frees the
 * pairs. The structures are the machine's largest BTB, and its predictor by the address bits that it uses. Windows are
 * those of its op cache, or 64 bytes. Ref: Milenković et al. 2004, figure 6. */
size_t shared_entries_find(const struct ifr_machine *machine, const struct placed_block *blocks, size_t count,
                           struct shared_pair **pairs, struct shared_counts *counts);

#endif
