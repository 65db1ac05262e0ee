/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/core/causes.h"

#include <string.h>

#include "model/core/graph.h"

const struct ifr_cause_about ifr_causes[IFR_CAUSES] = {
	[IFR_CAUSE_DL1] = {"dl1", "loads that hit the first data cache", "loads and forwarded stores take 0 cycles",
                       "shorten chains of loads: keep values in registers, follow fewer pointers"},
	[IFR_CAUSE_WIN] = {"win", "a full reorder buffer, scheduler or queue",
                       "reorder buffer, scheduler, load and store queue have 20 times the room",
                       "start what takes long earlier, or put fewer instructions between such loads"},
	[IFR_CAUSE_BW] =
		{"bw", "the width: slots a cycle, and ports",
         "any number of slots a cycle in decoders, op cache, rename and retirement; ports and units are always free",
         "execute fewer instructions: -O3, -march=native, or an algorithm that takes fewer"},
	[IFR_CAUSE_BMISP] = {"bmisp", "mispredicted branches", "all branches are predicted",
                         "make branches predictable, or replace them by conditional moves or arithmetic"},
	[IFR_CAUSE_DMISS] = {"dmiss", "data not in the first data cache", "all lines are in it",
                         "make data smaller, put together what is used together, or prefetch it"},
	[IFR_CAUSE_SHALU] = {"shalu", "operations of one cycle", "they take 0 cycles",
                         "shorten chains of operations that need each other's results"},
	[IFR_CAUSE_LGALU] = {"lgalu", "longer operations: multiply, divide, float", "they take 0 cycles",
                         "use cheaper operations, or several chains instead of one"},
	[IFR_CAUSE_IMISS] = {"imiss", "code not in the first instruction cache", "all lines are in it",
                         "make hot code smaller, or place it together: interfero optimize searches such a layout"},
	[IFR_CAUSE_DSB] = {"dsb", "code not in the op cache: it is decoded",
                       "the op cache has all code; lines and pages of code may still miss",
                       "place hot code in fewer windows: interfero optimize searches such a layout"},
	[IFR_CAUSE_LSD] = {"lsd", "loops that do not fit the loop buffer",
                       "loops of any number of operations, windows and branches fit",
                       "align the hot loop, or make it smaller: axis align, interfero optimize"},
	[IFR_CAUSE_FETCH] = {"fetch", "windows and taken branches in code",
                         "slots arrive as if there were neither windows nor taken branches, but for the BTB",
                         "align hot loops, and let hot code fall through: interfero optimize"},
	[IFR_CAUSE_BTB] = {"btb", "taken branches not in the first BTB", "it has all taken branches",
                       "place hot branches in other sets of it: interfero optimize searches such a layout"},
	[IFR_CAUSE_ALIAS4K] = {"alias4k", "loads behind stores of equal low 12 bits", "they do not wait",
                           "move one of the two, by heap or stack: interfero replay --aliases names them"},
	[IFR_CAUSE_SPLIT] = {"split", "loads across two lines or pages", "they are as others",
                         "align data to their size, or to 64 bytes"},
	[IFR_CAUSE_ITLB] = {"itlb", "pages of code not in the first TLB", "all pages are in it",
                        "place hot code on fewer pages: axis functions, interfero optimize"},
	[IFR_CAUSE_DTLB] = {"dtlb", "pages of data not in the first TLB", "all pages are in it",
                        "use huge pages, or put together what is used together"},
	[IFR_CAUSE_FUSION] = {"fusion", "tests and jumps that a line keeps apart", "they are one",
                          "move the jump from the begin of a line: axis padding, interfero optimize"},
};

/* --- which causes a machine has ------------------------------------------------------------------------------- */

const char *ifr_cause_missing(enum ifr_cause cause, const struct ifr_machine *machine) {
	static const struct {
		enum ifr_cause cause;
		enum ifr_setting setting;
		const char *why;
	} needs[] = {
		{IFR_CAUSE_DMISS, IFR_L1D_BYTES, "it has no data cache that could miss"},
		{IFR_CAUSE_IMISS, IFR_L1I_BYTES, "it has no instruction cache that could miss"},
		{IFR_CAUSE_DSB, IFR_OP_CACHE_SETS, "it has no op cache"},
		{IFR_CAUSE_LSD, IFR_LOOP_BUFFER_OPS, "it has no loop buffer"},
		{IFR_CAUSE_BTB, IFR_BTB1_ENTRIES, "it has no BTB that could miss"},
		{IFR_CAUSE_ALIAS4K, IFR_PIPELINE_ALIAS, "its loads do not wait for such stores"},
		{IFR_CAUSE_ITLB, IFR_ITLB_ENTRIES, "it has no instruction TLB that could miss"},
		{IFR_CAUSE_DTLB, IFR_DTLB_ENTRIES, "it has no data TLB that could miss"},
	};
	for (size_t i = 0; i < sizeof needs / sizeof *needs; i++)
		if (needs[i].cause == cause && !machine->values[needs[i].setting])
			return needs[i].why;
	return cause == IFR_CAUSE_FUSION && machine->values[IFR_FETCH_FUSION] ? "its pairs fuse everywhere" : NULL;
}

