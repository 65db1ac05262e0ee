/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Problem: units of a section flow, so that moving one moves all behind it, and one of those may be the cause.
 * Idea: every unit of the section has an address of its own in both variants of a pair: in front of the moved unit that
 * of the layout, behind it one that is farther by HOLD bytes.
 * Invariant: the two variants differ by the place of one unit. The unit moves by less than HOLD bytes, so that nothing
 * overlaps; HOLD is a multiple of all features' frames, so that the other units keep their classes. */
#include "harness/campaign/confirmation.h"

#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "harness/store/store.h"

/* Two sets of layouts, in which one unit lies at two kinds of places. */
struct sets {
	char *folder;
	struct ifr_strings files[2]; /* best, worst */
};

/* Where a unit lies in a layout; at is 0 where that is not known. */
static struct ifr_unit_extent extent_of(const struct ifr_confirmation *in, size_t variant, const char *unit) {
	const struct ifr_unit_addresses *from = in->addresses;
	const size_t i = unit ? ifr_unit_addresses_index(from, unit) : from->unit_count;
	if (i == from->unit_count)
		return (struct ifr_unit_extent){0};
	return (struct ifr_unit_extent){from->at[variant * from->unit_count + i], from->bytes ? from->bytes[i] : 0};
}

static int place_unit(struct ifr_plan *plan, const char *unit, uint64_t at, struct ifr_error *err) {
	for (size_t i = 0; i < plan->place_count; i++)
		if (!strcmp(plan->places[i].unit, unit))
			return ifr_fail(err, IFR_E_USAGE, "%s has a place by its plan already", unit);
	ifr_plan_place_at(plan, unit, at);
	return 0;
}

enum { FRAME = 64, HOLD = 2 * FRAME };

/* Where the class of a finding puts its unit: for an address feature in the first frame behind the unit's begin. */
static uint64_t find_place(const struct ifr_finding *f, size_t class, struct ifr_unit_extent unit,
                           struct ifr_unit_extent other) {
	if (unit.at && !f->other)
		unit.at += FRAME - 1;
	return ifr_finding_address(f, (unsigned)class, unit, other);
}

/* Gives all other units of the section their addresses. */
static void hold_others(const struct ifr_confirmation *in, size_t variant, struct ifr_plan *plan) {
	const struct ifr_unit_addresses *from = in->addresses;
	const size_t moved = ifr_unit_addresses_index(from, in->finding->unit);
	const uint64_t *at = from->at + variant * from->unit_count;
	for (size_t i = 0; i < from->unit_count; i++)
		if (i != moved && at[i] && !(from->pins && from->pins[i]) &&
		    ifr_unit_addresses_share_section(from, i, moved))
			ifr_plan_place_at(plan, from->units[i], at[i] + (at[i] > at[moved] ? HOLD : 0));
}

/* Makes a variant with the finding's unit at an address of the class. The other unit of a set conflict keeps its
 * address. */
static int make_one(const struct ifr_confirmation *in, size_t variant, size_t class, const char *path,
                    struct ifr_error *err) {
	const struct ifr_finding *f = in->finding;
	const struct ifr_dataset_variant *from = &in->dataset->variants[variant];
	const struct ifr_unit_extent unit = extent_of(in, variant, f->unit), other = extent_of(in, variant, f->other);
	const uint64_t at = find_place(f, class, unit, other);
	struct ifr_plan plan;
	struct ifr_variant made = {0};
	if (!unit.at || !at || (f->other && !other.at))
		return ifr_fail(err, IFR_E_USAGE, "%s has no such place in %s", f->unit, from->name);
	int result = ifr_plan_parse(from->plan, strlen(from->plan), from->name, &plan, err);
	if (result)
		return result;
	if (f->other)
		result = place_unit(&plan, f->other, other.at, err);
	if (!result)
		result = place_unit(&plan, f->unit, at, err);
	if (!result && !f->other)
		hold_others(in, variant, &plan);
	if (!result)
		result = ifr_relinker_make(in->relinker, &plan, path, &made, err);
	ifr_buffer_release(&made.facts);
	ifr_plan_release(&plan);
	return result;
}

