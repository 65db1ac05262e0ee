/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sweeps: numbers by hand from their definition, plans that give values, and what an analysis of a made sweep finds. */
#include <ctype.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/random.h"
#include "harness/analysis/analysis.h"
#include "harness/design/design.h"
#include "harness/exec/exec.h"
#include "harness/report/report.h"
#include "report_made.h"

static void test_parse(void **state) {
	(void)state;
	struct ifr_sweeps sweeps = {0};
	struct ifr_buffer text = {0};
	assert_int_equal(ifr_sweeps_add(&sweeps, "stack:bytes=0:4096:16", NULL), 0);
	assert_int_equal(ifr_sweeps_layouts(&sweeps), 257);
	assert_int_equal(ifr_sweep_value(&sweeps.items[0], 256), 4096);
	/* TO is not reached by whole steps: 8, 11, 14. */
	assert_int_equal(ifr_sweeps_add(&sweeps, "padding:max=8:16:3", NULL), 0);
	assert_int_equal(ifr_sweep_levels(&sweeps.items[1]), 3);
	assert_int_equal(ifr_sweeps_layouts(&sweeps), 771);
	/* The first sweep changes fastest: layout 258 is the first value again, at the second padding. */
	assert_int_equal(ifr_sweeps_level(&sweeps, 0, 258), 0);
	assert_int_equal(ifr_sweeps_level(&sweeps, 1, 258), 1);
	assert_int_equal(ifr_sweeps_level(&sweeps, 1, 257), 0);
	ifr_sweeps_print(&sweeps, &text);
	assert_string_equal(ifr_buffer_text(&text), "stack:bytes=0:4096:16 padding:max=8:16:3");
	struct ifr_sweeps back;
	assert_int_equal(ifr_sweeps_parse(&back, ifr_buffer_text(&text), NULL), 0);
	assert_memory_equal(&back, &sweeps, sizeof back);
	ifr_buffer_release(&text);
}

static void test_refuses(void **state) {
	(void)state;
	static const char *const wrong[][2] = {
		{"stack", "AXIS:NAME=FROM:TO:STEP"},
		{"stack:bytes=0:16", "AXIS:NAME=FROM:TO:STEP"},
		{"stack:bytes=0:16:4:2", "AXIS:NAME=FROM:TO:STEP"},
		{"stack:bytes=-1:16:4", "AXIS:NAME=FROM:TO:STEP"},
		{"stack:bytes= 0:16:4", "AXIS:NAME=FROM:TO:STEP"},
		{"colour:bytes=0:16:4", "there is no axis"},
		{"stack:size=0:16:4",
	     "stack has no \"size\", but bytes, main-bytes, path-bytes, argument-bytes, directory-bytes, max, main"},
		{"copies:n=0:16:4", "nothing to sweep"},
		{"stack:bytes=0:65537:1024", "is from 0 to 65536"},
		{"base:step=0:16:1", "is from 1 to 4096"},
		{"stack:bytes=16:16:4", "FROM below TO"},
		{"stack:bytes=0:16:0", "a step above 0"},
		{"stack:main-bytes=0:64:8", "multiples of 16"},
		{"stack:bytes=0:65536:1", "65537 layouts, and 4096 are the most"},
		{"stack:bytes=0:99999999999999999999:1", "AXIS:NAME=FROM:TO:STEP"},
	};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct ifr_sweeps sweeps = {0};
		struct ifr_error err = {0};
		assert_int_equal(ifr_sweeps_add(&sweeps, wrong[i][0], &err), -IFR_E_USAGE);
		if (!strstr(err.message, wrong[i][1]))
			fail_msg("%s: %s", wrong[i][0], err.message);
		assert_int_equal(sweeps.count, 0);
	}
	struct ifr_sweeps sweeps = {0};
	assert_int_equal(ifr_sweeps_add(&sweeps, "stack:bytes=0:64:1", NULL), 0);
	assert_int_equal(ifr_sweeps_add(&sweeps, "stack:bytes=0:64:1", NULL), -IFR_E_USAGE);
	assert_int_equal(ifr_sweeps_add(&sweeps, "load:pages=0:64:1", NULL), -IFR_E_USAGE); /* 65 * 65 > 4096 */
	assert_int_equal(ifr_sweeps_add(&sweeps, "load:pages=0:62:1", NULL), 0);
	assert_int_equal(ifr_sweeps_add(&sweeps, "base:bytes=0:1:1", NULL), -IFR_E_USAGE);
}

