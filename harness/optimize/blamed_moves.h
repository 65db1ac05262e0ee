/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Local moves that the attribution of the random layouts proposes: of each function that explains most of their times,
 * its place in lines or windows alone, as `blame --confirm` moves it. Private to this room. */
#ifndef IFR_HARNESS_BLAMED_MOVES_H
#define IFR_HARNESS_BLAMED_MOVES_H

#include "harness/optimize/local_moves.h"
#include "harness/store/store.h"

enum { BLAMED_MOST = 4 };

/* A function, and where it begins in the layouts that are fastest on average. */
struct blamed_function {
	char *unit;
	unsigned offset, bytes, frame; /* such as 16 to 31 of 64 bytes */
	bool told;                     /* the finding is significant */
};

struct blamed {
	struct blamed_function items[BLAMED_MOST]; /* of different units, the most significant first */
	size_t count;
};

/* Adds the hot functions of an experiment of random layouts. Nothing where these are too few for an attribution. Errors:
 * those of analyses and of unit addresses. */
int blamed_add(const struct candidate_source *source, const struct ifr_dataset *dataset, const char *metric,
               struct blamed *blamed, struct ifr_error *err);
void blamed_release(struct blamed *blamed);

/* Gives take() the layouts that differ from a given one by the place of one of these functions, and of all of them.
 * Returns the number of layouts predicted. */
size_t blamed_moves_offer(const struct candidate_source *source, const struct ifr_plan *from,
                          const struct blamed *blamed, local_move_taker *take, void *taker);

#endif
