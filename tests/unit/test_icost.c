/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Costs and interaction costs: answers by hand, from the paper, and identities on random graphs. Ref: Fields, Bodik, Hill
 * and Newburn 2004, sections 2.1 to 2.3. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/random.h"
#include "harness/icost/icost.h"

/* Costs of causes 0, 1, … by a function of the set. */
static void fill(struct ifr_icost *icost, unsigned causes, bool all, double (*time)(uint32_t set, void *data),
                 void *data) {
	ifr_icost_init(icost, (1u << causes) - 1, all);
	icost->times.sets = icost->count;
	icost->times.cycles = ifr_alloc(icost->count * sizeof(double));
	for (size_t i = 0; i < icost->count; i++)
		icost->times.cycles[i] = time(icost->sets[i], data);
}

/* Paths beside one another; the longest is the time. A path is a list of latencies, by cause; the last has none. */
struct paths {
	unsigned count;
	double latency[4][4];
};
enum { NO_CAUSE = 3 };

static double longest(uint32_t set, void *data) {
	const struct paths *paths = data;
	double time = 0;
	for (unsigned i = 0; i < paths->count; i++) {
		double length = paths->latency[i][NO_CAUSE];
		for (unsigned c = 0; c < NO_CAUSE; c++)
			length += set >> c & 1 ? 0 : paths->latency[i][c];
		time = length > time ? length : time;
	}
	return time;
}

static void assert_pair(const struct paths *paths, double first, double second, double both, double interaction,
                        enum ifr_icost_kind kind) {
	struct ifr_icost icost;
	fill(&icost, 2, false, longest, (void *)(uintptr_t)paths);
	assert_float_equal(ifr_icost_cost(&icost, 1).cycles, first, 1e-9);
	assert_float_equal(ifr_icost_cost(&icost, 2).cycles, second, 1e-9);
	assert_float_equal(ifr_icost_cost(&icost, 3).cycles, both, 1e-9);
	const struct ifr_icost_value value = ifr_icost_interaction(&icost, 3);
	assert_float_equal(value.cycles, interaction, 1e-9);
	assert_float_equal(value.error, 0, 0);
	assert_int_equal(ifr_icost_kind(&icost, &value), kind);
	assert_float_equal(ifr_icost_interaction(&icost, 0).cycles, 0, 0);
	ifr_icost_release(&icost);
}

static void test_paper(void **state) {
	(void)state;
	/* Two parallel misses of 100 cycles: each costs 0, both 100. */
	const struct paths parallel = {2, {{100, 0, 0, 0}, {0, 100, 0, 0}}};
	assert_pair(&parallel, 0, 0, 100, 100, IFR_ICOST_PARALLEL);
	/* Two dependent misses of 100 cycles beside 100 cycles of ALU work: either costs 100, and both no more. */
	const struct paths serial = {2, {{100, 100, 0, 0}, {0, 0, 0, 100}}};
	assert_pair(&serial, 100, 100, 100, -100, IFR_ICOST_SERIAL);
	/* One behind the other, and nothing beside them. */
	const struct paths independent = {1, {{100, 100, 0, 7}}};
	assert_pair(&independent, 100, 100, 200, 0, IFR_ICOST_INDEPENDENT);
	/* Figure 1: without A the longest path falls from 20 to 9, which goes through C. */
	const struct paths figure = {2, {{12, 0, 0, 8}, {0, 9, 0, 0}}};
	assert_pair(&figure, 11, 0, 12, 1, IFR_ICOST_PARALLEL);
}

/* A random graph: edges from lower to higher nodes, each with a cause or none. */
enum { NODES = 24, EDGES = 90, CAUSES = 8 };
struct graph {
	struct edge {
		uint8_t from, to, cause, latency;
	} edges[EDGES];
};

static int by_source(const void *a, const void *b) {
	return ((const struct edge *)a)->from - ((const struct edge *)b)->from;
}

