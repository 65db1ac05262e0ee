/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sixteen lanes of targets by path history: model/predictors/ittage.c, which says what it is. Targets are kept by
 * number (model/replay/ids.h). */
#include "model/replay/ids.h"
#include "model/replay/vector/path_folds.h"

#include <stdlib.h>

#define TABLES 3
#define TAG_BITS 9

/* An entry is two words: its target, and tag (plus one; 0: empty) | confidence << 16. Entry n of lane l stands at
 * n * LANES + l. */
struct ittage {
	struct path_ring ring;
	struct path_row *rows;
	struct ifr_ids ids[LANES];
	uint32_t *numbers; /* by block and lane: of its start */
	unsigned lengths[TABLES];
	uint32_t base_mask, mask, pc_mask;
	uint32_t *base, *targets[TABLES], *tags[TABLES];
	struct path_fold index_folds[TABLES], tag_folds[TABLES];
};

enum { BASE, ENTRIES, PC_BITS, LENGTHS };

/* Folds and addresses have sixteen bits a lane. */
static bool fits(const unsigned *values) {
	return values[PC_BITS] <= 16 && values[ENTRIES] < 1u << 16;
}

static void *create(const unsigned *values) {
	struct ittage *t = ifr_alloc(sizeof *t);
	t->base_mask = values[BASE] - 1;
	t->mask = values[ENTRIES] - 1;
	t->pc_mask = (1u << values[PC_BITS]) - 1;
	t->base = ifr_alloc((size_t)values[BASE] * LANES * sizeof *t->base);
	for (unsigned i = 0; i < TABLES; i++) {
		const unsigned length = t->lengths[i] = values[LENGTHS + i];
		t->targets[i] = ifr_alloc((size_t)values[ENTRIES] * LANES * sizeof *t->targets[i]);
		t->tags[i] = ifr_alloc((size_t)values[ENTRIES] * LANES * sizeof *t->tags[i]);
		t->index_folds[i] = path_fold_new(length, ifr_log2_of(values[ENTRIES]));
		t->tag_folds[i] = path_fold_new(length, TAG_BITS);
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
				ifr_ids_of(&t->ids[i], pass->places[lane_of(bundle, i)].blocks[block].address);
}

struct said {
	vec target, base, base_at;
	vec word, at, table; /* of the provider: tag and confidence */
	vec_mask found;      /* there is one; elsewhere the base says */
	vec places[TABLES], tags[TABLES];
};

static inline void ask(const struct ittage *t, struct said *said, __m256i pc, unsigned table) {
	const __m256i index =
		_mm256_xor_si256(_mm256_xor_si256(pc, _mm256_srli_epi16(pc, 9)), words_load(t->index_folds[table].value));
	const __m256i tag =
		_mm256_xor_si256(_mm256_xor_si256(pc, _mm256_srli_epi16(pc, 7)), words_load(t->tag_folds[table].value));
	said->places[table] = vec_or(vec_left(vec_and(vec_wide(index), vec_set(t->mask)), 4), vec_lanes());
	said->tags[table] = vec_add(vec_and(vec_wide(tag), vec_set((1u << TAG_BITS) - 1)), vec_set(1));
	const vec word = vec_gather(t->tags[table], said->places[table]);
	const vec_mask hit = vec_equal(vec_and(word, vec_set(0xffff)), said->tags[table]);
	if (!mask_bits(hit))
		return;
	said->target = vec_select(hit, vec_gather(t->targets[table], said->places[table]), said->target);
	said->found = mask_or(said->found, hit);
	said->word = vec_select(hit, word, said->word);
	said->at = vec_select(hit, said->places[table], said->at);
	said->table = vec_select(hit, vec_set(table), said->table);
}

static inline void predict(const struct ittage *t, __m256i leave, struct said *said) {
	const __m256i pc = _mm256_and_si256(leave, _mm256_set1_epi16((short)t->pc_mask));
	said->table = vec_set(UINT32_MAX);
	said->found = vec_equal(vec_set(0), vec_set(1));
	said->word = said->at = vec_set(0);
	said->base_at = vec_or(vec_left(vec_and(vec_wide(pc), vec_set(t->base_mask)), 4), vec_lanes());
	said->target = said->base = vec_gather(t->base, said->base_at);
	for (unsigned i = 0; i < TABLES; i++)
		ask(t, said, pc, i);
}

struct allocation {
	uint32_t places[TABLES][LANES], tags[TABLES][LANES], tables[LANES], targets[LANES];
};

/* A longer table takes the target if its entry is not believed; else that is believed less. */
static void allocate(struct ittage *t, const struct allocation *wanted, unsigned lane) {
	for (unsigned i = wanted->tables[lane] + 1; i < TABLES; i++) {
		const uint32_t at = wanted->places[i][lane];
		if (!(t->tags[i][at] >> 16)) {
			t->tags[i][at] = wanted->tags[i][lane];
			t->targets[i][at] = wanted->targets[lane];
			return;
		}
		t->tags[i][at] -= 1u << 16;
	}
}

static void allocate_all(struct ittage *t, const struct said *said, vec target, unsigned bits) {
	struct allocation wanted;
	for (unsigned i = 0; i < TABLES; i++) {
		vec_store(wanted.places[i], said->places[i]);
		vec_store(wanted.tags[i], said->tags[i]);
	}
	vec_store(wanted.tables, said->table);
	vec_store(wanted.targets, target);
	for (; bits; bits &= bits - 1)
		allocate(t, &wanted, (unsigned)__builtin_ctz(bits));
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

static inline unsigned train(struct ittage *t, const struct said *said, vec target) {
	const vec_mask right = vec_equal(said->target, target);
	const unsigned wrong = ~mask_bits(right) & 0xffff;
	vec_scatter(t->base, mask_but(vec_equal(target, target), vec_equal(said->base, target)), said->base_at,
	            target);
	train_provider(t, said, target, right);
	if (wrong)
		allocate_all(t, said, target, wrong);
	return wrong;
}

static inline void track(struct ittage *t, __m256i footprint) {
	for (unsigned i = 0; i < TABLES; i++) {
		const __m256i oldest = path_oldest(&t->ring, t->lengths[i]);
		path_fold_push(&t->index_folds[i], footprint, oldest);
		path_fold_push(&t->tag_folds[i], footprint, oldest);
	}
	path_ring_push(&t->ring, footprint);
}

static void run(void *state, const struct ifr_branches *branches, const uint8_t *kinds, uint64_t *misses) {
	struct ittage *t = state;
	for (size_t i = 0; i < branches->count; i++) {
		const uint32_t block = branches->steps[i] >> 1, next = branches->next[i];
		if (ifr_branch_is_indirect(kinds[block])) {
			struct said said;
			predict(t, words_load(t->rows[block].leave), &said);
			for (unsigned wrong = train(t, &said, vec_load(t->numbers + (size_t)next * LANES)); wrong;
			     wrong &= wrong - 1)
				misses[__builtin_ctz(wrong)]++;
		}
		track(t, path_footprint(t->rows, block, next));
	}
}

const struct bundle_predictor IFR_VECTOR(ittage) = {"ittage", fits, create, place, run, destroy};
