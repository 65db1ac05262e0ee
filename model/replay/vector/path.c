/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sixteen lanes of Intel's direction predictors: model/predictors/path.c, which says what it is. */
#include "model/replay/vector/path_folds.h"
#include "model/replay/vector/pick.h"

#include <stdlib.h>
#include <string.h>

#define TABLES 4
#define TAG_BITS 12
#define BATCH 8

/* A conditional branch whose history is known: where its sets start in each table, and what tags are wanted. As
 * nothing of it depends on predictions, this is found for a batch of branches before any table is asked. */
struct asked {
	uint32_t step;
	uint32_t base_index[LANES], base_at[LANES], sets[TABLES][LANES], tags[TABLES][LANES];
};

/* An entry is a word: tag (plus one; 0: empty) | counter << 16 (0 to 7, 4 and more is taken) | useful << 24. A set
 * of a lane is ways words; the sets of the lanes lie side by side. */
struct path {
	struct path_ring ring;
	struct path_row *rows;
	unsigned tables, ways, lengths[TABLES];
	uint32_t sets_mask, pc_mask, base_mask;
	uint32_t *base; /* as in counters.c */
	uint32_t *entries[TABLES];
	struct path_fold index_folds[TABLES], tag_folds[2][TABLES];
	struct asked asked[BATCH];
};

enum { BASE, SETS, WAYS, PC_BITS, LENGTHS };

/* Folds and addresses have sixteen bits a lane. */
static bool fits(const unsigned *values) {
	return values[PC_BITS] <= 16 && values[SETS] < 1u << 16;
}

static void *create(const unsigned *values) {
	struct path *p = ifr_alloc(sizeof *p);
	p->tables = values[LENGTHS + 3] ? 4 : 3;
	p->ways = values[WAYS];
	p->sets_mask = values[SETS] - 1;
	p->base_mask = values[BASE] - 1;
	p->pc_mask = (1u << values[PC_BITS]) - 1;
	const size_t base_words = ((size_t)values[BASE] + 15) / 16 * LANES;
	p->base = ifr_alloc(base_words * sizeof *p->base);
	memset(p->base, 0x55, base_words * sizeof *p->base);
	for (unsigned i = 0; i < p->tables; i++) {
		const unsigned length = p->lengths[i] = values[LENGTHS + i];
		p->entries[i] = ifr_alloc((size_t)values[SETS] * values[WAYS] * LANES * sizeof *p->entries[i]);
		p->index_folds[i] = path_fold_new(length, ifr_log2_of(values[SETS]));
		p->tag_folds[0][i] = path_fold_new(length, TAG_BITS);
		p->tag_folds[1][i] = path_fold_new(length, TAG_BITS - 1);
	}
	return p;
}

static void destroy(void *state) {
	struct path *p = state;
	free(p->rows);
	free(p->base);
	for (unsigned i = 0; i < p->tables; i++)
		free(p->entries[i]);
	free(p);
}

static void place(void *state, const struct ifr_pass *pass, const struct bundle *bundle, size_t blocks) {
	struct path *p = state;
	p->rows = path_rows_place(p->rows, pass, bundle, blocks);
}

/* What is said, one number a lane: whether taken, as 0 or 1. */
struct said {
	vec taken, alternate;
	vec word, at, table; /* of the provider */
	vec_mask found;      /* there is one; elsewhere the base says */
	vec base_word, base_at, base_shift;
};

static inline void find_sets(const struct path *p, struct asked *asked, __m256i pc, unsigned table) {
	const __m256i set =
		_mm256_xor_si256(_mm256_xor_si256(pc, _mm256_srli_epi16(pc, 9)), words_load(p->index_folds[table].value));
	const __m256i tag = _mm256_xor_si256(_mm256_xor_si256(_mm256_xor_si256(pc, _mm256_srli_epi16(pc, TAG_BITS)),
	                                                      words_load(p->tag_folds[0][table].value)),
	                                     _mm256_slli_epi16(words_load(p->tag_folds[1][table].value), 1));
	const vec place = vec_or(vec_left(vec_and(vec_wide(set), vec_set(p->sets_mask)), 4), vec_lanes());
	vec_store(asked->sets[table], p->ways == 4 ? vec_left(place, 2) : vec_times(place, vec_set(p->ways)));
	vec_store(asked->tags[table], vec_add(vec_and(vec_wide(tag), vec_set((1u << TAG_BITS) - 1)), vec_set(1)));
}

