/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/optimize/small_edit.h"

#include <stdlib.h>
#include <string.h>

/* The size that edits aim at: two steps of 16 bytes, by which functions are aligned, and instructions of four bytes. The
 * smallest function to edit. */
enum { EDIT_BYTES = 32, INSTRUCTION_BYTES = 4, FUNCTION_LEAST = 16 };

static bool is_hot(const struct hot_code *code, size_t unit) {
	for (size_t i = 0; i < code->unit_count; i++)
		if (code->units[i].unit == unit)
			return true;
	return false;
}

/* Whether it is a function of a section of its own, in no group of the linker's. */
static bool is_plain_function(const struct ifr_relinker_unit *unit) {
	const char *symbol = hot_unit_symbol(unit->name), *colon = strrchr(unit->name, ':');
	return symbol && colon && symbol == colon + strlen(":.text.");
}

int small_edit_choose(struct ifr_builder *builder, const struct hot_code *code, struct small_edit *edit,
                      struct ifr_error *err) {
	const struct ifr_relinker *relinker = ifr_builder_relinker(builder);
	struct ifr_relinker_unit hottest, best = {0};
	bool best_before = false;
	ifr_relinker_unit(relinker, code->units[0].unit, &hottest);
	for (size_t i = 0; i < ifr_relinker_unit_count(relinker); i++) {
		struct ifr_relinker_unit unit;
		ifr_relinker_unit(relinker, i, &unit);
		if (unit.pin || !unit.align || unit.bytes < FUNCTION_LEAST || !is_plain_function(&unit) || is_hot(code, i))
			continue;
		const bool before = unit.address < hottest.address;
		const bool better = before != best_before ? before
		                    : before              ? unit.address > best.address
		                                          : unit.bytes > best.bytes;
		if (!best.name || better) {
			best = unit;
			best_before = before;
		}
	}
	if (!best.name)
		return ifr_fail(err, IFR_E_USAGE,
		                "the program has no function in a section of its own that its runs leave cold");
	const uint64_t sites = best.bytes / INSTRUCTION_BYTES, share = 100 * EDIT_BYTES / sites;
	struct ifr_error ignored = {0};
	const bool rebuilt = !ifr_builder_check(builder, 1u << IFR_AXIS_NOPS, &ignored);
	*edit = (struct small_edit){.unit = best.name,
	                            .symbol = hot_unit_symbol(best.name),
	                            .nops_pct = !rebuilt      ? 0
	                                        : share > 100 ? 100
	                                        : share       ? (unsigned)share
	                                                      : 1,
	                            .room = best.bytes + EDIT_BYTES};
	return 0;
}

void small_edit_apply(const struct small_edit *edit, struct ifr_plan *plan) {
	const enum ifr_axis axis = edit->nops_pct ? IFR_AXIS_NOPS : IFR_AXIS_PADDING;
	struct ifr_axis_setting *setting = &plan->axis[axis];
	/* The shipped layout has no rooms, and a layout that pads all functions has no free pattern. */
	if (setting->on) {
		ifr_plan_give_room(plan, edit->unit, edit->room);
		return;
	}
	ifr_plan_enable(plan, axis, 1);
	free(setting->only);
	setting->only = ifr_strdup(edit->symbol);
	if (edit->nops_pct)
		setting->value[0] = edit->nops_pct;
	else
		setting->given[0] = EDIT_BYTES;
}

char *small_edit_describe(const struct small_edit *edit) {
	return edit->nops_pct ? ifr_format("nops in %s", edit->symbol)
	                      : ifr_format("%d bytes at %s", EDIT_BYTES, edit->symbol);
}
