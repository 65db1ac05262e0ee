/* SPDX-License-Identifier: GPL-3.0-or-later */
/* L-TAGE of sixteen lanes: prediction, and the predictor's memory. l_tage.h explains the idea and the arrays. */
#include "model/replay/vector/base_counters.h"
#include "model/replay/vector/l_tage.h"
#include "model/replay/vector/gather.h"

#include <stdlib.h>
#include <string.h>

enum { LOOP };

static bool fits_l_tage(const unsigned *values) {
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
	const unsigned rotation = i % log;
	struct l_tage_table *t = &l->tables[i];
	t->rotation = rotation;
	t->rotation_back = log - rotation;
	t->log = log;
	t->pc_shift = rotation + 1;
	t->index_mask = ((1u << log) - 1) * ENTRY_WORDS;
	t->path_mask = (length < 16 ? (1u << length) - 1 : 0xffff) * ENTRY_WORDS;
	vec_store(t->first, vec_add(l_tage_base_place(), vec_set(l->starts[i])));
	vec_store(t->tag_mask, vec_left_each(vec_set((1u << tag) - 1), l_tage_tag_shift()));
	l->starts[i + 1] = l->starts[i] + (ENTRY_WORDS << log);
	l->history.lengths[i] = length;
	set_fold(&l->history.index, i, length, log);
	set_fold(&l->history.tag[0], i, length, tag);
	set_fold(&l->history.tag[1], i, length, tag - 1);
}

static void create_tables(struct l_tage *l) {
	l->starts[0] = ENTRY_WORDS;
	for (unsigned i = 0; i < TABLES; i++)
		create_table(l, i);
	const size_t words = l->starts[TABLES];
	l->tags = ifr_alloc(words * sizeof *l->tags);
	l->states = ifr_alloc(words / 2 * sizeof *l->states);
	memset(l->states, 4, words / 2 * sizeof *l->states);
}

static void *create_l_tage(const unsigned *values) {
	/* Vectors must not straddle cache lines: such an access takes twice as long, and cost L-TAGE one eighth (git
	 * log 41d2267). */
	struct l_tage *l = ifr_alloc_aligned(sizeof *l, _Alignof(struct l_tage));
	l->shape = &ifr_l_tage_shape;
	l->base = base_counters_new((size_t)1 << l->shape->base_log);
	create_tables(l);
	for (size_t i = 0; i < LANES; i++)
		l->random[i] = 1;
	l->uses_loop = values[LOOP];
	l->history.longest = l->shape->lengths[TABLES - 1];
	l->history.head = OUTCOMES - l->history.longest;
	IFR_VECTOR(loops_init)(&l->loops);
	return l;
}

static void destroy_l_tage(void *state) {
	struct l_tage *l = state;
	free(l->tags);
	free(l->states);
	free(l->base);
	free(l->rows);
	free(l);
}

static void add_blocks_l_tage(void *state, const struct ifr_pass *pass, const struct vector_group *vector_group,
                              size_t blocks) {
	struct l_tage *l = state;
	l->rows = block_rows_grow(l->rows, blocks, sizeof *l->rows);
	for (size_t block = vector_group->blocks_count; block < blocks; block++)
		for (size_t i = 0; i < LANES; i++)
			l->rows[block * LANES + i] = (uint32_t)pass->branch_layouts[group_lane(vector_group, i)].pcs[block] &
			                             ((1u << IFR_TAGE_PC_BITS) - 1);
}

static inline void probe_table(const struct l_tage *l, const struct l_tage_lookup *lookup,
                               struct l_tage_prediction *prediction, vec tag_bits, unsigned table) {
	const vec differ = vec_xor(vec_load_at(l->tags, lookup->indices[table]), vec_load(lookup->tags[table]));
	const vec_mask hit = vec_equal(vec_and(differ, tag_bits), vec_set(0));
	prediction->alternate_at = vec_select(hit, prediction->at, prediction->alternate_at);
	prediction->at = vec_select(hit, vec_load(lookup->indices[table]), prediction->at);
}

