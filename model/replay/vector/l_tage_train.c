/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Training of sixteen lanes of L-TAGE (l_tage.h). Counters move in vectors and are stored only where they change;
 * allocation, after mispredictions only, goes lane by lane. */
#include "model/replay/vector/base_counters.h"
#include "model/replay/vector/l_tage.h"

#define USEFUL (3u << 3) /* bits of a state */

/* Allocates one entry in a longer table, where the entry is not useful; if all are useful, lowers the usefulness
 * of all. */
static void allocate_entry(struct l_tage *l, const struct l_tage_lookup *lookup, unsigned lane, int provider,
                           bool taken) {
	int table = provider + 1;
	l->random[lane] = l->random[lane] >> 1 ^ (-(l->random[lane] & 1) & 0xa3000000u);
	for (unsigned draw = l->random[lane]; draw & 1 && table < TABLES - 1 && table < provider + 3; draw >>= 1)
		table++;
	const unsigned tag_shift = lane % 2 * 16, state_shift = lane % 4 * 8;
	for (int i = table; i < TABLES; i++) {
		const uint32_t at = lookup->indices[i][lane];
		uint32_t *states = &l->states[at / 2];
		if (*states >> state_shift & USEFUL)
			continue;
		l->tags[at] = (l->tags[at] & ~(0xffffu << tag_shift)) | lookup->tags[i][lane];
		*states = (*states & ~(0xffu << state_shift)) | (taken ? 4u : 3u) << state_shift;
		return;
	}
	for (int i = provider + 1; i < TABLES; i++) {
		uint32_t *states = &l->states[lookup->indices[i][lane] / 2];
		*states -= *states >> state_shift & USEFUL ? 1u << (3 + state_shift) : 0;
	}
}

static void allocate_entries(struct l_tage *l, const struct l_tage_lookup *lookup, vec at, unsigned lanes) {
	uint32_t tables[LANES];
	vec table = vec_set(0), one = vec_set(1);
	for (unsigned i = 0; i < TABLES; i++)
		table = vec_select(vec_greater(vec_set(l->starts[i]), at), table, vec_add(table, one));
	vec_store(tables, table);
	for (; lanes; lanes &= lanes - 1) {
		const unsigned lane = (unsigned)__builtin_ctz(lanes);
		allocate_entry(l, lookup, lane, (int)tables[lane] - 1, lookup->execution & 1);
	}
}

/* Moves the counter of a state up or down by one, within 0 to 7. */
static vec train_counter(vec state, uint32_t taken) {
	const vec_mask end = vec_equal(vec_and(state, vec_set(7)), vec_set(taken ? 7 : 0));
	return vec_select(end, state, vec_add(state, vec_set(2 * taken - 1)));
}

/* Stores changed states of some lanes, of which none is the base. */
static void store_states(struct l_tage *l, vec_mask lanes, vec place, vec old, vec new) {
	uint32_t at[LANES], changes[LANES];
	unsigned bits = mask_bits(mask_without(lanes, vec_equal(old, new)));
	vec_store(at, vec_right(place, 1));
	vec_store(changes, vec_left_each(vec_xor(old, new), l_tage_state_shift()));
	for (; bits; bits &= bits - 1)
		l->states[at[__builtin_ctz(bits)]] ^= changes[__builtin_ctz(bits)];
}

/* Trains use_alternate where a newly allocated provider and the alternate differ. */
static void train_use_alternate(struct l_tage *l, const struct l_tage_prediction *prediction, vec_mask differ,
                                vec_mask alternate_right) {
	const vec_mask judged = mask_and(prediction->weak, differ);
	if (!mask_bits(judged))
		return;
	const vec use = vec_load(l->use_alternate), one = vec_set(1);
	const vec_mask up = mask_without(mask_and(judged, alternate_right), vec_equal(use, vec_set(7)));
	const vec_mask down =
		mask_without(mask_without(judged, alternate_right), vec_equal(use, vec_set((uint32_t)-8)));
	vec_store(l->use_alternate, vec_select(up, vec_add(use, one), vec_select(down, vec_sub(use, one), use)));
}

static void train_provider(struct l_tage *l, const struct l_tage_prediction *prediction, uint32_t taken,
                           vec_mask differ, vec_mask right) {
	const vec useful = vec_right(prediction->state, 3), none = vec_set(0), one = vec_set(1u << 3);
	const vec_mask up = mask_without(mask_and(differ, right), vec_equal(useful, vec_set(3)));
	const vec_mask down = mask_without(mask_without(differ, right), vec_equal(useful, none));
	vec state = train_counter(prediction->state, taken);
	state = vec_sub(vec_add(state, vec_select(up, one, none)), vec_select(down, one, none));
	store_states(l, mask_without(vec_equal(state, state), prediction->base), prediction->at, prediction->state,
	             state);
	/* The alternate is trained, too, while the provider is not useful. */
	const vec_mask both = mask_without(vec_equal(useful, none), prediction->base);
	store_states(l, mask_without(both, prediction->alternate_base), prediction->alternate_at,
	             prediction->alternate_state, train_counter(prediction->alternate_state, taken));
	base_counters_train(l->base, mask_or(prediction->base, mask_and(both, prediction->alternate_base)),
	                    prediction->base_at, prediction->base_word, prediction->base_counter_shift, taken);
}

static void reset_useful(struct l_tage *l) {
	if (++l->ticks % IFR_TAGE_USEFUL_PERIOD)
		return;
	const uint32_t keep = ((l->ticks / IFR_TAGE_USEFUL_PERIOD & 1 ? 1u : 2u) << 3 | 7) * 0x01010101;
	for (size_t i = l->starts[0] / 2; i < l->starts[TABLES] / 2; i++)
		l->states[i] &= keep;
}

void IFR_VECTOR(l_tage_train)(struct l_tage *l, const struct l_tage_lookup *lookup,
                              const struct l_tage_prediction *prediction) {
	const uint32_t taken = lookup->execution & 1;
	const vec outcome = vec_set(taken);
	const vec_mask right = vec_equal(prediction->provider_taken, outcome);
	const vec_mask differ = mask_without(vec_equal(outcome, outcome),
	                                     vec_equal(prediction->provider_taken, prediction->alternate_taken));
	const vec_mask full = vec_greater(prediction->at, vec_set(l->starts[TABLES - 1] - 1));
	/* A new entry that is right needs time, not another entry. */
	const vec_mask patient = mask_and(prediction->weak, right);
	const vec_mask missed = mask_without(vec_equal(outcome, outcome), vec_equal(prediction->taken, outcome));
	const unsigned wanting = mask_bits(mask_without(mask_without(missed, full), patient));
	train_use_alternate(l, prediction, differ, vec_equal(prediction->alternate_taken, outcome));
	if (wanting)
		allocate_entries(l, lookup, prediction->at, wanting);
	train_provider(l, prediction, taken, differ, right);
	reset_useful(l);
}
