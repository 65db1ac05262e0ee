/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/design/audit_triggers.h"

#include <stdlib.h>
#include <string.h>

#include "common/random.h"

/* Two pages of 4 KiB for what moves the stack or the text: a spike in each gives the period. Where time is short, one
 * page is left: its 256 values of 16 bytes, to which the kernel aligns the stack, meet every class modulo 4096. */
enum { PAGE = 4096 };
const struct ifr_trigger ifr_triggers[] = {
	{.name = "environment",
     .summary = "bytes of environment above the stack",
     .sets = "environment sizes",
     .period = PAGE,
     .sweep = "stack:bytes=0:8176:16"},
	{.name = "stack",
     .summary = "bytes above main's frame",
     .sets = "stack offsets",
     .needs = IFR_NEEDS_LOADER,
     .period = PAGE,
     .sweep = "stack:main-bytes=0:8176:16"},
	{.name = "path",
     .summary = "length of the program's path",
     .sets = "path lengths",
     .sweep = "stack:path-bytes=0:3568:16"},
	{.name = "directory",
     .summary = "length of the working directory's path",
     .sets = "paths of the working directory",
     .needs = IFR_NEEDS_MOUNTS,
     .sweep = "stack:directory-bytes=0:3568:16"},
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
	{.name = "allocator",
     .summary = "the allocator: glibc's and those that are installed",
     .sets = "allocators",
     .needs = IFR_NEEDS_LOADER,
     .sweep = "allocator:which=0,1,2,3,4"},
	{.name = "huge-pages",
     .summary = "huge pages for heap and text",
     .sets = "uses of huge pages",
     .needs = IFR_NEEDS_LOADER,
     .sweep = "huge-pages:parts=0,1,2,3"},
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
	{.name = "names",
     .summary = "number and length of external symbols",
     .sets = "sets of external symbols",
     .needs = IFR_NEEDS_KIT,
     .axes = 1u << IFR_AXIS_NAMES,
     .layouts = 32},
	{.name = "loops",
     .summary = "alignment of functions and loops by the compiler",
     .sets = "alignments",
     .needs = IFR_NEEDS_TEMPLATES,
     .axes = 1u << IFR_AXIS_ALIGN,
     .layouts = 32},
};
const unsigned ifr_trigger_count = sizeof ifr_triggers / sizeof *ifr_triggers;

const char *ifr_trigger_needs(const struct ifr_trigger *trigger) {
	static const char *const needs[] = {[IFR_NEEDS_NOTHING] = "",
	                                    [IFR_NEEDS_MOUNTS] = "mounts of its own (user namespaces)",
	                                    [IFR_NEEDS_LOADER] = "a loader: no static program",
	                                    [IFR_NEEDS_KIT] = "a kit: CC=interfero-gcc",
	                                    [IFR_NEEDS_TEMPLATES] = "a kit with INTERFERO_TEMPLATES=1"};
	return needs[trigger->needs];
}

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

/* Shortens the sweep to one period, then takes every third value, every fifth …, until it has `most` levels at most. A
 * second period meets no class of addresses that the first does not. Odd multiples meet every class modulo a power of
 * two that the smallest step meets, while its double would meet half of them: a loop that is slow at 16 modulo 32 would
 * never be. */
static void coarsen(struct ifr_sweep *sweep, int64_t period, unsigned most) {
	if (period && ifr_sweep_levels(sweep) > most && sweep->to - sweep->from >= period)
		sweep->to = sweep->from + period - sweep->step;
	const int64_t finest = sweep->step, last = (sweep->to - sweep->from) / finest;
	int64_t every = 1;
	while (last / every + 1 > most && last / (every + 2) + 1 >= IFR_AUDIT_LAYOUTS_LEAST)
		every += 2;
	sweep->step = every * finest;
	sweep->to = sweep->from + last / every * sweep->step;
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
		coarsen(&generator->sweeps.items[0], trigger->period, most);
	generator->axes = ifr_sweeps_axes(&generator->sweeps);
	*layouts = ifr_sweeps_layouts(&generator->sweeps);
	return 0;
}

/* Moves a sweep behind its own values, by whole periods, and leaves one of them. Returns whether the axis has room. */
static bool move_behind(struct ifr_sweep *sweep, int64_t period) {
	const int64_t width = sweep->to - sweep->from, past = width + sweep->step;
	const int64_t from = sweep->from + (period ? (width / period + 1) * period : past);
	const int64_t kept = period && period < past ? (period - 1) / sweep->step * sweep->step : width;
	if (sweep->listed || !sweep->given ||
	    from + kept + sweep->step > ifr_axes[sweep->axis].value[sweep->index].maximum)
		return false;
	sweep->from = from;
	sweep->to = from + kept;
	return true;
}

