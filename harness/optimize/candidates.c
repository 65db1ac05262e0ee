/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/optimize/candidates.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GAP_UNITS_MOST = 24, LINE = 64, LINES_OF_PAGE = 64, PASSES = 2 };
/* Distances are multiples of this, of functions with less alignment of the lesser. */
enum { GAP_STEP = 16, FINE_GAP_STEP = 4 };

const char *const candidate_origin_names[] = {"random", "ordered", "moved", "blamed", "aligned", "varied"};

static void predict(const struct candidate_source *source, struct candidate *candidate) {
	if (source->surrogate)
		candidate->expected = surrogate_predict(source->surrogate, candidate->features, &candidate->se);
}

int candidate_evaluate(const struct candidate_source *source, struct candidate *candidate, struct ifr_error *err) {
	struct ifr_relinker_layout *layout = NULL;
	uint64_t *addresses = ifr_alloc((ifr_relinker_unit_count(source->relinker) + 1) * sizeof *addresses);
	int result = ifr_relinker_place(source->relinker, &candidate->plan, &layout, err);
	if (!result)
		result = ifr_relinker_layout_addresses(layout, addresses, err);
	if (!result) {
		features_compute(source->code, addresses, candidate->features);
		predict(source, candidate);
	}
	ifr_relinker_layout_close(layout);
	free(addresses);
	return result;
}

int candidate_draw(const struct candidate_source *source, unsigned layout, const double *features,
                   struct candidate *candidate, struct ifr_error *err) {
	*candidate = (struct candidate){.origin = CANDIDATE_RANDOM};
	ifr_layout_generator_plan(source->generator, source->kit_key, layout, &candidate->plan);
	if (!features)
		return candidate_evaluate(source, candidate, err);
	memcpy(candidate->features, features, sizeof candidate->features);
	predict(source, candidate);
	return 0;
}

/* --- orders of hot functions ------------------------------------------------------------------------------------- */

/* An order of hot functions, and the bytes left free before each. */
struct sequence {
	struct function_order order;
	unsigned gap[ORDERED_FUNCTIONS_MOST];
	uint64_t start; /* of the code as it ships */
	unsigned lines; /* of 64 bytes, by which it begins later */
};

static uint64_t start_of(const struct sequence *s) {
	return s->start + (uint64_t)s->lines * LINE;
}

static uint64_t align_up(uint64_t at, unsigned align) {
	return align ? (at + align - 1) & ~(uint64_t)(align - 1) : at;
}

static unsigned gap_step(const struct hot_unit *unit) {
	return unit->align < GAP_STEP ? FINE_GAP_STEP : GAP_STEP;
}

/* Places the sequence's functions among addresses of the others. */
static void place_sequence(const struct hot_code *code, const struct sequence *s, uint64_t *addresses) {
	uint64_t at = start_of(s);
	for (size_t i = 0; i < s->order.count; i++) {
		const struct hot_unit *unit = &code->units[s->order.unit[i]];
		at = align_up(align_up(at, gap_step(unit)) + s->gap[i], unit->align);
		addresses[unit->unit] = at;
		at += unit->bytes;
	}
}

/* The figure that is to be least. */
static double judge(const struct candidate_source *source, enum candidate_gaps gaps, const struct sequence *s,
                    uint64_t *addresses) {
	double features[FEATURES_MOST];
	place_sequence(source->code, s, addresses);
	features_compute(source->code, addresses, features);
	return gaps == CANDIDATE_GAPS_EXPECTED     ? surrogate_predict(source->surrogate, features, NULL)
	       : gaps == CANDIDATE_GAPS_OF_WINDOWS ? features[FEATURE_WINDOWS_OF_64]
	       : gaps == CANDIDATE_GAPS_OF_SETS    ? features[FEATURE_SETS]
	                                           : features[FEATURE_CROWDED] + features[FEATURE_BRANCH_ALIASES];
}

