/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/icost/sites.h"

#include <stdlib.h>
#include <string.h>

#include "common/file.h"

enum kind { LOAD, BRANCH, LINE, FUNCTION, KINDS };

#define BIT(cause) (1u << IFR_CAUSE_##cause)
/* Causes that an idealised load or branch does not have; an instruction has neither, nor those of its code. */
#define OF_LOADS (BIT(DL1) | BIT(DMISS) | BIT(DTLB) | BIT(ALIAS4K) | BIT(SPLIT))
#define OF_BRANCHES (BIT(BMISP) | BIT(BTB))
#define OF_ALL (OF_LOADS | OF_BRANCHES | BIT(SHALU) | BIT(LGALU) | BIT(IMISS) | BIT(ITLB))

static const struct {
	const char *prefix, *form, *things, *about, *ideal, *remedy;
	uint32_t of; /* causes of the machine that the instructions have a part in */
} kinds[KINDS] = {
	[LOAD] = {"load:", "load:FILE:LINE", "loads", "loads of this line",
              "they take 0 cycles and hit the first data cache and TLB",
              "prefetch what it loads, or place it with what is used before", OF_LOADS},
	[BRANCH] = {"branch:", "branch:FILE:LINE", "branches", "branches of this line",
                "they are predicted, and in the first BTB",
                "make it predictable, or replace it by a conditional move or arithmetic", OF_BRANCHES},
	[LINE] = {"line:", "line:FILE:LINE", "instructions", "all instructions of this line",
              "they take 0 cycles, miss nothing and mispredict nothing; slots and ports are as before",
              "make this line do less, or its results be needed later", OF_ALL},
	[FUNCTION] = {"function:", "function:NAME", "instructions", "all instructions of this function",
                  "they take 0 cycles, miss nothing and mispredict nothing; slots and ports are as before",
                  "make this function do less, or its results be needed later", OF_ALL},
};

static enum kind find_kind(const char *request) {
	unsigned i = 0;
	while (i < KINDS && !ifr_starts_with(request, kinds[i].prefix))
		i++;
	return (enum kind)i;
}

bool ifr_icost_site_is_part(const char *site, enum ifr_cause cause) {
	const enum kind kind = find_kind(site);
	return kind < KINDS && cause < IFR_CAUSES && kinds[kind].of >> cause & 1;
}

/* Whether a line of code is the place that is asked for; a function of a library goes by its bare name, too. */
static bool is_place(const struct ifr_code_line *line, enum kind kind, const char *place) {
	if (kind != FUNCTION)
		return !strcmp(line->line, ifr_path_base(place));
	const size_t length = strlen(place);
	return !strncmp(line->function, place, length) &&
	       (!line->function[length] || ifr_starts_with(line->function + length, " in ") ||
	        line->function[length] == '@');
}

static bool has_kind(const struct ifr_core_site *site, enum kind kind) {
	return kind == LOAD ? site->loads : kind == BRANCH ? site->branches : true;
}

/* Two sites of one instruction are apart only if they are its loads and its branches. */
static int check_overlap(const struct ifr_icost_sites *sites, uint16_t of, size_t site, enum kind kind,
                         struct ifr_error *err) {
	const uint16_t apart = kind == LOAD ? sites->marks.branches : kind == BRANCH ? sites->marks.loads : 0;
	const uint16_t others = of & (uint16_t)~apart;
	return others
	           ? ifr_fail(err, IFR_E_USAGE,
	                      "the causes %s and %s have instructions in common: name one of both, the other's are in "
	                      "it",
	                      sites->about[__builtin_ctz(others)].name, sites->about[site].name)
	           : 0;
}

int ifr_icost_site_check(const char *request, struct ifr_error *err) {
	const enum kind kind = find_kind(request);
	return kind == KINDS || !request[strlen(kinds[kind].prefix)]
	           ? ifr_fail(err, IFR_E_USAGE,
	                      "--cause is load:FILE:LINE, branch:FILE:LINE, line:FILE:LINE or function:NAME, not "
	                      "\"%.60s\"; the machine's causes are --causes",
	                      request)
	           : 0;
}

static int add_site(const struct ifr_code_lines *lines, const char *request, struct ifr_icost_sites *sites,
                    struct ifr_error *err) {
	const enum kind kind = find_kind(request);
	uint16_t *of = (uint16_t *)(uintptr_t)sites->marks.of;
	const size_t site = sites->count;
	bool executed = false, found = false;
	const int result = ifr_icost_site_check(request, err);
	if (result)
		return result;
	if (site == IFR_CAUSE_SITES)
		return ifr_fail(err, IFR_E_USAGE, "up to %d causes can be parts of the program: leave some --cause out",
		                IFR_CAUSE_SITES);
	sites->about[sites->count++] =
		(struct ifr_cause_about){ifr_strdup(request), kinds[kind].about, kinds[kind].ideal, kinds[kind].remedy};
	const char *place = request + strlen(kinds[kind].prefix);
	for (size_t i = 0; i < lines->instructions; i++) {
		const uint32_t line = kind == BRANCH ? lines->of_branch[i] : lines->of[i];
		if (!is_place(&lines->items[line], kind, place))
			continue;
		executed = true;
		if (!has_kind(&lines->sites[i], kind))
			continue;
		found = true;
		if (check_overlap(sites, of[i], site, kind, err))
			return IFR_E_USAGE;
		of[i] |= (uint16_t)(1u << site);
	}
	sites->marks.loads |= (uint16_t)((unsigned)(kind == LOAD) << site);
	sites->marks.branches |= (uint16_t)((unsigned)(kind == BRANCH) << site);
	if (found)
		return 0;
	return executed
	           ? ifr_fail(err, IFR_E_USAGE, "%.80s has no %s: take line:%.80s", place, kinds[kind].things, place)
	           : ifr_fail(err, IFR_E_USAGE, "the run executes no code of %.80s: name another %s", place,
	                      kind == FUNCTION ? "function (--lines names some)"
	                                       : "place (lines need a program built with -g)");
}

int ifr_icost_sites_find(const struct ifr_trace *trace, const struct ifr_machine *machine,
                         const struct ifr_strings *requests, struct ifr_icost_sites *sites,
                         struct ifr_error *err) {
	struct ifr_code_lines lines = {0};
	*sites = (struct ifr_icost_sites){0};
	if (!requests->count)
		return 0;
	int result = ifr_code_lines_find(trace, machine, &lines, err);
	sites->marks.count = lines.instructions;
	sites->marks.of = ifr_alloc((lines.instructions + 1) * sizeof *sites->marks.of);
	for (size_t i = 0; i < requests->count && !result; i++)
		result = add_site(&lines, requests->items[i], sites, err);
	ifr_code_lines_release(&lines);
	return result;
}

uint32_t ifr_icost_sites_set(const struct ifr_icost_sites *sites) {
	return ((1u << sites->count) - 1) << IFR_CAUSES;
}

void ifr_icost_sites_release(struct ifr_icost_sites *sites) {
	for (size_t i = 0; i < sites->count; i++)
		free((char *)(uintptr_t)sites->about[i].name);
	free((uint16_t *)(uintptr_t)sites->marks.of);
	*sites = (struct ifr_icost_sites){0};
}