/* Longer names of the same files: 256 bytes and the 9 of the plan, argv[0] with 3 more slashes. */
static void test_longer_names(void **state) {
	(void)state;
	struct ifr_context context = {.path_bytes = 9, .argument_bytes = 3};
	char *path = NULL, **made = NULL, *argv[] = {(char *)"./a/prog", (char *)"x", NULL};
	char *bare[] = {(char *)"prog", NULL}, deep[300];
	assert_int_equal(ifr_context_program(&context, "/tmp/prog", &path, NULL), 0);
	assert_int_equal(strlen(path), 256 + 9);
	assert_string_equal(path + strlen(path) - strlen("/tmp/prog"), "/tmp/prog");
	assert_int_equal(strspn(path, "/"), 256 + 9 - strlen("tmp/prog"));
	assert_int_equal(ifr_context_arguments(&context, argv, &made, NULL), 0);
	assert_string_equal(made[0], "./a////prog");
	assert_ptr_equal(made[1], argv[1]);
	assert_null(made[2]);
	free(made);
	free(path);
	assert_int_equal(ifr_context_arguments(&context, bare, &made, NULL), -IFR_E_USAGE);
	/* The kernel takes 4095 bytes: 256 + 3839, and not 512 + 3839. */
	context = (struct ifr_context){.path_bytes = 3839};
	assert_int_equal(ifr_context_program(&context, "/tmp/prog", &path, NULL), 0);
	assert_int_equal(strlen(path), 4095);
	free(path);
	memset(deep, 'x', sizeof deep - 1);
	deep[0] = '/';
	deep[sizeof deep - 1] = '\0';
	assert_int_equal(ifr_context_program(&context, deep, &path, NULL), -IFR_E_USAGE);
	assert_int_equal(ifr_context_arguments(&context, bare, &made, NULL), 0);
	assert_string_equal(made[0], "prog");
	free(made);
}

static void test_list(void **state) {
	(void)state;
	struct ifr_sweeps sweeps = {0};
	struct ifr_buffer text = {0};
	struct ifr_plan plan;
	assert_int_equal(ifr_sweeps_add(&sweeps, "allocator:which=0,1,3", NULL), 0);
	assert_int_equal(ifr_sweeps_add(&sweeps, "align:functions=16,0x20", NULL), 0);
	assert_int_equal(ifr_sweeps_layouts(&sweeps), 6);
	ifr_sweeps_print(&sweeps, &text);
	assert_string_equal(ifr_buffer_text(&text), "allocator:which=0,1,3 align:functions=16,32");
	struct ifr_sweeps back;
	assert_int_equal(ifr_sweeps_parse(&back, ifr_buffer_text(&text), NULL), 0);
	ifr_plan_init(&plan);
	ifr_sweeps_apply(&back, 3, &plan);
	assert_int_equal(plan.axis[IFR_AXIS_ALLOCATOR].given[0], 3);
	assert_int_equal(plan.axis[IFR_AXIS_ALIGN].value[0], 16);
	ifr_sweeps_apply(&back, 4, &plan);
	assert_int_equal(plan.axis[IFR_AXIS_ALLOCATOR].given[0], 0);
	assert_int_equal(plan.axis[IFR_AXIS_ALIGN].value[0], 32);
	/* One value, none, not ascending (twice), out of range, no multiple of 16, 17 values. */
	static const char *const wrong[] = {
		"allocator:which=1,",      "allocator:which=,1",
		"allocator:which=1,1",     "allocator:which=3,1",
		"allocator:which=0,3,1,4", "allocator:which=0,5",
		"allocator:which=0,1:2",   "stack:main-bytes=0,8",
		"allocator:which=0,a",     "load:pages=0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16"};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct ifr_sweeps none = {0};
		if (ifr_sweeps_add(&none, wrong[i], NULL) != -IFR_E_USAGE || none.count)
			fail_msg("%s is taken", wrong[i]);
	}
	ifr_plan_release(&plan);
	ifr_buffer_release(&text);
}

