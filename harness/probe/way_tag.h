/* SPDX-License-Identifier: GPL-3.0-or-later */
/* By what the first data cache knows a line of a set (pipeline.way_tag): by all of its address, or by a hash of bits 12
 * to 27, or by that and the bits above. Three loads each come in turn from two lines of a set, which the cache has room
 * for: of single loads a Zen 5 foresees most. If a hash tells lines, those with equal hashes push each other out, and no
 * others do.
 * Ref: Lipp et al. 2020, Take A Way: bit 12 with 27, 13 with 26, 14 with 25, 15 to 19 with 20 to 24. */
#ifndef IFR_HARNESS_PROBE_WAY_TAG_H
#define IFR_HARNESS_PROBE_WAY_TAG_H

#include "harness/probe/kernel.h"
#include "harness/probe/organisation.h"
#include "harness/probe/probe.h"

enum { PROBE_WAY_PAIRS = 15, PROBE_WAY_LOADS = 3 };

/* A chase over a pair. */
void probe_way_pair(struct probe_kernel *kernel, size_t pair);
/* Tells it by the pairs that push each other out. */
void probe_tell_way_tag(struct ifr_probe_result *result, const enum probe_answer conflicts[PROBE_WAY_PAIRS]);

#endif
