/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The order of an output section's units. */
#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"
#include "relinker/placement/placement_parts.h"

/* A movable unit and the keys of its rank. */
struct candidate {
	size_t unit;
	unsigned bucket;
	uint64_t object_key;
	uint64_t function_key;
};

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS };

struct ranked {
	uint64_t key;
	size_t candidate;
};

struct ranking {
	struct ranked *items, *spare;
	size_t count;
};

/* Sorts by one digit of the keys; entries with equal digits keep their order (a pass of radix sort). */
static void sort_digit(struct ranking *ranking, unsigned shift) {
	size_t starts[DIGITS] = {0}, next = 0;
	const struct ranked *items = ranking->items;
	for (size_t i = 0; i < ranking->count; i++)
		starts[items[i].key >> shift & (DIGITS - 1)]++;
	if (ranking->count && starts[items->key >> shift & (DIGITS - 1)] == ranking->count)
		return;
	for (size_t digit = 0; digit < DIGITS; digit++) {
		size_t those = starts[digit];
		starts[digit] = next;
		next += those;
	}
	for (size_t i = 0; i < ranking->count; i++)
		ranking->spare[starts[items[i].key >> shift & (DIGITS - 1)]++] = items[i];
	struct ranked *sorted = ranking->spare;
	ranking->spare = ranking->items;
	ranking->items = sorted;
}

/* Sorts by hashes: their three highest digits separate nearly all of them, and insertion sort finishes the rest. */
static void sort_hashes(struct ranking *ranking) {
	for (unsigned shift = 64 - 3 * DIGIT_BITS; shift < 64; shift += DIGIT_BITS)
		sort_digit(ranking, shift);
	for (size_t i = 1; i < ranking->count; i++) {
		struct ranked item = ranking->items[i];
		size_t at = i;
		for (; at > 0 && ranking->items[at - 1].key > item.key; at--)
			ranking->items[at] = ranking->items[at - 1];
		ranking->items[at] = item;
	}
}

/* Sorts by bucket, object and function; candidates with equal keys keep their order. */
static void sort_candidates(struct candidate *candidates, size_t count) {
	struct ranking ranking = {.items = ifr_alloc((count + 1) * sizeof *ranking.items),
	                          .spare = ifr_alloc((count + 1) * sizeof *ranking.spare),
	                          .count = count};
	struct candidate *sorted = ifr_alloc((count + 1) * sizeof *sorted);
	bool by_object = false;
	for (size_t i = 0; i < count; i++) {
		ranking.items[i] = (struct ranked){candidates[i].function_key, i};
		by_object |= candidates[i].object_key != 0;
	}
	sort_hashes(&ranking);
	for (size_t i = 0; i < count && by_object; i++)
		ranking.items[i].key = candidates[ranking.items[i].candidate].object_key;
	if (by_object)
		sort_hashes(&ranking);
	for (size_t i = 0; i < count; i++)
		ranking.items[i].key = candidates[ranking.items[i].candidate].bucket;
	for (unsigned shift = 0; shift < 32; shift += DIGIT_BITS)
		sort_digit(&ranking, shift);
	for (size_t i = 0; i < count; i++)
		sorted[i] = candidates[ranking.items[i].candidate];
	if (count)
		memcpy(candidates, sorted, count * sizeof *sorted);
	free(sorted);
	free(ranking.items);
	free(ranking.spare);
}

/* The keys of a unit of .text:
 *
 *     axis functions    shuffles the functions of the whole program
 *     axis link-order   shuffles blocks, each of all functions of an object
 *     both              shuffles the blocks and the functions inside each
 *
 * Ref: Wang and Jiménez 2011, section 5.4. */
static struct candidate text_candidate(const struct placement_work *work, size_t index,
                                       const struct decider *by_object, const struct decider *by_name) {
	const struct ifr_axis_setting *functions = &work->plan->axis[IFR_AXIS_FUNCTIONS];
	const struct unit *unit = &work->units->items[index];
	return (struct candidate){
		.unit = index,
		.bucket = functions->on && functions->value[0] ? 0 : unit->bucket,
		.object_key = decide(by_object, unit->object),
		.function_key = decide(by_name, unit->name),
	};
}

/* Whether every axis that orders the output section may move a unit. */
static bool is_free(const struct placement_work *work, const struct unit *unit) {
	static const enum ifr_axis of_text[] = {IFR_AXIS_FUNCTIONS, IFR_AXIS_LINK_ORDER};
	if (!unit->movable)
		return false;
	if (work->output != OUTPUT_TEXT)
		return axis_covers(work->plan, IFR_AXIS_DATA, unit);
	for (size_t i = 0; i < sizeof of_text / sizeof *of_text; i++)
		if (work->plan->axis[of_text[i]].on && !axis_covers(work->plan, of_text[i], unit))
			return false;
	return true;
}

static bool is_last(const struct placement_work *work, size_t unit) {
	return work->last && work->last[unit] && is_free(work, &work->units->items[unit]);
}

/* Ranks the units that are neither listed nor fixed: those that come last, or the others. Units that no axis may move
 * keep their positions among the others. */
static void rank_rest(struct placement_work *work, bool last) {
	const struct output_units *output = &work->units->outputs[work->output];
	struct decider by_object = decider_of(work->plan, IFR_AXIS_LINK_ORDER),
				   by_name =
					   decider_of(work->plan, work->output == OUTPUT_TEXT ? IFR_AXIS_FUNCTIONS : IFR_AXIS_DATA);
	struct candidate *candidates = ifr_alloc((output->count + 1) * sizeof *candidates);
	size_t first = work->count, free_count = 0, next = 0;
	for (size_t i = 0; i < output->count; i++) {
		size_t index = output->first + i;
		if (work->assigned[i] || is_last(work, index) != last)
			continue;
		work->sequence[work->count++] = index;
		if (!is_free(work, &work->units->items[index]))
			continue;
		candidates[free_count++] =
			work->output == OUTPUT_TEXT
				? text_candidate(work, index, &by_object, &by_name)
				: (struct candidate){.unit = index,
		                             .function_key = decide(&by_name, work->units->items[index].name)};
	}
	sort_candidates(candidates, free_count);
	for (size_t i = first; i < work->count; i++)
		if (is_free(work, &work->units->items[work->sequence[i]]))
			work->sequence[i] = candidates[next++].unit;
	free(candidates);
}

void placement_rank(struct placement_work *work) {
	for (size_t i = 0; i < work->listed_count; i++)
		work->sequence[work->count++] = work->listed[i];
	rank_rest(work, false);
	if (work->last)
		rank_rest(work, true);
}
