/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/commands/misses_options.h"

#include <stdlib.h>
#include <string.h>

#include "harness/commands/commands.h"
#include "harness/commands/layout_options.h"
#include "harness/commands/machine_option.h"

enum {
	KEY_MACHINE = 256,
	KEY_LEVEL,
	KEY_CACHE,
	KEY_CORE,
	KEY_PLAN,
	KEY_AGAINST,
	KEY_CONTEXTS,
	KEY_LOADS,
	KEY_RATIOS,
	KEY_LATENCY,
	KEY_OVERHEAD,
	KEY_MEMORY,
	KEY_OBJECTS,
	KEY_ADVISE,
	KEY_BUILT,
	KEY_MEASURED,
	KEY_HTML = 'H'
};

enum { LOADS_USUAL = 15, LOADS_MOST = 1000, OVERHEAD_USUAL = 2 };

static int parse_level(const char *text, uint64_t *level, struct ifr_error *err) {
	static const char *const names[IFR_DATA_LEVELS] = {"l1d", "l2", "l3"};
	for (*level = 0; *level < IFR_DATA_LEVELS; ++*level)
		if (!strcmp(text, names[*level]))
			return 0;
	return ifr_fail(err, IFR_E_USAGE, "--level is l1d, l2 or l3, not \"%.40s\"", text);
}

/* A number with K or M behind it for so many times 1024. */
static bool parse_binary(const char *text, uint64_t *number) {
	char *end;
	const unsigned long long value = strtoull(text, &end, 10);
	const unsigned shift = *end == 'K' || *end == 'k' ? 10 : *end == 'M' ? 20 : 0;
	*number = (uint64_t)value << shift;
	return *text >= '0' && *text <= '9' && value && value <= 1u << 30 && *number <= 1u << 30 && !end[shift != 0];
}

static int parse_cache(const char *text, struct misses_cache *cache, struct ifr_error *err) {
	struct ifr_strings parts = {0};
	ifr_strings_split(&parts, text, ":");
	const bool good = parts.count == 3 && parse_binary(parts.items[0], &cache->bytes) &&
	                  parse_binary(parts.items[1], &cache->ways) && parse_binary(parts.items[2], &cache->line);
	ifr_strings_release(&parts);
	return good ? 0
	            : ifr_fail(err, IFR_E_USAGE, "--cache is SIZE:WAYS:LINE in bytes, as 32K:8:64, not \"%.60s\"",
	                       text);
}

static int parse_lengths(const char *text, struct misses_options *options, struct ifr_error *err) {
	struct ifr_strings parts = {0};
	uint64_t length = 0, before = 0;
	int result = 0;
	ifr_strings_split(&parts, text, ",");
	options->length_count = 0;
	if (!parts.count || parts.count > IFR_LOAD_CONTEXT_LENGTHS)
		result =
			ifr_fail(err, IFR_E_USAGE, "--contexts needs 1 to %d lengths, as 1,2,4,8", IFR_LOAD_CONTEXT_LENGTHS);
	for (size_t i = 0; i < parts.count && !result; i++, before = length) {
		result = option_number("--contexts", parts.items[i], 1, IFR_LOAD_CONTEXT_LENGTH_MOST, &length, err);
		if (!result && length <= before)
			result = ifr_fail(err, IFR_E_USAGE, "--contexts needs ascending lengths, not \"%.60s\"", text);
		options->lengths[options->length_count++] = (unsigned)length;
	}
	ifr_strings_release(&parts);
	return result;
}

static int parse_ratios(const char *text, struct misses_options *options, struct ifr_error *err) {
	char *end = NULL;
	options->least = strtod(text, &end) / 100;
	const bool first = end != text && *end == ':';
	const char *second = first ? end + 1 : text;
	options->most = strtod(second, &end) / 100;
	if (first && end != second && !*end && options->least >= 0 && options->least <= options->most &&
	    options->most <= 1)
		return 0;
	return ifr_fail(err, IFR_E_USAGE, "--ratios is two percentages, as 10:90, not \"%.60s\"", text);
}

