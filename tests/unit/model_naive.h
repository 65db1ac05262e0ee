/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A replay of one lane written for clarity alone, to compare the engines with: one event at a time, lists in the
 * order of use, histories as strings of outcomes. It shares with the engines the description of the machine, and
 * the verbs of those predictors that it does not write anew. */
#ifndef TESTS_UNIT_MODEL_NAIVE_H
#define TESTS_UNIT_MODEL_NAIVE_H

#include "model/machines/machine.h"
#include "model/replay/replay.h"

struct naive;

struct naive *naive_new(const struct ifr_machine *machine);
void naive_free(struct naive *naive);
/* addresses: of all accesses of these executions, in order. */
void naive_replay(struct naive *naive, const struct ifr_chunk *chunk, const struct ifr_lane *lane,
                  const uint64_t *addresses);
struct ifr_counts naive_counters(const struct naive *naive);

#endif
