/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The loop buffer of a described core, by the slots that it delivers: those of a loop that is locked in the queue.
 * Ref: Melhus 2013, section 4.2.1 and table 4.6. */
#include "harness/probe/described.h"
#include "harness/probe/findings.h"

#include <math.h>

enum { SLOTS_MOST = 1024, BYTES_MOST = 64 * 64, LOOP_TAIL = 9 };

static bool is_locked(struct probe_described *probe, struct probe_kernel *kernel) {
	return probe_described_event(probe, kernel, IFR_EVENT_LOOP_BUFFER_SLOTS) > 0;
}

/* A loop of so many nops of 4 bytes and its fused end: one slot more. */
static bool locks_slots(struct probe_described *probe, unsigned slots) {
	struct probe_kernel kernel;
	probe_kernel_init(&kernel, 0);
	probe_nops(&kernel, slots - 1, 4);
	return is_locked(probe, &kernel);
}

/* The most slots that are locked, from some that are. Loops of one or two numbers of them may be unlocked by their jump's
 * place alone. */
static unsigned find_most_slots(struct probe_described *probe, unsigned most) {
	enum { UNLOCKED = 2 };
	for (unsigned slots = most + 1; slots < SLOTS_MOST && slots <= most + UNLOCKED + 1; slots++)
		if (locks_slots(probe, slots))
			most = slots;
	return most;
}

/* A loop of so many bytes, of long nops, at an offset in its page. */
static bool locks_bytes(struct probe_described *probe, unsigned bytes, unsigned offset) {
	struct probe_kernel kernel;
	probe_kernel_init(&kernel, 0);
	probe_long_nops(&kernel, bytes, offset);
	return is_locked(probe, &kernel);
}

static bool locks_branches(struct probe_described *probe, unsigned branches) {
	struct probe_kernel kernel;
	probe_kernel_init(&kernel, 0);
	probe_branch_chain(&kernel, &(struct probe_places){branches, 1, 16, 16});
	return is_locked(probe, &kernel);
}

/* Of a loop that fills its windows, the next offset at which it fits again is a window further. */
static void tell_windows(struct probe_described *probe) {
	const struct ifr_probe_finding *boundary = ifr_probe_find(probe->result, "op_cache.jump_boundary");
	unsigned bytes = 2 * LOOP_TAIL, offset = 1;
	if (!boundary || !boundary->told || boundary->value > 0) {
		for (unsigned i = 0; i < 2; i++)
			probe_tell_nothing(probe->result, IFR_PROBE_FRONT, i ? "loop_buffer.windows" : "loop_buffer.window",
			                   "a jump's place alone may unlock a loop");
		return;
	}
	while (bytes < BYTES_MOST && locks_bytes(probe, bytes + 1, 0))
		bytes++;
	while (bytes < BYTES_MOST && offset < BYTES_MOST && !locks_bytes(probe, bytes, offset))
		offset++;
	if (bytes < BYTES_MOST && offset < BYTES_MOST && offset > 1 && bytes % offset == 0) {
		probe_tell(probe->result, IFR_PROBE_FRONT, "loop_buffer.window", "bytes", offset,
		           "offset by which the longest loop that is locked is moved to be locked again");
		probe_tell(probe->result, IFR_PROBE_FRONT, "loop_buffer.windows", "", bytes / offset,
		           "windows of the longest loop that is locked, of long nops");
		return;
	}
	for (unsigned i = 0; i < 2; i++)
		probe_tell_nothing(probe->result, IFR_PROBE_FRONT, i ? "loop_buffer.windows" : "loop_buffer.window",
		                   "the longest loop of long nops that is locked has %u bytes: slots end it first", bytes);
}

/* Cycles of a round of n slots that begin in a new cycle after each `unrolled` slots at least. */
static double predict(unsigned n, unsigned unrolled, double issue) {
	const unsigned rounds = (unrolled + n - 1) / n;
	return ceil(n * rounds / issue) / rounds;
}

enum { FEWEST = 2, POINTS = 64, UNROLL_MOST = 256, WIDTH_MOST = 16 };

static bool agrees(const double *cycles, unsigned last, unsigned unrolled, unsigned width) {
	for (unsigned n = FEWEST; n < last; n++)
		if (fabs(cycles[n] - predict(n, unrolled, width)) > 0.02)
			return false;
	return true;
}

static void tell_unroll(struct probe_described *probe, unsigned slots) {
	double cycles[POINTS];
	unsigned least = 0, most = 0;
	const unsigned last = slots + 1 < POINTS ? slots + 1 : POINTS;
	for (unsigned n = FEWEST; n < last; n++) {
		struct probe_kernel kernel;
		probe_kernel_init(&kernel, 0);
		probe_nops(&kernel, n - 1, 4);
		cycles[n] = probe_described_event(probe, &kernel, IFR_EVENT_CYCLES) * (n - 1);
	}
	for (unsigned unrolled = 1; unrolled <= UNROLL_MOST; unrolled++)
		for (unsigned width = 1; width <= WIDTH_MOST; width++)
			if (agrees(cycles, last, unrolled, width)) {
				least = least ? least : unrolled;
				most = unrolled;
			}
	if (least && least == most)
		probe_tell(probe->result, IFR_PROBE_FRONT, "loop_buffer.unroll", "", least,
		           "slots of a round that give the cycles of loops of 2 to %u slots, as no other number does",
		           last - 1);
	else
		probe_tell_nothing(probe->result, IFR_PROBE_FRONT, "loop_buffer.unroll",
		                   "%u to %u slots of a round give the cycles of loops of 2 to %u slots", least, most,
		                   last - 1);
}

void probe_described_loop_buffer(struct probe_described *probe) {
	unsigned slots = 3, branches = 2;
	if (!locks_slots(probe, slots)) {
		probe_tell_nothing(probe->result, IFR_PROBE_FRONT, "loop_buffer.ops",
		                   "no short loop is locked in the queue");
		return;
	}
	slots = find_most_slots(probe, slots);
	while (branches < SLOTS_MOST && locks_branches(probe, branches + 1))
		branches++;
	probe_tell(probe->result, IFR_PROBE_FRONT, "loop_buffer.ops", "", slots,
	           "slots of the longest loop that is locked in the queue, of nops of 4 bytes");
	tell_windows(probe);
	const struct ifr_probe_finding *windows = ifr_probe_find(probe->result, "loop_buffer.windows");
	/* Each taken branch enters a window: where as many lock as windows, those are the limit. */
	if (windows && windows->told && branches < windows->value)
		probe_tell(probe->result, IFR_PROBE_FRONT, "loop_buffer.branches", "", branches,
		           "taken branches of the longest loop that is locked, 16 bytes apart");
	else
		probe_tell_nothing(probe->result, IFR_PROBE_FRONT, "loop_buffer.branches",
		                   "%u taken branches enter as many windows as a loop may have", branches);
	tell_unroll(probe, slots);
}
