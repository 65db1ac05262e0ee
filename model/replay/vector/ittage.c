/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sixteen lanes of targets by path history: model/predictors/ittage.c, which says what it is. Targets are kept by
 * number (model/replay/ids.h). */
#include "model/replay/ids.h"
#include "model/replay/vector/path_folds.h"
#include "model/replay/vector/pick.h"

#include <stdlib.h>

#define TABLES 3
#define TAG_BITS 9
#define BATCH 8

/* An indirect branch whose history is known: where its entries stand in each table, and what tags are wanted. As
 * nothing of it depends on predictions, this is found for a batch of branches before any table is asked. */
struct asked {
	const uint32_t *target; /* its number, by lane */
	uint32_t base_at[LANES], places[TABLES][LANES], tags[TABLES][LANES];
};

/* An entry is two words: its target, and tag (plus one; 0: empty) | confidence << 16. Entry n of lane l stands at
 * n * LANES + l. */
struct ittage {
	struct path_history history;
	struct path_row *rows;
	struct ifr_ids ids[LANES];
	uint32_t *numbers; /* by block and lane: of its start */
	uint32_t base_mask, mask, pc_mask;
	uint32_t *base, *targets[TABLES], *tags[TABLES];
	struct path_fold index_folds[TABLES], tag_folds[TABLES];
	struct asked asked[BATCH];
};

enum { BASE, ENTRIES, PC_BITS, LENGTHS };

/* Folds and addresses have sixteen bits a lane. */
static bool fits(const unsigned *values) {
	return values[PC_BITS] <= 16 && values[ENTRIES] < 1u << 16 && path_lengths_fit(values + LENGTHS, TABLES);
}

static void *create(const unsigned *values) {
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
		t->tag_folds[i] = path_fold_new(&t->history, length, TAG_BITS);
	}
	/* What tables say that know nothing: address 0 has number 0. */
	for (size_t i = 0; i < LANES; i++)
		ifr_ids_of(&t->ids[i], 0);
	return t;
}

static void destroy(void *state) {
	struct ittage *t = state;
	for (size_t i = 0; i < LANES; i++)
		ifr_ids_release(&t->ids[i]);
	for (unsigned i = 0; i < TABLES; i++) {
		free(t->targets[i]);
		free(t->tags[i]);
	}
	free(t->base);
	free(t->rows);
	free(t->numbers);
	free(t);
}

static void place(void *state, const struct ifr_pass *pass, const struct bundle *bundle, size_t blocks) {
	struct ittage *t = state;
	t->rows = path_rows_place(t->rows, pass, bundle, blocks);
	t->numbers = rows_grow(t->numbers, blocks, sizeof *t->numbers);
	for (size_t block = bundle->placed; block < blocks; block++)
		for (size_t i = 0; i < LANES; i++)
			t->numbers[block * LANES + i] =
				ifr_ids_of(&t->ids[i], pass->branch_layouts[lane_of(bundle, i)].blocks[block].address);
}

static inline void find_places(struct ittage *t, struct asked *asked, const struct ifr_branches *branches,
                               size_t at) {
	const __m256i leave = words_load(t->rows[branches->executions[at] >> 1].leave);
	const __m256i pc = _mm256_and_si256(leave, words_set(t->pc_mask));
	const __m256i index_pc = _mm256_xor_si256(pc, _mm256_srli_epi16(pc, 9));
	const __m256i tag_pc = _mm256_xor_si256(pc, _mm256_srli_epi16(pc, 7));
	const struct path_now now = path_history_now(&t->history);
	asked->target = t->numbers + (size_t)branches->next[at] * LANES;
	vec_store(asked->base_at, vec_or(vec_left(vec_and(vec_wide(pc), vec_set(t->base_mask)), 4), vec_lanes()));
	for (unsigned i = 0; i < TABLES; i++) {
		const vec index = vec_wide(_mm256_xor_si256(index_pc, path_fold(&t->history, &t->index_folds[i], &now)));
		const vec tag = vec_wide(_mm256_xor_si256(tag_pc, path_fold(&t->history, &t->tag_folds[i], &now)));
		vec_store(asked->places[i], vec_or(vec_left(vec_and(index, vec_set(t->mask)), 4), vec_lanes()));
		vec_store(asked->tags[i], vec_add(vec_and(tag, vec_set((1u << TAG_BITS) - 1)), vec_set(1)));
	}
}

struct said {
	vec target, base;
	vec word, at, table; /* of the provider: tag and confidence */
	vec_mask found;      /* there is one; elsewhere the base says */
};

static inline void ask(const struct ittage *t, const struct asked *asked, struct said *said, unsigned table) {
	const vec word = vec_pick(t->tags[table], asked->places[table]);
	const vec_mask hit = vec_equal(vec_and(word, vec_set(0xffff)), vec_load(asked->tags[table]));
	if (!mask_bits(hit))
		return;
	said->target = vec_select(hit, vec_pick(t->targets[table], asked->places[table]), said->target);
	said->found = mask_or(said->found, hit);
	said->word = vec_select(hit, word, said->word);
	said->at = vec_select(hit, vec_load(asked->places[table]), said->at);
	said->table = vec_select(hit, vec_set(table), said->table);
}

