/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Intel's direction predictor of sixteen lanes. model/predictors/path.c defines it; this file gives the same
 * predictions.
 *
 * Problem: each lane has its own path history of hundreds of bits, and three or four tables of four ways.
 * Idea: the histories are kept as sums (path_folds.h). The trace says every outcome, so that sets and tags are
 * computed for LOOKAHEAD branches before any table is read, and their loads overlap. An entry is one word and a
 * set of four ways one load a lane.
 * Invariant: lookups hold the sets of the state before their branch; tables are read and trained in program order.
 * At most one way of a set has a tag, as allocation follows a lookup that did not find it.
 * Gain of scalar loads instead of gathers: 32 to 58 M conditional branches/s for 16 layouts under AVX2 (git log
 * d9bd723). */
#include "model/replay/vector/base_counters.h"
#include "model/replay/vector/path_folds.h"
#include "model/replay/vector/gather.h"

#include <stdlib.h>

#define TABLES 4
#define TAG_BITS 12
#define LOOKAHEAD 8

/* A conditional branch whose history is known: the first word of the set in each table, and the tag to find there.
 */
struct lookup {
	uint32_t execution;
	uint32_t base_index[LANES], base_at[LANES], sets[TABLES][LANES], tags[TABLES][LANES];
};

/* An entry is a word: tag (plus one; 0: empty) | counter << 16 (0 to 7; 4 and more predicts taken) | useful << 24.
 * A lane's set is ways words, and the sets of the lanes lie side by side. */
struct path {
	struct path_history history;
	struct path_row *rows;
	unsigned tables, ways;
	uint32_t sets_mask, pc_mask, base_mask;
	uint32_t *base;
	uint32_t *entries[TABLES];
	struct path_fold index_folds[TABLES], tag_folds[2][TABLES];
	bool folded; /* sets and tags are up to date: the history's part of both, by table */
	uint16_t sets[TABLES][LANES], tags[TABLES][LANES];
	struct lookup lookup[LOOKAHEAD];
};

enum { BASE, SETS, WAYS, PC_BITS, LENGTHS };

/* Folds and addresses must fit sixteen bits. */
static bool fits_path(const unsigned *values) {
	return values[PC_BITS] <= 16 && values[SETS] < 1u << 16 && path_lengths_fit(values + LENGTHS, TABLES);
}

static void *create_path(const unsigned *values) {
	struct path *p = ifr_alloc(sizeof *p);
	p->tables = values[LENGTHS + 3] ? 4 : 3;
	p->ways = values[WAYS];
	p->sets_mask = values[SETS] - 1;
	p->base_mask = values[BASE] - 1;
	p->pc_mask = (1u << values[PC_BITS]) - 1;
	p->base = base_counters_new(values[BASE]);
	for (unsigned i = 0; i < p->tables; i++) {
		const unsigned length = values[LENGTHS + i];
		p->entries[i] = ifr_alloc((size_t)values[SETS] * values[WAYS] * LANES * sizeof *p->entries[i]);
		p->index_folds[i] = path_fold_new(&p->history, length, ifr_log2_of(values[SETS]));
		p->tag_folds[0][i] = path_fold_new(&p->history, length, TAG_BITS);
		p->tag_folds[1][i] = path_fold_new(&p->history, length, TAG_BITS - 1);
	}
	return p;
}

static void destroy_path(void *state) {
	struct path *p = state;
	free(p->rows);
	free(p->base);
	for (unsigned i = 0; i < p->tables; i++)
		free(p->entries[i]);
	free(p);
}

static void add_blocks_path(void *state, const struct ifr_pass *pass, const struct vector_group *vector_group,
                            size_t blocks) {
	struct path *p = state;
	p->rows = path_rows_grow(p->rows, pass, vector_group, blocks);
}

/* The words of provider and alternate. For the base this is a word without a tag, with the base counter's upper
 * bit in the place of the counter's. */
struct prediction {
	vec word, alternate;
	vec_mask none[TABLES]; /* lanes without an entry in this table */
	vec base_word, base_at, base_counter_shift;
};

static inline void fold_all(struct path *p) {
	const struct path_sums_now now = path_history_sums(&p->history);
	for (unsigned i = 0; i < p->tables; i++) {
		const __m256i tag = path_fold(&p->history, &p->tag_folds[0][i], &now);
		const __m256i tag2 = path_fold(&p->history, &p->tag_folds[1][i], &now);
		words_store(p->sets[i], path_fold(&p->history, &p->index_folds[i], &now));
		words_store(p->tags[i], _mm256_xor_si256(tag, _mm256_slli_epi16(tag2, 1)));
	}
	p->folded = true;
}

