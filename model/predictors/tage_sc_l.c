/* SPDX-License-Identifier: GPL-3.0-or-later */
/* TAGE-SC-L: TAGE, a loop predictor, and a statistical corrector that overrules them where branches are biased
 * against their predictions.
 * Ref: Seznec 2014, "TAGE-SC-L branch predictors", section 4 (bias, global and local components, adaptive
 * threshold); 2016, "TAGE-SC-L branch predictors again".
 *
 * Deviations: TAGE has 12 tables with histories of up to 1000 outcomes, each in a bank of its own; no IMLI
 * components; the corrector's sum alone overrules. */
#include "model/predictors/run.h"

#include <stdlib.h>

#include "common/buffer.h"
#include "model/predictors/loop.h"
#include "model/predictors/tage.h"

#define TABLE 1024
#define GLOBALS 4
#define LOCALS 3
#define LOCAL_HISTORIES 256

/* Outcomes in each component's index (Seznec 2014: three global, three local lengths). */
static const unsigned global_lengths[GLOBALS] = {6, 10, 24, 40};
static const unsigned local_lengths[LOCALS] = {3, 6, 11};

struct tage_sc_l {
	struct ifr_tage tage;
	struct ifr_loop loop;
	bool tage_taken, final; /* tage_taken: prediction of TAGE and loops; final: after the corrector */
	int8_t bias[TABLE], globals[GLOBALS][TABLE], locals[LOCALS][TABLE]; /* -32 to 31 */
	uint64_t history;                                                   /* the last outcome in bit 0 */
	uint16_t histories[LOCAL_HISTORIES];
	int sum, threshold, pressure; /* pressure: -64 to 63; the threshold moves at both ends */
	int8_t *chosen[1 + GLOBALS + LOCALS];
};

/* Histories from 4 to 1000, geometric; about 64 KiB with its tags. */
static const struct ifr_tage_shape shape = {
	.base_log = 13,
	.logs = {11, 11, 12, 12, 12, 12, 11, 11, 11, 11, 10, 10},
	.tags = {8, 8, 9, 9, 10, 11, 12, 12, 13, 13, 14, 15},
	.lengths = {4, 7, 11, 18, 30, 50, 82, 136, 223, 368, 607, 1000},
};

static const struct ifr_parameter parameters[] = {{0}};

static void *create_tage_sc_l(const unsigned *values) {
	struct tage_sc_l *t = ifr_alloc(sizeof *t);
	(void)values;
	ifr_tage_init(&t->tage, &shape);
	t->loop.trust = -1;
	t->threshold = 35;
	return t;
}

static void destroy_tage_sc_l(void *state) {
	ifr_tage_release(&((struct tage_sc_l *)state)->tage);
	free(state);
}

static uint16_t *history_of(struct tage_sc_l *t, uint32_t pc) {
	return &t->histories[(pc ^ pc >> 8) % LOCAL_HISTORIES];
}

/* Mixes address and history to an index, differently for each table. */
static unsigned index_of(uint32_t pc, uint64_t history, unsigned length, unsigned table) {
	uint64_t mixed = (history & ((1ull << length) - 1)) * 0x9e3779b97f4a7c15 ^ (uint64_t)pc * (2 * table + 3);
	mixed ^= mixed >> 32;
	return (unsigned)(mixed ^ mixed >> 16) % TABLE;
}

static void sum_weights(struct tage_sc_l *t, uint32_t pc) {
	size_t n = 0;
	t->chosen[n++] = &t->bias[(pc << 1 | t->tage_taken) % TABLE];
	for (unsigned i = 0; i < GLOBALS; i++)
		t->chosen[n++] = &t->globals[i][index_of(pc, t->history, global_lengths[i], i)];
	for (unsigned i = 0; i < LOCALS; i++)
		t->chosen[n++] = &t->locals[i][index_of(pc, *history_of(t, pc), local_lengths[i], i)];
	t->sum = 0;
	for (size_t i = 0; i < n; i++)
		t->sum += 2 * *t->chosen[i] + 1;
	/* TAGE's own prediction counts, more if its entry is not new. */
	t->sum += (t->tage_taken ? 1 : -1) * (t->tage.weak ? 4 : 8);
}

static bool predict_tage_sc_l(void *state, const struct ifr_branch_instance *branch) {
	struct tage_sc_l *t = state;
	const uint32_t pc = branch->pc & ((1u << IFR_TAGE_PC_BITS) - 1);
	t->tage_taken = ifr_tage_predict(&t->tage, branch->pc);
	if (ifr_loop_predict(&t->loop, branch->pc) && t->loop.trust >= 0)
		t->tage_taken = t->loop.taken;
	sum_weights(t, pc);
	t->final = abs(t->sum) >= t->threshold ? t->sum >= 0 : t->tage_taken;
	return t->final;
}

/* The threshold rises when overruling does harm and falls when it helps (Seznec 2014, section 4.2). */
static void train_corrector(struct tage_sc_l *t, bool taken) {
	const bool corrected = t->sum >= 0;
	if (corrected != t->tage_taken) {
		t->pressure += corrected == taken ? -1 : 1;
		if (t->pressure == 63 || t->pressure == -64) {
			t->threshold += t->pressure > 0 ? 1 : -(t->threshold > 5);
			t->pressure = 0;
		}
	}
	if (corrected == taken && abs(t->sum) >= t->threshold)
		return;
	for (size_t i = 0; i < sizeof t->chosen / sizeof *t->chosen; i++)
		*t->chosen[i] = (int8_t)ifr_counter_signed(*t->chosen[i], taken, -32, 31);
}

static void train_tage_sc_l(void *state, const struct ifr_branch_instance *branch) {
	struct tage_sc_l *t = state;
	const uint32_t pc = branch->pc & ((1u << IFR_TAGE_PC_BITS) - 1);
	train_corrector(t, branch->taken);
	ifr_loop_train(&t->loop, branch->pc, branch->taken, t->tage.taken, t->final);
	ifr_tage_train(&t->tage, branch->pc, branch->taken);
	*history_of(t, pc) = (uint16_t)(*history_of(t, pc) << 1 | branch->taken);
}

static void track_tage_sc_l(void *state, const struct ifr_branch_instance *branch) {
	struct tage_sc_l *t = state;
	ifr_tage_track(&t->tage, branch->pc, branch->taken);
	t->history = t->history << 1 | branch->taken;
}

static uint64_t run_tage_sc_l(void *state, const struct ifr_branches *branches,
                              const struct ifr_branch_layout *layout) {
	return ifr_predictor_loop(state, branches, layout, IFR_STREAM_ALL, predict_tage_sc_l, train_tage_sc_l,
	                          track_tage_sc_l);
}

const struct ifr_predictor ifr_predictor_tage_sc_l = {
	.name = "tage-sc-l",
	.about = "TAGE, loops and a statistical corrector (after Seznec 2014 and 2016)",
	.parameters = parameters,
	.stream = IFR_STREAM_ALL,
	.create = create_tage_sc_l,
	.destroy = destroy_tage_sc_l,
	.predict = predict_tage_sc_l,
	.train = train_tage_sc_l,
	.track = track_tage_sc_l,
	.run = run_tage_sc_l,
};