static inline void predict(const struct ittage *t, const struct asked *asked, struct said *said) {
	said->table = vec_set(UINT32_MAX);
	said->found = vec_equal(vec_set(0), vec_set(1));
	said->word = said->at = vec_set(0);
	said->target = said->base = vec_pick(t->base, asked->base_at);
	for (unsigned i = 0; i < TABLES; i++)
		ask(t, asked, said, i);
}

/* A longer table takes the target if its entry is not believed; else that is believed less. */
static void allocate(struct ittage *t, const struct asked *asked, unsigned lane, uint32_t first) {
	for (unsigned i = first; i < TABLES; i++) {
		const uint32_t at = asked->places[i][lane];
		if (!(t->tags[i][at] >> 16)) {
			t->tags[i][at] = asked->tags[i][lane];
			t->targets[i][at] = asked->target[lane];
			return;
		}
		t->tags[i][at] -= 1u << 16;
	}
}

static void allocate_all(struct ittage *t, const struct asked *asked, unsigned bits, vec providers) {
	uint32_t tables[LANES];
	vec_store(tables, providers);
	for (; bits; bits &= bits - 1) {
		const unsigned lane = (unsigned)__builtin_ctz(bits);
		allocate(t, asked, lane, tables[lane] + 1);
	}
}

static inline void train_provider(struct ittage *t, const struct said *said, vec target, vec_mask right) {
	const vec confidence = vec_right(said->word, 16), none = vec_set(0);
	const vec_mask up = mask_but(mask_and(said->found, right), vec_equal(confidence, vec_set(3)));
	const vec_mask wrong = mask_but(said->found, right);
	const vec_mask taken_over = mask_and(wrong, vec_equal(confidence, none));
	const vec_mask down = mask_but(wrong, taken_over);
	const vec word = vec_sub(vec_add(said->word, vec_select(up, vec_set(1u << 16), none)),
	                         vec_select(down, vec_set(1u << 16), none));
	if (!mask_bits(mask_or(up, wrong)))
		return;
	for (unsigned i = 0; i < TABLES; i++) {
		const vec_mask here = vec_equal(said->table, vec_set(i));
		vec_scatter(t->tags[i], mask_and(here, mask_or(up, down)), said->at, word);
		vec_scatter(t->targets[i], mask_and(here, taken_over), said->at, target);
	}
}

static inline unsigned train(struct ittage *t, const struct asked *asked, const struct said *said) {
	const vec target = vec_load(asked->target);
	const vec_mask right = vec_equal(said->target, target);
	const unsigned wrong = ~mask_bits(right) & 0xffff;
	vec_scatter(t->base, mask_but(vec_equal(target, target), vec_equal(said->base, target)),
	            vec_load(asked->base_at), target);
	train_provider(t, said, target, right);
	if (wrong)
		allocate_all(t, asked, wrong, said->table);
	return wrong;
}

/* Pushes what folds at a branch depend on of those between the last pushed and it. Returns the next to push. */
static size_t track(struct ittage *t, const struct ifr_branches *branches, size_t tracked, size_t to) {
	if (to - tracked > t->history.reach)
		tracked = to - t->history.reach;
	for (; tracked < to; tracked++)
		path_history_push(&t->history,
		                  path_footprint(t->rows, branches->executions[tracked] >> 1, branches->next[tracked]));
	return to;
}

/* Finds places for at most BATCH indirect branches from first on. Returns where to go on. */
static size_t prepare(struct ittage *t, const struct ifr_branches *branches, const uint8_t *kinds, size_t first,
                      size_t *count) {
	size_t i = first, tracked = first;
	for (*count = 0; i < branches->count && *count < BATCH; i++)
		if (ifr_branch_is_indirect(kinds[branches->executions[i] >> 1])) {
			tracked = track(t, branches, tracked, i);
			find_places(t, &t->asked[(*count)++], branches, i);
		}
	track(t, branches, tracked, i);
	return i;
}

static void run(void *state, const struct ifr_branches *branches, const uint8_t *kinds, uint64_t *misses) {
	struct ittage *t = state;
	for (size_t at = 0, count; at < branches->count;) {
		at = prepare(t, branches, kinds, at, &count);
		for (size_t i = 0; i < count; i++) {
			struct said said;
			predict(t, &t->asked[i], &said);
			for (unsigned wrong = train(t, &t->asked[i], &said); wrong; wrong &= wrong - 1)
				misses[__builtin_ctz(wrong)]++;
		}
	}
}

const struct bundle_predictor IFR_VECTOR(ittage) = {"ittage", fits, create, place, run, destroy};