static inline void compute_indices(const struct path *p, struct lookup *lookup, uint32_t execution) {
	const __m256i leave = words_load(p->rows[execution >> 1].leave);
	const __m256i pc = _mm256_and_si256(leave, words_set(p->pc_mask));
	const __m256i set_pc = _mm256_xor_si256(pc, _mm256_srli_epi16(pc, 9));
	const __m256i tag_pc = _mm256_xor_si256(pc, _mm256_srli_epi16(pc, TAG_BITS));
	const vec index = vec_and(vec_widen(pc), vec_set(p->base_mask));
	lookup->execution = execution;
	vec_store(lookup->base_index, index);
	vec_store(lookup->base_at, base_word_index(index));
	for (unsigned i = 0; i < p->tables; i++) {
		const vec set = vec_widen(_mm256_xor_si256(set_pc, words_load(p->sets[i])));
		const vec tag = vec_widen(_mm256_xor_si256(tag_pc, words_load(p->tags[i])));
		const vec place = vec_or(vec_left(vec_and(set, vec_set(p->sets_mask)), 4), vec_lanes());
		vec_store(lookup->sets[i], p->ways == 4 ? vec_left(place, 2) : vec_multiply(place, vec_set(p->ways)));
		vec_store(lookup->tags[i], vec_add(vec_and(tag, vec_set((1u << TAG_BITS) - 1)), vec_set(1)));
	}
}

/* The word of each lane's set that has the tag; 0 if none has. */
static inline vec find_tag(const struct path *p, const uint32_t *entries, const uint32_t *sets, vec tags) {
	const vec tag_bits = vec_set(0xffff);
	vec found = vec_set(0);
	if (p->ways == 4) {
		vec words[4];
		vec_load4_at(entries, sets, words);
		for (unsigned way = 0; way < 4; way++)
			found = vec_select(vec_equal(vec_and(words[way], tag_bits), tags), words[way], found);
		return found;
	}
	for (unsigned way = 0; way < p->ways; way++) {
		const vec word = vec_load_at(entries + way, sets);
		found = vec_select(vec_equal(vec_and(word, tag_bits), tags), word, found);
	}
	return found;
}

static inline void predict_branch(const struct path *p, const struct lookup *lookup,
                                  struct prediction *prediction) {
	prediction->base_at = vec_load(lookup->base_at);
	prediction->base_counter_shift = base_counter_shift(vec_load(lookup->base_index));
	prediction->base_word = vec_load_at(p->base, lookup->base_at);
	prediction->word = prediction->alternate =
		vec_left(vec_and(vec_right_each(prediction->base_word, prediction->base_counter_shift), vec_set(2)), 17);
	for (unsigned i = 0; i < p->tables; i++) {
		const vec word = find_tag(p, p->entries[i], lookup->sets[i], vec_load(lookup->tags[i]));
		prediction->none[i] = vec_equal(word, vec_set(0));
		prediction->alternate = vec_select(prediction->none[i], prediction->alternate, prediction->word);
		prediction->word = vec_select(prediction->none[i], prediction->word, word);
	}
}

/* The provider's table; UINT32_MAX: the base. */
static void provider_tables(const struct path *p, const struct prediction *prediction, uint32_t *tables) {
	vec table = vec_set(UINT32_MAX);
	for (unsigned i = 0; i < p->tables; i++)
		table = vec_select(prediction->none[i], table, vec_set(i));
	vec_store(tables, table);
}

/* Allocates in the first longer table that has a way that is not useful; if there is none, lowers the usefulness
 * of all ways. */
static void allocate_entry(struct path *p, const struct lookup *lookup, unsigned lane, uint32_t first) {
	for (unsigned i = first; i < p->tables; i++)
		for (unsigned way = 0; way < p->ways; way++)
			if (!(p->entries[i][lookup->sets[i][lane] + way] >> 24)) {
				p->entries[i][lookup->sets[i][lane] + way] =
					lookup->tags[i][lane] | (lookup->execution & 1 ? 4u : 3u) << 16;
				return;
			}
	for (unsigned i = first; i < p->tables; i++)
		for (unsigned way = 0; way < p->ways; way++)
			p->entries[i][lookup->sets[i][lane] + way] -= 1u << 24;
}

static void allocate_entries(struct path *p, const struct lookup *lookup, const struct prediction *prediction,
                             unsigned bits) {
	uint32_t tables[LANES];
	provider_tables(p, prediction, tables);
	for (; bits; bits &= bits - 1) {
		const unsigned lane = (unsigned)__builtin_ctz(bits);
		allocate_entry(p, lookup, lane, tables[lane] + 1);
	}
}

