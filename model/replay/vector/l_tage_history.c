/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The histories of sixteen lanes of L-TAGE, and where these lead in the tables. */
#include "model/replay/vector/l_tage.h"
#include "model/replay/vector/pick.h"

#include <string.h>

/* ifr_fold_shift, of all tables. */
static inline void shift(struct l_tage_folds *folds, vec taken, vec old) {
	const vec leaves = vec_and(vec_sub(vec_set(0), old), vec_load(folds->out));
	const vec moved = vec_xor(vec_or(vec_left(vec_load(folds->value), 1), taken), leaves);
	const vec folded = vec_xor(moved, vec_right_each(moved, vec_load(folds->width)));
	vec_store(folds->value, vec_and(folded, vec_load(folds->mask)));
}

static inline void track(struct l_tage_history *h, vec pc, uint32_t taken) {
	const vec path = vec_or(vec_left(vec_load(h->path), 1), vec_and(pc, vec_set(1)));
	vec_store(h->path, vec_and(path, vec_set(0xffff)));
	if (!h->head) {
		h->head = OUTCOMES - h->longest;
		memcpy(h->outcomes + h->head, h->outcomes, h->longest * sizeof *h->outcomes);
	}
	h->outcomes[--h->head] = taken;
	const vec old = vec_pick(h->outcomes + h->head, h->lengths), outcome = vec_set(taken);
	shift(&h->index, outcome, old);
	shift(&h->tag[0], outcome, old);
	shift(&h->tag[1], outcome, old);
}

/* The path as it comes into a table's index. */
static inline vec mix_path(const struct l_tage *l, vec path, unsigned table) {
	const unsigned log = l->shape->logs[table], turn = l->turns[table];
	const vec mask = vec_set((1u << log) - 1), part = vec_and(path, vec_set(l->path_masks[table]));
	const vec folded = vec_and(vec_xor(part, vec_right(part, log)), mask);
	return vec_or(vec_left(folded, turn), vec_right(folded, log - turn));
}

static inline void find_place(const struct l_tage *l, struct l_tage_asked *asked, vec pc, vec path,
                              unsigned table) {
	const struct l_tage_history *h = &l->history;
	const uint32_t tag_fold = h->tag[0].value[table] ^ h->tag[1].value[table] << 1;
	const vec own = vec_xor(vec_xor(pc, vec_right(pc, l->turns[table] + 1)), mix_path(l, path, table));
	const vec index = vec_and(vec_xor(own, vec_set(h->index.value[table])), vec_set(h->index.mask[table]));
	vec_store(asked->places[table], vec_or(vec_left(index, 4), vec_lanes()));
	vec_store(asked->tags[table], vec_and(vec_xor(pc, vec_set(tag_fold)), vec_set(h->tag[0].mask[table])));
}

static inline void find_places(const struct l_tage *l, struct l_tage_asked *asked, vec pc) {
	const vec path = vec_load(l->history.path), index = vec_and(pc, vec_set((1u << l->shape->base_log) - 1));
	vec_store(asked->base_at, vec_or(vec_and(index, vec_set(~15u)), vec_lanes()));
	vec_store(asked->loop_at, vec_or(vec_left(vec_and(pc, vec_set(15)), 4), vec_lanes()));
	for (unsigned i = 0; i < TABLES; i++)
		find_place(l, asked, pc, path, i);
}

size_t IFR_VECTOR(l_tage_prepare)(struct l_tage *l, const struct ifr_branches *branches, const uint8_t *kinds,
                                  size_t first, size_t *count) {
	size_t i = first;
	for (*count = 0; i < branches->count && *count < BATCH; i++) {
		const uint32_t step = branches->steps[i];
		const vec pc = vec_load(l->rows + (size_t)(step >> 1) * LANES);
		if (kinds[step >> 1] == IFR_BRANCH_CONDITIONAL) {
			l->asked[*count].step = step;
			find_places(l, &l->asked[(*count)++], pc);
		}
		track(&l->history, pc, step & 1);
	}
	return i;
}
