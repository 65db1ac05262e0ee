/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sixteen lanes of Intel's direction predictors: model/predictors/path.c, which says what it is. */
#include "model/replay/vector/base.h"
#include "model/replay/vector/path_folds.h"
#include "model/replay/vector/pick.h"

#include <stdlib.h>

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
	struct path_history history;
	struct path_row *rows;
	unsigned tables, ways;
	uint32_t sets_mask, pc_mask, base_mask;
	uint32_t *base;
	uint32_t *entries[TABLES];
	struct path_fold index_folds[TABLES], tag_folds[2][TABLES];
	bool folded; /* sets and tags are of the history as it is: what it adds to them, by table */
	uint16_t sets[TABLES][LANES], tags[TABLES][LANES];
	struct asked asked[BATCH];
};

enum { BASE, SETS, WAYS, PC_BITS, LENGTHS };

/* Folds and addresses have sixteen bits a lane. */
static bool fits(const unsigned *values) {
	return values[PC_BITS] <= 16 && values[SETS] < 1u << 16 && path_lengths_fit(values + LENGTHS, TABLES);
}

static void *create(const unsigned *values) {
	struct path *p = ifr_alloc(sizeof *p);
	p->tables = values[LENGTHS + 3] ? 4 : 3;
	p->ways = values[WAYS];
	p->sets_mask = values[SETS] - 1;
	p->base_mask = values[BASE] - 1;
	p->pc_mask = (1u << values[PC_BITS]) - 1;
	p->base = base_new(values[BASE]);
	for (unsigned i = 0; i < p->tables; i++) {
		const unsigned length = values[LENGTHS + i];
		p->entries[i] = ifr_alloc((size_t)values[SETS] * values[WAYS] * LANES * sizeof *p->entries[i]);
		p->index_folds[i] = path_fold_new(&p->history, length, ifr_log2_of(values[SETS]));
		p->tag_folds[0][i] = path_fold_new(&p->history, length, TAG_BITS);
		p->tag_folds[1][i] = path_fold_new(&p->history, length, TAG_BITS - 1);
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

/* The word of the entry that says, and of the one that would if it were not there. Where that is the base, a word
 * without a tag in which the counter's upper bit stands in its place. */
struct said {
	vec word, alternate;
	vec_mask none[TABLES]; /* no entry of this table fits */
	vec base_word, base_at, base_shift;
};

static inline void fold_all(struct path *p) {
	const struct path_now now = path_history_now(&p->history);
	for (unsigned i = 0; i < p->tables; i++) {
		const __m256i tag = path_fold(&p->history, &p->tag_folds[0][i], &now);
		const __m256i tag2 = path_fold(&p->history, &p->tag_folds[1][i], &now);
		words_store(p->sets[i], path_fold(&p->history, &p->index_folds[i], &now));
		words_store(p->tags[i], _mm256_xor_si256(tag, _mm256_slli_epi16(tag2, 1)));
	}
	p->folded = true;
}

static inline void find_places(const struct path *p, struct asked *asked, uint32_t step) {
	const __m256i leave = words_load(p->rows[step >> 1].leave);
	const __m256i pc = _mm256_and_si256(leave, words_set(p->pc_mask));
	const __m256i set_pc = _mm256_xor_si256(pc, _mm256_srli_epi16(pc, 9));
	const __m256i tag_pc = _mm256_xor_si256(pc, _mm256_srli_epi16(pc, TAG_BITS));
	const vec index = vec_and(vec_wide(pc), vec_set(p->base_mask));
	asked->step = step;
	vec_store(asked->base_index, index);
	vec_store(asked->base_at, base_place(index));
	for (unsigned i = 0; i < p->tables; i++) {
		const vec set = vec_wide(_mm256_xor_si256(set_pc, words_load(p->sets[i])));
		const vec tag = vec_wide(_mm256_xor_si256(tag_pc, words_load(p->tags[i])));
		const vec place = vec_or(vec_left(vec_and(set, vec_set(p->sets_mask)), 4), vec_lanes());
		vec_store(asked->sets[i], p->ways == 4 ? vec_left(place, 2) : vec_times(place, vec_set(p->ways)));
		vec_store(asked->tags[i], vec_add(vec_and(tag, vec_set((1u << TAG_BITS) - 1)), vec_set(1)));
	}
}

/* Of a set, the word with the wanted tag, which at most one has; 0 if none has. */
static inline vec word_with(const struct path *p, const uint32_t *entries, const uint32_t *sets, vec tags) {
	const vec tag_bits = vec_set(0xffff);
	vec found = vec_set(0);
	if (p->ways == 4) {
		vec words[4];
		vec_pick4(entries, sets, words);
		for (unsigned way = 0; way < 4; way++)
			found = vec_select(vec_equal(vec_and(words[way], tag_bits), tags), words[way], found);
		return found;
	}
	for (unsigned way = 0; way < p->ways; way++) {
		const vec word = vec_pick(entries + way, sets);
		found = vec_select(vec_equal(vec_and(word, tag_bits), tags), word, found);
	}
	return found;
}

static inline void predict(const struct path *p, const struct asked *asked, struct said *said) {
	said->base_at = vec_load(asked->base_at);
	said->base_shift = base_shift(vec_load(asked->base_index));
	said->base_word = vec_pick(p->base, asked->base_at);
	said->word = said->alternate =
		vec_left(vec_and(vec_right_each(said->base_word, said->base_shift), vec_set(2)), 17);
	for (unsigned i = 0; i < p->tables; i++) {
		const vec word = word_with(p, p->entries[i], asked->sets[i], vec_load(asked->tags[i]));
		said->none[i] = vec_equal(word, vec_set(0));
		said->alternate = vec_select(said->none[i], said->alternate, said->word);
		said->word = vec_select(said->none[i], said->word, word);
	}
}

/* The table whose entry says; UINT32_MAX: the base. */
static void providers(const struct path *p, const struct said *said, uint32_t *tables) {
	vec table = vec_set(UINT32_MAX);
	for (unsigned i = 0; i < p->tables; i++)
		table = vec_select(said->none[i], table, vec_set(i));
	vec_store(tables, table);
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

static void allocate_all(struct path *p, const struct asked *asked, const struct said *said, unsigned bits) {
	uint32_t tables[LANES];
	providers(p, said, tables);
	for (; bits; bits &= bits - 1) {
		const unsigned lane = (unsigned)__builtin_ctz(bits);
		allocate(p, asked, lane, tables[lane] + 1);
	}
}

/* Words of providers, which stand where their tags do. */
static void store_words(struct path *p, const struct asked *asked, const struct said *said, unsigned bits,
                        vec word) {
	uint32_t tables[LANES], words[LANES];
	providers(p, said, tables);
	vec_store(words, word);
	for (; bits; bits &= bits - 1) {
		const unsigned lane = (unsigned)__builtin_ctz(bits), table = tables[lane];
		uint32_t *entry = p->entries[table] + asked->sets[table][lane];
		while ((*entry & 0xffff) != asked->tags[table][lane])
			entry++;
		*entry = words[lane];
	}
}

static inline void train_provider(struct path *p, const struct asked *asked, const struct said *said,
                                  vec_mask base, vec_mask missed) {
	const uint32_t taken = asked->step & 1;
	const vec counter = vec_and(said->word, vec_set(7u << 16)), useful = vec_right(said->word, 24);
	const vec_mask end = vec_equal(counter, vec_set(taken ? 7u << 16 : 0));
	/* Useful goes up where provider and alternate differ and the provider is right, down where it is wrong. */
	const vec differ = vec_and(vec_xor(said->word, said->alternate), vec_set(4u << 16));
	const vec_mask agree = mask_or(base, vec_equal(differ, vec_set(0)));
	const vec_mask no_up = mask_or(mask_or(agree, missed), vec_equal(useful, vec_set(3)));
	const vec_mask down = mask_but(mask_but(missed, agree), vec_equal(useful, vec_set(0)));
	vec word = vec_add(said->word, vec_select(end, vec_set(0), vec_set((2 * taken - 1) << 16)));
	word = vec_add(word, vec_select(no_up, vec_set(0), vec_set(1u << 24)));
	word = vec_sub(word, vec_select(down, vec_set(1u << 24), vec_set(0)));
	const unsigned kept = mask_bits(mask_or(base, vec_equal(word, said->word)));
	if (kept != 0xffff)
		store_words(p, asked, said, ~kept & 0xffff, word);
}

static inline vec train(struct path *p, const struct asked *asked, const struct said *said) {
	const uint32_t taken = asked->step & 1;
	const vec wrong = vec_xor(vec_and(vec_right(said->word, 18), vec_set(1)), vec_set(taken));
	const vec_mask missed = vec_equal(wrong, vec_set(1));
	const vec_mask base = vec_equal(vec_and(said->word, vec_set(0xffff)), vec_set(0));
	if (mask_bits(missed))
		allocate_all(p, asked, said, mask_bits(missed));
	base_count(p->base, base, said->base_at, said->base_word, said->base_shift, taken);
	train_provider(p, asked, said, base, missed);
	return wrong;
}

/* Finds places for at most BATCH conditional branches from first on. Returns where to go on. */
static size_t prepare(struct path *p, const struct ifr_branches *branches, const uint8_t *kinds, size_t first,
                      size_t *count) {
	size_t i = first;
	for (*count = 0; i < branches->count && *count < BATCH; i++) {
		const uint32_t step = branches->executions[i];
		if (kinds[step >> 1] == IFR_BRANCH_CONDITIONAL) {
			if (!p->folded)
				fold_all(p);
			find_places(p, &p->asked[(*count)++], step);
		}
		if (step & 1) {
			path_history_push(&p->history, path_footprint(p->rows, step >> 1, branches->next[i]));
			p->folded = false;
		}
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