/* Stores the words of the providers, found by their tags. */
static void store_words(struct path *p, const struct lookup *lookup, const struct prediction *prediction,
                        unsigned bits, vec word) {
	uint32_t tables[LANES], words[LANES];
	provider_tables(p, prediction, tables);
	vec_store(words, word);
	for (; bits; bits &= bits - 1) {
		const unsigned lane = (unsigned)__builtin_ctz(bits), table = tables[lane];
		uint32_t *entry = p->entries[table] + lookup->sets[table][lane];
		while ((*entry & 0xffff) != lookup->tags[table][lane])
			entry++;
		*entry = words[lane];
	}
}

static inline void train_provider(struct path *p, const struct lookup *lookup, const struct prediction *prediction,
                                  vec_mask base, vec_mask missed) {
	const uint32_t taken = lookup->execution & 1;
	const vec counter = vec_and(prediction->word, vec_set(7u << 16)), useful = vec_right(prediction->word, 24);
	const vec_mask end = vec_equal(counter, vec_set(taken ? 7u << 16 : 0));
	/* Usefulness rises where provider and alternate differ and the provider is right, and falls where the provider
	 * is wrong. */
	const vec differ = vec_and(vec_xor(prediction->word, prediction->alternate), vec_set(4u << 16));
	const vec_mask agree = mask_or(base, vec_equal(differ, vec_set(0)));
	const vec_mask no_up = mask_or(mask_or(agree, missed), vec_equal(useful, vec_set(3)));
	const vec_mask down = mask_without(mask_without(missed, agree), vec_equal(useful, vec_set(0)));
	vec word = vec_add(prediction->word, vec_select(end, vec_set(0), vec_set((2 * taken - 1) << 16)));
	word = vec_add(word, vec_select(no_up, vec_set(0), vec_set(1u << 24)));
	word = vec_sub(word, vec_select(down, vec_set(1u << 24), vec_set(0)));
	const unsigned kept = mask_bits(mask_or(base, vec_equal(word, prediction->word)));
	if (kept != 0xffff)
		store_words(p, lookup, prediction, ~kept & 0xffff, word);
}

static inline vec train_branch(struct path *p, const struct lookup *lookup, const struct prediction *prediction) {
	const uint32_t taken = lookup->execution & 1;
	const vec wrong = vec_xor(vec_and(vec_right(prediction->word, 18), vec_set(1)), vec_set(taken));
	const vec_mask missed = vec_equal(wrong, vec_set(1));
	const vec_mask base = vec_equal(vec_and(prediction->word, vec_set(0xffff)), vec_set(0));
	if (mask_bits(missed))
		allocate_entries(p, lookup, prediction, mask_bits(missed));
	base_counters_train(p->base, base, prediction->base_at, prediction->base_word, prediction->base_counter_shift,
	                    taken);
	train_provider(p, lookup, prediction, base, missed);
	return wrong;
}

/* Computes the lookups of at most LOOKAHEAD conditional branches from first on. Returns the branch to go on with.
 */
static size_t prepare_lookups(struct path *p, const struct ifr_branches *branches, const uint8_t *kinds,
                              size_t first, size_t *count) {
	size_t i = first;
	for (*count = 0; i < branches->count && *count < LOOKAHEAD; i++) {
		const uint32_t execution = branches->executions[i];
		if (kinds[execution >> 1] == IFR_BRANCH_CONDITIONAL) {
			if (!p->folded)
				fold_all(p);
			compute_indices(p, &p->lookup[(*count)++], execution);
		}
		if (execution & 1) {
			path_history_push(&p->history, path_footprint(p->rows, execution >> 1, branches->next[i]));
			p->folded = false;
		}
	}
	return i;
}

static void run_path(void *state, const struct ifr_branches *branches, const uint8_t *kinds, uint64_t *misses,
                     struct vector_notes *notes) {
	struct path *p = state;
	vec missed = vec_set(0);
	for (size_t at = 0, count; at < branches->count;) {
		at = prepare_lookups(p, branches, kinds, at, &count);
		for (size_t i = 0; i < count; i++) {
			struct prediction prediction;
			predict_branch(p, &p->lookup[i], &prediction);
			const vec wrong = train_branch(p, &p->lookup[i], &prediction);
			missed = vec_add(missed, wrong);
			if (notes)
				vector_note(notes, mask_bits(vec_equal(wrong, vec_set(1))));
		}
	}
	tally_add(misses, missed);
}

const struct group_predictor IFR_VECTOR(path) = {"path",          fits_path, create_path,
                                                 add_blocks_path, run_path,  destroy_path};
