/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ITTAGE of sixteen lanes. model/predictors/ittage.c defines it; this file gives the same predictions.
 *
 * Problem: sixteen lanes have sixteen path histories, three tables each, and 64-bit targets.
 * Idea: targets are compared only for equality, so each lane numbers its targets (common/table.h) and 32 bits
 * hold one. The trace says every outcome, so that indices and tags depend on no prediction: they are computed for
 * LOOKAHEAD branches before any table is read, and the loads of these branches overlap. A fold depends on the last
 * pushes only, so that pushes between two indirect branches are left out but for the last history.reach.
 * Invariant: lookups hold the indices of the state before their branch; tables are read and trained in program
 * order.
 * Loads of sixteen lanes: gather.h. */
#include "common/table.h"
#include "model/replay/vector/path_folds.h"
#include "model/replay/vector/gather.h"

#include <stdlib.h>

#define TABLES 3
#define TAG_BITS 9
#define LOOKAHEAD 8

/* An indirect branch whose history is known: the entry's index in each table, and the tag to find there. */
struct lookup {
	const uint32_t *target; /* target id, by lane */
	uint32_t base_at[LANES], indices[TABLES][LANES], tags[TABLES][LANES];
};

/* An entry is two words: target id, and tag (plus one; 0: empty) | confidence << 16. Entry n of lane l is at n *
 * LANES + l. */
struct ittage {
	struct path_history history;
	struct path_row *rows;
	struct ifr_table ids[LANES]; /* target ids by address */
	uint32_t *target_ids;        /* by block and lane: target id of the block's address */
	uint32_t base_mask, mask, pc_mask;
	uint32_t *base, *targets[TABLES], *tags[TABLES];
	struct path_fold index_folds[TABLES], tag_folds[2][TABLES];
	struct lookup lookup[LOOKAHEAD];
};

enum { BASE, ENTRIES, PC_BITS, LENGTHS };

/* Folds and addresses must fit sixteen bits. */
static bool fits_ittage(const unsigned *values) {
	return values[PC_BITS] <= 16 && values[ENTRIES] < 1u << 16 && path_lengths_fit(values + LENGTHS, TABLES);
}

static void *create_ittage(const unsigned *values) {
	struct ittage *t = ifr_alloc(sizeof *t);
	t->base_mask = values[BASE] - 1;
	t->mask = values[ENTRIES] - 1;
	t->pc_mask = (1u << values[PC_BITS]) - 1;
	t->base = ifr_alloc((size_t)values[BASE] * LANES * sizeof *t->base);
	for (unsigned i = 0; i < TABLES; i++) {
		const unsigned length = values[LENGTHS + i];
		t->targets[i] = ifr_alloc((size_t)values[ENTRIES] * LANES * sizeof *t->targets[i]);
		t->tags[i] = ifr_alloc((size_t)values[ENTRIES] * LANES * sizeof *t->tags[i]);
		t->index_folds[i] = path_fold_new(&t->history, length, ifr_log2_of(values[ENTRIES]));
		t->tag_folds[0][i] = path_fold_new(&t->history, length, TAG_BITS);
		t->tag_folds[1][i] = path_fold_new(&t->history, length, TAG_BITS - 1);
	}
	/* An empty entry predicts address 0, which gets target id 0. */
	for (size_t i = 0; i < LANES; i++)
		ifr_table_number(&t->ids[i], 0);
	return t;
}

static void destroy_ittage(void *state) {
	struct ittage *t = state;
	for (size_t i = 0; i < LANES; i++)
		ifr_table_release(&t->ids[i]);
	for (unsigned i = 0; i < TABLES; i++) {
		free(t->targets[i]);
		free(t->tags[i]);
	}
	free(t->base);
	free(t->rows);
	free(t->target_ids);
	free(t);
}