static inline void find_places(const struct path *p, struct asked *asked, uint32_t step) {
	const __m256i leave = words_load(p->rows[step >> 1].leave);
	const __m256i pc = _mm256_and_si256(leave, _mm256_set1_epi16((short)p->pc_mask));
	const vec index = vec_and(vec_wide(pc), vec_set(p->base_mask));
	asked->step = step;
	vec_store(asked->base_index, index);
	vec_store(asked->base_at, vec_or(vec_and(index, vec_set(~15u)), vec_lanes()));
	for (unsigned i = 0; i < p->tables; i++)
		find_sets(p, asked, pc, i);
}

static inline void ask_way(const struct asked *asked, struct said *said, unsigned table, unsigned way, vec word,
                           vec before) {
	const vec_mask hit = vec_equal(vec_and(word, vec_set(0xffff)), vec_load(asked->tags[table]));
	said->found = mask_or(said->found, hit);
	said->alternate = vec_select(hit, before, said->alternate);
	said->taken = vec_select(hit, vec_and(vec_right(word, 18), vec_set(1)), said->taken);
	said->word = vec_select(hit, word, said->word);
	said->at = vec_select(hit, vec_add(vec_load(asked->sets[table]), vec_set(way)), said->at);
	said->table = vec_select(hit, vec_set(table), said->table);
}

static inline void ask(const struct path *p, const struct asked *asked, struct said *said, unsigned table) {
	const vec before = said->taken;
	if (p->ways == 4) {
		vec words[4];
		vec_pick4(p->entries[table], asked->sets[table], words);
		for (unsigned way = 0; way < 4; way++)
			ask_way(asked, said, table, way, words[way], before);
		return;
	}
	for (unsigned way = 0; way < p->ways; way++)
		ask_way(asked, said, table, way, vec_pick(p->entries[table] + way, asked->sets[table]), before);
}

static inline void predict(const struct path *p, const struct asked *asked, struct said *said) {
	said->table = vec_set(UINT32_MAX);
	said->found = vec_equal(vec_set(0), vec_set(1));
	said->word = said->at = vec_set(0);
	said->base_at = vec_load(asked->base_at);
	said->base_shift = vec_left(vec_and(vec_load(asked->base_index), vec_set(15)), 1);
	said->base_word = vec_pick(p->base, asked->base_at);
	said->taken = vec_and(vec_right(vec_right_each(said->base_word, said->base_shift), 1), vec_set(1));
	said->alternate = said->taken;
	for (unsigned i = 0; i < p->tables; i++)
		ask(p, asked, said, i);
}

/* In the first longer table with a way that is not useful; where there is none, all become less so. */
static void allocate(struct path *p, const struct asked *asked, unsigned lane, uint32_t first) {
	for (unsigned i = first; i < p->tables; i++)
		for (unsigned way = 0; way < p->ways; way++)
			if (!(p->entries[i][asked->sets[i][lane] + way] >> 24)) {
				p->entries[i][asked->sets[i][lane] + way] = asked->tags[i][lane] | (asked->step & 1 ? 4u : 3u)
				                                                                       << 16;
				return;
			}
	for (unsigned i = first; i < p->tables; i++)
		for (unsigned way = 0; way < p->ways; way++)
			p->entries[i][asked->sets[i][lane] + way] -= 1u << 24;
}

static void allocate_all(struct path *p, const struct asked *asked, unsigned bits, vec providers) {
	uint32_t tables[LANES];
	vec_store(tables, providers);
	for (; bits; bits &= bits - 1) {
		const unsigned lane = (unsigned)__builtin_ctz(bits);
		allocate(p, asked, lane, tables[lane] + 1);
	}
}