uint32_t ifr_causes_of_machine(const struct ifr_machine *machine) {
	uint32_t set = 0;
	for (unsigned i = 0; i < IFR_CAUSES; i++)
		set |= (uint32_t)!ifr_cause_missing((enum ifr_cause)i, machine) << i;
	return set;
}

/* --- names ---------------------------------------------------------------------------------------------------- */

enum ifr_cause ifr_cause_find(const char *name, size_t length) {
	unsigned i = 0;
	while (i < IFR_CAUSES && (strlen(ifr_causes[i].name) != length || strncmp(ifr_causes[i].name, name, length)))
		i++;
	return (enum ifr_cause)i;
}

int ifr_causes_parse(const char *text, uint32_t *set, struct ifr_error *err) {
	*set = 0;
	for (const char *at = text;; at++) {
		const size_t length = strcspn(at, ",+");
		const enum ifr_cause cause = ifr_cause_find(at, length);
		if (cause == IFR_CAUSES)
			return ifr_fail(err, IFR_E_USAGE, "there is no cause \"%.*s\": interfero icost --help lists them",
			                (int)(length < 40 ? length : 40), at);
		if (*set >> cause & 1)
			return ifr_fail(err, IFR_E_USAGE, "the cause %s stands twice in \"%.100s\": name it once",
			                ifr_causes[cause].name, text);
		*set |= 1u << cause;
		at += length;
		if (!*at)
			return 0;
	}
}

void ifr_causes_print(uint32_t set, struct ifr_buffer *out) {
	const char *between = "";
	if (!set)
		ifr_buffer_puts(out, "nothing");
	for (unsigned i = 0; i < IFR_CAUSES; i++)
		if (set >> i & 1) {
			ifr_buffer_printf(out, "%s%s", between, ifr_causes[i].name);
			between = "+";
		}
}

/* --- idealisation --------------------------------------------------------------------------------------------- */

/* Ref: Fields et al. 2004, table I: "we approximate an infinite window by using one that is 20 times larger". */
enum { LARGER = 20 };

static void idealise_back(struct ifr_core *core, uint32_t set) {
	if (set >> IFR_CAUSE_DL1 & 1)
		core->load_latency = core->forward = 0;
	if (set >> IFR_CAUSE_WIN & 1) {
		core->window *= LARGER;
		core->scheduler *= LARGER;
		core->loads *= LARGER;
		core->stores *= LARGER;
	}
	if (set >> IFR_CAUSE_BW & 1) {
		core->issue = core->retire = core->cache_width = UINT32_MAX;
		core->decoders = core->predecode = UINT32_MAX;
		core->fetch_bytes = UINT32_MAX;
		core->drain = 0;
		core->unlimited = true;
	}
	if (set >> IFR_CAUSE_ALIAS4K & 1)
		core->alias = 0;
	if (set >> IFR_CAUSE_SPLIT & 1)
		core->line_split = core->page_split = 0;
	if (set >> IFR_CAUSE_DMISS & 1)
		core->level_mask = IFR_CORE_LEVEL(0, 3);
	if (set >> IFR_CAUSE_DTLB & 1)
		memset(core->page_latency, 0, sizeof core->page_latency);
}

static void idealise_front(struct ifr_core *core, uint32_t set) {
	if (set >> IFR_CAUSE_LSD & 1)
		core->loop_ops = core->loop_windows = core->loop_branches = UINT32_MAX;
	if (set >> IFR_CAUSE_FUSION & 1)
		core->fusion_anywhere = true;
	if (set >> IFR_CAUSE_BTB & 1)
		core->bubble[1] = core->bubble[2] = core->unknown_branch = core->bubble[0];
	if (set >> IFR_CAUSE_FETCH & 1) {
		const unsigned least = core->bubble[0];
		for (unsigned i = 0; i < 3; i++)
			core->bubble[i] -= core->bubble[i] > least ? least : core->bubble[i];
		core->unknown_branch -= core->unknown_branch > least ? least : core->unknown_branch;
		core->calls = 0;
		core->prediction = 0;
	}
}

void ifr_core_idealise_site(struct ifr_core *core) {
	static const uint32_t set = 1u << IFR_CAUSE_DL1 | 1u << IFR_CAUSE_DMISS | 1u << IFR_CAUSE_DTLB |
	                            1u << IFR_CAUSE_ALIAS4K | 1u << IFR_CAUSE_SPLIT | 1u << IFR_CAUSE_SHALU |
	                            1u << IFR_CAUSE_LGALU;
	core->ideal |= set;
	idealise_back(core, set);
}

void ifr_core_idealise(struct ifr_core *core, uint32_t set) {
	core->ideal = set;
	idealise_back(core, set);
	idealise_front(core, set);
}