static void add_blocks_ittage(void *state, const struct ifr_pass *pass, const struct vector_group *vector_group,
                              size_t blocks) {
	struct ittage *t = state;
	t->rows = path_rows_grow(t->rows, pass, vector_group, blocks);
	t->target_ids = block_rows_grow(t->target_ids, blocks, sizeof *t->target_ids);
	for (size_t block = vector_group->blocks_count; block < blocks; block++)
		for (size_t i = 0; i < LANES; i++)
			t->target_ids[block * LANES + i] = ifr_table_number(
				&t->ids[i], pass->branch_layouts[group_lane(vector_group, i)].blocks[block].address);
}

static inline void compute_indices(struct ittage *t, struct lookup *lookup, const struct ifr_branches *branches,
                                   size_t at) {
	const __m256i leave = words_load(t->rows[branches->executions[at] >> 1].leave);
	const __m256i pc = _mm256_and_si256(leave, words_set(t->pc_mask));
	const __m256i index_pc = _mm256_xor_si256(pc, _mm256_srli_epi16(pc, 9));
	const __m256i tag_pc = _mm256_xor_si256(pc, _mm256_srli_epi16(pc, 7));
	const struct path_sums_now now = path_history_sums(&t->history);
	lookup->target = t->target_ids + (size_t)branches->next[at] * LANES;
	vec_store(lookup->base_at, vec_or(vec_left(vec_and(vec_widen(pc), vec_set(t->base_mask)), 4), vec_lanes()));
	for (unsigned i = 0; i < TABLES; i++) {
		const vec index = vec_widen(_mm256_xor_si256(index_pc, path_fold(&t->history, &t->index_folds[i], &now)));
		const __m256i tag_fold = path_fold(&t->history, &t->tag_folds[0][i], &now),
					  tag_fold2 = path_fold(&t->history, &t->tag_folds[1][i], &now);
		const __m256i folded = _mm256_xor_si256(tag_fold, _mm256_slli_epi16(tag_fold2, 1));
		const vec tag = vec_widen(_mm256_xor_si256(tag_pc, folded));
		vec_store(lookup->indices[i], vec_or(vec_left(vec_and(index, vec_set(t->mask)), 4), vec_lanes()));
		vec_store(lookup->tags[i], vec_add(vec_and(tag, vec_set((1u << TAG_BITS) - 1)), vec_set(1)));
	}
}

struct prediction {
	vec target, base;
	vec word, at, table; /* provider's: tag and confidence */
	vec_mask found;      /* lanes with a provider; the others use the base */
};

static inline void probe_table(const struct ittage *t, const struct lookup *lookup, struct prediction *prediction,
                               unsigned table) {
	const vec word = vec_load_at(t->tags[table], lookup->indices[table]);
	const vec_mask hit = vec_equal(vec_and(word, vec_set(0xffff)), vec_load(lookup->tags[table]));
	prediction->target =
		vec_select(hit, vec_load_at(t->targets[table], lookup->indices[table]), prediction->target);
	prediction->found = mask_or(prediction->found, hit);
	prediction->word = vec_select(hit, word, prediction->word);
	prediction->at = vec_select(hit, vec_load(lookup->indices[table]), prediction->at);
	prediction->table = vec_select(hit, vec_set(table), prediction->table);
}

static inline void predict_branch(const struct ittage *t, const struct lookup *lookup,
                                  struct prediction *prediction) {
	prediction->table = vec_set(UINT32_MAX);
	prediction->found = vec_equal(vec_set(0), vec_set(1));
	prediction->word = prediction->at = vec_set(0);
	prediction->target = prediction->base = vec_load_at(t->base, lookup->base_at);
	for (unsigned i = 0; i < TABLES; i++)
		probe_table(t, lookup, prediction, i);
}

/* Stores the target, as the scalar engine does, in the first longer table whose entry has no confidence. */
static void allocate_entry(struct ittage *t, const struct lookup *lookup, unsigned lane, uint32_t first) {
	for (unsigned i = first; i < TABLES; i++) {
		const uint32_t at = lookup->indices[i][lane];
		if (!(t->tags[i][at] >> 16)) {
			t->tags[i][at] = lookup->tags[i][lane] | 1u << 16;
			t->targets[i][at] = lookup->target[lane];
			return;
		}
		t->tags[i][at] -= 1u << 16;
	}
}

