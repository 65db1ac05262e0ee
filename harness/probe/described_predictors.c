/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of a described machine's predictors beside its histories of outcomes: a loop predictor, and how far the
 * predictor of indirect branches sees. */
#include "harness/probe/described.h"
#include "harness/probe/findings.h"

#include <stdlib.h>

#include "common/random.h"

static uint8_t *draw_bits(uint64_t seed, size_t rounds) {
	uint8_t *bits = ifr_alloc(rounds);
	for (size_t i = 0; i < rounds; i++)
		bits[i] = ifr_siphash(seed, 6, &i, sizeof i) & 1;
	return bits;
}

/* --- loop predictor ---------------------------------------------------------------------------------------------- */

/* The end of a loop of so many trips that no history holds one: a loop predictor counts them. (Random outcomes in the
 * loop would hide shorter ones, too, but trust in a loop predictor is lost by those that seem to be loops.) */
void probe_described_loops(struct probe_described *probe) {
	enum { TRIPS = 1024, LOOPS = 4, SPACING = 17 };
	static const char key[] = "loop-predictor", setting[] = "direction.loop",
					  experiment[] =
						  "the end of a loop of 1024 trips, which no history holds, is predicted or not";
	uint8_t *outcomes = ifr_alloc((size_t)TRIPS * LOOPS);
	for (size_t i = 0; i < (size_t)TRIPS * LOOPS; i++)
		outcomes[i] = (i + 1) % TRIPS != 0;
	struct probe_kernel kernel;
	probe_kernel_init(&kernel, 0);
	probe_pattern_loop(&kernel, &(struct probe_item){.outcomes = outcomes}, 1, (size_t)TRIPS * LOOPS, SPACING, 0);
	free(outcomes);
	const double missed = probe_modelled_rate(&probe->model, &kernel, IFR_EVENT_CONDITIONAL_MISSES) * TRIPS;
	if (missed > 0.3 && missed < 0.7) {
		probe_tell_nothing(probe->result, IFR_PROBE_HISTORY, key, "%.2g of the ends of loops are mispredicted",
		                   missed);
		return;
	}
	probe_tell_word(probe->result, IFR_PROBE_HISTORY, key, missed < 0.5 ? "yes" : "no", experiment);
	if (probe_has_parameter(probe->model.machine->direction->parameters, "loop"))
		probe_tell(probe->result, IFR_PROBE_HISTORY, setting, "", missed < 0.5, "%s", experiment);
}

/* --- indirect branches ------------------------------------------------------------------------------------------- */

/* Whether an indirect jump to one of two targets follows the outcome of a branch with so many jumps between. */
static bool follows(struct probe_described *probe, const uint8_t *random, size_t rounds, unsigned between) {
	double missed[2];
	for (unsigned equal = 0; equal < 2; equal++) {
		struct ifr_machine alone = *probe->model.machine;
		struct probe_modelled model = {.machine = &alone, .source = probe->model.source};
		struct probe_kernel kernel;
		alone.direction = ifr_predictor_find("perfect");
		probe_kernel_init(&kernel, 0);
		probe_indirect_loop(&kernel, &(struct probe_indirect){.targets = 2,
		                                                      .between = between,
		                                                      .which = {random, equal ? random : NULL},
		                                                      .rounds = rounds,
		                                                      .begins_conditional = true});
		missed[equal] = probe_modelled_rate(&model, &kernel, IFR_EVENT_INDIRECT_MISSES);
		if (!probe->model.err.code)
			probe->model.err = model.err;
	}
	return missed[1] - missed[0] < 0.25;
}

void probe_described_targets(struct probe_described *probe) {
	enum { ROUNDS = 509, FARTHEST = 512, AROUND = 3 };
	static const char key[] = "correlation-indirect", setting[] = "indirect.length3",
					  experiment[] =
						  "distance of a branch with random outcomes and an indirect jump that follows them, "
						  "with jumps between";
	uint8_t *random = draw_bits(probe->seed, ROUNDS);
	unsigned low = 0, high = 1; /* jumps between, plus one; low is predicted */
	while (high <= FARTHEST && follows(probe, random, ROUNDS, high - 1)) {
		low = high;
		high *= 2;
	}
	while (low + 1 < high && low < FARTHEST) {
		const unsigned middle = low + (high - low) / 2;
		if (follows(probe, random, ROUNDS, middle - 1))
			low = middle;
		else
			high = middle;
	}
	/* A table without tags may have both targets by chance. */
	bool is_edge = low < FARTHEST;
	for (unsigned i = 1; i <= AROUND && is_edge; i++)
		is_edge =
			!follows(probe, random, ROUNDS, low + i - 1) && (low < i || follows(probe, random, ROUNDS, low - i));
	free(random);
	if (!is_edge) {
		probe_tell_nothing(probe->result, IFR_PROBE_HISTORY, key,
		                   "no distance to %d up to which the jump is predicted, and above not", FARTHEST);
		return;
	}
	probe_tell(probe->result, IFR_PROBE_HISTORY, key, "branches", low, "%s", experiment);
	/* Ref: Li, Yavarzadeh and Tullsen 2024, Indirector: two bits of path history for each taken branch. */
	if (low && probe_has_parameter(probe->model.machine->indirect->parameters, "length3"))
		probe_tell(probe->result, IFR_PROBE_HISTORY, setting, "bits", 2 * low, "%s: two bits for each",
		           experiment);
}
