/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What sixteen lanes of L-TAGE say. */
#include "model/replay/vector/l_tage.h"
#include "model/replay/vector/pick.h"

#include <stdlib.h>
#include <string.h>

enum { LOOP };

static bool fits(const unsigned *values) {
	(void)values;
	return true;
}

static uint32_t *words_of(unsigned log, size_t per_word, int byte) {
	const size_t count = ((((size_t)1 << log) + per_word - 1) / per_word) * LANES;
	uint32_t *words = ifr_alloc(count * sizeof *words);
	memset(words, byte, count * sizeof *words);
	return words;
}

static void set_fold(struct l_tage_folds *folds, unsigned table, unsigned length, unsigned width) {
	const struct ifr_fold fold = ifr_fold_new(length, width);
	folds->mask[table] = fold.mask;
	folds->out[table] = fold.out;
	folds->width[table] = fold.width;
}

static void create_tables(struct l_tage *l) {
	for (unsigned i = 0; i < TABLES; i++) {
		const unsigned log = l->shape->logs[i], length = l->shape->lengths[i], tag = l->shape->tags[i];
		l->turns[i] = i % log;
		l->path_masks[i] = length < 16 ? (1u << length) - 1 : 0xffff;
		l->history.lengths[i] = length;
		set_fold(&l->history.index, i, length, log);
		set_fold(&l->history.tag[0], i, length, tag);
		set_fold(&l->history.tag[1], i, length, tag - 1);
		l->tables[i] = words_of(log, 1, 0);
		for (size_t k = 0; k < (size_t)LANES << log; k++)
			l->tables[i][k] = 4u << 16;
	}
}

static void *create(const unsigned *values) {
	struct l_tage *l = ifr_alloc(sizeof *l);
	l->shape = &ifr_l_tage_shape;
	l->base = words_of(l->shape->base_log, 16, 0x55);
	create_tables(l);
	for (size_t i = 0; i < LANES; i++)
		l->random[i] = 1;
	l->uses_loop = values[LOOP];
	l->history.longest = l->shape->lengths[TABLES - 1];
	l->history.head = OUTCOMES - l->history.longest;
	IFR_VECTOR(loops_init)(&l->loops);
	return l;
}

static void destroy(void *state) {
	struct l_tage *l = state;
	for (size_t i = 0; i < TABLES; i++)
		free(l->tables[i]);
	free(l->base);
	free(l->rows);
	free(l);
}

static void place(void *state, const struct ifr_pass *pass, const struct bundle *bundle, size_t blocks) {
	struct l_tage *l = state;
	l->rows = rows_grow(l->rows, blocks, sizeof *l->rows);
	for (size_t block = bundle->placed; block < blocks; block++)
		for (size_t i = 0; i < LANES; i++)
			l->rows[block * LANES + i] =
				(uint32_t)pass->places[lane_of(bundle, i)].pcs[block] & ((1u << IFR_TAGE_PC_BITS) - 1);
}

static inline void ask(const struct l_tage *l, const struct l_tage_asked *asked, struct l_tage_said *said,
                       unsigned table) {
	const vec differ = vec_xor(vec_pick(l->tables[table], asked->places[table]), vec_load(asked->tags[table]));
	const vec_mask hit = vec_equal(vec_and(differ, vec_set(0xffff)), vec_set(0));
	said->alternate_word = vec_select(hit, said->word, said->alternate_word);
	said->word = vec_select(hit, vec_or(differ, vec_set(table + 1)), said->word);
}

static inline void ask_base(const struct l_tage *l, const struct l_tage_asked *asked, struct l_tage_said *said) {
	said->base_at = vec_load(asked->base_at);
	said->base_shift = vec_left(vec_and(said->pc, vec_set(15)), 1);
	said->base_word = vec_pick(l->base, asked->base_at);
	const vec counter = vec_and(vec_right_each(said->base_word, said->base_shift), vec_set(3));
	said->word = said->alternate_word = vec_left(vec_add(counter, vec_set(2)), 16);
}

static inline void predict(struct l_tage *l, const struct l_tage_asked *asked, struct l_tage_said *said) {
	const vec one = vec_set(1);
	said->pc = vec_load(l->rows + (size_t)(asked->step >> 1) * LANES);
	ask_base(l, asked, said);
	for (unsigned i = 0; i < TABLES; i++)
		ask(l, asked, said, i);
	said->provider_taken = vec_and(vec_right(said->word, 18), one);
	said->alternate_taken = vec_and(vec_right(said->alternate_word, 18), one);
	const vec counter = vec_right(said->word, 16); /* with useful above it */
	const vec_mask new = mask_or(vec_equal(counter, vec_set(3)), vec_equal(counter, vec_set(4)));
	said->weak = mask_but(new, vec_equal(vec_and(said->word, vec_set(0xff)), vec_set(0)));
	const vec_mask mistrust = mask_and(said->weak, vec_greater(vec_load(l->use_alternate), vec_set(UINT32_MAX)));
	said->taken = vec_select(mistrust, said->alternate_taken, said->provider_taken);
}

static inline void run_one(struct l_tage *l, const struct l_tage_asked *asked, uint64_t *misses) {
	const uint32_t taken = asked->step & 1;
	struct l_tage_said said;
	predict(l, asked, &said);
	const unsigned missed = l->uses_loop
	                            ? IFR_VECTOR(loops_run)(&l->loops, asked->loop_at, said.pc, said.taken, taken)
	                            : ~mask_bits(vec_equal(said.taken, vec_set(taken))) & 0xffff;
	for (unsigned rest = missed; rest; rest &= rest - 1)
		misses[__builtin_ctz(rest)]++;
	IFR_VECTOR(l_tage_train)(l, asked, &said);
}

static void run(void *state, const struct ifr_branches *branches, const uint8_t *kinds, uint64_t *misses) {
	struct l_tage *l = state;
	for (size_t at = 0, count; at < branches->count;) {
		at = IFR_VECTOR(l_tage_prepare)(l, branches, kinds, at, &count);
		for (size_t i = 0; i < count; i++)
			run_one(l, &l->asked[i], misses);
	}
}

const struct bundle_predictor IFR_VECTOR(l_tage) = {"l-tage", fits, create, place, run, destroy};
