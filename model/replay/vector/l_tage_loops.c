/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loop predictors of sixteen lanes. model/predictors/loop.c defines them.
 *
 * Problem: lookup and training of a loop entry jump on conditions that differ by lane. Lane by lane, mispredicted
 * jumps took a quarter of the time of a lane that learns loops (git log d8afdf0).
 * Idea: one comparison of tags finds the lanes whose table has the branch. As the outcome is known, these lanes
 * are predicted and trained together, in vectors. Only lanes that lose or allocate an entry go on one by one.
 * Invariant: free entries have a tag that no branch has (FREE), so that tags alone decide a hit; an entry's
 * current count is below its length, if that is known. */
#include "model/replay/vector/l_tage.h"
#include "model/replay/vector/gather.h"

#include <string.h>

#define FREE 0xffffu /* no branch's tag: these have 14 bits */
#define LONGEST 0x3fff

/* Bit positions in a state. */
enum { LENGTH = 14, CONFIDENCE = 28, DIRECTION = 30 };

/* Of one branch. way, at, state and taken are defined in the lanes that have an entry for it (knows). */
struct lookup {
	vec_mask knows, sure;
	vec way, at, state, taken;
};

void IFR_VECTOR(loops_init)(struct lane_loops *loops) {
	memset(loops, 0, sizeof *loops);
	memset(loops->tags, 0xff, sizeof loops->tags);
	memset(loops->trust, 0xff, sizeof loops->trust);
}

static inline vec_mask has_tag(vec words, vec tags, unsigned half) {
	const vec differ = vec_xor(words, vec_left(tags, 16 * half));
	return vec_equal(vec_and(differ, vec_set(0xffffu << 16 * half)), vec_set(0));
}

static inline vec tag_of(vec pc) {
	return vec_and(vec_xor(vec_right(pc, 4), vec_right(pc, 10)), vec_set(0x3fff));
}

/* Sets knows and way. */
static inline void find_entries(const struct lane_loops *loops, const uint32_t *at, vec tag,
                                struct lookup *lookup) {
	const vec low = vec_load_at(loops->tags[0], at), high = vec_load_at(loops->tags[1], at), none = vec_set(0);
	const vec_mask second = has_tag(low, tag, 1), third = has_tag(high, tag, 0), fourth = has_tag(high, tag, 1);
	lookup->way = vec_select(second, vec_set(1), none);
	lookup->way = vec_or(lookup->way, vec_select(mask_or(third, fourth), vec_set(2), none));
	lookup->way = vec_or(lookup->way, vec_select(fourth, vec_set(1), none));
	lookup->knows = mask_or(mask_or(has_tag(low, tag, 0), second), mask_or(third, fourth));
}

static inline vec length_of(vec state) {
	return vec_and(vec_right(state, LENGTH), vec_set(LONGEST));
}

/* The loop's current iteration, this one included. */
static inline vec iteration_of(vec state) {
	return vec_add(vec_and(state, vec_set(LONGEST)), vec_set(1));
}

/* Sets sure, at, state and taken. */
static inline void predict_loops(const struct lane_loops *loops, const uint32_t *at, struct lookup *lookup) {
	uint32_t indices[LANES];
	lookup->at = vec_or(vec_load(at), vec_left(lookup->way, 8));
	vec_store(indices, lookup->at);
	lookup->state = vec_load_at(loops->states, indices);
	const vec_mask last = vec_equal(iteration_of(lookup->state), length_of(lookup->state));
	const vec_mask confident = vec_equal(vec_and(vec_right(lookup->state, CONFIDENCE), vec_set(3)), vec_set(3));
	lookup->sure = mask_and(lookup->knows, confident);
	lookup->taken = vec_xor(vec_right(lookup->state, DIRECTION), vec_select(last, vec_set(1), vec_set(0)));
}

/* Trains trust where a sure prediction differs from TAGE's. */
static inline void train_trust(struct lane_loops *loops, const struct lookup *lookup, vec tage_taken,
                               vec outcome) {
	const vec trust = vec_load(loops->trust), one = vec_set(1);
	const vec_mask judged = mask_without(lookup->sure, vec_equal(lookup->taken, tage_taken));
	const vec_mask right = vec_equal(lookup->taken, outcome);
	const vec_mask up = mask_without(mask_and(judged, right), vec_equal(trust, vec_set(63)));
	const vec_mask down = mask_without(mask_without(judged, right), vec_equal(trust, vec_set((uint32_t)-64)));
	vec_store(loops->trust, vec_select(up, vec_add(trust, one), vec_select(down, vec_sub(trust, one), trust)));
}

