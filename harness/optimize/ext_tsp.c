/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/optimize/ext_tsp.h"

#include <stdlib.h>
#include <string.h>

static const double jump_weight = 0.1, forward_bytes = 1024, backward_bytes = 640;

/* A longer chain is merged as a whole: splits cost a score each. */
enum { SPLIT_MOST = 16 };

/* The ways to put a chain Y to a chain X that is split in X1 and X2; an empty X1 gives X Y and Y X. */
enum merge { MERGE_X1_Y_X2, MERGE_Y_X2_X1, MERGE_X2_X1_Y, MERGES };

struct chain {
	size_t unit[ORDERED_FUNCTIONS_MOST];
	size_t count;
	double score, instructions, bytes;
};

struct chains {
	const struct hot_code *code;
	struct chain *items; /* [ORDERED_FUNCTIONS_MOST]; without units: merged into another */
	size_t count;
};

static double score_of_jump(double from, double to) {
	const double forward = to - from, most = forward < 0 ? backward_bytes : forward_bytes,
				 distance = forward < 0 ? -forward : forward;
	return distance < most ? jump_weight * (1 - distance / most) : 0;
}

double ext_tsp_score(const struct hot_code *code, const size_t *units, size_t count) {
	double begin[ORDERED_FUNCTIONS_MOST], score = 0;
	uint64_t at = 0;
	for (size_t i = 0; i < ORDERED_FUNCTIONS_MOST; i++)
		begin[i] = -1;
	for (size_t i = 0; i < count; i++) {
		const struct hot_unit *unit = &code->units[units[i]];
		at = unit->align ? (at + unit->align - 1) / unit->align * unit->align : at;
		begin[units[i]] = (double)at;
		at += unit->bytes;
	}
	for (size_t i = 0; i < code->call_count; i++) {
		const struct hot_call *call = &code->calls[i];
		if (call->from < ORDERED_FUNCTIONS_MOST && call->to < ORDERED_FUNCTIONS_MOST && begin[call->from] >= 0 &&
		    begin[call->to] >= 0)
			score += (double)call->count * score_of_jump(begin[call->from] + call->site, begin[call->to]);
	}
	return score;
}

static void append(struct chain *chain, const size_t *units, size_t count) {
	memcpy(chain->unit + chain->count, units, count * sizeof *units);
	chain->count += count;
}

static void merge(const struct hot_code *code, const struct chain *x, const struct chain *y, enum merge kind,
                  size_t split, struct chain *merged) {
	const size_t *second = x->unit + split, rest = x->count - split;
	*merged = (struct chain){.instructions = x->instructions + y->instructions, .bytes = x->bytes + y->bytes};
	if (kind == MERGE_X1_Y_X2) {
		append(merged, x->unit, split);
		append(merged, y->unit, y->count);
		append(merged, second, rest);
	} else {
		if (kind == MERGE_Y_X2_X1)
			append(merged, y->unit, y->count);
		append(merged, second, rest);
		append(merged, x->unit, split);
		if (kind == MERGE_X2_X1_Y)
			append(merged, y->unit, y->count);
	}
	merged->score = ext_tsp_score(code, merged->unit, merged->count);
}

static bool call_each_other(const struct hot_code *code, const struct chain *x, const struct chain *y) {
	for (size_t i = 0; i < code->call_count; i++) {
		bool from_x = false, from_y = false, to_x = false, to_y = false;
		for (size_t u = 0; u < x->count; u++) {
			from_x |= code->calls[i].from == x->unit[u];
			to_x |= code->calls[i].to == x->unit[u];
		}
		for (size_t u = 0; u < y->count; u++) {
			from_y |= code->calls[i].from == y->unit[u];
			to_y |= code->calls[i].to == y->unit[u];
		}
		if ((from_x && to_y) || (from_y && to_x))
			return true;
	}
	return false;
}

/* The best merge of y into x. Returns by how much it raises the objective. */
static double find_merge(const struct hot_code *code, const struct chain *x, const struct chain *y,
                         struct chain *best) {
	const size_t splits = x->count <= SPLIT_MOST ? x->count : 1;
	double most = 0;
	for (size_t split = 0; split < splits; split++)
		for (int kind = 0; kind < MERGES; kind++) {
			struct chain merged;
			merge(code, x, y, (enum merge)kind, split, &merged);
			const double gain = merged.score - x->score - y->score;
			if (gain > most) {
				most = gain;
				*best = merged;
			}
		}
	return most;
}

/* Merges the two chains that raise the objective most. Returns false where none does. */
static bool merge_best(struct chains *chains) {
	struct chain best, merged;
	size_t into = 0, from = 0;
	double most = 0;
	for (size_t x = 0; x < chains->count; x++)
		for (size_t y = 0; y < chains->count; y++) {
			const struct chain *a = &chains->items[x], *b = &chains->items[y];
			if (x == y || !a->count || !b->count || !call_each_other(chains->code, a, b))
				continue;
			const double gain = find_merge(chains->code, a, b, &merged);
			if (gain > most) {
				most = gain;
				best = merged;
				into = x;
				from = y;
			}
		}
	if (most <= 0)
		return false;
	chains->items[into] = best;
	chains->items[from].count = 0;
	return true;
}

static int densest_first(const void *a, const void *b) {
	const struct chain *x = a, *y = b;
	const double dense_x = x->count ? x->instructions / (x->bytes + 1) : -1,
				 dense_y = y->count ? y->instructions / (y->bytes + 1) : -1;
	return dense_x != dense_y ? (dense_x < dense_y) - (dense_x > dense_y)
	                          : (*x->unit > *y->unit) - (*x->unit < *y->unit);
}

void ext_tsp_order(const struct hot_code *code, struct function_order *order) {
	struct chains chains = {.code = code, .items = ifr_alloc(ORDERED_FUNCTIONS_MOST * sizeof *chains.items)};
	for (size_t i = 0; i < code->unit_count && i < ORDERED_FUNCTIONS_MOST; i++)
		if (code->units[i].moves)
			chains.items[chains.count++] = (struct chain){.unit = {i},
			                                              .count = 1,
			                                              .instructions = (double)code->units[i].instructions,
			                                              .bytes = (double)code->units[i].bytes};
	while (merge_best(&chains))
		continue;
	qsort(chains.items, chains.count, sizeof *chains.items, densest_first);
	*order = (struct function_order){0};
	for (size_t i = 0; i < chains.count; i++)
		for (size_t u = 0; u < chains.items[i].count; u++)
			order->unit[order->count++] = chains.items[i].unit[u];
	free(chains.items);
}