static int make_pair(const struct ifr_confirmation *in, size_t variant, struct sets *sets, struct ifr_error *err) {
	const struct ifr_finding *f = in->finding;
	const size_t classes[2] = {f->classes.lowest, f->classes.highest};
	const struct ifr_dataset_variant *from = &in->dataset->variants[variant];
	char *paths[2];
	int result = 0;
	for (int i = 0; i < 2; i++)
		paths[i] = ifr_format("%s/%c%s", sets->folder, "bw"[i], from -> name);
	for (int i = 0; i < 2 && !result; i++)
		result = make_one(in, variant, classes[i], paths[i], err);
	for (int i = 0; i < 2; i++) {
		if (!result)
			ifr_strings_add(&sets->files[i], paths[i]);
		free(paths[i]);
	}
	return result;
}

static int make_sets(const struct ifr_confirmation *in, struct sets *sets, struct ifr_error *err) {
	struct ifr_error why = {0};
	int result = ifr_temporary_dir(&sets->folder, err);
	if (result)
		return result;
	for (size_t i = 0; i < in->dataset->variant_count; i++)
		if (in->dataset->variants[i].layout && !in->dataset->variants[i].refused)
			make_pair(in, i, sets, &why);
	return sets->files[0].count >= 2
	           ? 0
	           : ifr_fail(err, IFR_E_USAGE, "%s cannot be moved alone in two layouts or more%s%s",
	                      in->finding->unit, *why.message ? ": " : "", why.message);
}

const struct ifr_finding *ifr_confirmation_choose(const struct ifr_attribution *code) {
	for (size_t i = 0; i < code->found; i++)
		if (code->findings[i].feature != IFR_FEATURE_PAGE && !code->findings[i].pin)
			return &code->findings[i];
	return NULL;
}

static int compare_sets(const char *file, const char *metric, struct ifr_comparison *comparison,
                        struct ifr_error *err) {
	static const struct ifr_comparison_rules rules = {.margin = 0.01, .fail_above = 1000};
	struct ifr_dataset dataset;
	int result = ifr_experiment_load(file, &dataset, err);
	if (result)
		return result;
	const struct ifr_comparison_side best = {&dataset, 0, "the best place", NULL},
									 worst = {&dataset, 1, "the worst", NULL};
	result = ifr_comparison_make(&best, &worst, metric, &rules, comparison, err);
	if (!result)
		memset(comparison->side, 0, sizeof comparison->side);
	ifr_dataset_release(&dataset);
	return result;
}

/* The fact that names the unit that an experiment moves. */
static const char fact_moved[] = "moved";

/* An experiment about another unit goes aside. */
static int keep_same_unit(const char *file, const char *unit, struct ifr_error *err) {
	struct ifr_experiment *experiment = NULL;
	if (!ifr_file_exists(file))
		return 0;
	int result = ifr_experiment_open(file, &experiment, err);
	if (result)
		return result;
	char *moved = ifr_experiment_get(experiment, fact_moved);
	const bool same = moved && !strcmp(moved, unit);
	free(moved);
	ifr_experiment_close(experiment);
	return same ? 0 : ifr_campaign_set_aside(file, err);
}

static void note_unit(const char *file, const char *unit) {
	struct ifr_experiment *experiment = NULL;
	if (!ifr_file_exists(file) || ifr_experiment_open(file, &experiment, NULL))
		return;
	ifr_experiment_set(experiment, fact_moved, unit, NULL);
	ifr_experiment_close(experiment);
}

int ifr_confirmation_run(const struct ifr_confirmation *confirmation, const struct ifr_campaign *plan,
                         struct ifr_comparison *comparison, struct ifr_error *err) {
	struct ifr_campaign campaign = *plan;
	struct ifr_campaign_result done;
	struct sets sets = {0};
	int result = keep_same_unit(campaign.file, confirmation->finding->unit, err);
	if (!result)
		result = make_sets(confirmation, &sets, err);
	if (!result) {
		const struct ifr_campaign_program sides[2] = {{.path = "the best places", .files = &sets.files[0]},
		                                              {.path = "the worst places", .files = &sets.files[1]}};
		campaign.programs = sides;
		campaign.program_count = 2;
		campaign.variants = (unsigned)sets.files[0].count;
		result = ifr_campaign_run(&campaign, &done, err);
		note_unit(campaign.file, confirmation->finding->unit);
	}
	if (!result)
		result = compare_sets(campaign.file, confirmation->metric, comparison, err);
	if (sets.folder)
		ifr_tree_remove(sets.folder, NULL);
	free(sets.folder);
	ifr_strings_release(&sets.files[0]);
	ifr_strings_release(&sets.files[1]);
	return result;
}
