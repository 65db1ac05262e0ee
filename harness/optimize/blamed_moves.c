/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/optimize/blamed_moves.h"

#include <stdlib.h>
#include <string.h>

#include "harness/analysis/analysis.h"
#include "harness/optimize/pins.h"

/* --- the functions ----------------------------------------------------------------------------------------------- */

static bool is_blamed(const struct blamed *blamed, const char *unit) {
	for (size_t i = 0; i < blamed->count; i++)
		if (!strcmp(blamed->items[i].unit, unit))
			return true;
	return false;
}

/* Pages are no matter of one function's place, and pairs have two. */
static bool is_local(const struct ifr_finding *finding) {
	return finding->feature < IFR_FEATURE_PAGE && !finding->other && !finding->pin;
}

static void add_finding(const struct ifr_finding *finding, bool told, struct blamed *blamed) {
	struct blamed_function *function = &blamed->items[blamed->count++];
	*function = (struct blamed_function){.unit = ifr_strdup(finding->unit), .told = told};
	ifr_feature_class_extent(finding->feature, (unsigned)finding->classes.lowest, &function->offset,
	                         &function->bytes, &function->frame);
}

static bool is_hot(const struct hot_code *code, const char *unit) {
	for (size_t i = 0; i < code->unit_count; i++)
		if (!strcmp(code->units[i].name, unit))
			return true;
	return false;
}

/* Hot functions are a family of their own: cold ones do not take their part of the false discovery rate. */
static void mark_hot(const struct hot_code *code, struct ifr_unit_addresses *addresses) {
	addresses->first = ifr_alloc(addresses->unit_count + 1);
	for (size_t i = 0; i < addresses->unit_count; i++)
		addresses->first[i] = is_hot(code, addresses->units[i]);
}

static int attribute(const struct candidate_source *source, const struct ifr_analysis *analysis,
                     struct blamed *blamed, struct ifr_error *err) {
	struct ifr_unit_addresses addresses = {0};
	struct ifr_attribution attribution = {0};
	int result = ifr_unit_addresses_find(source->relinker, analysis->dataset, 0, &addresses, err);
	if (!result)
		mark_hot(source->code, &addresses);
	if (!result)
		result = ifr_attribution_make(analysis, &addresses, &attribution, err);
	for (size_t i = 0; i < attribution.count && blamed->count < BLAMED_MOST && !result; i++) {
		const struct ifr_finding *finding = &attribution.findings[i];
		if (is_local(finding) && is_hot(source->code, finding->unit) && !is_blamed(blamed, finding->unit))
			add_finding(finding, i < attribution.found, blamed);
	}
	ifr_attribution_release(&attribution);
	ifr_unit_addresses_release(&addresses);
	return result;
}

int blamed_add(const struct candidate_source *source, const struct ifr_dataset *dataset, const char *metric,
               struct blamed *blamed, struct ifr_error *err) {
	struct ifr_analysis *analysis = NULL;
	struct ifr_error why = {0};
	int result = ifr_analysis_make(dataset, metric, &analysis, err);
	if (result)
		return result;
	result = attribute(source, analysis, blamed, &why);
	ifr_analysis_free(analysis);
	if (why.code == IFR_E_USAGE)
		return 0;
	if (result)
		*err = why;
	return result;
}

void blamed_release(struct blamed *blamed) {
	while (blamed->count)
		free(blamed->items[--blamed->count].unit);
}

/* --- their moves ------------------------------------------------------------------------------------------------- */

static size_t find_unit(const struct ifr_relinker *relinker, const char *name) {
	const size_t count = ifr_relinker_unit_count(relinker);
	for (size_t i = 0; i < count; i++) {
		struct ifr_relinker_unit unit;
		ifr_relinker_unit(relinker, i, &unit);
		if (!strcmp(unit.name, name))
			return i;
	}
	return count;
}

/* Moves a function of a spelled-out plan, and nothing behind it in its line. Returns false where it has its place, and
 * where it cannot have it. */
static bool move_function(const struct ifr_relinker *relinker, const struct blamed_function *function,
                          struct ifr_plan *plan) {
	const size_t count = ifr_relinker_unit_count(relinker), at = find_unit(relinker, function->unit);
	uint64_t *addresses = ifr_alloc((count + 1) * sizeof *addresses);
	struct ifr_relinker_unit unit = {0};
	struct ifr_error ignored = {0};
	bool moved = false;
	if (at < count && !pin_find_addresses(relinker, plan, addresses, &ignored)) {
		ifr_relinker_unit(relinker, at, &unit);
		const uint64_t in_frame = addresses[at] % function->frame;
		const uint64_t shift = (function->offset + function->frame - in_frame) % function->frame;
		const bool there = in_frame >= function->offset && in_frame < function->offset + function->bytes;
		moved = !there && unit.align && shift % unit.align == 0 &&
		        local_move_shift(relinker, plan, function->unit, (unsigned)shift);
	}
	free(addresses);
	return moved;
}

static size_t offer(const struct candidate_source *source, const struct ifr_plan *from,
                    const struct blamed_function *functions, size_t count, local_move_taker *take, void *taker) {
	struct candidate candidate = {.origin = CANDIDATE_BLAMED};
	struct ifr_error ignored = {0};
	size_t moved = 0;
	ifr_plan_copy(&candidate.plan, from);
	for (size_t i = 0; i < count; i++)
		moved += move_function(source->relinker, &functions[i], &candidate.plan);
	if (!moved || candidate_evaluate(source, &candidate, &ignored)) {
		candidate_release(&candidate);
		return 0;
	}
	take(taker, &candidate);
	return 1;
}

size_t blamed_moves_offer(const struct candidate_source *source, const struct ifr_plan *from,
                          const struct blamed *blamed, local_move_taker *take, void *taker) {
	struct ifr_plan spelled;
	struct ifr_error ignored = {0};
	size_t predicted = 0, told = 0;
	ifr_plan_init(&spelled);
	if (!pin_spell_out(source->relinker, from, &spelled, &ignored)) {
		for (size_t i = 0; i < blamed->count; i++) {
			predicted += offer(source, &spelled, &blamed->items[i], 1, take, taker);
			told += blamed->items[i].told;
		}
		if (told > 1)
			predicted += offer(source, &spelled, blamed->items, told, take, taker);
	}
	ifr_plan_release(&spelled);
	return predicted;
}