static inline void train_base(struct path *p, const struct said *said, uint32_t taken) {
	const vec counter = vec_and(vec_right_each(said->base_word, said->base_shift), vec_set(3));
	const vec_mask end = vec_equal(counter, vec_set(taken ? 3 : 0));
	const vec moved = vec_add(said->base_word, vec_left_each(vec_set(2 * taken - 1), said->base_shift));
	vec_scatter(p->base, mask_but(mask_but(vec_equal(counter, counter), end), said->found), said->base_at, moved);
}

static inline void train_provider(struct path *p, const struct said *said, uint32_t taken, vec_mask missed) {
	const vec counter = vec_and(vec_right(said->word, 16), vec_set(7));
	const vec useful = vec_right(said->word, 24);
	const vec_mask end = vec_equal(counter, vec_set(taken ? 7 : 0));
	/* Useful goes up where provider and alternate differ and the provider is right, down where it is wrong. */
	const vec_mask differ = mask_but(said->found, vec_equal(said->taken, said->alternate));
	const vec_mask up = mask_but(mask_but(differ, missed), vec_equal(useful, vec_set(3)));
	const vec_mask down = mask_but(mask_and(differ, missed), vec_equal(useful, vec_set(0)));
	vec word = vec_add(said->word, vec_select(end, vec_set(0), vec_set((2 * taken - 1) << 16)));
	word = vec_add(word, vec_select(up, vec_set(1u << 24), vec_set(0)));
	word = vec_sub(word, vec_select(down, vec_set(1u << 24), vec_set(0)));
	const vec_mask changed = mask_but(said->found, vec_equal(word, said->word));
	if (!mask_bits(changed))
		return;
	for (unsigned i = 0; i < p->tables; i++)
		vec_scatter(p->entries[i], mask_and(changed, vec_equal(said->table, vec_set(i))), said->at, word);
}

static inline vec train(struct path *p, const struct asked *asked, const struct said *said) {
	const uint32_t taken = asked->step & 1;
	const vec wrong = vec_xor(said->taken, vec_set(taken));
	const vec_mask missed = vec_equal(wrong, vec_set(1));
	if (mask_bits(missed))
		allocate_all(p, asked, mask_bits(missed), said->table);
	train_base(p, said, taken);
	train_provider(p, said, taken, missed);
	return wrong;
}

static inline void track(struct path *p, __m256i footprint) {
	for (unsigned i = 0; i < p->tables; i++) {
		const __m256i oldest = path_oldest(&p->ring, p->lengths[i]);
		path_fold_push(&p->index_folds[i], footprint, oldest);
		path_fold_push(&p->tag_folds[0][i], footprint, oldest);
		path_fold_push(&p->tag_folds[1][i], footprint, oldest);
	}
	path_ring_push(&p->ring, footprint);
}

/* Finds places for at most BATCH conditional branches from first on. Returns where to go on. */
static size_t prepare(struct path *p, const struct ifr_branches *branches, const uint8_t *kinds, size_t first,
                      size_t *count) {
	size_t i = first;
	for (*count = 0; i < branches->count && *count < BATCH; i++) {
		const uint32_t step = branches->steps[i];
		if (kinds[step >> 1] == IFR_BRANCH_CONDITIONAL)
			find_places(p, &p->asked[(*count)++], step);
		if (step & 1)
			track(p, path_footprint(p->rows, step >> 1, branches->next[i]));
	}
	return i;
}

static void run(void *state, const struct ifr_branches *branches, const uint8_t *kinds, uint64_t *misses) {
	struct path *p = state;
	vec missed = vec_set(0);
	for (size_t at = 0, count; at < branches->count;) {
		at = prepare(p, branches, kinds, at, &count);
		for (size_t i = 0; i < count; i++) {
			struct said said;
			predict(p, &p->asked[i], &said);
			missed = vec_add(missed, train(p, &p->asked[i], &said));
		}
	}
	tally_add(misses, missed);
}

const struct bundle_predictor IFR_VECTOR(path) = {"path", fits, create, place, run, destroy};