/* The process gets the values that a plan gives, whatever the seed. */
static void test_plan_gives(void **state) {
	(void)state;
	static const char text[] =
		"interfero-plan 1\nstack seed=9 max=64 main=0 bytes=3184 main-bytes=48\nload seed=7 max=4096 pages=3\n";
	for (uint64_t seed = 0; seed < 4; seed++) {
		struct ifr_plan plan;
		struct ifr_context context;
		struct ifr_buffer again = {0};
		assert_int_equal(ifr_plan_parse(text, strlen(text), "plan", &plan, NULL), 0);
		ifr_plan_print(&plan, &again);
		assert_string_equal(ifr_buffer_text(&again), text);
		plan.axis[IFR_AXIS_STACK].seed = plan.axis[IFR_AXIS_LOAD].seed = seed;
		ifr_context_init(&context, NULL);
		ifr_context_set_plan(&context, &plan, ifr_plan_axes(&plan), false);
		assert_int_equal(context.stack_bytes, 3184);
		assert_int_equal(context.main_bytes, 48);
		assert_int_equal(context.load_pages, 3);
		assert_non_null(context.runtime); /* the gap above main is the runtime's */
		ifr_context_release(&context);
		ifr_buffer_release(&again);
		ifr_plan_release(&plan);
	}
	static const char *const wrong[] = {"stack bytes=65537", "stack main-bytes=8", "load bytes=1",
	                                    "base bytes=-1"};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		char *whole = ifr_format("interfero-plan 1\n%s\n", wrong[i]);
		struct ifr_plan plan;
		assert_int_equal(ifr_plan_parse(whole, strlen(whole), "plan", &plan, NULL), -IFR_E_USAGE);
		free(whole);
	}
}

/* Swept axes have one seed in all layouts; other axes have that of their layout; limits reach the largest value. */
static void test_generator(void **state) {
	(void)state;
	struct ifr_layout_generator generator = {.seed = 5, .axes = 1u << IFR_AXIS_BASE | 1u << IFR_AXIS_FUNCTIONS};
	struct ifr_plan plans[4];
	ifr_plan_init(&generator.parameters);
	assert_int_equal(ifr_sweeps_add(&generator.sweeps, "base:bytes=0:8192:4096", NULL), 0);
	for (unsigned i = 0; i < 4; i++)
		ifr_layout_generator_plan(&generator, NULL, i, &plans[i]);
	assert_int_equal(ifr_plan_axes(&plans[0]), 0);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(plans[i].axis[IFR_AXIS_BASE].value[0], 8192);
	for (unsigned i = 1; i < 4; i++) {
		assert_int_equal(ifr_plan_axes(&plans[i]), generator.axes);
		assert_int_equal(plans[i].axis[IFR_AXIS_BASE].given[0], (i - 1) * 4096);
		assert_true(plans[i].axis[IFR_AXIS_BASE].seed == plans[1].axis[IFR_AXIS_BASE].seed);
		assert_true(plans[i].axis[IFR_AXIS_FUNCTIONS].seed ==
		            ifr_random_keyed(5, "functions",
		                             (char[]){'v', 'a', 'r', 'i', 'a', 'n', 't', ' ', (char)('0' + i), 0}));
	}
	for (unsigned i = 0; i < 4; i++)
		ifr_plan_release(&plans[i]);
}

enum { LEVELS = 97, SPIKE_FROM = 11, PERIOD = 32 };

/* 97 values in steps of 16 at 2 % noise; every 32 steps one is 30 % slower, with ten times the page faults. */
static void make_sweep(struct ifr_dataset *dataset, unsigned runs, bool spikes) {
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	gsl_rng_set(rng, 3);
	ifr_dataset_init(dataset);
	add_facts(dataset, &usual);
	ifr_dataset_add_fact(dataset, "sweep", "stack:bytes=0:1536:16");
	add_counter(dataset, "duration_time", "ns", "clock");
	add_counter(dataset, "page-faults", "", "clock");
	const struct recipe recipe = {.variants = LEVELS + 1};
	add_variants(dataset, &recipe);
	for (unsigned run = 0; run < runs; run++)
		for (unsigned i = 0; i <= LEVELS; i++) {
			struct ifr_dataset_run *made = ifr_dataset_add_run(dataset);
			const bool spike = spikes && i && (i - 1) % PERIOD == SPIKE_FROM;
			made->variant = i;
			made->repetition = run;
			made->value[0] = 1e8 * (spike ? 1.3 : 1) * exp(gsl_ran_gaussian(rng, 0.02));
			made->value[1] = spike ? 1000 : 100 + (double)(i % 2);
		}
	gsl_rng_free(rng);
}

