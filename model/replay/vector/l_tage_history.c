/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Histories of sixteen lanes of L-TAGE, and the table indices and tags made of them (l_tage.h). The folds of the
 * twelve tables are the lanes of a vector here: one update moves all of them. */
#include "model/replay/vector/base_counters.h"
#include "model/replay/vector/l_tage.h"
#include "model/replay/vector/gather.h"

#include <string.h>

/* ifr_fold_shift, of all tables at once. */
static inline vec update_folds(struct l_tage_folds *folds, vec taken, vec old) {
	const vec leaves = vec_and(vec_sub(vec_set(0), old), vec_load(folds->out));
	const vec moved = vec_xor(vec_or(vec_left(vec_load(folds->value), 1), taken), leaves);
	const vec folded = vec_xor(moved, vec_right_each(moved, vec_load(folds->width)));
	const vec value = vec_and(folded, vec_load(folds->mask));
	vec_store(folds->value, value);
	return value;
}

static inline void push_outcome(struct l_tage_history *h, vec pc, uint32_t taken) {
	const vec path = vec_or(vec_left(vec_load(h->path), 1), vec_and(pc, vec_set(1)));
	vec_store(h->path, vec_and(path, vec_set(0xffff)));
	if (!h->head) {
		h->head = OUTCOMES - h->longest;
		memcpy(h->outcomes + h->head, h->outcomes, h->longest * sizeof *h->outcomes);
	}
	h->outcomes[--h->head] = taken;
	const vec old = vec_load_at(h->outcomes + h->head, h->lengths), outcome = vec_set(taken);
	vec_store(h->indexes, vec_left(update_folds(&h->index, outcome, old), 3));
	const vec tag =
		vec_xor(update_folds(&h->tag[0], outcome, old), vec_left(update_folds(&h->tag[1], outcome, old), 1));
	vec_store(h->tags, vec_or(tag, vec_left(tag, 16)));
}

/* A table's part of the path, times ENTRY_WORDS; the bits below are undefined. */
static inline vec mix_path(const struct l_tage_table *t, vec path) {
	const vec part = vec_and(path, vec_set(t->path_mask));
	const vec folded = vec_and(vec_xor(part, vec_right_each(part, vec_set(t->log))), vec_set(t->index_mask));
	return vec_or(vec_left_each(folded, vec_set(t->rotation)), vec_right_each(folded, vec_set(t->rotation_back)));
}

static inline vec table_index(const struct l_tage_table *t, vec pc, vec path, uint32_t fold) {
	const vec own = vec_xor(vec_xor(pc, vec_right_each(pc, vec_set(t->pc_shift))), mix_path(t, path));
	return vec_add(vec_and(vec_xor(own, vec_set(fold)), vec_set(t->index_mask)), vec_load(t->first));
}

static inline void compute_indices(const struct l_tage *l, struct l_tage_lookup *lookup, vec pc) {
	const vec path = vec_load(l->history.path), index = vec_and(pc, vec_set((1u << l->shape->base_log) - 1));
	vec_store(lookup->base_at, base_word_index(index));
	vec_store(lookup->loop_at, vec_or(vec_left(vec_and(pc, vec_set(15)), 4), vec_lanes()));
	const vec executions = vec_left(pc, 3), tag = vec_left_each(pc, l_tage_tag_shift());
	for (unsigned i = 0; i < TABLES; i++) {
		const struct l_tage_table *t = &l->tables[i];
		vec_store(lookup->indices[i], table_index(t, executions, vec_left(path, 3), l->history.indexes[i]));
		vec_store(lookup->tags[i], vec_and(vec_xor(tag, vec_set(l->history.tags[i])), vec_load(t->tag_mask)));
	}
}

size_t IFR_VECTOR(l_tage_prepare)(struct l_tage *l, const struct ifr_branches *branches, const uint8_t *kinds,
                                  size_t first, size_t *count) {
	size_t i = first;
	for (*count = 0; i < branches->count && *count < LOOKAHEAD; i++) {
		const uint32_t execution = branches->executions[i];
		const vec pc = vec_load(l->rows + (size_t)(execution >> 1) * LANES);
		if (kinds[execution >> 1] == IFR_BRANCH_CONDITIONAL) {
			l->lookup[*count].execution = execution;
			compute_indices(l, &l->lookup[(*count)++], pc);
		}
		push_outcome(&l->history, pc, execution & 1);
	}
	return i;
}