static inline vec load_states(const struct l_tage *l, vec place) {
	uint32_t at[LANES];
	vec_store(at, vec_right(place, 1));
	return vec_and(vec_right_each(vec_load_at(l->states, at), l_tage_state_shift()), vec_set(0xff));
}

static inline void probe_tables(const struct l_tage *l, const struct l_tage_lookup *lookup,
                                struct l_tage_prediction *prediction) {
	const vec tag_bits = vec_left_each(vec_set(0xffff), l_tage_tag_shift());
	prediction->at = prediction->alternate_at = l_tage_base_place();
	for (unsigned i = 0; i < TABLES; i++)
		probe_table(l, lookup, prediction, tag_bits, i);
	prediction->state = load_states(l, prediction->at);
	prediction->alternate_state = load_states(l, prediction->alternate_at);
}

static inline void read_base(const struct l_tage *l, const struct l_tage_lookup *lookup,
                             struct l_tage_prediction *prediction) {
	prediction->base_at = vec_load(lookup->base_at);
	prediction->base_counter_shift = base_counter_shift(prediction->pc);
	prediction->base_word = vec_load_at(l->base, lookup->base_at);
	const vec state = vec_add(base_counter(prediction->base_word, prediction->base_counter_shift), vec_set(2));
	prediction->base = vec_equal(prediction->at, l_tage_base_place());
	prediction->alternate_base = vec_equal(prediction->alternate_at, l_tage_base_place());
	prediction->state = vec_select(prediction->base, state, prediction->state);
	prediction->alternate_state = vec_select(prediction->alternate_base, state, prediction->alternate_state);
}

static inline void predict_branch(struct l_tage *l, const struct l_tage_lookup *lookup,
                                  struct l_tage_prediction *prediction) {
	const vec one = vec_set(1);
	prediction->pc = vec_load(l->rows + (size_t)(lookup->execution >> 1) * LANES);
	probe_tables(l, lookup, prediction);
	read_base(l, lookup, prediction);
	prediction->provider_taken = vec_and(vec_right(prediction->state, 2), one);
	prediction->alternate_taken = vec_and(vec_right(prediction->alternate_state, 2), one);
	const vec_mask new =
		mask_or(vec_equal(prediction->state, vec_set(3)), vec_equal(prediction->state, vec_set(4)));
	prediction->weak = mask_without(new, prediction->base);
	const vec_mask mistrust =
		mask_and(prediction->weak, vec_greater(vec_load(l->use_alternate), vec_set(UINT32_MAX)));
	prediction->taken = vec_select(mistrust, prediction->alternate_taken, prediction->provider_taken);
}

static inline void run_branch(struct l_tage *l, const struct l_tage_lookup *lookup, uint64_t *misses,
                              struct vector_notes *notes) {
	const uint32_t taken = lookup->execution & 1;
	struct l_tage_prediction prediction;
	predict_branch(l, lookup, &prediction);
	const unsigned missed =
		l->uses_loop ? IFR_VECTOR(loops_run)(&l->loops, lookup->loop_at, prediction.pc, prediction.taken, taken)
					 : ~mask_bits(vec_equal(prediction.taken, vec_set(taken))) & 0xffff;
	for (unsigned rest = missed; rest; rest &= rest - 1)
		misses[__builtin_ctz(rest)]++;
	if (notes)
		vector_note(notes, missed);
	IFR_VECTOR(l_tage_train)(l, lookup, &prediction);
}

static void run_l_tage(void *state, const struct ifr_branches *branches, const uint8_t *kinds, uint64_t *misses,
                       struct vector_notes *notes) {
	struct l_tage *l = state;
	for (size_t at = 0, count; at < branches->count;) {
		at = IFR_VECTOR(l_tage_prepare)(l, branches, kinds, at, &count);
		for (size_t i = 0; i < count; i++)
			run_branch(l, &l->lookup[i], misses, notes);
	}
}

const struct group_predictor IFR_VECTOR(l_tage) = {"l-tage",          fits_l_tage, create_l_tage,
                                                   add_blocks_l_tage, run_l_tage,  destroy_l_tage};