/* The text with every stretch of white space as one blank; the caller frees. */
static char *flatten(const struct ifr_buffer *text) {
	char *flat = ifr_strdup(ifr_buffer_text(text)), *end = flat;
	for (const char *c = flat; *c; c++)
		if (!isspace((unsigned char)*c))
			*end++ = *c;
		else if (end == flat || end[-1] != ' ')
			*end++ = ' ';
	*end = 0;
	return flat;
}

static void test_findings(void **state) {
	(void)state;
	struct ifr_dataset dataset;
	struct ifr_analysis *analysis;
	make_sweep(&dataset, 5, true);
	assert_int_equal(ifr_analysis_make(&dataset, "duration_time", &analysis, NULL), 0);
	const struct ifr_sweep_findings *found = analysis->sweep;
	assert_non_null(found);
	assert_true(found->side[0].tested && found->side[0].period.p < 0.05);
	assert_int_equal(found->side[0].period.steps, PERIOD);
	assert_int_equal(found->side[0].period.highest, SPIKE_FROM);
	assert_int_equal(found->spike_count, 3);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(found->spikes[i].layout->variant->layout, 1 + SPIKE_FROM + i * PERIOD);
		assert_true(fabs(found->spikes[i].deviation - 0.3) < 0.06);
	}
	assert_int_equal(found->overlay_count, 1);
	assert_string_equal(dataset.counters[found->overlays[0].counter].name, "page-faults");
	assert_true(found->overlays[0].r > 0.9);
	struct ifr_buffer text = {0};
	ifr_report_text(analysis, false, &text);
	char *flat = flatten(&text);
	assert_non_null(strstr(flat, "What does stack:bytes do?"));
	assert_non_null(strstr(flat, "with a period of 512:"));
	assert_non_null(strstr(flat, " 3 of 97 values stand out (the farthest: stack:bytes="));
	assert_non_null(strstr(flat, " slower); the others do not differ: sd "));
	assert_null(strstr(flat, "Layout matters"));
	assert_non_null(strstr(flat, "page-faults (r = 0.9"));
	assert_non_null(strstr(flat, "; a symptom of the machine)."));
	assert_non_null(strstr(flat, "3 of 97 values stand out from the others"));
	assert_non_null(strstr(flat, " It stands out: 3"));
	assert_non_null(strstr(flat, "They lie 512 apart."));
	assert_non_null(strstr(flat, "stack:bytes=176: "));
	assert_null(strstr(flat, "random layout"));
	free(flat);
	ifr_buffer_clear(&text);
	ifr_report_json(analysis, &text);
	assert_non_null(strstr(ifr_buffer_text(&text), "\"length\": 512"));
	assert_non_null(strstr(ifr_buffer_text(&text), "\"stack:bytes\": 1200"));
	ifr_buffer_release(&text);
	ifr_analysis_free(analysis);
	ifr_dataset_release(&dataset);
}

/* Values that stand out say nothing of the others: with them refused, the others' deviation, the expected best and the
 * rest of its prediction are the same. Nothing is expected of a worst value that stands out but what it was. */
static void test_others(void **state) {
	(void)state;
	struct ifr_dataset dataset;
	struct ifr_analysis *all, *rest;
	make_sweep(&dataset, 5, true);
	assert_int_equal(ifr_analysis_make(&dataset, "duration_time", &all, NULL), 0);
	assert_non_null(all->worst.spike);
	assert_false(all->worst.predicted || all->worst.again.known);
	assert_true(all->best.predicted && !all->best.spike);
	for (unsigned i = 1 + SPIKE_FROM; i <= LEVELS; i += PERIOD)
		dataset.variants[i].refused = ifr_strdup("stands out");
	assert_int_equal(ifr_analysis_make(&dataset, "duration_time", &rest, NULL), 0);
	assert_int_equal(all->others.groups, LEVELS - 3);
	assert_true(fabs(all->others.between_sd - rest->components.between_sd) < 1e-6 * rest->centre);
	assert_true(all->components.between_sd > 10 * all->others.between_sd);
	assert_true(fabs(all->best.prediction.expected / rest->best.prediction.expected - 1) < 1e-4);
	assert_true(all->expected_range_pct > 30 && rest->expected_range_pct < 2);
	ifr_analysis_free(rest);
	ifr_analysis_free(all);
	ifr_dataset_release(&dataset);
}