static int parse_cycles(const char *option, const char *text, double *cycles, struct ifr_error *err) {
	char *end = NULL;
	*cycles = strtod(text, &end);
	if (end != text && !*end && *cycles > 0 && *cycles <= 1e6)
		return 0;
	return ifr_fail(err, IFR_E_USAGE, "%s needs cycles, more than 0 and at most 1000000, not \"%.60s\"", option,
	                text);
}

/* Parses what is profiled. Returns 1 for another option. */
static int parse_profile(int key, const char *argument, struct misses_options *options, struct ifr_error *err) {
	switch (key) {
	case KEY_MACHINE:
		return machine_option(argument, &options->machine, err);
	case KEY_LEVEL:
		return parse_level(argument, &options->level, err);
	case KEY_CACHE:
		return parse_cache(argument, &options->cache, err);
	case KEY_CORE:
		return ifr_core_use_find(argument ? argument : "sampled", &options->core, err);
	case KEY_CONTEXTS:
		return parse_lengths(argument, options, err);
	case KEY_LOADS:
		return option_number("--loads", argument, 1, LOADS_MOST, &options->top, err);
	case KEY_RATIOS:
		return parse_ratios(argument, options, err);
	case KEY_LATENCY:
		return parse_cycles("--latency", argument, &options->latency, err);
	case KEY_OVERHEAD:
		return parse_cycles("--overhead", argument, &options->overhead, err);
	case KEY_MEMORY:
		return option_size("--memory", argument, &options->bytes, err);
	default:
		return 1;
	}
}

