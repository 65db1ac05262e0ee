/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The request of a replay, and the results of its pieces (replays.c has the formats). Private to this room. */
#ifndef IFR_HARNESS_CLUSTER_REPLAYS_H
#define IFR_HARNESS_CLUSTER_REPLAYS_H

#include <stddef.h>

#define REPLAY_RESULT "interfero-counts 1 %d" /* events of the model */
extern const char replay_version[];

/* The first layout of a chunk. */
size_t replay_first(size_t count, unsigned chunk, unsigned chunks);

#endif
