/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Local moves: layouts that differ from a given one by the place of one hot function. Private to this room.
 *
 *     later    the function, and all code behind it, begins up to 60 bytes later
 *     alone    the function begins later, and the code behind it by 64 bytes, so that its offsets in lines stay
 *     beside   the function stands behind another hot one */
#ifndef IFR_HARNESS_LOCAL_MOVES_H
#define IFR_HARNESS_LOCAL_MOVES_H

#include "harness/optimize/candidates.h"

/* Takes a candidate over. */
typedef void local_move_taker(void *taker, struct candidate *candidate);

/* Climbs from a layout: of all moves of its hot functions, the one with the least expected time is made next, as long as
 * that is expected to gain, and so many times at most. Each layout on the way is given to take(), all those one move away
 * from it too. until_ns: when to stop, on CLOCK_MONOTONIC. Returns the number of layouts predicted. Errors: those of
 * ifr_relinker_place for the layout itself. */
int local_moves_climb(const struct candidate_source *source, const struct ifr_plan *from, unsigned moves,
                      int64_t until_ns, local_move_taker *take, void *taker, size_t *predicted,
                      struct ifr_error *err);

/* Shifts a unit of a spelled-out plan by less than 64 bytes, and the code behind it by 64. Returns false where the plan
 * does not order it, or orders it first. */
bool local_move_shift(const struct ifr_relinker *relinker, struct ifr_plan *plan, const char *unit,
                      unsigned bytes);

#endif