static error_t parse_option(int key, char *argument, struct argp_state *state) {
	struct misses_options *options = state->input;
	struct ifr_error err = {0};
	const int profile = parse_profile(key, argument, options, &err);
	if (profile < 0)
		option_refuse(state, &err);
	if (profile <= 0)
		return 0;
	switch (key) {
	case KEY_PLAN:
		options->plan = argument;
		return 0;
	case KEY_AGAINST:
		options->against = argument;
		return 0;
	case KEY_OBJECTS:
		options->input.recording.objects = true;
		return 0;
	case KEY_ADVISE:
		options->advise = true;
		return 0;
	case 'F':
		options->figures = argument;
		if (option_output("--figures", argument, true, &err))
			option_refuse(state, &err);
		return 0;
	case KEY_HTML:
		options->html = argument;
		if (option_output("--html", argument, false, &err))
			option_refuse(state, &err);
		return 0;
	case KEY_BUILT:
		options->built = argument;
		return 0;
	case KEY_MEASURED:
		options->measured = argument;
		return 0;
	case 'o':
		options->output = argument;
		return 0;
	case ARGP_KEY_END:
		if (options->output && !options->advise)
			argp_error(state, "-o is the file that --advise writes: add --advise");
		if (options->built && !options->advise)
			argp_error(state, "--built is for advice: add --advise");
		if (options->measured && !options->built)
			argp_error(state, "--measured judges the prefetches of a build: add --built");
		return 0;
	case 'j':
		options->json = true;
		return 0;
	case 'q':
		options->quiet = true;
		return 0;
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &options->input;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option table[] = {
	{"machine", KEY_MACHINE, "MACHINE", 0,
     "A name, \"native\" or a file, and changes, as in skylake,l1d.ways=4; \"interfero replay --machine help\" lists all "
     "(skylake)",
     1},
	{"level", KEY_LEVEL, "LEVEL", 0, "The cache whose misses count: l1d, l2 or l3 (l1d)", 1},
	{"cache", KEY_CACHE, "GEOMETRY", 0,
     "Give that cache another size, number of ways and size of line, as 8K:2:32 (the machine's). All caches get its "
     "lines",
     1},
	{"core", KEY_CORE, "HOW", OPTION_ARG_OPTIONAL,
     "Compute the cycles that loads stall by the machine's core, over samples of the run (sampled) or over all of it "
     "(full)",
     1},
	{"plan", KEY_PLAN, "FILE", 0, "Profile the layout of this plan (the recorded program's)", 1},
	{"against", KEY_AGAINST, "FILE", 0,
     "Tell which of these misses go away in the layout of this plan, and what conflicts in sets without it", 1},
	{"loads", KEY_LOADS, "N", 0, "Look at the N loads with the most misses (15)", 2},
	{"ratios", KEY_RATIOS, "LEAST:MOST", 0,
     "Count contexts of those whose miss ratio is between these percentages (10:90)", 2},
	{"contexts", KEY_CONTEXTS, "N,N,...", 0, "Lengths of contexts to try, up to 128 (1,2,4,8,16,32,64,100)", 2},
	{"latency", KEY_LATENCY, "L", 0, "Cycles that a miss stalls (the mean of the machine's penalties)", 2},
	{"overhead", KEY_OVERHEAD, "V", 0, "Cycles that tolerating a reference costs, as by a prefetch (2)", 2},
	{"memory", KEY_MEMORY, "SIZE", 0,
     "Memory for contexts; lengths with more of them than fit are given up (400M)", 2},
	{"objects", KEY_OBJECTS, NULL, 0,
     "Record heap objects, so that data have the sizes of their objects, and the lines that allocated them", 3},
	{"advise", KEY_ADVISE, NULL, 0, "Tell which of these loads are worth a prefetch, and why the others are not",
     4},
	{"built", KEY_BUILT, "FILE", 0,
     "With --advise: the program was built with the prefetches of this file; keep those that pay", 4},
	{"measured", KEY_MEASURED, "FILE", 0,
     "With --built: keep none unless that build is faster by the clock. The file is what \"interfero compare --json\" "
     "printed of the programs without and with the prefetches",
     4},
	{NULL, 'o', "FILE", 0, "Write the advice to this file, for INTERFERO_PREFETCH=FILE make CC=interfero-gcc", 4},
	{"figures", 'F', "DIR", 0,
     "Also draw the contexts' miss ratios, what they mispredict and the run's time (SVG, PDF)", 5},
	{"html", KEY_HTML, "FILE", 0, "Write one self-contained HTML page: tables, these figures, and the advice", 5},
	{"json", 'j', NULL, 0, "Print JSON instead of the text", 5},
	{"quiet", 'q', NULL, 0, "Show no progress", 5},
	{0},
};
static const struct argp_child children[] = {{&trace_input_argp, 0, NULL, 3}, {0}};
const struct argp ifr_misses_argp = {
	table,
	parse_option,
	"TRACE\n-- PROGRAM [ARGS...]",
	"Find the loads of a program that miss in a described machine's data caches, and the context that tells which of "
	"their references miss.\v"
	"Of each load, misses prints the function, the line, the data, and the miss ratio in every level. Where a load "
	"misses now and then, its ratio does not tell when; its context may: the last N basic blocks (control flow), the "
	"last N outcomes of the load (self), or of all references (global). For each load the best kind and the shortest "
	"sufficient N are chosen, by predictions that leave the predicted reference itself out. Figures assume a technique "
	"such as prefetching that costs V cycles where it is applied and hides a miss of L: it is applied in contexts that "
	"miss more often than V / L.\n"
	"\n"
	"--advise picks the loads whose misses stall more than a prefetch of each reference costs, in all contexts or in "
	"those that a compiler can follow: called from one place, or each n-th time. A build with interfero-gcc then inserts "
	"the prefetches, and tells which it cannot place. The same with --built, of that build, keeps the prefetches that "
	"hide more cycles than they cost, and takes out the others. With --core, a miss counts with the cycles that the core "
	"waits for it.\n"
	"\n"
	"A program is recorded first, with its output dropped; \"interfero record\" has more options, and its traces can be "
	"profiled again. Counts of misses are those of \"interfero replay\".\n"
	"\n"
	"Exit status: 0 profiled, 2 usage, 3 the program failed, or the trace is damaged (its whole part is profiled), 4 the "
	"machine or a file, 130 interrupted.",
	children,
	NULL,
	NULL};

void misses_options_init(struct misses_options *options) {
	*options = (struct misses_options){.machine = "skylake",
	                                   .top = LOADS_USUAL,
	                                   .bytes = UINT64_C(400000000),
	                                   .least = 0.1,
	                                   .most = 0.9,
	                                   .overhead = OVERHEAD_USUAL,
	                                   .lengths = {1, 2, 4, 8, 16, 32, 64, 100},
	                                   .length_count = 8};
}
