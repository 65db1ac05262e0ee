/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The organisation of a structure of sets and ways, from one question: do these elements fit, used over and over?
 *
 * C(D) is the largest number of elements at distance D that fit. With lines or entries of one granule it is the number
 * of entries at D = granule; each doubling of D halves it, as every second set stays empty, until all elements lie in
 * one set and C(D) is the number of ways.
 * Problem: behind an inner structure that holds as many elements as one set of the outer one, the outer one is not asked.
 * Idea: take `groups` of neighbours at each distance, more than the inner structure has entries: each group is a set.
 * Invariant: while groups are not more than the sets, b elements of each group fit exactly if b <= ways at a distance of
 * all sets.
 * Ref: Milenković et al. 2004, figure 9, for the search by distance; Saavedra 1992 for caches. */
#ifndef IFR_HARNESS_PROBE_ORGANISATION_H
#define IFR_HARNESS_PROBE_ORGANISATION_H

#include "harness/probe/kernels.h"

enum probe_answer { PROBE_NO, PROBE_YES, PROBE_UNCLEAR };

struct probe_question {
	enum probe_answer (*fits)(void *data, const struct probe_places *places);
	void *data;
	size_t most;       /* elements that are tried */
	uint64_t farthest; /* bytes that a kernel may span */
};

/* Finds C for a number of groups, each `granule` apart: the elements of all groups together. `hint`: a good guess, or 0.
 * Returns 0 where it is not told: an answer was unclear, or more than the most elements fit. */
size_t probe_find_capacity(const struct probe_question *question, size_t groups, uint64_t granule,
                           uint64_t distance, size_t hint);

struct probe_organisation {
	size_t entries; /* 0: not told, as are ways */
	size_t ways;
	uint64_t granule; /* the distance of neighbours in neighbouring sets; 0: not told */
	uint64_t span;    /* granule * sets; 0: not told */
};

/* Finds the ways of a structure whose granule and entries are known, behind one of `inner` entries (0: none). */
void probe_find_ways(const struct probe_question *question, struct probe_organisation *organisation, size_t inner);
/* Finds entries and granule among distances from `least` up, where elements never share an entry, and then the ways. */
void probe_find_organisation(const struct probe_question *question, uint64_t least, size_t inner,
                             struct probe_organisation *organisation);

#endif
