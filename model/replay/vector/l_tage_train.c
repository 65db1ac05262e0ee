/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What sixteen lanes of L-TAGE learn from a branch. */
#include "model/replay/vector/base.h"
#include "model/replay/vector/l_tage.h"

#define USEFUL (3u << 3) /* of a note */

/* One new entry in a longer table, where one is not useful; else all there become less so. */
static void allocate(struct l_tage *l, const struct l_tage_asked *asked, unsigned lane, int provider, bool taken) {
	int table = provider + 1;
	l->random[lane] = l->random[lane] >> 1 ^ (-(l->random[lane] & 1) & 0xa3000000u);
	for (unsigned draw = l->random[lane]; draw & 1 && table < TABLES - 1 && table < provider + 3; draw >>= 1)
		table++;
	const unsigned tag_shift = lane % 2 * 16, note_shift = lane % 4 * 8;
	for (int i = table; i < TABLES; i++) {
		const uint32_t at = asked->places[i][lane];
		uint32_t *notes = &l->notes[at / 2];
		if (*notes >> note_shift & USEFUL)
			continue;
		l->tags[at] = (l->tags[at] & ~(0xffffu << tag_shift)) | asked->tags[i][lane];
		*notes = (*notes & ~(0xffu << note_shift)) | (taken ? 4u : 3u) << note_shift;
		return;
	}
	for (int i = provider + 1; i < TABLES; i++) {
		uint32_t *notes = &l->notes[asked->places[i][lane] / 2];
		*notes -= *notes >> note_shift & USEFUL ? 1u << (3 + note_shift) : 0;
	}
}

static void allocate_all(struct l_tage *l, const struct l_tage_asked *asked, vec at, unsigned lanes) {
	uint32_t tables[LANES];
	vec table = vec_set(0), one = vec_set(1);
	for (unsigned i = 0; i < TABLES; i++)
		table = vec_select(vec_greater(vec_set(l->starts[i]), at), table, vec_add(table, one));
	vec_store(tables, table);
	for (; lanes; lanes &= lanes - 1) {
		const unsigned lane = (unsigned)__builtin_ctz(lanes);
		allocate(l, asked, lane, (int)tables[lane] - 1, asked->step & 1);
	}
}

/* The counter of a note, up or down by one unless it is at the end. */
static vec count_note(vec note, uint32_t taken) {
	const vec_mask end = vec_equal(vec_and(note, vec_set(7)), vec_set(taken ? 7 : 0));
	return vec_select(end, note, vec_add(note, vec_set(2 * taken - 1)));
}

/* Of lanes, none of the base, whose notes are other ones now. */
static void put(struct l_tage *l, vec_mask lanes, vec place, vec old, vec new) {
	uint32_t at[LANES], changes[LANES];
	unsigned bits = mask_bits(mask_but(lanes, vec_equal(old, new)));
	vec_store(at, vec_right(place, 1));
	vec_store(changes, vec_left_each(vec_xor(old, new), l_tage_note_shift()));
	for (; bits; bits &= bits - 1)
		l->notes[at[__builtin_ctz(bits)]] ^= changes[__builtin_ctz(bits)];
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

static void train_provider(struct l_tage *l, const struct l_tage_said *said, uint32_t taken, vec_mask differ,
                           vec_mask right) {
	const vec useful = vec_right(said->note, 3), none = vec_set(0), one = vec_set(1u << 3);
	const vec_mask up = mask_but(mask_and(differ, right), vec_equal(useful, vec_set(3)));
	const vec_mask down = mask_but(mask_but(differ, right), vec_equal(useful, none));
	vec note = count_note(said->note, taken);
	note = vec_sub(vec_add(note, vec_select(up, one, none)), vec_select(down, one, none));
	put(l, mask_but(vec_equal(note, note), said->base), said->at, said->note, note);
	/* The alternate learns where the provider is not useful yet. */
	const vec_mask both = mask_but(vec_equal(useful, none), said->base);
	put(l, mask_but(both, said->alternate_base), said->alternate_at, said->alternate_note,
	    count_note(said->alternate_note, taken));
	base_count(l->base, mask_or(said->base, mask_and(both, said->alternate_base)), said->base_at, said->base_word,
	           said->base_shift, taken);
}

static void forget_useful(struct l_tage *l) {
	if (++l->ticks % IFR_TAGE_USEFUL_PERIOD)
		return;
	const uint32_t keep = ((l->ticks / IFR_TAGE_USEFUL_PERIOD & 1 ? 1u : 2u) << 3 | 7) * 0x01010101;
	for (size_t i = l->starts[0] / 2; i < l->starts[TABLES] / 2; i++)
		l->notes[i] &= keep;
}

void IFR_VECTOR(l_tage_train)(struct l_tage *l, const struct l_tage_asked *asked, const struct l_tage_said *said) {
	const uint32_t taken = asked->step & 1;
	const vec outcome = vec_set(taken);
	const vec_mask right = vec_equal(said->provider_taken, outcome);
	const vec_mask differ =
		mask_but(vec_equal(outcome, outcome), vec_equal(said->provider_taken, said->alternate_taken));
	const vec_mask full = vec_greater(said->at, vec_set(l->starts[TABLES - 1] - 1));
	/* A new entry that is right needs time, not another entry. */
	const vec_mask patient = mask_and(said->weak, right);
	const vec_mask missed = mask_but(vec_equal(outcome, outcome), vec_equal(said->taken, outcome));
	const unsigned wanting = mask_bits(mask_but(mask_but(missed, full), patient));
	judge_new(l, said, differ, vec_equal(said->alternate_taken, outcome));
	if (wanting)
		allocate_all(l, asked, said->at, wanting);
	train_provider(l, said, taken, differ, right);
	forget_useful(l);
}
