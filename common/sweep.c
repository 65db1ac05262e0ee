/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/sweep.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/strings.h"

const char *ifr_sweep_name(const struct ifr_sweep *sweep) {
	const struct ifr_axis_info *info = &ifr_axes[sweep->axis];
	return sweep->given ? info->value[sweep->index].name : info->parameter[sweep->index].name;
}

const char *ifr_sweep_meaning(const struct ifr_sweep *sweep) {
	const struct ifr_axis_info *info = &ifr_axes[sweep->axis];
	return sweep->given ? info->value[sweep->index].meaning : info->parameter[sweep->index].meaning;
}

unsigned ifr_sweep_levels(const struct ifr_sweep *sweep) {
	return sweep->listed ? sweep->listed : (unsigned)((sweep->to - sweep->from) / sweep->step + 1);
}

int64_t ifr_sweep_value(const struct ifr_sweep *sweep, unsigned level) {
	return sweep->listed ? sweep->list[level] : sweep->from + level * sweep->step;
}

unsigned ifr_sweeps_layouts(const struct ifr_sweeps *sweeps) {
	unsigned layouts = sweeps->count != 0;
	for (unsigned i = 0; i < sweeps->count; i++)
		layouts *= ifr_sweep_levels(&sweeps->items[i]);
	return layouts;
}

unsigned ifr_sweeps_level(const struct ifr_sweeps *sweeps, unsigned which, unsigned layout) {
	unsigned place = layout - 1;
	for (unsigned i = 0; i < which; i++)
		place /= ifr_sweep_levels(&sweeps->items[i]);
	return place % ifr_sweep_levels(&sweeps->items[which]);
}

unsigned ifr_sweeps_axes(const struct ifr_sweeps *sweeps) {
	unsigned axes = 0;
	for (unsigned i = 0; i < sweeps->count; i++)
		axes |= 1u << sweeps->items[i].axis;
	return axes;
}

/* --- parsing ------------------------------------------------------------------------------------------------- */

/* Finds "NAME" among the axis's values and parameters, and the bounds. */
static int find_name(struct ifr_sweep *sweep, const char *name, int64_t *least, int64_t *most, int64_t *multiple,
                     struct ifr_error *err) {
	const struct ifr_axis_info *info = &ifr_axes[sweep->axis];
	struct ifr_buffer known = {0};
	for (unsigned i = 0; i < IFR_AXIS_VALUES && info->value[i].name; i++) {
		ifr_buffer_printf(&known, "%s%s", known.length ? ", " : "", info->value[i].name);
		if (strcmp(name, info->value[i].name))
			continue;
		sweep->given = true;
		sweep->index = i;
		*least = 0;
		*most = info->value[i].maximum;
		*multiple = info->value[i].multiple;
		ifr_buffer_release(&known);
		return 0;
	}
	for (unsigned i = 0; i < IFR_AXIS_PARAMETERS && info->parameter[i].name; i++) {
		ifr_buffer_printf(&known, "%s%s", known.length ? ", " : "", info->parameter[i].name);
		if (strcmp(name, info->parameter[i].name))
			continue;
		sweep->index = i;
		*least = info->parameter[i].minimum;
		*most = info->parameter[i].maximum;
		*multiple = 1;
		ifr_buffer_release(&known);
		return 0;
	}
	int result = known.length ? ifr_fail(err, IFR_E_USAGE, "--sweep: %s has no \"%.40s\", but %s", info->name,
	                                     name, ifr_buffer_text(&known))
	                          : ifr_fail(err, IFR_E_USAGE, "--sweep: %s has nothing to sweep", info->name);
	ifr_buffer_release(&known);
	return result;
}

/* Parses "VALUE,VALUE,...": two values or more, ascending. */
static bool parse_list(const char *text, struct ifr_sweep *sweep) {
	for (char *end;; text = end + 1) {
		errno = 0;
		const int64_t value = strtoll(text, &end, !strncmp(text, "0x", 2) ? 16 : 10);
		if (!isdigit((unsigned char)*text) || errno || sweep->listed == IFR_SWEEP_LIST_MAX ||
		    (sweep->listed && value <= sweep->to))
			return false;
		sweep->to = sweep->list[sweep->listed++] = value;
		if (*end != ',')
			break;
		if (!end[1])
			return false;
	}
	sweep->from = sweep->list[0];
	return sweep->listed > 1 && !strchr(text, ':');
}

/* Parses "FROM:TO:STEP". */
static bool parse_range(const char *text, struct ifr_sweep *sweep) {
	int64_t *const numbers[] = {&sweep->from, &sweep->to, &sweep->step};
	for (int i = 0; i < 3; i++) {
		char *end;
		errno = 0;
		*numbers[i] = strtoll(text, &end, !strncmp(text, "0x", 2) ? 16 : 10);
		if (!isdigit((unsigned char)*text) || errno || *end != (i < 2 ? ':' : '\0'))
			return false;
		text = end + 1;
	}
	return true;
}

static int check_range(const struct ifr_sweep *sweep, int64_t least, int64_t most, int64_t multiple,
                       struct ifr_error *err) {
	const char *axis = ifr_axes[sweep->axis].name, *name = ifr_sweep_name(sweep);
	if (sweep->from < least || sweep->to > most)
		return ifr_fail(err, IFR_E_USAGE, "--sweep: %s:%s is from %" PRId64 " to %" PRId64, axis, name, least,
		                most);
	if (sweep->step < 1 || sweep->to <= sweep->from)
		return ifr_fail(err, IFR_E_USAGE, "--sweep: %s:%s needs FROM below TO, and a step above 0", axis, name);
	bool fits = sweep->listed || !(sweep->from % multiple || sweep->step % multiple);
	for (unsigned i = 0; i < sweep->listed; i++)
		fits &= !(sweep->list[i] % multiple);
	if (!fits)
		return ifr_fail(err, IFR_E_USAGE, "--sweep: %s:%s goes in multiples of %" PRId64, axis, name, multiple);
	return 0;
}

