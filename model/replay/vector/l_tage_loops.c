/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The loop predictors of sixteen lanes: model/predictors/loop.c. A look at all their tags says which of them know
 * the branch; these go on together, the few that lose or get an entry one by one. */
#include "model/replay/vector/l_tage.h"
#include "model/replay/vector/pick.h"

#include <string.h>

#define FREE 0xffffu /* no tag: these have 14 bits */
#define LONGEST 0x3fff

/* What a state is made of. */
enum { LENGTH = 14, CONFIDENCE = 28, DIRECTION = 30 };

/* Of a branch, in lanes that know it. */
struct run {
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
static inline void find(const struct lane_loops *loops, const uint32_t *at, vec tag, struct run *run) {
	const vec low = vec_pick(loops->tags[0], at), high = vec_pick(loops->tags[1], at), none = vec_set(0);
	const vec_mask second = has_tag(low, tag, 1), third = has_tag(high, tag, 0), fourth = has_tag(high, tag, 1);
	run->way = vec_select(second, vec_set(1), none);
	run->way = vec_or(run->way, vec_select(mask_or(third, fourth), vec_set(2), none));
	run->way = vec_or(run->way, vec_select(fourth, vec_set(1), none));
	run->knows = mask_or(mask_or(has_tag(low, tag, 0), second), mask_or(third, fourth));
}

static inline vec length_of(vec state) {
	return vec_and(vec_right(state, LENGTH), vec_set(LONGEST));
}

/* How many times it went on, with this one. */
static inline vec count_of(vec state) {
	return vec_add(vec_and(state, vec_set(LONGEST)), vec_set(1));
}

/* Sets the rest. */
static inline void predict(const struct lane_loops *loops, const uint32_t *at, struct run *run) {
	uint32_t places[LANES];
	run->at = vec_or(vec_load(at), vec_left(run->way, 8));
	vec_store(places, run->at);
	run->state = vec_pick(loops->states, places);
	const vec_mask last = vec_equal(count_of(run->state), length_of(run->state));
	const vec_mask confident = vec_equal(vec_and(vec_right(run->state, CONFIDENCE), vec_set(3)), vec_set(3));
	run->sure = mask_and(run->knows, confident);
	run->taken = vec_xor(vec_right(run->state, DIRECTION), vec_select(last, vec_set(1), vec_set(0)));
}

/* Whether it is trusted: counted where it differs from what TAGE says. */
static inline void judge(struct lane_loops *loops, const struct run *run, vec other, vec outcome) {
	const vec trust = vec_load(loops->trust), one = vec_set(1);
	const vec_mask judged = mask_but(run->sure, vec_equal(run->taken, other));
	const vec_mask right = vec_equal(run->taken, outcome);
	const vec_mask up = mask_but(mask_and(judged, right), vec_equal(trust, vec_set(63)));
	const vec_mask down = mask_but(mask_but(judged, right), vec_equal(trust, vec_set((uint32_t)-64)));
	vec_store(loops->trust, vec_select(up, vec_add(trust, one), vec_select(down, vec_sub(trust, one), trust)));
}

static void forget(struct lane_loops *loops, unsigned at, unsigned way) {
	loops->ages[at] &= ~(0xffu << 8 * way);
	loops->tags[way / 2][at] |= FREE << 16 * (way % 2);
}

static void grow_old(struct lane_loops *loops, unsigned at, unsigned way) {
	if ((loops->ages[at] >> 8 * way & 0xff) < 255)
		loops->ages[at] += 1u << 8 * way;
}

/* It was mispredicted: most likely where the loop ends. */
static void allocate(struct lane_loops *loops, unsigned at, uint32_t tag, bool taken) {
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
			forget(loops, at, way);
}

/* Lanes that lose their entry: it was sure and wrong, ended elsewhere than before, or goes on for too long. An
 * entry's count is always below its length, if that is known. */
static inline void count(struct lane_loops *loops, const uint32_t *at, const struct run *run, vec other,
                         vec outcome) {
	const vec turns = count_of(run->state), length = length_of(run->state), none = vec_set(0), one = vec_set(1);
	const vec_mask on = vec_equal(vec_right(run->state, DIRECTION), outcome), last = vec_equal(turns, length);
	const vec_mask first = mask_and(vec_equal(length, none), vec_greater(turns, one));
	const vec_mask right = vec_equal(run->taken, outcome);
	const vec_mask kept_on = mask_but(mask_but(on, last), vec_equal(turns, vec_set(LONGEST)));
	const vec_mask kept = mask_or(kept_on, mask_but(mask_or(last, first), on));
	const vec more = vec_select(run->sure, none, vec_set(1u << CONFIDENCE));
	const vec ended =
		vec_add(vec_sub(run->state, vec_sub(turns, one)), vec_select(last, more, vec_left(turns, LENGTH)));
	uint32_t states[LANES], places[LANES], ways[LANES];
	vec_store(states, vec_select(on, vec_add(run->state, one), ended));
	vec_store(places, run->at);
	vec_store(ways, run->way);
	const unsigned lost = mask_bits(mask_but(run->knows, mask_but(kept, mask_but(run->sure, right))));
	for (unsigned rest = mask_bits(run->knows); rest; rest &= rest - 1)
		loops->states[places[__builtin_ctz(rest)]] = states[__builtin_ctz(rest)];
	for (unsigned rest = lost; rest; rest &= rest - 1)
		forget(loops, at[__builtin_ctz(rest)], ways[__builtin_ctz(rest)]);
	const unsigned useful = mask_bits(mask_but(mask_and(run->sure, right), vec_equal(outcome, other)));
	for (unsigned rest = useful & ~lost; rest; rest &= rest - 1)
		grow_old(loops, at[__builtin_ctz(rest)], ways[__builtin_ctz(rest)]);
}

unsigned IFR_VECTOR(loops_run)(struct lane_loops *loops, const uint32_t *at, vec pc, vec other, bool taken) {
	const vec outcome = vec_set(taken), tag = tag_of(pc);
	vec final = other;
	struct run run;
	find(loops, at, tag, &run);
	if (mask_bits(run.knows)) {
		predict(loops, at, &run);
		final = vec_select(mask_and(run.sure, vec_greater(vec_load(loops->trust), vec_set(UINT32_MAX))), run.taken,
		                   other);
		judge(loops, &run, other, outcome);
		count(loops, at, &run, other, outcome);
	}
	const unsigned missed = ~mask_bits(vec_equal(final, outcome)) & 0xffff;
	const unsigned wanting = missed & ~mask_bits(run.knows);
	if (wanting) {
		uint32_t tags[LANES];
		vec_store(tags, tag);
		for (unsigned rest = wanting; rest; rest &= rest - 1)
			allocate(loops, at[__builtin_ctz(rest)], tags[__builtin_ctz(rest)], taken);
	}
	return missed;
}
