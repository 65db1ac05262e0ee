/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "harness/icost/interaction.h"
#include "harness/output/output.h"

enum { SCHEMA_VERSION = 1 };

static json_t *json_set(const struct ifr_icost *icost, uint32_t set) {
	json_t *names = json_array();
	for (unsigned i = 0; i < IFR_CAUSE_LIMIT; i++)
		if (set >> i & 1)
			json_array_append_new(names, ifr_json_text(ifr_icost_about(icost, i)->name));
	return names;
}

static json_t *json_causes(const struct ifr_icost *icost) {
	json_t *list = json_array();
	for (unsigned i = 0; i < IFR_CAUSE_LIMIT; i++) {
		if (!(icost->causes >> i & 1))
			continue;
		const struct ifr_cause_about *about = ifr_icost_about(icost, i);
		json_t *cause = json_object();
		ifr_json_set(cause, "name", ifr_json_text(about->name));
		ifr_json_set(cause, "about", ifr_json_text(about->about));
		ifr_json_set(cause, "idealised", ifr_json_text(about->ideal));
		ifr_json_set(cause, "remedy", ifr_json_text(about->remedy));
		json_array_append_new(list, cause);
	}
	return list;
}

static json_t *json_row(const struct ifr_icost *icost, uint32_t set) {
	const struct ifr_icost_value cost = ifr_icost_cost(icost, set);
	json_t *row = json_object();
	ifr_json_set(row, "causes", json_set(icost, set));
	ifr_json_set(row, "cycles", ifr_json_number(ifr_icost_time(icost, set)));
	ifr_json_set(row, "cost", ifr_json_number(cost.cycles));
	ifr_json_set(row, "cost_standard_error", ifr_json_number(cost.error));
	/* Where not all subsets are listed, sets of one or two causes have an icost, and all causes have none. */
	if (!icost->all_subsets && __builtin_popcount(set) > 2)
		return row;
	const struct ifr_icost_value value = ifr_icost_interaction(icost, set);
	ifr_json_set(row, "icost", ifr_json_number(value.cycles));
	ifr_json_set(row, "icost_standard_error", ifr_json_number(value.error));
	if (__builtin_popcount(set) > 1)
		ifr_json_set(row, "interaction", ifr_json_text(ifr_icost_kinds[ifr_icost_kind(icost, &value)]));
	return row;
}

static json_t *json_breakdown(const struct ifr_icost *icost, enum ifr_cause focus) {
	struct ifr_icost_breakdown breakdown;
	json_t *object = json_object(), *rows = json_array();
	const double all = ifr_icost_time(icost, 0) / 100;
	ifr_icost_break_down(icost, focus, &breakdown);
	for (size_t i = 0; i < breakdown.count; i++) {
		const enum ifr_cause cause = breakdown.order[i];
		json_t *row = json_object();
		ifr_json_set(row, "cause", ifr_json_text(ifr_icost_about(icost, cause)->name));
		ifr_json_set(row, "cost_pct", ifr_json_number(breakdown.alone[cause].cycles / all));
		if (cause != breakdown.focus)
			ifr_json_set(row, "icost_with_focus_pct", ifr_json_number(breakdown.with_focus[cause].cycles / all));
		json_array_append_new(rows, row);
	}
	ifr_json_set(object, "focus", ifr_json_text(ifr_icost_about(icost, breakdown.focus)->name));
	ifr_json_set(object, "rows", rows);
	ifr_json_set(object, "other_pct", ifr_json_number(breakdown.other / all));
	ifr_json_set(object, "rest_pct", ifr_json_number(breakdown.rest / all));
	return object;
}

static json_t *json_profile(const struct ifr_shotgun_coverage *profile) {
	const struct {
		const char *name;
		uint64_t value;
	} rows[] = {{"signatures", profile->signatures},
	            {"details", profile->details},
	            {"fragments", profile->fragments},
	            {"shortened", profile->shortened},
	            {"dropped_impossible_bits", profile->impossible},
	            {"dropped_code", profile->unknown},
	            {"dropped_target", profile->lost},
	            {"dropped_short", profile->cut},
	            {"instructions", profile->instructions},
	            {"exact", profile->exact},
	            {"missing", profile->missing}};
	json_t *object = json_object();
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		ifr_json_set(object, rows[i].name, ifr_json_count(rows[i].value));
	return object;
}

void ifr_icost_json(const struct ifr_icost *icost, const struct ifr_icost_run *run, enum ifr_cause focus,
                    struct ifr_buffer *out) {
	json_t *root = ifr_json_document(SCHEMA_VERSION, NULL, NULL), *sets = json_array();
	for (size_t i = 1; i < icost->count; i++)
		json_array_append_new(sets, json_row(icost, icost->sets[i]));
	ifr_json_set(root, "program", ifr_json_text(run->name));
	ifr_json_set(root, "machine", ifr_json_text(run->machine));
	ifr_json_set(root, "damage", ifr_json_text(run->damage));
	ifr_json_set(root, "recorded_every",
	             run->sampled ? ifr_json_count(strtoull(run->sampled, NULL, 10)) : json_null());
	ifr_json_set(root, "fragments", ifr_json_count(icost->times.fragments));
	ifr_json_set(root, "approximate", ifr_json_text(run->approximate));
	ifr_json_set(root, "instructions", ifr_json_count(run->instructions));
	ifr_json_set(root, "cycles", ifr_json_number(ifr_icost_time(icost, 0)));
	if (run->profile)
		ifr_json_set(root, "profile", json_profile(run->profile));
	ifr_json_set(root, "causes", json_causes(icost));
	ifr_json_set(root, "breakdown", json_breakdown(icost, focus));
	ifr_json_set(root, "sets", sets);
	ifr_json_print(root, out);
}
