/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A reference replay of one lane, written for clarity alone: one event at a time, lists in order of use, histories
 * as strings of outcomes. It shares with the engines the machine's description, and the verbs of the predictors
 * that it does not reimplement. */
#ifndef TESTS_UNIT_MODEL_NAIVE_H
#define TESTS_UNIT_MODEL_NAIVE_H

#include "model/machines/machine.h"
#include "model/replay/replay.h"

struct naive;

struct naive *naive_new(const struct ifr_machine *machine);
void naive_free(struct naive *naive);
/* addresses: of all accesses of the chunk, in order. */
void naive_replay(struct naive *naive, const struct ifr_chunk *chunk, const struct ifr_lane *lane,
                  const uint64_t *addresses);
struct ifr_counts naive_counters(const struct naive *naive);

#endif
