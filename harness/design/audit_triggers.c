/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/design/audit_triggers.h"

#include <stdlib.h>
#include <string.h>

/* Two pages of 4 KiB for what moves the stack or the text: a spike in each gives the period. */
const struct ifr_trigger ifr_triggers[] = {
	{.name = "environment",
     .summary = "bytes of environment above the stack",
     .sets = "environment sizes",
     .sweep = "stack:bytes=0:8176:16"},
	{.name = "stack",
     .summary = "bytes above main's frame",
     .sets = "stack offsets",
     .needs = IFR_NEEDS_LOADER,
     .sweep = "stack:main-bytes=0:8176:16"},
	{.name = "path",
     .summary = "length of the program's path",
     .sets = "path lengths",
     .sweep = "stack:path-bytes=0:3568:16"},
	{.name = "arguments",
     .summary = "length of argv[0]",
     .sets = "lengths of argv[0]",
     .sweep = "stack:argument-bytes=0:4080:16"},
	{.name = "aslr",
     .summary = "stack and mappings at random, as ASLR draws them; a draw a layout",
     .sets = "random address spaces",
     .axes = 1u << IFR_AXIS_STACK | 1u << IFR_AXIS_LOAD,
     .layouts = 32,
     .set = {IFR_AXIS_STACK, "max=8192"}},
	{.name = "load",
     .summary = "addresses of libraries and mappings",
     .sets = "load addresses",
     .axes = 1u << IFR_AXIS_LOAD,
     .layouts = 32},
	{.name = "heap",
     .summary = "addresses of heap objects up to 32 KiB",
     .sets = "heap placements",
     .needs = IFR_NEEDS_LOADER,
     .axes = 1u << IFR_AXIS_HEAP,
     .layouts = 32},
	{.name = "blocks",
     .summary = "page offsets of heap blocks over 32 KiB",
     .sets = "placements of large blocks",
     .needs = IFR_NEEDS_LOADER,
     .axes = 1u << IFR_AXIS_BLOCKS,
     .layouts = 32},
	{.name = "copies",
     .summary = "place of the program's file in memory",
     .sets = "copies of the file",
     .axes = 1u << IFR_AXIS_COPIES,
     .layouts = 32},
	{.name = "link-order",
     .summary = "order in which object files are linked",
     .sets = "link orders",
     .needs = IFR_NEEDS_KIT,
     .axes = 1u << IFR_AXIS_LINK_ORDER,
     .layouts = 32},
	{.name = "functions",
     .summary = "order of functions",
     .sets = "function orders",
     .needs = IFR_NEEDS_KIT,
     .axes = 1u << IFR_AXIS_FUNCTIONS,
     .layouts = 32},
	{.name = "text",
     .summary = "start of the text",
     .sets = "text addresses",
     .needs = IFR_NEEDS_KIT,
     .sweep = "base:bytes=0:1008:16"},
	{.name = "alignment",
     .summary = "padding between functions",
     .sets = "paddings",
     .needs = IFR_NEEDS_KIT,
     .axes = 1u << IFR_AXIS_PADDING,
     .layouts = 32},
	{.name = "data",
     .summary = "order of variables and constants",
     .sets = "data orders",
     .needs = IFR_NEEDS_KIT,
     .axes = 1u << IFR_AXIS_DATA,
     .layouts = 32},
	{.name = "interpreter",
     .summary = "length of the interpreter path",
     .sets = "interpreter paths",
     .needs = IFR_NEEDS_KIT,
     .sweep = "interp:bytes=0:1008:16"},
	{.name = "loops",
     .summary = "alignment of functions and loops by the compiler",
     .sets = "alignments",
     .needs = IFR_NEEDS_TEMPLATES,
     .axes = 1u << IFR_AXIS_ALIGN,
     .layouts = 32},
};
const unsigned ifr_trigger_count = sizeof ifr_triggers / sizeof *ifr_triggers;

int ifr_trigger_find(const char *name) {
	for (unsigned i = 0; i < ifr_trigger_count; i++)
		if (!strcmp(ifr_triggers[i].name, name))
			return (int)i;
	return -1;
}

static int no_such_trigger(const char *name, struct ifr_error *err) {
	struct ifr_buffer known = {0};
	for (unsigned i = 0; i < ifr_trigger_count; i++)
		ifr_buffer_printf(&known, "%s%s", i ? ", " : "", ifr_triggers[i].name);
	int result = ifr_fail(err, IFR_E_USAGE, "there is no trigger \"%.40s\"; the triggers are %s", name,
	                      ifr_buffer_text(&known));
	ifr_buffer_release(&known);
	return result;
}

int ifr_triggers_parse(const char *list, bool *wanted, struct ifr_error *err) {
	const bool all = !strcmp(list, "all");
	int result = 0;
	for (unsigned i = 0; i < ifr_trigger_count; i++)
		wanted[i] = all;
	while (!all && !result) {
		const size_t length = strcspn(list, ",");
		char *name = ifr_format("%.*s", (int)length, list);
		const int found = ifr_trigger_find(name);
		if (found < 0)
			result = no_such_trigger(name, err);
		else
			wanted[found] = true;
		free(name);
		if (!list[length])
			break;
		list += length + 1;
	}
	return result;
}

/* Doubles the steps until the sweep has `most` levels at most. */
static void coarsen(struct ifr_sweep *sweep, unsigned most) {
	while (ifr_sweep_levels(sweep) > most &&
	       (sweep->to - sweep->from) / (2 * sweep->step) + 1 >= IFR_AUDIT_LAYOUTS_LEAST)
		sweep->step *= 2;
}

int ifr_trigger_design(const struct ifr_trigger *trigger, uint64_t seed, unsigned most, const char *sweep,
                       struct ifr_layout_generator *generator, unsigned *layouts, struct ifr_error *err) {
	*generator = (struct ifr_layout_generator){.seed = seed, .axes = trigger->axes};
	ifr_plan_init(&generator->parameters);
	int result = 0;
	if (trigger->set.text)
		result = ifr_plan_set(&generator->parameters, trigger->set.axis, trigger->set.text, err);
	if (!result && trigger->sweep)
		result = ifr_sweeps_parse(&generator->sweeps, sweep ? sweep : trigger->sweep, err);
	if (result)
		return result;
	*layouts = trigger->layouts;
	if (most && *layouts > most)
		*layouts = most > IFR_AUDIT_LAYOUTS_LEAST ? most : IFR_AUDIT_LAYOUTS_LEAST;
	if (!trigger->sweep)
		return 0;
	if (most && !sweep)
		coarsen(&generator->sweeps.items[0], most);
	generator->axes = ifr_sweeps_axes(&generator->sweeps);
	*layouts = ifr_sweeps_layouts(&generator->sweeps);
	return 0;
}

unsigned ifr_audit_layouts(int64_t budget_ns, int64_t run_ns, unsigned triggers) {
	if (!budget_ns || run_ns <= 0 || !triggers)
		return 0;
	enum { RUNS_BESIDES = 8, RUNS_WITH_TWIN = IFR_AUDIT_SCREEN_RUNS + 1 };
	const int64_t layouts = (budget_ns / 2 / run_ns / triggers - RUNS_BESIDES) / RUNS_WITH_TWIN;
	if (layouts > IFR_LAYOUTS_MAX)
		return IFR_LAYOUTS_MAX;
	return layouts < IFR_AUDIT_LAYOUTS_LEAST ? IFR_AUDIT_LAYOUTS_LEAST : (unsigned)layouts;
}
