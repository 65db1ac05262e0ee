/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The branches that a predictor finds at once (fetch.branches), by the clock.
 *
 * Problem: a branch that is never taken is none to the predictor, and every taken one ends a window.
 * Idea: blocks that go on into the next window, where a group begins, have one to three conditional branches and a jump
 * there. In one loop each conditional one is taken in one of 256 rounds, in the other never, all else is the same. The
 * window that does not fit into a group takes longer.
 * Invariant: a number is told only if windows with fewer branches surely take as long, and with so many longer. Two are
 * not told: a predictor that finds two blocks of code at once, which end behind such branches (fetch.pairs = blocks),
 * takes as long. */
#include "harness/probe/findings.h"
#include "harness/probe/kernels.h"
#include "harness/probe/window_curve.h"

enum { BLOCKS = 16, MOST = 3, PAIR = 2 };

/* Cycles of a block. */
struct group_cycles {
	struct probe_estimate never, seldom;
};

static bool is_longer(const struct group_cycles *cycles) {
	return cycles->never.told && cycles->seldom.told && cycles->seldom.low > 1.2 * cycles->never.high;
}

static bool is_as_long(const struct group_cycles *cycles) {
	return cycles->never.told && cycles->seldom.told && cycles->seldom.high < 1.15 * cycles->never.low;
}

/* cycles: by conditional branches less 1. */
static void tell(struct ifr_probe_result *result, const char *key, const struct group_cycles cycles[MOST]) {
	unsigned count = 0;
	while (count < MOST && is_as_long(&cycles[count]))
		count++;
	if (count == MOST)
		probe_tell_nothing(result, IFR_PROBE_FRONT, key,
		                   "windows of up to %d branches and a jump are as fast where these are never taken",
		                   MOST);
	else if (is_longer(&cycles[count]) && count + 1 == PAIR)
		probe_tell_nothing(result, IFR_PROBE_FRONT, key,
		                   "two branches at once, or two blocks of code (fetch.pairs), would take as long");
	else if (is_longer(&cycles[count]))
		probe_tell(
			result, IFR_PROBE_FRONT, key, "", count + 1,
			"conditional branches before a window's jump that make it slower where they are seldom taken, not "
			"never; one less does not");
	else
		probe_tell_nothing(
			result, IFR_PROBE_FRONT, key,
			"%u conditional branches before a window's jump take %.3g cycles, and %.3g if never taken", count + 1,
			cycles[count].seldom.value, cycles[count].never.value);
}

void probe_clocked_groups(struct probe_clocked *probe) {
	static const char *const keys[] = {"fetch.branches", NULL};
	struct group_cycles cycles[MOST];
	struct probe_batch batch;
	probe_batch_init(&batch, true, probe->batch_ns);
	for (unsigned i = 0; i < 2 * MOST; i++)
		probe_seldom(probe_batch_add(&batch), BLOCKS, i / 2 + 1, i % 2);
	if (probe_clocked_measure(probe, &batch, IFR_PROBE_FRONT, keys)) {
		for (unsigned i = 0; i < MOST; i++)
			cycles[i] = (struct group_cycles){probe_batch_cycles(&batch, 2 * i + 1, 0),
			                                  probe_batch_cycles(&batch, 2 * i + 2, 0)};
		tell(probe->result, keys[0], cycles);
	}
	probe_batch_release(&batch);
}