static void allocate_entries(struct ittage *t, const struct lookup *lookup, unsigned bits, vec providers) {
	uint32_t tables[LANES];
	vec_store(tables, providers);
	for (; bits; bits &= bits - 1) {
		const unsigned lane = (unsigned)__builtin_ctz(bits);
		allocate_entry(t, lookup, lane, tables[lane] + 1);
	}
}

static inline void train_provider(struct ittage *t, const struct prediction *prediction, vec target,
                                  vec_mask right) {
	const vec confidence = vec_right(prediction->word, 16), none = vec_set(0);
	const vec_mask up = mask_without(mask_and(prediction->found, right), vec_equal(confidence, vec_set(3)));
	const vec_mask wrong = mask_without(prediction->found, right);
	const vec_mask taken_over = mask_and(wrong, vec_equal(confidence, none));
	const vec_mask down = mask_without(wrong, taken_over);
	const vec word = vec_sub(vec_add(prediction->word, vec_select(up, vec_set(1u << 16), none)),
	                         vec_select(down, vec_set(1u << 16), none));
	for (unsigned i = 0; i < TABLES; i++) {
		const vec_mask here = vec_equal(prediction->table, vec_set(i));
		vec_scatter(t->tags[i], mask_and(here, mask_or(up, down)), prediction->at, word);
		vec_scatter(t->targets[i], mask_and(here, taken_over), prediction->at, target);
	}
}

static inline unsigned train_branch(struct ittage *t, const struct lookup *lookup,
                                    const struct prediction *prediction) {
	const vec target = vec_load(lookup->target);
	const vec_mask right = vec_equal(prediction->target, target);
	const unsigned wrong = ~mask_bits(right) & 0xffff;
	vec_scatter(t->base, mask_without(vec_equal(target, target), vec_equal(prediction->base, target)),
	            vec_load(lookup->base_at), target);
	train_provider(t, prediction, target, right);
	if (wrong)
		allocate_entries(t, lookup, wrong, prediction->table);
	return wrong;
}

/* Pushes the branches from tracked up to to, or the last of them on which folds depend. Returns the next branch to
 * push. */
static size_t push_path(struct ittage *t, const struct ifr_branches *branches, size_t tracked, size_t to) {
	if (to - tracked > t->history.reach)
		tracked = to - t->history.reach;
	for (; tracked < to; tracked++)
		path_history_push(&t->history,
		                  path_footprint(t->rows, branches->executions[tracked] >> 1, branches->next[tracked]));
	return to;
}

/* Computes the lookups of at most LOOKAHEAD indirect branches from first on. Returns the branch to go on with. */
static size_t prepare_lookups(struct ittage *t, const struct ifr_branches *branches, const uint8_t *kinds,
                              size_t first, size_t *count) {
	size_t i = first, tracked = first;
	for (*count = 0; i < branches->count && *count < LOOKAHEAD; i++)
		if (ifr_branch_is_indirect(kinds[branches->executions[i] >> 1])) {
			tracked = push_path(t, branches, tracked, i);
			compute_indices(t, &t->lookup[(*count)++], branches, i);
		}
	push_path(t, branches, tracked, i);
	return i;
}

static void run_ittage(void *state, const struct ifr_branches *branches, const uint8_t *kinds, uint64_t *misses,
                       struct vector_notes *notes) {
	struct ittage *t = state;
	for (size_t at = 0, count; at < branches->count;) {
		at = prepare_lookups(t, branches, kinds, at, &count);
		for (size_t i = 0; i < count; i++) {
			struct prediction prediction;
			predict_branch(t, &t->lookup[i], &prediction);
			const unsigned wrong = train_branch(t, &t->lookup[i], &prediction);
			for (unsigned rest = wrong; rest; rest &= rest - 1)
				misses[__builtin_ctz(rest)]++;
			if (notes)
				vector_note(notes, wrong);
		}
	}
}

const struct group_predictor IFR_VECTOR(ittage) = {"ittage",          fits_ittage, create_ittage,
                                                   add_blocks_ittage, run_ittage,  destroy_ittage};
