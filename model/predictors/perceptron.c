/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Perceptron: a weight for each outcome of the history.
 * Ref: Jiménez and Lin 2001, "Dynamic branch prediction with perceptrons", section 3; table 1: 28 outcomes for 4
 * KiB; section 4.3: threshold floor(1.93 h + 14) and 8-bit weights. */
#include "model/predictors/run.h"

#include <stdlib.h>

#include "common/buffer.h"
#include "model/memory/power.h"

struct perceptron {
	uint64_t history; /* bit 1: taken; the last outcome in bit 0 */
	unsigned rows_mask, length;
	int threshold, sum;
	int8_t *weights; /* by row: the bias, then one weight an outcome */
};

enum { ROWS, HISTORY };

static const struct ifr_parameter parameters[] = {
	{"rows", 128, 1, 1u << 20, "perceptrons, a power of two, by the branch's low bits"},
	{"history", 28, 1, 62, "outcomes (Jiménez and Lin 2001, table 1, for 4 KiB)"},
	{0},
};

static const char *refuse_perceptron(const unsigned *values) {
	return ifr_is_power(values[ROWS]) ? NULL : "rows is not a power of two";
}

/* Takes the best history of table 1, and as many rows as fit. */
static bool resize_perceptron(unsigned bytes, unsigned *values) {
	static const unsigned best[] = {12, 22, 28, 34, 36, 59, 59, 62};
	const unsigned kib = ifr_log2_of(bytes / 1024);
	values[HISTORY] = best[kib < 7 ? kib : 7];
	values[ROWS] = 1;
	while (values[ROWS] * 2 * (values[HISTORY] + 1) <= bytes)
		values[ROWS] *= 2;
	return true;
}

static void *create_perceptron(const unsigned *values) {
	struct perceptron *p = ifr_alloc(sizeof *p);
	p->rows_mask = values[ROWS] - 1;
	p->length = values[HISTORY];
	p->threshold = (int)(193 * values[HISTORY] / 100 + 14);
	p->weights = ifr_alloc((size_t)values[ROWS] * (values[HISTORY] + 1));
	return p;
}

static void destroy_perceptron(void *state) {
	free(((struct perceptron *)state)->weights);
	free(state);
}

static inline int8_t *row_of(const struct perceptron *p, uint64_t pc) {
	return p->weights + (pc & p->rows_mask) * (p->length + 1);
}

static inline bool predict_perceptron(void *state, const struct ifr_branch_instance *branch) {
	struct perceptron *p = state;
	const int8_t *weights = row_of(p, branch->pc);
	int sum = 0;
	sum += weights[0];
	for (unsigned i = 0; i < p->length; i++)
		sum += p->history >> i & 1 ? weights[i + 1] : -weights[i + 1];
	p->sum = sum;
	return sum >= 0;
}

static inline void train_perceptron(void *state, const struct ifr_branch_instance *branch) {
	struct perceptron *p = state;
	if ((p->sum >= 0) == branch->taken && abs(p->sum) > p->threshold)
		return;
	int8_t *weights = row_of(p, branch->pc);
	weights[0] = (int8_t)ifr_counter_signed(weights[0], branch->taken, -128, 127);
	for (unsigned i = 0; i < p->length; i++) {
		const bool agrees = (p->history >> i & 1) == branch->taken;
		weights[i + 1] = (int8_t)ifr_counter_signed(weights[i + 1], agrees, -128, 127);
	}
}

static inline void track_perceptron(void *state, const struct ifr_branch_instance *branch) {
	struct perceptron *p = state;
	p->history = p->history << 1 | branch->taken;
}

static uint64_t run_perceptron(void *state, const struct ifr_branches *branches,
                               const struct ifr_branch_layout *layout) {
	return ifr_predictor_loop(state, branches, layout, IFR_STREAM_CONDITIONAL, predict_perceptron,
	                          train_perceptron, track_perceptron);
}

const struct ifr_predictor ifr_predictor_perceptron = {
	.name = "perceptron",
	.about = "a weight for each outcome (Jiménez and Lin 2001)",
	.parameters = parameters,
	.stream = IFR_STREAM_CONDITIONAL,
	.create = create_perceptron,
	.destroy = destroy_perceptron,
	.predict = predict_perceptron,
	.train = train_perceptron,
	.track = track_perceptron,
	.run = run_perceptron,
	.refuse = refuse_perceptron,
	.resize = resize_perceptron,
};
