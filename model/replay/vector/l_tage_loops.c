/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The loop predictors of sixteen lanes: a look at all their tags at once says which of them know the branch, and
 * only these are asked. */
#include "model/replay/vector/l_tage.h"
#include "model/replay/vector/pick.h"

#include <string.h>

#define FREE 0xffffu /* no tag: these have 14 bits */

void IFR_VECTOR(loops_init)(struct lane_loops *loops) {
	memset(loops->tags, 0xff, sizeof loops->tags);
	for (size_t i = 0; i < LANES; i++)
		loops->loops[i].trust = -1;
}

/* Lanes that have the tag in neither half of a word. */
static vec_mask lacks_tag(vec words, vec tags) {
	const vec differ = vec_xor(words, vec_or(tags, vec_left(tags, 16)));
	const vec borrow = vec_sub(differ, vec_set(0x00010001));
	const vec zero = vec_and(vec_and(borrow, vec_xor(differ, vec_set(UINT32_MAX))), vec_set(0x80008000));
	return vec_equal(zero, vec_set(0));
}

void IFR_VECTOR(loops_predict)(struct lane_loops *loops, const uint32_t *at, struct l_tage_said *said) {
	const vec pc = said->pc;
	const vec tag = vec_and(vec_xor(vec_right(pc, 4), vec_right(pc, 10)), vec_set(0x3fff));
	const vec_mask none =
		mask_and(lacks_tag(vec_pick(loops->tags[0], at), tag), lacks_tag(vec_pick(loops->tags[1], at), tag));
	uint32_t pcs[LANES];
	said->knows = ~mask_bits(none) & 0xffff;
	if (!said->knows)
		return;
	vec_store(pcs, pc);
	for (unsigned rest = said->knows; rest; rest &= rest - 1) {
		const unsigned lane = (unsigned)__builtin_ctz(rest);
		struct ifr_loop *loop = &loops->loops[lane];
		if (ifr_loop_predict(loop, pcs[lane]) && loop->trust >= 0)
			said->final = (said->final & ~(1u << lane)) | (unsigned)loop->taken << lane;
	}
}

static uint32_t tag_at(const struct ifr_loop_entry *entry) {
	return entry->age ? entry->tag : FREE;
}

static void note_tags(struct lane_loops *loops, unsigned lane, unsigned set) {
	const struct ifr_loop_entry *entries = loops->loops[lane].entries[set];
	for (size_t half = 0; half < 2; half++)
		loops->tags[half][set * LANES + lane] = tag_at(&entries[2 * half]) | tag_at(&entries[2 * half + 1]) << 16;
}

void IFR_VECTOR(loops_train)(struct lane_loops *loops, const struct l_tage_said *said, bool taken,
                             unsigned missed) {
	uint32_t pcs[LANES], others[LANES];
	if (!(said->knows | missed))
		return;
	vec_store(pcs, said->pc);
	vec_store(others, said->taken);
	for (unsigned rest = said->knows | missed; rest; rest &= rest - 1) {
		const unsigned lane = (unsigned)__builtin_ctz(rest);
		struct ifr_loop *loop = &loops->loops[lane];
		if (!(said->knows >> lane & 1)) {
			loop->entry = NULL;
			loop->sure = loop->taken = false;
		}
		ifr_loop_train(loop, pcs[lane], taken, others[lane], said->final >> lane & 1);
		note_tags(loops, lane, pcs[lane] & 15);
	}
}