static void make_graph(struct graph *graph, uint64_t seed) {
	for (unsigned i = 0; i < EDGES; i++) {
		const uint64_t random = ifr_siphash(seed, i, "edge", 4);
		const uint8_t from = (uint8_t)(random % (NODES - 1));
		graph->edges[i] = (struct edge){.from = from,
		                                .to = (uint8_t)(from + 1 + (random >> 8) % (unsigned)(NODES - 1 - from)),
		                                .cause = (uint8_t)((random >> 20) % (CAUSES + 2)),
		                                .latency = (uint8_t)((random >> 32) % 40)};
	}
	qsort(graph->edges, EDGES, sizeof *graph->edges, by_source);
}

static double critical_path(uint32_t set, void *data) {
	const struct graph *graph = data;
	double done[NODES] = {0}, last = 0;
	for (unsigned i = 0; i < EDGES; i++) {
		const struct edge *edge = &graph->edges[i];
		const double at = done[edge->from] + (set >> edge->cause & 1 ? 0 : edge->latency);
		done[edge->to] = at > done[edge->to] ? at : done[edge->to];
	}
	for (unsigned i = 0; i < NODES; i++)
		last = done[i] > last ? done[i] : last;
	return last;
}

/* The definition, by recursion: cost(U) less the icosts of all proper subsets. */
static double recursive(const struct ifr_icost *icost, uint32_t set) {
	double value = set ? ifr_icost_cost(icost, set).cycles : 0;
	for (uint32_t subset = (set - 1) & set; set && subset; subset = (subset - 1) & set)
		value -= recursive(icost, subset);
	return value;
}

static void test_random_graphs(void **state) {
	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct graph graph;
		struct ifr_icost icost;
		double sum = 0;
		make_graph(&graph, seed);
		fill(&icost, CAUSES, true, critical_path, &graph);
		assert_int_equal(icost.count, 1 << CAUSES);
		for (uint32_t set = 0; set < 1u << CAUSES; set++) {
			assert_int_equal(icost.sets[set], set);
			assert_float_equal(ifr_icost_time(&icost, set), critical_path(set, &graph), 0);
			const double value = ifr_icost_interaction(&icost, set).cycles;
			if (__builtin_popcount(set) < 6)
				assert_float_equal(value, recursive(&icost, set), 1e-6);
			sum += value;
		}
		/* All 256 add up to the cost of all causes. */
		assert_float_equal(sum, critical_path(0, &graph) - critical_path((1u << CAUSES) - 1, &graph), 1e-6);
		ifr_icost_release(&icost);
	}
}

/* The share by its definition: an equal part of the icost of each set that the cause is in. */
static void test_shares(void **state) {
	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct graph graph;
		struct ifr_icost icost;
		double sum = 0;
		make_graph(&graph, seed);
		fill(&icost, 5, true, critical_path, &graph);
		for (unsigned i = 0; i < 5; i++) {
			double share = 0;
			for (uint32_t set = 1; set < 1u << 5; set++)
				if (set >> i & 1)
					share += ifr_icost_interaction(&icost, set).cycles / __builtin_popcount(set);
			assert_float_equal(ifr_icost_share(&icost, i).cycles, share, 1e-6);
			sum += share;
		}
		assert_float_equal(sum, ifr_icost_cost(&icost, 31).cycles, 1e-6);
		ifr_icost_release(&icost);
	}
}

/* Two layouts: their difference. Several: 2, 4, 4, 4, 5, 5, 7, 9 have the mean 5 and the sample's standard deviation
 * sqrt(32 / 7) (R: sd(c(2, 4, 4, 4, 5, 5, 7, 9)) is 2.13809). The weighted cycles are the difference. */