int ifr_trigger_contexts(const struct ifr_trigger *trigger, uint64_t seed, const char *found,
                         struct ifr_layout_generator *generator, unsigned *layouts, struct ifr_error *err) {
	const uint64_t fresh = ifr_random_keyed(seed, "cure", trigger->name);
	int result = ifr_trigger_design(trigger, fresh, 0, found, generator, layouts, err);
	if (result)
		return result;
	const bool behind = trigger->sweep && move_behind(&generator->sweeps.items[0], trigger->period);
	if (trigger->sweep)
		*layouts = ifr_sweeps_layouts(&generator->sweeps);
	if (trigger->needs >= IFR_NEEDS_KIT)
		generator->axes |= 1u << IFR_AXIS_STACK;
	if (trigger->needs >= IFR_NEEDS_KIT || (trigger->sweep && !behind))
		generator->axes |= 1u << IFR_AXIS_LOAD;
	return 0;
}

int64_t ifr_trigger_step(const struct ifr_trigger *trigger) {
	struct ifr_sweeps sweeps = {0};
	return trigger->sweep && !ifr_sweeps_parse(&sweeps, trigger->sweep, NULL) ? sweeps.items[0].step : 0;
}

/* The layouts of a trigger without a limit; of a sweep, those of one period. */
static unsigned count_wished(const struct ifr_trigger *trigger) {
	struct ifr_sweeps sweeps = {0};
	if (!trigger->sweep)
		return trigger->layouts;
	if (ifr_sweeps_parse(&sweeps, trigger->sweep, NULL))
		return 0;
	return trigger->period ? (unsigned)(trigger->period / sweeps.items[0].step) : ifr_sweeps_layouts(&sweeps);
}

enum { RUNS_BESIDES = 8, RUNS_WITH_TWIN = IFR_AUDIT_SCREEN_RUNS + 1 };

unsigned ifr_audit_screen_runs(unsigned layouts) {
	return RUNS_BESIDES + RUNS_WITH_TWIN * layouts;
}

unsigned ifr_audit_layouts_in(int64_t runs) {
	const int64_t layouts = (runs - RUNS_BESIDES) / RUNS_WITH_TWIN;
	return layouts < IFR_AUDIT_LAYOUTS_LEAST ? IFR_AUDIT_LAYOUTS_LEAST
	       : layouts < IFR_LAYOUTS_MAX       ? (unsigned)layouts
	                                         : IFR_LAYOUTS_MAX;
}

/* The layouts that a sweep has behind its first period. */
static unsigned count_behind(const struct ifr_trigger *trigger) {
	struct ifr_sweeps sweeps = {0};
	if (!trigger->sweep || ifr_sweeps_parse(&sweeps, trigger->sweep, NULL))
		return 0;
	return ifr_sweeps_layouts(&sweeps) - count_wished(trigger);
}

/* No limit where the rest is enough for all second periods; else the longest first one. */
static unsigned limit_periods(const bool *chosen, int64_t left) {
	unsigned longest = 0, behind = 0;
	for (unsigned i = 0; i < ifr_trigger_count; i++)
		if (chosen[i]) {
			const unsigned wished = count_wished(&ifr_triggers[i]);
			longest = wished > longest ? wished : longest;
			behind += count_behind(&ifr_triggers[i]);
		}
	return left >= behind ? IFR_LAYOUTS_MAX : longest;
}

/* The limit divides the layouts equally; what a trigger with few layouts leaves goes to the others. */
static unsigned divide_layouts(const bool *chosen, int64_t layouts) {
	bool *open = ifr_alloc(ifr_trigger_count * sizeof *open);
	unsigned count = 0, most = 0;
	for (unsigned i = 0; i < ifr_trigger_count; i++)
		count += open[i] = chosen[i];
	for (bool changed = true; changed && count;) {
		changed = false;
		most = (unsigned)(layouts > 0 ? layouts / count : 0);
		for (unsigned i = 0; i < ifr_trigger_count; i++)
			if (open[i] && count_wished(&ifr_triggers[i]) < most) {
				layouts -= count_wished(&ifr_triggers[i]);
				open[i] = false;
				count--;
				changed = true;
			}
	}
	free(open);
	return count ? most : limit_periods(chosen, layouts);
}

unsigned ifr_audit_layouts(int64_t budget_ns, int64_t run_ns, const bool *chosen) {
	unsigned triggers = 0;
	for (unsigned i = 0; i < ifr_trigger_count; i++)
		triggers += chosen[i];
	if (!budget_ns || run_ns <= 0 || !triggers)
		return 0;
	const int64_t runs = budget_ns / 2 / run_ns,
				  layouts = (runs - (int64_t)triggers * RUNS_BESIDES) / RUNS_WITH_TWIN,
				  enough = (int64_t)ifr_trigger_count * IFR_LAYOUTS_MAX;
	const unsigned most = divide_layouts(chosen, layouts < enough ? layouts : enough);
	return most < IFR_AUDIT_LAYOUTS_LEAST ? IFR_AUDIT_LAYOUTS_LEAST : most;
}