/* Tries the gaps before one after another of the most executed functions, and keeps the best. */
static void choose_gaps(const struct candidate_source *source, enum candidate_gaps gaps, struct sequence *s,
                        uint64_t *addresses) {
	double least = judge(source, gaps, s, addresses);
	for (int pass = 0; pass < PASSES; pass++)
		for (size_t i = 0; i < s->order.count; i++) {
			const unsigned step = gap_step(&source->code->units[s->order.unit[i]]);
			unsigned best = s->gap[i];
			if (s->order.unit[i] >= GAP_UNITS_MOST)
				continue;
			for (unsigned gap = 0; gap < LINE; gap += step) {
				s->gap[i] = gap;
				const double figure = judge(source, gaps, s, addresses);
				if (figure < least) {
					least = figure;
					best = s->gap[i];
				}
			}
			s->gap[i] = best;
		}
}

/* Begins the code at the line of a page where it is expected to be fastest, or where its sets hold the least beside
 * libraries. */
static void choose_start(const struct candidate_source *source, enum candidate_gaps gaps, struct sequence *s,
                         uint64_t *addresses) {
	const enum candidate_gaps of = gaps == CANDIDATE_GAPS_EXPECTED ? gaps : CANDIDATE_GAPS_OF_SETS;
	double least = judge(source, of, s, addresses);
	unsigned best = s->lines;
	for (s->lines = 1; s->lines < LINES_OF_PAGE; s->lines++) {
		const double figure = judge(source, of, s, addresses);
		if (figure < least) {
			least = figure;
			best = s->lines;
		}
	}
	s->lines = best;
}

/* The order as `order` lines; a gap as room of the function before it, or as a later start. */
static void write_plan(const struct candidate_source *source, const struct sequence *s, struct ifr_plan *plan) {
	ifr_plan_init(plan);
	snprintf(plan->kit, sizeof plan->kit, "%s", source->kit_key);
	for (size_t i = 0; i < s->order.count; i++) {
		const struct hot_unit *unit = &source->code->units[s->order.unit[i]];
		ifr_plan_place(plan, unit->name);
		if (i + 1 == s->order.count)
			break;
		const struct hot_unit *next = &source->code->units[s->order.unit[i + 1]];
		const uint64_t room = align_up(unit->bytes, gap_step(next)) + s->gap[i + 1];
		if (room > align_up(unit->bytes, next->align))
			ifr_plan_give_room(plan, unit->name, room);
	}
	plan->code_start = s->order.count && (s->gap[0] || s->lines) ? start_of(s) + s->gap[0] : 0;
}

int candidate_order(const struct candidate_source *source, enum function_rule rule, unsigned number,
                    enum candidate_gaps gaps, struct candidate *candidate, struct ifr_error *err) {
	struct sequence sequence = {.start = align_up(ifr_relinker_code_start(source->relinker), GAP_STEP)};
	const size_t units = ifr_relinker_unit_count(source->relinker);
	uint64_t *addresses = ifr_alloc((units + 1) * sizeof *addresses);
	*candidate = (struct candidate){.origin = CANDIDATE_ORDERED};
	function_order_make(source->code, rule, source->generator->seed + number, &sequence.order);
	for (size_t i = 0; i < units; i++) {
		struct ifr_relinker_unit unit;
		ifr_relinker_unit(source->relinker, i, &unit);
		addresses[i] = unit.address;
	}
	if (gaps != CANDIDATE_GAPS_NONE && sequence.order.count)
		choose_start(source, gaps, &sequence, addresses);
	if (gaps != CANDIDATE_GAPS_NONE)
		choose_gaps(source, gaps, &sequence, addresses);
	write_plan(source, &sequence, &candidate->plan);
	free(addresses);
	return sequence.order.count ? candidate_evaluate(source, candidate, err)
	                            : ifr_fail(err, IFR_E_USAGE, "no hot function of the program can be moved");
}

void candidate_release(struct candidate *candidate) {
	ifr_plan_release(&candidate->plan);
}
