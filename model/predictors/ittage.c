/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ITTAGE: targets in tagged tables, indexed by ever longer parts of the path of taken branches, over a table of
 * last targets.
 * Ref: Seznec 2011, "A 64-Kbytes ITTAGE indirect branch predictor"; Li, Yavarzadeh and Tullsen 2024, "Indirector",
 * for Intel's path history (path_history.h) and three tables of 512 entries (2 ways there, 1 here). */
#include "model/predictors/run.h"

#include <stdlib.h>

#include "common/buffer.h"
#include "model/memory/power.h"

#include "model/predictors/path_history.h"

#define TABLES 3
#define TAG_BITS 9

struct entry {
	uint64_t target;
	uint16_t tag;       /* plus one; 0: empty */
	uint8_t confidence; /* 0 to 3 */
};

struct ittage {
	struct ifr_path history;
	uint32_t base_mask, mask, pc_mask;
	uint64_t *base;
	struct entry *entries[TABLES];
	unsigned lengths[TABLES];
	/* A tag has two folds of the history: one alone, as wide as the index, would say nothing that the index does not. */
	struct ifr_path_fold index_folds[TABLES], tag_folds[2][TABLES];
	/* --- state of the last prediction --- */
	struct entry *slots[TABLES];
	uint16_t tags[TABLES];
	int provider; /* -1: the base */
	uint64_t predicted;
};

enum { BASE, ENTRIES, PC_BITS, LENGTHS };

static const struct ifr_parameter parameters[] = {
	{"base", 512, 1, 1u << 20, "last targets by address, a power of two"},
	{"entries", 512, 1u << 8, 1u << 16, "of each table, a power of two (Indirector: 512)"},
	{"pc_bits", 12, 1, 32, "address bits that come into index and tag"},
	{"length1", 22, IFR_PATH_SHORTEST, IFR_PATH_LONGEST, "bits of path history of the first table"},
	{"length2", 58, IFR_PATH_SHORTEST, IFR_PATH_LONGEST, "of the second"},
	{"length3", 186, IFR_PATH_SHORTEST, IFR_PATH_LONGEST, "of the third"},
	{0},
};

static const char *refuse_ittage(const unsigned *values) {
	if (!ifr_is_power(values[BASE]) || !ifr_is_power(values[ENTRIES]))
		return "base and entries must be powers of two";
	return NULL;
}

static void *create_ittage(const unsigned *values) {
	struct ittage *t = ifr_alloc(sizeof *t);
	t->base_mask = values[BASE] - 1;
	t->mask = values[ENTRIES] - 1;
	t->pc_mask = (uint32_t)((1ull << values[PC_BITS]) - 1);
	t->base = ifr_alloc(values[BASE] * sizeof *t->base);
	for (unsigned i = 0; i < TABLES; i++) {
		const unsigned length = t->lengths[i] = values[LENGTHS + i];
		t->entries[i] = ifr_alloc(values[ENTRIES] * sizeof *t->entries[i]);
		t->index_folds[i] = ifr_path_fold_new(length, ifr_log2_of(values[ENTRIES]));
		t->tag_folds[0][i] = ifr_path_fold_new(length, TAG_BITS);
		t->tag_folds[1][i] = ifr_path_fold_new(length, TAG_BITS - 1);
	}
	return t;
}

static void destroy_ittage(void *state) {
	struct ittage *t = state;
	free(t->base);
	for (unsigned i = 0; i < TABLES; i++)
		free(t->entries[i]);
	free(t);
}

static uint64_t predict_ittage(void *state, const struct ifr_branch_instance *branch) {
	struct ittage *t = state;
	const uint32_t pc = (uint32_t)branch->pc & t->pc_mask;
	t->provider = -1;
	t->predicted = t->base[pc & t->base_mask];
	for (int i = 0; i < TABLES; i++) {
		t->slots[i] = &t->entries[i][(pc ^ pc >> 9 ^ t->index_folds[i].value) & t->mask];
		const uint32_t tag = pc ^ pc >> 7 ^ t->tag_folds[0][i].value ^ t->tag_folds[1][i].value << 1;
		t->tags[i] = (uint16_t)((tag & ((1u << TAG_BITS) - 1)) + 1);
		if (t->slots[i]->tag == t->tags[i]) {
			t->provider = i;
			t->predicted = t->slots[i]->target;
		}
	}
	return t->predicted;
}

/* Stores the target in the first longer table whose entry has no confidence; lowers the confidence of entries on
 * the way. A new entry has confidence for one such visit: else two paths that share an entry could take it from one
 * another for ever. */
static void allocate_entry(struct ittage *t, uint64_t target) {
	for (int i = t->provider + 1; i < TABLES; i++) {
		if (!t->slots[i]->confidence) {
			*t->slots[i] = (struct entry){target, t->tags[i], 1};
			return;
		}
		t->slots[i]->confidence--;
	}
}

static void train_ittage(void *state, const struct ifr_branch_instance *branch) {
	struct ittage *t = state;
	const uint64_t target = branch->target;
	t->base[branch->pc & t->pc_mask & t->base_mask] = target;
	if (t->provider >= 0) {
		struct entry *entry = t->slots[t->provider];
		if (entry->target == target)
			entry->confidence += entry->confidence < 3;
		else if (entry->confidence)
			entry->confidence--;
		else
			entry->target = target;
	}
	if (t->predicted != target)
		allocate_entry(t, target);
}

static void track_ittage(void *state, const struct ifr_branch_instance *branch) {
	struct ittage *t = state;
	const uint32_t footprint = ifr_path_footprint(branch->pc, branch->target);
	for (unsigned i = 0; i < TABLES; i++) {
		const uint32_t leaving = ifr_path_leaving(&t->history, t->lengths[i]);
		ifr_path_fold_push(&t->index_folds[i], leaving, footprint);
		ifr_path_fold_push(&t->tag_folds[0][i], leaving, footprint);
		ifr_path_fold_push(&t->tag_folds[1][i], leaving, footprint);
	}
	ifr_path_push(&t->history, footprint);
}

static uint64_t run_ittage(void *state, const struct ifr_branches *branches,
                           const struct ifr_branch_layout *layout) {
	return ifr_target_loop(state, branches, layout, predict_ittage, train_ittage, track_ittage);
}

const struct ifr_target_predictor ifr_target_predictor_ittage = {
	.name = "ittage",
	.about = "tagged tables of path histories (Seznec 2011)",
	.parameters = parameters,
	.stream = IFR_STREAM_TAKEN,
	.create = create_ittage,
	.destroy = destroy_ittage,
	.predict = predict_ittage,
	.train = train_ittage,
	.track = track_ittage,
	.run = run_ittage,
	.refuse = refuse_ittage,
};
