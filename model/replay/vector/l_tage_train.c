/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What sixteen lanes of L-TAGE learn from a branch. */
#include "model/replay/vector/l_tage.h"

/* One new entry in a longer table, where one is not useful; else all there become less so. */
static void allocate(struct l_tage *l, const struct l_tage_asked *asked, unsigned lane, int provider, bool taken) {
	int table = provider + 1;
	l->random[lane] = l->random[lane] >> 1 ^ (-(l->random[lane] & 1) & 0xa3000000u);
	for (unsigned draw = l->random[lane]; draw & 1 && table < TABLES - 1 && table < provider + 3; draw >>= 1)
		table++;
	for (int i = table; i < TABLES; i++) {
		uint32_t *word = &l->tables[i][asked->places[i][lane]];
		if (*word >> 24)
			continue;
		*word = asked->tags[i][lane] | (taken ? 4u : 3u) << 16;
		return;
	}
	for (int i = provider + 1; i < TABLES; i++) {
		uint32_t *word = &l->tables[i][asked->places[i][lane]];
		*word -= *word >> 24 ? 1u << 24 : 0;
	}
}

static void allocate_all(struct l_tage *l, const struct l_tage_asked *asked, vec providers, unsigned lanes) {
	uint32_t tables[LANES];
	vec_store(tables, providers);
	for (; lanes; lanes &= lanes - 1) {
		const unsigned lane = (unsigned)__builtin_ctz(lanes);
		allocate(l, asked, lane, (int)tables[lane] - 1, asked->step & 1);
	}
}

/* The counter of an entry, up or down by one unless it is at the end. */
static vec count_entry(vec word, uint32_t taken) {
	const vec counter = vec_and(vec_right(word, 16), vec_set(7));
	const vec_mask end = vec_equal(counter, vec_set(taken ? 7 : 0));
	return vec_select(end, word, vec_add(word, vec_set((2 * taken - 1) << 16)));
}

static void count_base(struct l_tage *l, const struct l_tage_said *said, uint32_t taken, vec_mask lanes) {
	const vec counter = vec_and(vec_right_each(said->base_word, said->base_shift), vec_set(3));
	const vec_mask end = vec_equal(counter, vec_set(taken ? 3 : 0));
	const vec moved = vec_add(said->base_word, vec_left_each(vec_set(2 * taken - 1), said->base_shift));
	vec_scatter(l->base, mask_but(lanes, end), said->base_at, moved);
}

/* The table of a word. */
static inline vec table_of(vec word) {
	return vec_and(word, vec_set(0xff));
}

/* Writes the words of lanes, none of the base, to their tables. */
static void put(struct l_tage *l, const struct l_tage_asked *asked, vec_mask lanes, vec word) {
	if (!mask_bits(lanes))
		return;
	const vec rest = vec_and(word, vec_set(0xffff0000)), table = table_of(word);
	for (unsigned i = 0; i < TABLES; i++)
		vec_scatter(l->tables[i], mask_and(lanes, vec_equal(table, vec_set(i + 1))), vec_load(asked->places[i]),
		            vec_or(rest, vec_load(asked->tags[i])));
}

/* Whether new entries are to be trusted: counted where they differ from the alternate. */
static void judge_new(struct l_tage *l, const struct l_tage_said *said, vec_mask differ,
                      vec_mask alternate_right) {
	const vec_mask judged = mask_and(said->weak, differ);
	if (!mask_bits(judged))
		return;
	const vec use = vec_load(l->use_alternate), one = vec_set(1);
	const vec_mask up = mask_but(mask_and(judged, alternate_right), vec_equal(use, vec_set(7)));
	const vec_mask down = mask_but(mask_but(judged, alternate_right), vec_equal(use, vec_set((uint32_t)-8)));
	vec_store(l->use_alternate, vec_select(up, vec_add(use, one), vec_select(down, vec_sub(use, one), use)));
}

static void train_provider(struct l_tage *l, const struct l_tage_asked *asked, const struct l_tage_said *said,
                           vec_mask differ, vec_mask right) {
	const uint32_t taken = asked->step & 1;
	const vec_mask base = vec_equal(table_of(said->word), vec_set(0));
	const vec useful = vec_right(said->word, 24), none = vec_set(0), one = vec_set(1u << 24);
	const vec_mask up = mask_but(mask_and(differ, right), vec_equal(useful, vec_set(3)));
	const vec_mask down = mask_but(mask_but(differ, right), vec_equal(useful, none));
	vec word = count_entry(said->word, taken);
	word = vec_sub(vec_add(word, vec_select(up, one, none)), vec_select(down, one, none));
	put(l, asked, mask_but(mask_but(vec_equal(word, word), base), vec_equal(word, said->word)), word);
	/* The alternate learns where the provider is not useful yet. */
	const vec_mask both = mask_but(vec_equal(useful, none), base);
	const vec_mask alternate_base = vec_equal(table_of(said->alternate_word), none);
	const vec alternate = count_entry(said->alternate_word, taken);
	put(l, asked, mask_but(mask_but(both, alternate_base), vec_equal(alternate, said->alternate_word)), alternate);
	count_base(l, said, taken, mask_or(base, mask_and(both, alternate_base)));
}

static void forget_useful(struct l_tage *l) {
	if (++l->ticks % IFR_TAGE_USEFUL_PERIOD)
		return;
	const uint32_t keep = (l->ticks / IFR_TAGE_USEFUL_PERIOD & 1 ? 1u : 2u) << 24 | 0xffffff;
	for (size_t i = 0; i < TABLES; i++)
		for (size_t k = 0; k < (size_t)LANES << l->shape->logs[i]; k++)
			l->tables[i][k] &= keep;
}

void IFR_VECTOR(l_tage_train)(struct l_tage *l, const struct l_tage_asked *asked, const struct l_tage_said *said) {
	const uint32_t taken = asked->step & 1;
	const vec outcome = vec_set(taken);
	const vec_mask right = vec_equal(said->provider_taken, outcome);
	const vec_mask differ =
		mask_but(vec_equal(outcome, outcome), vec_equal(said->provider_taken, said->alternate_taken));
	const vec_mask full = vec_equal(table_of(said->word), vec_set(TABLES));
	/* A new entry that is right needs time, not another entry. */
	const vec_mask patient = mask_and(said->weak, right);
	const vec_mask missed = mask_but(vec_equal(outcome, outcome), vec_equal(said->taken, outcome));
	const unsigned wanting = mask_bits(mask_but(mask_but(missed, full), patient));
	judge_new(l, said, differ, vec_equal(said->alternate_taken, outcome));
	if (wanting)
		allocate_all(l, asked, table_of(said->word), wanting);
	train_provider(l, asked, said, differ, right);
	forget_useful(l);
}
