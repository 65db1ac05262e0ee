/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The core by the clock: the cycle, mispredictions, splits, and loads behind stores. */
#include "harness/probe/clocked.h"
#include "harness/probe/findings.h"
#include "harness/probe/kernels.h"

void probe_clocked_cycle(struct probe_clocked *probe) {
	static const char *const keys[] = {"ticks-per-cycle", NULL};
	struct probe_batch batch;
	probe_batch_init(&batch, false, probe->batch_ns);
	if (probe_clocked_measure(probe, &batch, IFR_PROBE_CYCLE, keys)) {
		const struct probe_estimate ticks = probe_batch_ticks(&batch);
		probe_clocked_tell(probe, IFR_PROBE_CYCLE, keys[0], "ticks", &ticks, 0.1 * ticks.value,
		                   "ticks of the time stamp counter for a dependent exclusive or, which takes a cycle");
	}
	probe_batch_release(&batch);
}

/* Two loops over a branch, whose outcomes are random in one: half of those are mispredicted. A sequence that repeats
 * would be learned in part: with 65536 outcomes that come again and again, Zen 4 took 8 to 15 cycles for 17. */
void probe_clocked_penalty(struct probe_clocked *probe) {
	enum { SPACING = 64 };
	static const char *const keys[] = {"misprediction", "penalty.conditional", NULL};
	static const enum probe_random_kind never = PROBE_RANDOM_NEVER, randomly = PROBE_RANDOM_BIT;
	struct probe_batch batch;
	probe_batch_init(&batch, false, probe->batch_ns);
	probe_random_loop(probe_batch_add(&batch), &never, 1, SPACING, 0);
	probe_random_loop(probe_batch_add(&batch), &randomly, 1, SPACING, 0);
	if (probe_clocked_measure(probe, &batch, IFR_PROBE_PENALTY, keys)) {
		const struct probe_estimate twice = probe_batch_difference(&batch, 2, 2, 1, 2);
		static const char experiment[] =
			"a loop over a branch with random outcomes, less one with equal outcomes; half are mispredicted";
		/* At a tenth, two probes of a Zen 3 with other work told 17.4 and 15.1. */
		probe_clocked_tell(probe, IFR_PROBE_PENALTY, keys[0], "cycles", &twice, 0.04 * twice.value, experiment);
		probe_clocked_tell_cycles(probe, IFR_PROBE_PENALTY, keys[1], &twice, experiment);
	}
	probe_batch_release(&batch);
	probe_clocked_redirect(probe);
}

enum { LINE = 64, ALIGNED = 1, ACROSS_LINE, ACROSS_PAGE, APART, ALIAS };

void probe_clocked_memory(struct probe_clocked *probe) {
	static const char *const keys[] = {"pipeline.line_split", "pipeline.page_split", "pipeline.alias",
	                                   "pipeline.load_latency", NULL};
	struct probe_batch batch;
	probe_batch_init(&batch, false, probe->batch_ns);
	probe_chase_self(probe_batch_add(&batch), 0);
	probe_chase_self(probe_batch_add(&batch), LINE - 4);
	probe_chase_self(probe_batch_add(&batch), IFR_PAGE - 4);
	probe_store_load(probe_batch_add(&batch), 0, IFR_PAGE + LINE);
	probe_store_load(probe_batch_add(&batch), 0, IFR_PAGE);
	if (probe_clocked_measure(probe, &batch, IFR_PROBE_MEMORY, keys)) {
		const struct probe_estimate line = probe_batch_cycles(&batch, ACROSS_LINE, ALIGNED),
									page = probe_batch_cycles(&batch, ACROSS_PAGE, ALIGNED),
									alias = probe_batch_cycles(&batch, ALIAS, APART),
									load = probe_batch_cycles(&batch, ALIGNED, 0);
		probe_clocked_tell_cycles(probe, IFR_PROBE_MEMORY, keys[3], &load, "a load of a chase over one pointer");
		probe_clocked_tell_cycles(probe, IFR_PROBE_MEMORY, keys[0], &line,
		                          "a chase over one pointer across two lines, less one within a line");
		probe_clocked_tell_cycles(probe, IFR_PROBE_MEMORY, keys[1], &page,
		                          "a chase over one pointer across two pages, less one within a line");
		probe_clocked_tell_cycles(probe, IFR_PROBE_MEMORY, keys[2], &alias,
		                          "a load 4096 bytes above a store, less one a line further");
	}
	probe_batch_release(&batch);
}