static void test_weights(void **state) {
	double cycles[] = {2, 4, 4, 4, 5, 5, 7, 9}, weights[8], sum = 0, balance = 0;
	struct ifr_across across = {.layouts = 8, .cycles = cycles, .weights = weights};
	(void)state;
	ifr_across_weigh(&across, false);
	for (size_t i = 0; i < 8; i++) {
		sum += weights[i] * cycles[i];
		balance += weights[i];
	}
	assert_float_equal(across.difference, 2.13809, 1e-5);
	assert_float_equal(sum, across.difference, 1e-9);
	assert_float_equal(balance, 0, 1e-9);
	across.layouts = 2;
	ifr_across_weigh(&across, true);
	assert_float_equal(across.difference, 2, 1e-12);
	assert_float_equal(weights[0], -1, 0);
	assert_float_equal(weights[1], 1, 0);
	/* Equal layouts have no difference. */
	cycles[0] = 4;
	ifr_across_weigh(&across, false);
	assert_float_equal(across.difference, 0, 0);
	assert_float_equal(weights[1], 0, 0);
}

static void test_breakdown(void **state) {
	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct graph graph;
		struct ifr_icost icost;
		struct ifr_icost_breakdown all;
		make_graph(&graph, seed);
		fill(&icost, CAUSES, false, critical_path, &graph);
		/* None, eight, their 28 pairs, and all. */
		assert_int_equal(icost.count, 1 + 8 + 28 + 1);
		ifr_icost_break_down(&icost, IFR_CAUSE_LIMIT, &all);
		double sum = all.other + all.rest;
		for (size_t i = 0; i < all.count; i++) {
			sum += all.alone[all.order[i]].cycles + all.with_focus[all.order[i]].cycles;
			assert_true(!i || all.alone[all.order[i - 1]].cycles >= all.alone[all.order[i]].cycles);
		}
		assert_int_equal(all.focus, all.order[0]);
		assert_int_equal(all.count, CAUSES);
		assert_float_equal(sum, critical_path(0, &graph), 1e-6);
		ifr_icost_break_down(&icost, 5, &all);
		assert_float_equal(all.with_focus[2].cycles, ifr_icost_interaction(&icost, 1u << 2 | 1u << 5).cycles, 0);
		ifr_icost_release(&icost);
	}
}

static double by_table(uint32_t set, void *data) {
	return ((const double *)data)[set];
}

/* Cochran's ratio estimate by hand: two fragments of 1000 instructions lose 100 and 300 cycles by the cause, and stand
 * for 10,000: 2000 cycles, the residuals -100 and 100, and 10 * sqrt(20000 / 2) = 1000 the standard error. */
static void test_errors(void **state) {
	static uint32_t instructions[] = {1000, 1000};
	static double cycles[] = {500, 700, 400, 400};
	double times[] = {6000, 4000};
	struct ifr_icost icost;
	(void)state;
	fill(&icost, 1, true, by_table, times);
	icost.times.fragments = 2;
	icost.times.rest = 10000;
	icost.times.fragment_instructions = instructions;
	icost.times.fragment_cycles = cycles;
	struct ifr_icost_value cost = ifr_icost_cost(&icost, 1);
	assert_float_equal(cost.cycles, 2000, 1e-9);
	assert_float_equal(cost.error, 1000, 1e-9);
	assert_int_equal(ifr_icost_kind(&icost, &cost), IFR_ICOST_PARALLEL);
	cost.error = 1001;
	assert_int_equal(ifr_icost_kind(&icost, &cost), IFR_ICOST_INDEPENDENT);
	icost.times.fragment_instructions = NULL;
	icost.times.fragment_cycles = NULL;
	ifr_icost_release(&icost);
}

/* The error of a saving is that of the difference where the fragments are the same. Before, they take 500 and 700
 * cycles, after 300 and 500: each time has the error 1000 (above), and the difference none. */