/* A sweep that its budget ended: four of the values lack, at the end of the range 0 to 1536 in steps of 16. The numbers
 * are those measured, and the first advice is to go on; without a missing value or run the advice is another. */
static void test_cut_short(void **state) {
	(void)state;
	for (int cut = 0; cut < 2; cut++) {
		struct ifr_dataset dataset;
		struct ifr_analysis *analysis;
		struct ifr_buffer text = {0};
		make_sweep(&dataset, 5, false);
		ifr_dataset_add_fact(&dataset, "rounds planned", "5");
		ifr_dataset_add_fact(&dataset, "variants planned", "97");
		ifr_dataset_add_fact(&dataset, "complete", "no: the time budget was used up");
		for (unsigned i = LEVELS - 3; i <= LEVELS && cut; i++)
			dataset.variants[i].refused = ifr_strdup("not measured");
		assert_int_equal(ifr_analysis_make(&dataset, "duration_time", &analysis, NULL), 0);
		assert_int_equal(analysis->sweep->measured, cut ? 93 : 97);
		ifr_report_text(analysis, false, &text);
		char *flat = flatten(&text);
		assert_non_null(
			strstr(flat, cut ? "None of the 93 measured values stands" : "None of the 97 values stands"));
		assert_int_equal(strstr(flat, "took 93 of 97 values") != NULL, cut);
		assert_int_equal(strstr(flat, "; those measured lie from 0 to 1472.") != NULL, cut);
		assert_int_equal(strstr(flat, "Next: go on with the same command") != NULL, cut);
		free(flat);
		ifr_buffer_release(&text);
		ifr_analysis_free(analysis);
		ifr_dataset_release(&dataset);
	}
}

/* The words follow the interval where it holds 0, although the F test finds a difference. */
static void test_unsettled(void **state) {
	(void)state;
	static const char *const words[] = {"; whether the others differ, too, is not settled: sd ",
	                                    "; the others differ, too: sd ",
	                                    "Whether layout matters is not settled: sd ", "Layout matters: sd "};
	for (unsigned which = 0; which < 4; which++) {
		struct ifr_dataset dataset;
		struct ifr_analysis *analysis;
		struct ifr_buffer text = {0};
		make_sweep(&dataset, 5, which < 2);
		assert_int_equal(ifr_analysis_make(&dataset, "duration_time", &analysis, NULL), 0);
		struct ifr_components *c = &analysis->others;
		c->p = 0.01;
		c->between_sd = 0.007 * analysis->centre;
		c->between_interval.low = which % 2 ? 0.004 * analysis->centre : 0;
		c->between_interval.high = 0.011 * analysis->centre;
		analysis->conclusion.effect = IFR_EFFECT_FOUND;
		ifr_report_text(analysis, false, &text);
		char *flat = flatten(&text);
		for (unsigned i = 0; i < 4; i++)
			assert_int_equal(strstr(flat, words[i]) != NULL, i == which);
		free(flat);
		ifr_buffer_release(&text);
		ifr_analysis_free(analysis);
		ifr_dataset_release(&dataset);
	}
}

static void test_nothing_found(void **state) {
	(void)state;
	for (unsigned runs = 1; runs <= 5; runs += 4) {
		struct ifr_dataset dataset;
		struct ifr_analysis *analysis;
		make_sweep(&dataset, runs, false);
		assert_int_equal(ifr_analysis_make(&dataset, "duration_time", &analysis, NULL), 0);
		assert_int_equal(analysis->sweep->spikes_tested, runs > 1); /* one run a value tells nothing from noise */
		assert_int_equal(analysis->sweep->spike_count, 0);
		assert_true(analysis->sweep->side[0].period.p > 0.05);
		ifr_analysis_free(analysis);
		ifr_dataset_release(&dataset);
	}
}

int main(void) {
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_parse),         cmocka_unit_test(test_list),
	                                   cmocka_unit_test(test_refuses),       cmocka_unit_test(test_longer_names),
	                                   cmocka_unit_test(test_plan_gives),    cmocka_unit_test(test_generator),
	                                   cmocka_unit_test(test_findings),      cmocka_unit_test(test_others),
	                                   cmocka_unit_test(test_nothing_found), cmocka_unit_test(test_cut_short),
	                                   cmocka_unit_test(test_unsettled)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
