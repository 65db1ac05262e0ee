/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A layout gives each normalised address of a trace an address. Without moves it is the native layout, of a start
 * on Linux for x86-64 without address-space randomization, wherever the trace was recorded:
 *
 *   program    at its own addresses, or at 0x555555554000 if it is position-independent
 *   heap       from the first whole page behind the program
 *   mappings   downwards from 0x7ffff7fff000 in the order of their calls, the loader first, each in the highest gap
 *              that is large enough
 *   stack      downwards from 0x7ffffffff000, below the strings of environment and arguments
 *   objects    in heap and mappings, where the recorded allocator put them
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

/* Key of the line in a trace's text that names the mapped file of the library that layouts move; without it, they move
 * the program. */
#define IFR_TRACE_LAID_OUT "laid_out"

/* A contiguous part of the program at another address than in the recorded program; offsets are ELF addresses. Where
 * the trace names a library (IFR_TRACE_LAID_OUT), that library takes the program's place in all of this. */
struct ifr_move {
	uint64_t from, bytes, to;
	bool code; /* code, normally only fetched: layouts that differ only in code share their data addresses */
};

/* An entry of the instruction map: an instruction of the recorded program and its position in a layout with nops
 * between instructions. Offsets are ELF addresses. Nops have no entries: those of the recorded program are
 * dropped, those of the layout are counted.
 *
 *   execution that    continues at      and executes
 *   falls through     fall_through      all nops since the instruction before
 *   jumps             jump_target       the nops behind the label */
struct ifr_instruction_move {
	uint64_t from;                         /* offset in the recorded program */
	uint64_t to;                           /* offset in the layout */
	uint64_t fall_through, jump_target;    /* offsets in the layout, see above */
	uint16_t fall_through_nops, jump_nops; /* nops from there to the instruction */
	uint8_t bytes;                         /* length in the layout: a jump may have another encoding */
};

/* The position of a heap object under another allocator than the recorded one. */
struct ifr_object_place {
	enum ifr_object_home { IFR_OBJECT_AT_ADDRESS, IFR_OBJECT_IN_HEAP, IFR_OBJECT_IN_MAPPING } home;
	uint64_t offset;        /* the address; offset in the heap; offset in a mapping of its own */
	uint64_t mapping_bytes; /* size of that mapping */
};

struct ifr_layout_request {
	const struct ifr_move *moves; /* disjoint, sorted by `from`; bytes in no move stay */
	size_t count;
	/* The instruction map, sorted by `from`: a function has entries for all its instructions, or none. */
	const struct ifr_instruction_move *instructions;
	size_t instruction_count;
	uint64_t end_bytes;   /* bytes that the program grows at its end, as two's complement if it shrinks */
	uint64_t stack_bytes; /* additional bytes of environment: the `stack` axis */
	uint64_t load_pages;  /* pages that mappings move down: the `load` axis */
	/* Object positions by request of the trace. NULL: as without the runtime. Otherwise the recorded allocator's
	 * mappings are left out and those of the objects take part. */
	const struct ifr_object_place *objects;
};

struct ifr_address_map;

/* Builds the address map of a layout. The request is copied. */
struct ifr_address_map *ifr_address_map_new(const struct ifr_trace *trace,
                                            const struct ifr_layout_request *request);
void ifr_address_map_free(struct ifr_address_map *map);

/* Translates a normalised address. */
uint64_t ifr_address_of(const struct ifr_address_map *map, uint64_t normalised);
/* Stray accesses, which may distinguish layouts that are assumed to share data or lines: accesses to moved code,
 * and to unmoved bytes behind the first moved data. */
enum { IFR_STRAY_CODE = 1, IFR_STRAY_UNMOVED = 2 };
/* Translates many normalised addresses. Returns, or-ed, the kinds of stray accesses among them. */
unsigned ifr_addresses_of(const struct ifr_address_map *map, const uint64_t *normalised, size_t count,
                          uint64_t *addresses);
/* Whether two maps give all data equal addresses, as long as no access is to moved code. */
bool ifr_address_maps_share_data(const struct ifr_address_map *a, const struct ifr_address_map *b);
/* Whether the data addresses of two maps differ by whole pages (4096 bytes), equally for all bytes of a page, as
 * long as no access strays: a cache that picks its sets by the page offset cannot distinguish them. */
bool ifr_address_maps_share_lines(const struct ifr_address_map *a, const struct ifr_address_map *b);

/* How execution enters a block. With nops in front of a block both entries have addresses of their own. */
enum ifr_entry { IFR_ENTRY_JUMP, IFR_ENTRY_FALL, IFR_ENTRIES };

/* Whether the layout has an instruction map, so that entries differ. */
bool ifr_address_map_has_instructions(const struct ifr_address_map *map);
/* Computes the geometry of all blocks, and by access the end of its instruction (access_ends of struct ifr_lane).
 * Errors: IFR_E_ENVIRONMENT if a block exceeds 64 KiB. */
int ifr_address_map_blocks(const struct ifr_address_map *map, const struct ifr_trace *trace, enum ifr_entry entry,
                           struct ifr_geometry *geometry, uint16_t *ends, struct ifr_error *err);

#endif