static void test_saving(void **state) {
	static uint32_t instructions[] = {1000, 1000}, others[] = {1000, 900};
	static double cycles[] = {500, 700, 0, 0}, fewer[] = {300, 500, 0, 0};
	double times[] = {6000, 4000}, after_times[] = {4000, 4000};
	struct ifr_icost before, after;
	(void)state;
	fill(&before, 1, true, by_table, times);
	fill(&after, 1, true, by_table, after_times);
	before.times.fragments = after.times.fragments = 2;
	before.times.rest = after.times.rest = 10000;
	before.times.fragment_instructions = after.times.fragment_instructions = instructions;
	before.times.fragment_cycles = cycles;
	after.times.fragment_cycles = fewer;
	struct ifr_icost_value saving = ifr_icost_saving(&before, &after);
	assert_float_equal(saving.cycles, 2000, 1e-9);
	assert_float_equal(saving.error, 0, 1e-9);
	after.times.fragment_instructions = others;
	saving = ifr_icost_saving(&before, &after);
	assert_float_equal(saving.cycles, 2000, 1e-9);
	assert_true(saving.error > 1000);
	before.times.fragment_instructions = after.times.fragment_instructions = NULL;
	before.times.fragment_cycles = after.times.fragment_cycles = NULL;
	ifr_icost_release(&before);
	ifr_icost_release(&after);
}

/* --- the words ------------------------------------------------------------------------------------------------- */

/* Puts a text into one line. */
static char *flatten(struct ifr_buffer *text) {
	char *flat = ifr_buffer_detach(text), *to = flat;
	for (const char *from = flat; *from; from++)
		if (*from > ' ')
			*to++ = *from;
		else if (to > flat && to[-1] != ' ')
			*to++ = ' ';
	*to = '\0';
	return flat;
}

static void assert_said(const char *text, const char *words) {
	if (!strstr(text, words))
		fail_msg("\"%s\" is not in: %s", words, text);
}

/* Cycles of 1000, of which bw takes 300, bmisp 200 and imiss 60; bw and bmisp have 80 in common. */
static double by_three(uint32_t set, void *data) {
	const bool bw = set >> IFR_CAUSE_BW & 1, bmisp = set >> IFR_CAUSE_BMISP & 1,
			   imiss = set >> IFR_CAUSE_IMISS & 1;
	(void)data;
	return 1000 - 300 * bw - 200 * bmisp - 60 * imiss + 80 * (bw && bmisp) - 15 * (bw && imiss);
}

static char *tell_three(struct ifr_icost_run run) {
	struct ifr_icost icost;
	struct ifr_buffer text = {0};
	run.name = "prog.trace";
	run.machine = "skylake";
	fill(&icost, IFR_CAUSES, false, by_three, NULL);
	ifr_icost_text(&icost, &run, IFR_CAUSE_LIMIT, &text);
	ifr_icost_release(&icost);
	return flatten(&text);
}

static void test_advice(void **state) {
	(void)state;
	char *text = tell_three((struct ifr_icost_run){.instructions = 1000});
	assert_said(text, "Most is lost by bw (");
	assert_said(text, "To do: execute fewer instructions: -O3");
	assert_said(text, " Next: bmisp, 20.0 % (mispredicted branches): make branches predictable");
	assert_said(text, " Of what a layout changes, most is lost by imiss, 6.0 % (");
	assert_said(
		text,
		"bw and bmisp are serial: bmisp costs 20.0 % by itself, and 12.0 % once bw is gone: for the other 8.0 % "
		"either of the two will do. Improve the easier one");
	assert_said(text,
	            "bw and imiss are parallel: imiss costs 6.0 % by itself, and 7.5 % once bw is gone: 1.5 % go only "
	            "with both. Improve both.");
	assert_said(text, "alone: cycles saved if only this cause is idealised. +bw: ");
	assert_said(text, " other: interactions without bw, or of three causes and more; ");
	free(text);
}

static void test_short_profile(void **state) {
	static const struct {
		uint64_t instructions;
		bool is_short, start_shows;
	} runs[] = {
		{4999999, true, false}, {5000000, false, true}, {99999999, false, true}, {100000000, false, false}};
	(void)state;
	for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
		const struct ifr_shotgun_coverage coverage = {.signatures = 3, .fragments = 3, .instructions = 3000};
		char *text =
			tell_three((struct ifr_icost_run){.instructions = runs[i].instructions, .profile = &coverage});
		assert_int_equal(!!strstr(text, "The run is short for a profile"), runs[i].is_short);
		assert_int_equal(!!strstr(text, "imiss comes out too small"), runs[i].start_shows);
		free(text);
	}
}

