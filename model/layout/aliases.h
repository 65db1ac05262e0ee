/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The loads and stores behind the event ld_blocks_partial.address_alias of one layout, pair by pair. */
#ifndef IFR_MODEL_ALIASES_H
#define IFR_MODEL_ALIASES_H

#include "model/layout/layout.h"

/* An instruction of the trace that accesses data. */
struct ifr_alias_site {
	uint32_t block;   /* of the trace */
	uint32_t access;  /* of the trace: ifr_trace_accesses */
	uint64_t data;    /* normalised address of the access when the pair first met */
	uint64_t address; /* the same in the layout */
};

/* A load that waited for a store at another address, `count` times. */
struct ifr_alias_pair {
	struct ifr_alias_site load, store;
	uint64_t count;
};

/* Replays the trace from its beginning under a map and finds all pairs, the most frequent first; their counts sum up to
 * the event on a machine with so many stores in its buffer, at most IFR_STORES_MOST. The caller frees *pairs. Errors:
 * IFR_E_USAGE for a layout with an instruction map (nops, alignments by the compiler). */
int ifr_alias_pairs_find(struct ifr_trace *trace, const struct ifr_address_map *map, unsigned stores,
                         struct ifr_alias_pair **pairs, size_t *count, struct ifr_error *err);

#endif
