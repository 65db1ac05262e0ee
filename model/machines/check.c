/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks that the values of a description fit together. */
#include "model/machines/parts.h"

static bool is_power(unsigned n) {
	return n && !(n & (n - 1));
}

static int check_sets(const struct ifr_machine *machine, enum ifr_setting first, unsigned entries, unsigned ways,
                      unsigned policy, struct ifr_error *err) {
	const char *group = ifr_settings[first].group;
	if (!ways)
		return ifr_fail(err, IFR_E_USAGE, "%s: there is %s.%s but no %s.ways: set it, too", machine->name, group,
		                ifr_settings[first].name, group);
	if (!is_power(entries / ways) || entries % ways)
		return ifr_fail(
			err, IFR_E_USAGE,
			"%s: %s has %u entries in %u ways, which is no power of two of sets: change %s.%s or %s.ways",
			machine->name, group, entries, ways, group, ifr_settings[first].name, group);
	if (policy == IFR_POLICY_PLRU && (!is_power(ways) || ways > IFR_PLRU_WAYS))
		return ifr_fail(err, IFR_E_USAGE,
		                "%s: %s has policy plru and %u ways, and the tree needs 1, 2, 4, … 64: take lru",
		                machine->name, group, ways);
	return 0;
}

static int check_cache(const struct ifr_machine *machine, enum ifr_setting first, struct ifr_error *err) {
	const unsigned *values = &machine->values[first];
	const char *group = ifr_settings[first].group;
	if (!values[0])
		return 0;
	if (!values[2])
		return ifr_fail(err, IFR_E_USAGE, "%s: there is %s.bytes but no %s.line_bytes: set it, too", machine->name,
		                group, group);
	if (!is_power(values[2]) || values[2] < 16 || values[0] % values[2])
		return ifr_fail(err, IFR_E_USAGE,
		                "%s: %s has %u bytes in lines of %u, which must be a power of two and divide them: set "
		                "%s.line_bytes",
		                machine->name, group, values[0], values[2], group);
	return check_sets(machine, first, values[0] / values[2], values[1], values[3], err);
}

static int check_entries(const struct ifr_machine *machine, enum ifr_setting first, bool policy,
                         struct ifr_error *err) {
	const unsigned *values = &machine->values[first];
	return values[0] ? check_sets(machine, first, values[0], values[1], policy ? values[2] : IFR_POLICY_LRU, err)
	                 : 0;
}

/* The misses of one level are looked up in the next by line number, so all caches must have lines of one size. */
static int check_levels(const struct ifr_machine *machine, struct ifr_error *err) {
	const unsigned *values = machine->values;
	unsigned line = 0;
	for (unsigned first = IFR_L1I_BYTES; first <= IFR_L3_BYTES; first += 4) {
		if (values[first] && line && values[first + 2] != line)
			return ifr_fail(
				err, IFR_E_USAGE,
				"%s: %s.line_bytes is %u and %u in a level before: all caches have lines of one size here",
				machine->name, ifr_settings[first].group, values[first + 2], line);
		line = values[first] ? values[first + 2] : line;
	}
	static const struct {
		enum ifr_setting outer, inner;
	} pairs[] = {
		{IFR_L3_BYTES, IFR_L2_BYTES}, {IFR_BTB2_ENTRIES, IFR_BTB1_ENTRIES}, {IFR_BTB3_ENTRIES, IFR_BTB2_ENTRIES}};
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
		if (values[pairs[i].outer] && !values[pairs[i].inner])
			return ifr_fail(err, IFR_E_USAGE, "%s: there is %s but no %s: describe that too", machine->name,
			                ifr_settings[pairs[i].outer].group, ifr_settings[pairs[i].inner].group);
	return 0;
}

static int check_predictors(const struct ifr_machine *machine, struct ifr_error *err) {
	const struct ifr_predictor *direction = machine->direction;
	const struct ifr_target_predictor *indirect = machine->indirect;
	const char *why = direction->refuse ? direction->refuse(machine->direction_values) : NULL;
	if (why)
		return ifr_fail(err, IFR_E_USAGE, "%s: direction, %s: %s", machine->name, direction->name, why);
	why = indirect->refuse ? indirect->refuse(machine->indirect_values) : NULL;
	if (why)
		return ifr_fail(err, IFR_E_USAGE, "%s: indirect, %s: %s", machine->name, indirect->name, why);
	return 0;
}

/* A core is described whole, or not at all. */
static int check_core(const struct ifr_machine *machine, struct ifr_error *err) {
	static const enum ifr_setting powers[] = {IFR_OP_CACHE_SETS, IFR_OP_CACHE_WINDOW, IFR_LOOP_BUFFER_WINDOW};
	static const enum ifr_setting parts[] = {IFR_FETCH_BYTES, IFR_OP_CACHE_SETS, IFR_LOOP_BUFFER_OPS};
	const unsigned *values = machine->values;
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		if (values[parts[i]] && !values[IFR_PIPELINE_ISSUE])
			return ifr_fail(err, IFR_E_USAGE, "%s: there is %s, but no pipeline: describe that, too",
			                machine->name, ifr_settings[parts[i]].group);
	if (values[IFR_PIPELINE_ISSUE] && !values[IFR_FETCH_BYTES])
		return ifr_fail(err, IFR_E_USAGE, "%s: there is pipeline, but no fetch: describe that, too",
		                machine->name);
	for (size_t i = 0; i < sizeof powers / sizeof *powers; i++)
		if (values[powers[i]] && !is_power(values[powers[i]]))
			return ifr_fail(err, IFR_E_USAGE, "%s: %s.%s is %u, no power of two", machine->name,
			                ifr_settings[powers[i]].group, ifr_settings[powers[i]].name, values[powers[i]]);
	return 0;
}

int ifr_machine_check(const struct ifr_machine *machine, struct ifr_error *err) {
	int rc = 0;
	if (!is_power(machine->values[IFR_CORE_PAGE_BYTES]))
		rc = ifr_fail(err, IFR_E_USAGE, "%s: core.page_bytes is %u, no power of two", machine->name,
		              machine->values[IFR_CORE_PAGE_BYTES]);
	for (unsigned first = IFR_L1I_BYTES; !rc && first <= IFR_L3_BYTES; first += 4)
		rc = check_cache(machine, first, err);
	for (unsigned first = IFR_ITLB_ENTRIES; !rc && first <= IFR_STLB_ENTRIES; first += 3)
		rc = check_entries(machine, first, true, err);
	for (unsigned first = IFR_BTB1_ENTRIES; !rc && first <= IFR_BTB3_ENTRIES; first += 3)
		rc = check_entries(machine, first, false, err);
	if (!rc)
		rc = check_levels(machine, err);
	if (!rc)
		rc = check_core(machine, err);
	return rc ? rc : check_predictors(machine, err);
}