/* Fills a row of what-if, with fragments of equal cycles but for `odd` more and less. */
static void fill_row(struct ifr_what_if *what_if, const char *change, double cycles, double odd) {
	const uint32_t causes =
		1u << IFR_CAUSE_DL1 | 1u << IFR_CAUSE_WIN | 1u << IFR_CAUSE_BMISP | 1u << IFR_CAUSE_SHALU;
	struct ifr_what_if_row *row = &what_if->rows[what_if->count++];
	row->change = change;
	ifr_icost_init(&row->icost, causes, false);
	struct ifr_ideal_times *times = &row->icost.times;
	const size_t sets = times->sets = row->icost.count;
	times->fragments = 2;
	times->rest = 2000;
	times->cycles = ifr_alloc(sets * sizeof *times->cycles);
	times->fragment_cycles = ifr_alloc(2 * sets * sizeof *times->fragment_cycles);
	times->fragment_instructions = ifr_alloc(2 * sizeof *times->fragment_instructions);
	for (size_t i = 0; i < sets; i++) {
		times->cycles[i] = 2 * cycles;
		times->fragment_cycles[2 * i] = cycles - odd;
		times->fragment_cycles[2 * i + 1] = cycles + odd;
	}
	times->fragment_instructions[0] = times->fragment_instructions[1] = 1000;
}

static char *tell_what_if(double cycles, double odd) {
	struct ifr_what_if what_if = {0};
	struct ifr_buffer text = {0};
	const struct ifr_icost_run run = {.name = "prog.trace", .machine = "skylake"};
	fill_row(&what_if, "", 1000, 0);
	fill_row(&what_if, "pipeline.window=256", cycles, odd);
	ifr_what_if_text(&what_if, &run, &text);
	ifr_what_if_release(&what_if);
	return flatten(&text);
}

/* Two fragments differ by 5 cycles from their mean: twice the standard error is 2 * 2 * sqrt(2 * 25 / 2) = 20 cycles,
 * 1.0 % of 2000. */
static void test_what_if_errors(void **state) {
	(void)state;
	char *text = tell_what_if(900, 5);
	assert_said(text, "Of these changes, pipeline.window=256 saves most: 10.0 % +- 1.0.");
	assert_said(text, "From samples of the run: each is +- 1.0 at most (twice the standard error).");
	assert_said(text, "dl1+ dl1+ dl1+ win+ win+ bmisp+ interaction cost win bmisp shalu bmisp shalu shalu");
	free(text);
	text = tell_what_if(992, 5);
	assert_said(text,
	            "None of these changes saves more than its error: pipeline.window=256 saves most, 0.8 % +- 1.0.");
	free(text);
	text = tell_what_if(1001, 5);
	assert_said(text, "None of these changes saves cycles.");
	free(text);
	text = tell_what_if(900, 0);
	assert_said(text, "pipeline.window=256 saves most: 10.0 %.");
	assert_null(strstr(text, "From samples"));
	free(text);
}

/* The page has the text's last lines, too; JSON has the samples' number, and the N of record --every N. */
static void test_samples_are_told(void **state) {
	const struct ifr_icost_run run = {.name = "prog.trace", .machine = "skylake", .sampled = "10000000"};
	struct ifr_what_if rows = {0};
	struct ifr_buffer page = {0}, json = {0};
	struct ifr_icost *icost = &rows.rows[0].icost;
	(void)state;
	fill_row(&rows, "", 1000, 0);
	/* By itself the second cause saves 10 - 5 and 10 + 5 cycles of two fragments, 1.0 % +- 1.0 of 2000. */
	icost->times.fragment_cycles[2 * ifr_icost_find(icost, 1u << IFR_CAUSE_WIN)] -= 5;
	icost->times.fragment_cycles[2 * ifr_icost_find(icost, 1u << IFR_CAUSE_WIN) + 1] -= 15;
	ifr_icost_html(icost, &run, IFR_CAUSE_DL1, &page);
	ifr_icost_json(icost, &run, IFR_CAUSE_DL1, &json);
	char *text = flatten(&page);
	assert_said(
		text,
		"Other: interactions without dl1, or of three causes and more. From samples of the run: each is +- 1.0 % "
		"at most (twice the standard error).");
	free(text);
	text = flatten(&json);
	assert_said(text, "\"recorded_every\": 10000000,");
	assert_said(text, "\"fragments\": 2,");
	free(text);
	ifr_what_if_release(&rows);
}