static void free_entry(struct lane_loops *loops, unsigned at, unsigned way) {
	loops->ages[at] &= ~(0xffu << 8 * way);
	loops->tags[way / 2][at] |= FREE << 16 * (way % 2);
}

static void raise_age(struct lane_loops *loops, unsigned at, unsigned way) {
	if ((loops->ages[at] >> 8 * way & 0xff) < 255)
		loops->ages[at] += 1u << 8 * way;
}

/* A mispredicted branch is most likely at the end of its loop: the entry's direction is the other one. */
static void allocate_entry(struct lane_loops *loops, unsigned at, uint32_t tag, bool taken) {
	for (unsigned way = 0; way < 4; way++)
		if (!(loops->ages[at] >> 8 * way & 0xff)) {
			loops->ages[at] |= 0xffu << 8 * way;
			loops->tags[way / 2][at] &= tag << 16 * (way % 2) | FREE << 16 * (1 - way % 2);
			loops->states[way * LOOP_SETS * LANES + at] = (uint32_t)!taken << DIRECTION;
			return;
		}
	loops->ages[at] -= 0x01010101;
	for (unsigned way = 0; way < 4; way++)
		if (!(loops->ages[at] >> 8 * way & 0xff))
			free_entry(loops, at, way);
}

/* Trains the entries of lanes that have one. A lane loses its entry if it was sure and wrong, if the loop ended at
 * another count than before, or if the loop goes on past its length or the longest count. */
static inline void train_entries(struct lane_loops *loops, const uint32_t *at, const struct lookup *lookup,
                                 vec tage_taken, vec outcome) {
	const vec turns = iteration_of(lookup->state), length = length_of(lookup->state), none = vec_set(0),
			  one = vec_set(1);
	const vec_mask on = vec_equal(vec_right(lookup->state, DIRECTION), outcome), last = vec_equal(turns, length);
	const vec_mask first = mask_and(vec_equal(length, none), vec_greater(turns, one));
	const vec_mask right = vec_equal(lookup->taken, outcome);
	const vec_mask kept_on = mask_without(mask_without(on, last), vec_equal(turns, vec_set(LONGEST)));
	const vec_mask kept = mask_or(kept_on, mask_without(mask_or(last, first), on));
	const vec more = vec_select(lookup->sure, none, vec_set(1u << CONFIDENCE));
	const vec ended =
		vec_add(vec_sub(lookup->state, vec_sub(turns, one)), vec_select(last, more, vec_left(turns, LENGTH)));
	uint32_t states[LANES], indices[LANES], ways[LANES];
	vec_store(states, vec_select(on, vec_add(lookup->state, one), ended));
	vec_store(indices, lookup->at);
	vec_store(ways, lookup->way);
	const unsigned lost =
		mask_bits(mask_without(lookup->knows, mask_without(kept, mask_without(lookup->sure, right))));
	for (unsigned rest = mask_bits(lookup->knows); rest; rest &= rest - 1)
		loops->states[indices[__builtin_ctz(rest)]] = states[__builtin_ctz(rest)];
	for (unsigned rest = lost; rest; rest &= rest - 1)
		free_entry(loops, at[__builtin_ctz(rest)], ways[__builtin_ctz(rest)]);
	const unsigned useful = mask_bits(mask_without(mask_and(lookup->sure, right), vec_equal(outcome, tage_taken)));
	for (unsigned rest = useful & ~lost; rest; rest &= rest - 1)
		raise_age(loops, at[__builtin_ctz(rest)], ways[__builtin_ctz(rest)]);
}

unsigned IFR_VECTOR(loops_run)(struct lane_loops *loops, const uint32_t *at, vec pc, vec tage_taken, bool taken) {
	const vec outcome = vec_set(taken), tag = tag_of(pc);
	vec final = tage_taken;
	struct lookup lookup;
	find_entries(loops, at, tag, &lookup);
	if (mask_bits(lookup.knows)) {
		predict_loops(loops, at, &lookup);
		final = vec_select(mask_and(lookup.sure, vec_greater(vec_load(loops->trust), vec_set(UINT32_MAX))),
		                   lookup.taken, tage_taken);
		train_trust(loops, &lookup, tage_taken, outcome);
		train_entries(loops, at, &lookup, tage_taken, outcome);
	}
	const unsigned missed = ~mask_bits(vec_equal(final, outcome)) & 0xffff;
	const unsigned wanting = missed & ~mask_bits(lookup.knows);
	if (wanting) {
		uint32_t tags[LANES];
		vec_store(tags, tag);
		for (unsigned rest = wanting; rest; rest &= rest - 1)
			allocate_entry(loops, at[__builtin_ctz(rest)], tags[__builtin_ctz(rest)], taken);
	}
	return missed;
}
