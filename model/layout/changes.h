/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The differences between two layouts of one execution: accesses that cross lines and pages, windows of code that blocks
 * enter. */
#ifndef IFR_MODEL_CHANGES_H
#define IFR_MODEL_CHANGES_H

#include "model/layout/layout.h"

/* The first of the two layouts is index 0. */
enum { IFR_CHANGE_LAYOUTS = 2 };

/* An access of the trace (ifr_trace_accesses). */
struct ifr_access_change {
	uint32_t block;
	uint64_t data;                        /* normalised address when it first crossed a line in either layout */
	uint64_t address[IFR_CHANGE_LAYOUTS]; /* the same in each layout */
	uint64_t lines[IFR_CHANGE_LAYOUTS];   /* lines and pages crossed: as misalign_mem_ref and page-split count */
	uint64_t pages[IFR_CHANGE_LAYOUTS];
};

/* A block of the trace (ifr_trace_blocks). */
struct ifr_block_change {
	uint64_t executions;
	uint64_t address[IFR_CHANGE_LAYOUTS];
	uint16_t bytes; /* 0: it fetches nothing */
};

struct ifr_layout_changes {
	struct ifr_access_change *accesses;
	struct ifr_block_change *blocks;
	size_t access_count, block_count;
};

/* Replays the trace from its beginning under two maps. The caller releases the changes. Errors: IFR_E_USAGE for a layout
 * with an instruction map (nops, alignments by the compiler). */
int ifr_layout_changes_count(struct ifr_trace *trace, const struct ifr_address_map *const *maps,
                             unsigned line_bytes, unsigned page_bytes, struct ifr_layout_changes *changes,
                             struct ifr_error *err);
void ifr_layout_changes_release(struct ifr_layout_changes *changes);

/* The windows of `bytes` (a power of two) that one execution of a block enters. */
uint64_t ifr_block_windows(const struct ifr_block_change *block, unsigned layout, unsigned bytes);

#endif