static char *tell_line(const char *line, double criticality) {
	struct ifr_code_line item = {(char *)(uintptr_t) "luaV_execute in lib it", (char *)(uintptr_t)line};
	struct ifr_line_costs costs = {.lines = {.items = &item, .count = 1}, .count = 1, .cycles = 1000};
	struct ifr_buffer text = {0};
	const struct ifr_icost_run run = {.name = "prog.trace",
	                                  .machine = "zen4",
	                                  .command = "interfero icost --machine zen4",
	                                  .input = " prog.trace"};
	costs.items[0].cost.cycles = 300;
	costs.items[0].criticality = criticality;
	costs.instructions = 1000;
	ifr_line_costs_text(&costs, &run, &text);
	return flatten(&text);
}

static void test_line_commands(void **state) {
	(void)state;
	char *text = tell_line("lvm.c:12", 0.1);
	assert_said(text, "To do: look at its misses");
	assert_said(text, ": interfero icost --machine zen4 --cause line:lvm.c:12 prog.trace retires");
	assert_null(strstr(text, "build it with -g"));
	free(text);
	text = tell_line("", 0.9);
	assert_said(text, "To do: shorten it");
	assert_said(text,
	            ": interfero icost --machine zen4 --cause 'function:luaV_execute in lib it' prog.trace retires");
	assert_said(text, "the program has no line numbers: build it with -g.");
	free(text);
}

static void test_site_requests(void **state) {
	static const char *const wrong[] = {"", "foo", "dl1", "load:", "function:", "loads:a.c:1"};
	static const char *const right[] = {"load:a.c:1", "branch:a.c:1", "line:a.c:1", "function:main"};
	struct ifr_error err = {0};
	(void)state;
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		assert_true(ifr_icost_site_check(wrong[i], &err));
	for (size_t i = 0; i < sizeof right / sizeof *right; i++)
		assert_false(ifr_icost_site_check(right[i], &err));
}

static void test_names(void **state) {
	uint32_t set;
	struct ifr_error err = {0};
	struct ifr_buffer text = {0};
	(void)state;
	assert_int_equal(ifr_causes_parse("dl1,win+fusion", &set, &err), 0);
	assert_int_equal(set, 1u << IFR_CAUSE_DL1 | 1u << IFR_CAUSE_WIN | 1u << IFR_CAUSE_FUSION);
	ifr_causes_print(set, &text);
	assert_string_equal(ifr_buffer_text(&text), "dl1+win+fusion");
	ifr_buffer_release(&text);
	static const char *const wrong[] = {"", "dl", "dl1,", "dl1,dl1", "dl1 ,win", "DL1", ",dl1", "dl1win"};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		memset(&err, 0, sizeof err);
		assert_true(ifr_causes_parse(wrong[i], &set, &err));
		assert_int_equal(err.code, IFR_E_USAGE);
	}
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_paper),          cmocka_unit_test(test_random_graphs),
		cmocka_unit_test(test_breakdown),      cmocka_unit_test(test_errors),
		cmocka_unit_test(test_names),          cmocka_unit_test(test_shares),
		cmocka_unit_test(test_weights),        cmocka_unit_test(test_saving),
		cmocka_unit_test(test_advice),         cmocka_unit_test(test_short_profile),
		cmocka_unit_test(test_what_if_errors), cmocka_unit_test(test_line_commands),
		cmocka_unit_test(test_site_requests),  cmocka_unit_test(test_samples_are_told)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
