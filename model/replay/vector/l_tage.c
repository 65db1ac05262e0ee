/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What sixteen lanes of L-TAGE say. */
#include "model/replay/vector/base.h"
#include "model/replay/vector/l_tage.h"
#include "model/replay/vector/pick.h"

#include <stdlib.h>
#include <string.h>

enum { LOOP };

static bool fits(const unsigned *values) {
	(void)values;
	return true;
}

static void set_fold(struct l_tage_folds *folds, unsigned table, unsigned length, unsigned width) {
	const struct ifr_fold fold = ifr_fold_new(length, width);
	folds->mask[table] = fold.mask;
	folds->out[table] = fold.out;
	folds->width[table] = fold.width;
}

static void create_table(struct l_tage *l, unsigned i) {
	const unsigned log = l->shape->logs[i], length = l->shape->lengths[i], tag = l->shape->tags[i];
	const unsigned turn = i % log;
	struct l_tage_table *t = &l->tables[i];
	t->turn = turn;
	t->turn_back = log - turn;
	t->log = log;
	t->pc_shift = turn + 1;
	t->index_mask = ((1u << log) - 1) * PLACE_STEP;
	t->path_mask = (length < 16 ? (1u << length) - 1 : 0xffff) * PLACE_STEP;
	vec_store(t->first, vec_add(l_tage_base_place(), vec_set(l->starts[i])));
	vec_store(t->tag_mask, vec_left_each(vec_set((1u << tag) - 1), l_tage_tag_shift()));
	l->starts[i + 1] = l->starts[i] + (PLACE_STEP << log);
	l->history.lengths[i] = length;
	set_fold(&l->history.index, i, length, log);
	set_fold(&l->history.tag[0], i, length, tag);
	set_fold(&l->history.tag[1], i, length, tag - 1);
}

static void create_tables(struct l_tage *l) {
	l->starts[0] = PLACE_STEP;
	for (unsigned i = 0; i < TABLES; i++)
		create_table(l, i);
	const size_t words = l->starts[TABLES];
	l->tags = ifr_alloc(words * sizeof *l->tags);
	l->notes = ifr_alloc(words / 2 * sizeof *l->notes);
	memset(l->notes, 4, words / 2 * sizeof *l->notes);
}

static void *create(const unsigned *values) {
	/* Vectors that lie across two lines of a cache take twice as long. */
	struct l_tage *l = ifr_alloc_aligned(sizeof *l, _Alignof(struct l_tage));
	l->shape = &ifr_l_tage_shape;
	l->base = base_new((size_t)1 << l->shape->base_log);
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
	free(l->tags);
	free(l->notes);
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
				(uint32_t)pass->branch_layouts[lane_of(bundle, i)].pcs[block] & ((1u << IFR_TAGE_PC_BITS) - 1);
}

static inline void ask(const struct l_tage *l, const struct l_tage_asked *asked, struct l_tage_said *said,
                       vec tag_bits, unsigned table) {
	const vec differ = vec_xor(vec_pick(l->tags, asked->places[table]), vec_load(asked->tags[table]));
	const vec_mask hit = vec_equal(vec_and(differ, tag_bits), vec_set(0));
	said->alternate_at = vec_select(hit, said->at, said->alternate_at);
	said->at = vec_select(hit, vec_load(asked->places[table]), said->at);
}

static inline vec note_at(const struct l_tage *l, vec place) {
	uint32_t at[LANES];
	vec_store(at, vec_right(place, 1));
	return vec_and(vec_right_each(vec_pick(l->notes, at), l_tage_note_shift()), vec_set(0xff));
}

static inline void ask_tables(const struct l_tage *l, const struct l_tage_asked *asked, struct l_tage_said *said) {
	const vec tag_bits = vec_left_each(vec_set(0xffff), l_tage_tag_shift());
	said->at = said->alternate_at = l_tage_base_place();
	for (unsigned i = 0; i < TABLES; i++)
		ask(l, asked, said, tag_bits, i);
	said->note = note_at(l, said->at);
	said->alternate_note = note_at(l, said->alternate_at);
}

static inline void ask_base(const struct l_tage *l, const struct l_tage_asked *asked, struct l_tage_said *said) {
	said->base_at = vec_load(asked->base_at);
	said->base_shift = base_shift(said->pc);
	said->base_word = vec_pick(l->base, asked->base_at);
	const vec note = vec_add(base_counter(said->base_word, said->base_shift), vec_set(2));
	said->base = vec_equal(said->at, l_tage_base_place());
	said->alternate_base = vec_equal(said->alternate_at, l_tage_base_place());
	said->note = vec_select(said->base, note, said->note);
	said->alternate_note = vec_select(said->alternate_base, note, said->alternate_note);
}

static inline void predict(struct l_tage *l, const struct l_tage_asked *asked, struct l_tage_said *said) {
	const vec one = vec_set(1);
	said->pc = vec_load(l->rows + (size_t)(asked->step >> 1) * LANES);
	ask_tables(l, asked, said);
	ask_base(l, asked, said);
	said->provider_taken = vec_and(vec_right(said->note, 2), one);
	said->alternate_taken = vec_and(vec_right(said->alternate_note, 2), one);
	const vec_mask new = mask_or(vec_equal(said->note, vec_set(3)), vec_equal(said->note, vec_set(4)));
	said->weak = mask_but(new, said->base);
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