static int parse_sweep(const char *text, struct ifr_sweep *sweep, struct ifr_error *err) {
	int64_t least = 0, most = 0, multiple = 1;
	const char *colon = strchr(text, ':'), *equals = colon ? strchr(colon, '=') : NULL;
	*sweep = (struct ifr_sweep){.step = 1};
	if (!equals || !(strchr(equals, ',') ? parse_list : parse_range)(equals + 1, sweep))
		return ifr_fail(err, IFR_E_USAGE,
		                "--sweep needs AXIS:NAME=FROM:TO:STEP, such as stack:bytes=0:4096:16, or ascending values "
		                "such as align:functions=16,32,64 (%d at most), not \"%.60s\"",
		                IFR_SWEEP_LIST_MAX, text);
	char *axis_name = ifr_format("%.*s", (int)(colon - text), text),
		 *name = ifr_format("%.*s", (int)(equals - colon - 1), colon + 1);
	int axis = ifr_axis_find(axis_name, err), result = axis < 0 ? axis : 0;
	if (!result) {
		sweep->axis = (enum ifr_axis)axis;
		result = find_name(sweep, name, &least, &most, &multiple, err);
	}
	if (!result)
		result = check_range(sweep, least, most, multiple, err);
	free(name);
	free(axis_name);
	return result;
}

int ifr_sweeps_add(struct ifr_sweeps *sweeps, const char *text, struct ifr_error *err) {
	struct ifr_sweep sweep;
	int result = parse_sweep(text, &sweep, err);
	if (result)
		return result;
	if (sweeps->count == IFR_SWEEPS_MAX)
		return ifr_fail(err, IFR_E_USAGE, "--sweep: %d sweeps at most, which span a grid", IFR_SWEEPS_MAX);
	for (unsigned i = 0; i < sweeps->count; i++)
		if (sweeps->items[i].axis == sweep.axis &&
		    !strcmp(ifr_sweep_name(&sweeps->items[i]), ifr_sweep_name(&sweep)))
			return ifr_fail(err, IFR_E_USAGE, "--sweep: %s:%s is swept twice", ifr_axes[sweep.axis].name,
			                ifr_sweep_name(&sweep));
	const int64_t levels = sweep.listed ? sweep.listed : (sweep.to - sweep.from) / sweep.step + 1,
				  all = levels * (sweeps->count ? ifr_sweeps_layouts(sweeps) : 1);
	if (all > IFR_SWEEP_LAYOUTS_MAX)
		return ifr_fail(err, IFR_E_USAGE, "--sweep: %" PRId64 " layouts, and %d are the most: take larger steps",
		                all, IFR_SWEEP_LAYOUTS_MAX);
	sweeps->items[sweeps->count++] = sweep;
	return 0;
}

int ifr_sweeps_parse(struct ifr_sweeps *sweeps, const char *texts, struct ifr_error *err) {
	struct ifr_strings words = {0};
	int result = 0;
	*sweeps = (struct ifr_sweeps){0};
	ifr_strings_split(&words, texts, " ");
	for (size_t i = 0; i < words.count && !result; i++)
		result = ifr_sweeps_add(sweeps, words.items[i], err);
	ifr_strings_release(&words);
	return result;
}

void ifr_sweep_print(const struct ifr_sweep *sweep, struct ifr_buffer *text) {
	ifr_buffer_printf(text, "%s:%s=", ifr_axes[sweep->axis].name, ifr_sweep_name(sweep));
	for (unsigned i = 0; i < sweep->listed; i++)
		ifr_buffer_printf(text, "%s%" PRId64, i ? "," : "", sweep->list[i]);
	if (!sweep->listed)
		ifr_buffer_printf(text, "%" PRId64 ":%" PRId64 ":%" PRId64, sweep->from, sweep->to, sweep->step);
}

void ifr_sweeps_print(const struct ifr_sweeps *sweeps, struct ifr_buffer *text) {
	for (unsigned i = 0; i < sweeps->count; i++) {
		ifr_buffer_puts(text, i ? " " : "");
		ifr_sweep_print(&sweeps->items[i], text);
	}
}

/* --- plans --------------------------------------------------------------------------------------------------- */

void ifr_sweeps_set_limits(const struct ifr_sweeps *sweeps, struct ifr_plan *plan) {
	for (unsigned i = 0; i < sweeps->count; i++) {
		const struct ifr_sweep *sweep = &sweeps->items[i];
		if (!sweep->given)
			continue;
		int64_t *limit = &plan->axis[sweep->axis].value[ifr_axes[sweep->axis].value[sweep->index].limit];
		*limit = *limit > sweep->to ? *limit : sweep->to;
	}
}

void ifr_sweeps_apply(const struct ifr_sweeps *sweeps, unsigned layout, struct ifr_plan *plan) {
	for (unsigned i = 0; i < sweeps->count; i++) {
		const struct ifr_sweep *sweep = &sweeps->items[i];
		struct ifr_axis_setting *setting = &plan->axis[sweep->axis];
		const int64_t value = ifr_sweep_value(sweep, ifr_sweeps_level(sweeps, i, layout));
		if (sweep->given)
			setting->given[sweep->index] = value;
		else
			setting->value[sweep->index] = value;
	}
}
