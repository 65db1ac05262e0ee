/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A layout: at which address each normalised of a trace lies. Without moves it is the one that the program has when it
 * is started on Linux for x86-64 with address-space randomization off, whatever recorded it:
 *
 *   program   at its own addresses, or at 0x555555554000 if it can lie anywhere
 *   heap      from the first whole page behind the program
 *   mappings  downwards from 0x7ffff7fff000 in the order in which they came, the loader first, each in the highest
 *             room that is left
 *   stack     downwards from 0x7ffffffff000, below the strings of environment and arguments
 *   objects   in the heap and the mappings, where the recording's allocator put them
 *
 * Ref: Linux 6.1, fs/binfmt_elf.c, arch/x86/mm/mmap.c, mm/mmap.c (top-down search). */
#ifndef IFR_MODEL_LAYOUT_H
#define IFR_MODEL_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "model/replay/replay.h"
#include "model/trace/trace.h"

/* A piece of the program that lies elsewhere than in the recorded one; offsets as its ELF file gives addresses. */
struct ifr_move {
	uint64_t from, bytes, to;
	bool code; /* only fetched, as a rule: layouts that differ in such pieces alone share their data's addresses */
};

/* An instruction, and where it lies in a layout that put nops between the program's instructions; offsets as the
 * ELF files give addresses. Nops themselves are no code instructions: those of the recorded program are dropped, those
 * of the layout are counted. Execution that falls through to it, or returns to it, goes on behind the instruction
 * before, and so through all nops between them; a jump arrives where its label is, behind what aligns the label
 * and ahead of what was put in front of the instruction. */
struct ifr_instruction_move {
	uint64_t from; /* in the recorded program */
	uint64_t to;   /* in the layout, where it begins */
	uint64_t fall_through,
		jump_target; /* in the layout: where execution that falls through, and that jumps, goes on to it */
	uint16_t fall_through_nops, jump_nops; /* from there to the instruction */
	uint8_t bytes;                         /* its length in the layout: jumps may be longer or shorter */
};

/* Where an allocator other than the recorded one puts an object. */
struct ifr_object_place {
	enum ifr_object_home { IFR_OBJECT_AT_ADDRESS, IFR_OBJECT_IN_HEAP, IFR_OBJECT_IN_MAPPING } home;
	uint64_t offset;        /* the address; from the heap's beginning; from that of a mapping of its own */
	uint64_t mapping_bytes; /* of that mapping */
};

struct ifr_layout_request {
	const struct ifr_move *moves; /* sorted by from, not overlapping; what none covers stays */
	size_t count;
	const struct ifr_instruction_move
		*instructions; /* sorted by from: all instructions of the functions that have any */
	size_t instruction_count;
	uint64_t end_bytes;   /* by which the program ends later (earlier if negative, as two's complement) */
	uint64_t stack_bytes; /* of environment on top: the `stack` axis */
	uint64_t load_pages;  /* by which mappings move down: the `load` axis */
	/* By request of the trace; NULL: objects lie where they lie without the runtime. Otherwise the mappings that
	 * the recorded allocator made are not there, and theirs are. */
	const struct ifr_object_place *objects;
};

struct ifr_address_map;

/* The request is copied. */
struct ifr_address_map *ifr_address_map_new(const struct ifr_trace *trace,
                                            const struct ifr_layout_request *request);
void ifr_address_map_free(struct ifr_address_map *map);

uint64_t ifr_address_of(const struct ifr_address_map *map, uint64_t normalised);
/* What tells layouts apart that are taken to share their data (below): accesses to code that moved, and to what
 * stayed behind the beginning of data that moved. */
enum { IFR_STRAY_CODE = 1, IFR_STRAY_UNMOVED = 2 };
/* The same for many. Returns, or'd, which of these are among them. */
unsigned ifr_addresses_of(const struct ifr_address_map *map, const uint64_t *normalised, size_t count,
                          uint64_t *addresses);
/* Whether all data lie at the same addresses, as long as no access is made to code that moved. */
bool ifr_address_maps_share_data(const struct ifr_address_map *a, const struct ifr_address_map *b);
/* Whether all data lie whole pages (4096 bytes) from where they lie in the other, and all of a page equally far,
 * as long as no access strays: a cache that picks its sets by the offset in a page cannot tell the two apart. */
bool ifr_address_maps_share_lines(const struct ifr_address_map *a, const struct ifr_address_map *b);

/* How a block was come to: where nops were put in front of it, the two begin at different normalised. */
enum ifr_entry { IFR_ENTRY_JUMP, IFR_ENTRY_FALL, IFR_ENTRIES };

/* Whether it makes a difference. */
bool ifr_address_map_has_instructions(const struct ifr_address_map *map);
/* Where all blocks of the trace lie, and where in them the instructions that make accesses end (as access_ends of
 * struct ifr_lane). Errors: IFR_E_ENVIRONMENT if a block gets too long. */
int ifr_address_map_blocks(const struct ifr_address_map *map, const struct ifr_trace *trace, enum ifr_entry entry,
                           struct ifr_geometry *geometry, uint16_t *ends, struct ifr_error *err);

#endif
