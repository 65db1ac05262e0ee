/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Audits: designs by hand, and what is found in made experiments, whose effects are known because they were put in. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "depth.h"
#include "harness/analysis/analysis.h"
#include "harness/design/design.h"
#include "harness/report/report.h"
#include "report_made.h"

static unsigned design(const char *name, unsigned most, const char *sweep,
                       struct ifr_layout_generator *generator) {
	unsigned layouts = 0;
	assert_int_equal(
		ifr_trigger_design(&ifr_triggers[ifr_trigger_find(name)], 7, most, sweep, generator, &layouts, NULL), 0);
	ifr_plan_release(&generator->parameters);
	return layouts;
}

/* 0, 16 … 8176 are 512 values. Where they are too many, one period of 4096 is left, whose 256 values meet each class of
 * 16 bytes once; then every third value is left, every fifth …, until they are few enough, and 8 remain: 4080 / (33 · 16)
 * is 7.7. 86 values of every third meet each class of 16 bytes modulo 64, and modulo 1024; every second one would meet
 * two of four. */
static void test_design(void **state) {
	(void)state;
	struct ifr_layout_generator generator;
	assert_int_equal(design("environment", 0, NULL, &generator), 512);
	assert_int_equal(generator.axes, 1u << IFR_AXIS_STACK);
	assert_int_equal(design("environment", 511, NULL, &generator), 256);
	bool met[256] = {false};
	for (unsigned level = 0; level < 256; level++)
		met[ifr_sweep_value(&generator.sweeps.items[0], level) % 4096 / 16] = true;
	for (unsigned class = 0; class < 256; class ++)
		assert_true(met[class]);
	assert_int_equal(design("stack", 256, NULL, &generator), 256);
	assert_int_equal(generator.sweeps.items[0].step, 16);
	assert_int_equal(design("environment", 100, NULL, &generator), 86);
	assert_int_equal(generator.sweeps.items[0].step, 48);
	unsigned of_64[4] = {0}, of_1024[64] = {0};
	for (unsigned level = 0; level < 86; level++) {
		of_64[ifr_sweep_value(&generator.sweeps.items[0], level) % 64 / 16]++;
		of_1024[ifr_sweep_value(&generator.sweeps.items[0], level) % 1024 / 16]++;
	}
	for (unsigned class = 0; class < 64; class ++)
		assert_true(of_64[class % 4] >= 21 && of_1024[class]);
	assert_int_equal(ifr_trigger_step(&ifr_triggers[ifr_trigger_find("environment")]), 16);
	assert_int_equal(ifr_trigger_step(&ifr_triggers[ifr_trigger_find("heap")]), 0);
	assert_int_equal(design("environment", 1, NULL, &generator), 8);
	assert_int_equal(design("environment", 1, "stack:bytes=0:8176:32", &generator), 256);
	assert_int_equal(design("link-order", 0, NULL, &generator), 32);
	assert_int_equal(design("link-order", 12, NULL, &generator), 12);
	assert_int_equal(design("link-order", 1, NULL, &generator), 8);
	assert_int_equal(design("aslr", 0, NULL, &generator), 32);
	assert_int_equal(generator.axes, 1u << IFR_AXIS_STACK | 1u << IFR_AXIS_LOAD);
	/* All five allocators however little time there is, and those that are installed. */
	assert_int_equal(design("allocator", 1, NULL, &generator), 5);
	assert_int_equal(design("allocator", 0, "allocator:which=0,2", &generator), 2);
	for (unsigned i = 0; i < ifr_trigger_count; i++) {
		assert_int_equal(ifr_trigger_find(ifr_triggers[i].name), i);
		/* A list is of a few choices. */
		const bool listed = ifr_triggers[i].sweep && strchr(ifr_triggers[i].sweep, ',');
		assert_true((design(ifr_triggers[i].name, 0, NULL, &generator) < 32) == listed);
		assert_true((generator.axes & ifr_axes_of(IFR_OWNER_LAUNCHER)) == generator.axes ||
		            ifr_triggers[i].needs >= IFR_NEEDS_KIT);
	}
}

static void test_parse(void **state) {
	(void)state;
	bool *wanted = ifr_alloc(ifr_trigger_count * sizeof *wanted);
	struct ifr_error err = {0};
	assert_int_equal(ifr_triggers_parse("heap,copies", wanted, &err), 0);
	for (unsigned i = 0; i < ifr_trigger_count; i++)
		assert_int_equal(wanted[i],
		                 !strcmp(ifr_triggers[i].name, "heap") || !strcmp(ifr_triggers[i].name, "copies"));
	assert_int_equal(ifr_triggers_parse("all", wanted, &err), 0);
	for (unsigned i = 0; i < ifr_trigger_count; i++)
		assert_true(wanted[i]);
	static const char *const wrong[] = {"", "heap,", "moon", "heap copies"};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		assert_int_equal(ifr_triggers_parse(wrong[i], wanted, &err), -IFR_E_USAGE);
		assert_non_null(strstr(err.message, "the triggers are environment"));
	}
	free(wanted);
}

static unsigned layouts_of(const char *triggers, int64_t budget_ms, int64_t run_ms) {
	bool *chosen = ifr_alloc(ifr_trigger_count * sizeof *chosen);
	assert_int_equal(ifr_triggers_parse(triggers, chosen, NULL), 0);
	const unsigned layouts = ifr_audit_layouts(budget_ms * 1000000, run_ms * 1000000, chosen);
	free(chosen);
	return layouts;
}

/* Half of 5 minutes, 0.1 s a run: 1500 runs. Two sweeps and two families: 8 runs each besides, 3 a layout: 489 layouts.
 * The families take 32 each, and the sweeps have 212 each. With 0.06 s, 822 layouts less the families' 64 are enough
 * for two periods of 256 and not for four; with 0.03 s, 1656 are. Two families in 100 runs: (100 - 16) / 3 = 28
 * layouts, 14 each. */
static void test_budget(void **state) {
	(void)state;
	assert_int_equal(layouts_of("environment,stack,load,heap", 300000, 100), 212);
	assert_int_equal(layouts_of("environment,stack,load,heap", 300000, 60), 256);
	assert_int_equal(layouts_of("environment,stack,load,heap", 300000, 30), IFR_LAYOUTS_MAX);
	assert_int_equal(layouts_of("load,heap", 20000, 100), 14);
	assert_int_equal(layouts_of("all", 1000, 100), IFR_AUDIT_LAYOUTS_LEAST);
	assert_int_equal(layouts_of("all", 0, 100), 0);
	assert_int_equal(layouts_of("all", INT64_MAX / 1000000, 1), IFR_LAYOUTS_MAX);
	assert_int_equal(ifr_audit_screen_runs(212), 8 + 3 * 212);
}

/* A train from the layouts that stand out, by layout number from 1 on. */
static void make_train_of(const unsigned *layouts, size_t count, const double *heights,
                          struct ifr_spike_train *train) {
	struct ifr_dataset_variant variants[16];
	struct ifr_layout cells[16];
	struct ifr_spike spikes[16];
	struct ifr_sweep_findings found = {.spikes = spikes, .spike_count = count};
	assert_int_equal(ifr_sweeps_parse(&found.sweeps, "stack:bytes=0:8176:16", NULL), 0);
	for (size_t i = 0; i < count; i++) {
		variants[i].layout = layouts[i];
		cells[i].variant = &variants[i];
		spikes[i] = (struct ifr_spike){.layout = &cells[i], .deviation = heights[i]};
	}
	ifr_spike_train_find(&found, train);
}

static void make_train(const unsigned *layouts, size_t count, struct ifr_spike_train *train) {
	static const double heights[] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6};
	make_train_of(layouts, count, heights, train);
}

static void test_train(void **state) {
	(void)state;
	struct ifr_spike_train train;
	static const unsigned pair[] = {200, 456}, wide[] = {5, 6, 7, 261, 262, 263}, odd[] = {1, 2, 100, 300};
	make_train(pair, 2, &train);
	assert_int_equal(train.spikes, 2);
	assert_int_equal(train.first, 199 * 16);
	assert_int_equal(train.width, 16);
	assert_int_equal(train.period, 4096);
	assert_true(fabs(train.height - 0.2) < 1e-9);
	make_train(pair, 1, &train);
	assert_int_equal(train.spikes, 1);
	assert_int_equal(train.period, 0);
	make_train(wide, 6, &train);
	assert_int_equal(train.spikes, 2);
	assert_int_equal(train.width, 48);
	assert_int_equal(train.period, 4096);
	make_train(odd, 4, &train);
	assert_int_equal(train.spikes, 3);
	assert_int_equal(train.width, 0);
	assert_int_equal(train.period, 0);
	/* 0.1 and 0.2 are below a tenth of 2.5: what remains begins at the third. */
	make_train_of(odd, 4, (const double[]){0.1, 0.2, 2.5, 2.5}, &train);
	assert_int_equal(train.spikes, 2);
	assert_int_equal(train.first, 99 * 16);
	assert_int_equal(train.period, 200 * 16);
	/* Two spikes in each period, as of two pairs of variables. */
	make_train((const unsigned[]){64, 229, 320, 485}, 4, &train);
	assert_int_equal(train.spikes, 4);
	assert_int_equal(train.period, 4096);
	make_train((const unsigned[]){64, 229, 320, 486}, 4, &train);
	assert_int_equal(train.period, 0);
	make_train(odd, 0, &train);
	assert_int_equal(train.spikes, 0);
}

/* --- made audits ----------------------------------------------------------------------------------------------- */

/* A kind of noise: a program without a bias has one of these and nothing else. */
struct noise {
	double usual, rare, share; /* standard deviation; of a share of the runs a longer tail; both relative */
	double drift;              /* of the machine, from the first run to the last */
};

/* Runs of a trigger. The values 199 and 455 of a sweep, 256 steps apart, are biased by a relative excess, with a
 * hundred thousand alias events. */
static void fill_trigger(struct ifr_dataset *dataset, const struct noise *noise, unsigned layouts, unsigned runs,
                         const char *sweep, double bias, gsl_rng *rng) {
	const struct recipe recipe = {.variants = layouts + 1, .program = "./prog"};
	ifr_dataset_init(dataset);
	add_facts(dataset, &recipe);
	if (sweep)
		ifr_dataset_add_fact(dataset, "sweep", sweep);
	add_counter(dataset, "cpu_time", "ns", "clock");
	add_counter(dataset, "ld_blocks_partial.address_alias", "", "model");
	add_counter(dataset, "L1-dcache-load-misses", "", "model");
	add_counter(dataset, "context-switches", "", "clock");
	add_variants(dataset, &recipe);
	for (unsigned run = 0; run < runs; run++)
		for (unsigned i = 0; i <= layouts; i++) {
			struct ifr_dataset_run *made = ifr_dataset_add_run(dataset);
			const bool biased = bias > 0 && i && (i - 1) % 256 == 199;
			const double tail = gsl_rng_uniform(rng) < noise->share ? fabs(gsl_ran_gaussian(rng, noise->rare)) : 0,
						 at = (double)(run * (layouts + 1) + i) / (double)(runs * (layouts + 1));
			made->variant = i;
			made->repetition = run;
			made->value[0] =
				5e7 * (1 + (biased ? bias : 0) + tail + noise->drift * at + gsl_ran_gaussian(rng, noise->usual));
			made->value[1] = biased ? 131072 : 4;
			made->value[2] = 1000;
			made->value[3] = biased ? 4 : (double)(i % 2);
		}
}

static void make_row(const struct ifr_dataset *dataset, const char *trigger, struct ifr_analysis **analysis,
                     struct ifr_audit_row *row) {
	assert_int_equal(ifr_analysis_make(dataset, NULL, analysis, NULL), 0);
	const struct ifr_trigger *about = &ifr_triggers[ifr_trigger_find(trigger)];
	*row =
		(struct ifr_audit_row){.trigger = trigger, .summary = about->summary, .sets = about->sets, .full = true};
	ifr_audit_row_make(*analysis, row);
	/* Two tests, of ranks and of single values or of all values: Bonferroni by hand. */
	double ranks;
	assert_true(ifr_layout_ranks_test(*analysis, &ranks));
	const double other = (*analysis)->sweep ? (*analysis)->sweep->least_p : (*analysis)->components.p;
	assert_true(fabs(row->p - fmin(1, 2 * fmin(ranks, other))) < 1e-12);
}

#define REPORT(rows_, count_)                                      \
	(struct ifr_audit_report) {                                    \
		.folder = "prog.audit", .rows = (rows_), .count = (count_) \
	}

/* An audit of three triggers; the bias is that of the sweep. The number of findings. */
static unsigned audit(const struct noise *noise, double bias, unsigned values, unsigned runs, unsigned long seed,
                      struct ifr_buffer *text, struct ifr_buffer *json) {
	static const char *const names[] = {"environment", "load", "heap"};
	struct ifr_dataset datasets[3];
	struct ifr_analysis *analyses[3];
	struct ifr_audit_row rows[3];
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	char *sweep = ifr_format("stack:bytes=0:%u:16", 16 * (values - 1));
	unsigned found = 0;
	gsl_rng_set(rng, seed);
	for (int i = 0; i < 3; i++) {
		fill_trigger(&datasets[i], noise, i ? 24 : values, runs, i ? NULL : sweep, i ? 0 : bias, rng);
		make_row(&datasets[i], names[i], &analyses[i], &rows[i]);
	}
	ifr_audit_adjust(rows, 3);
	if (bias > 0) {
		assert_true(rows[0].found);
		assert_int_equal(rows[0].train.spikes, 2);
		assert_int_equal(rows[0].train.width, 16);
		assert_int_equal(rows[0].train.period, 4096);
		assert_string_equal(rows[0].events[0].name, "ld_blocks_partial.address_alias");
		assert_true(rows[0].events[0].r > 0.6);
		assert_string_equal(rows[0].events[1].name, "context-switches");
		assert_true(rows[0].events[2].constant);
	}
	for (int i = 0; i < 3; i++)
		found += rows[i].found;
	if (text)
		ifr_audit_text(&REPORT(rows, 3), false, text);
	if (json)
		ifr_audit_json(&REPORT(rows, 3), json);
	for (int i = 0; i < 3; i++) {
		ifr_audit_row_release(&rows[i]);
		ifr_analysis_free(analyses[i]);
		ifr_dataset_release(&datasets[i]);
	}
	free(sweep);
	gsl_rng_free(rng);
	return found;
}

/* Five programs without a bias: at 5 % for all triggers of an audit, 10 audits of each may have 50 · 0.05 = 2.5 findings
 * on average, and above 7 with a probability of 0.3 % (binomial); 3 of each 0.75, and above 4 with 0.06 %. */
static void test_unbiased(void **state) {
	(void)state;
	static const struct noise programs[] = {
		{0.01, 0, 0, 0}, {0.001, 0.02, 0.1, 0}, {0.01, 0.3, 0.03, 0}, {0.002, 0, 0, 0.01}, {0.05, 0.5, 0.1, 0.02}};
	const unsigned seeds = at_depth(3, 10);
	unsigned claimed = 0;
	for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
		for (unsigned seed = 1; seed <= seeds; seed++)
			claimed += audit(&programs[i], 0, 40, 3, 100 * i + seed, NULL, NULL) > 0;
	if (claimed > at_depth(4, 7))
		fail_msg("%u of %zu audits claim what is not there", claimed, seeds * sizeof programs / sizeof *programs);
}

/* Layouts that differ by a standard deviation of 3 %, as runs do, of which a tenth takes up to twice as long: of four
 * audits, each finds it. An F test of the values finds none of them. */
static void test_long_tails(void **state) {
	(void)state;
	static const struct noise noise = {0.03, 0.6, 0.1, 0};
	for (unsigned long seed = 1; seed <= 4; seed++) {
		struct ifr_dataset dataset;
		struct ifr_analysis *analysis;
		struct ifr_audit_row row;
		gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
		gsl_rng_set(rng, seed);
		fill_trigger(&dataset, &noise, 32, 5, NULL, 0, rng);
		for (size_t i = 0; i < dataset.run_count; i++)
			dataset.runs[i].value[0] *= 1 + 0.03 * (dataset.runs[i].variant % 2 ? 1 : -1);
		make_row(&dataset, "functions", &analysis, &row);
		ifr_audit_adjust(&row, 1);
		if (!row.found || analysis->components.p < 0.05)
			fail_msg("seed %lu: p = %g by ranks, %g by values", seed, row.p, analysis->components.p);
		ifr_audit_row_release(&row);
		ifr_analysis_free(analysis);
		ifr_dataset_release(&dataset);
		gsl_rng_free(rng);
	}
}

/* One layout of 32 that takes 14 % longer is little among ranks, and clear among values. */
static void test_one_slow_layout(void **state) {
	(void)state;
	static const struct noise noise = {0.01, 0, 0, 0};
	struct ifr_dataset dataset;
	struct ifr_analysis *analysis;
	struct ifr_audit_row row;
	double ranks;
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	fill_trigger(&dataset, &noise, 32, 5, NULL, 0, rng);
	for (size_t i = 0; i < dataset.run_count; i++)
		dataset.runs[i].value[0] *= dataset.runs[i].variant == 7 ? 1.14 : 1;
	make_row(&dataset, "heap", &analysis, &row);
	ifr_audit_adjust(&row, 1);
	assert_true(ifr_layout_ranks_test(analysis, &ranks));
	if (!row.found || ranks < 0.001)
		fail_msg("p = %g by ranks, %g by values", ranks, analysis->components.p);
	ifr_audit_row_release(&row);
	ifr_analysis_free(analysis);
	ifr_dataset_release(&dataset);
	gsl_rng_free(rng);
}

/* The text in one line, with single spaces; the caller frees. */
static char *flatten(const char *text) {
	struct ifr_buffer flat = {0};
	for (; *text; text++) {
		const bool space = *text == ' ' || *text == '\n';
		if (!space || (flat.length && flat.data[flat.length - 1] != ' '))
			ifr_buffer_append(&flat, space ? " " : text, 1);
	}
	return ifr_buffer_detach(&flat);
}

/* Random layouts that are all alike, and another value of the shipped one: a remark beside "no difference". Within the
 * noise (2 %) of the range there is none; nor is there of a sweep, whose values are no sample. */
static void check_shipped(const char *sweep, double factor, bool outside) {
	static const struct noise noise = {0.02, 0, 0, 0};
	struct ifr_buffer text = {0}, json = {0};
	struct ifr_dataset dataset;
	struct ifr_analysis *analysis;
	struct ifr_audit_row row;
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	fill_trigger(&dataset, &noise, 32, 5, sweep, 0, rng);
	for (size_t i = 0; i < dataset.run_count; i++)
		dataset.runs[i].value[0] *= dataset.runs[i].variant ? 1 : factor;
	make_row(&dataset, sweep ? "environment" : "heap", &analysis, &row);
	ifr_audit_adjust(&row, 1);
	ifr_audit_text(&REPORT(&row, 1), false, &text);
	ifr_audit_json(&REPORT(&row, 1), &json);
	char *flat = flatten(ifr_buffer_text(&text));
	const char *remark = strstr(flat, "The shipped layout lies outside of all 32 heap placements: ");
	double shipped = 0, low = 0, high = 0;
	assert_int_equal(remark != NULL, outside);
	if (outside) {
		assert_non_null(strstr(flat, "No difference in cpu_time was found between 32 heap placements"));
		assert_int_equal(sscanf(remark, "%*[^:]: %lf ms against %lf to %lf ms.", &shipped, &low, &high), 3);
		assert_true(fabs(shipped - 50 * factor) < 2.5 && low > 47 && low < 50 && high > 50 && high < 53);
	}
	assert_non_null(
		strstr(ifr_buffer_text(&json), outside ? "\"shipped_outside\": true" : "\"shipped_outside\": false"));
	assert_non_null(strstr(ifr_buffer_text(&json), "\"shipped\": "));
	free(flat);
	ifr_buffer_release(&json);
	ifr_buffer_release(&text);
	ifr_audit_row_release(&row);
	ifr_analysis_free(analysis);
	ifr_dataset_release(&dataset);
	gsl_rng_free(rng);
}

static void test_shipped_outside(void **state) {
	(void)state;
	check_shipped(NULL, 0.8, true);
	check_shipped(NULL, 1.2, true);
	check_shipped(NULL, 1, false);
	check_shipped(NULL, 1.025, false);
	check_shipped("stack:bytes=0:512:16", 0.8, false);
}

/* Four layouts in three runs each, of which two take twice as long: ranks cannot tell them from chance. */
static void test_few_layouts(void **state) {
	(void)state;
	static const struct noise noise = {0.002, 0, 0, 0};
	struct ifr_dataset dataset;
	struct ifr_analysis *analysis;
	struct ifr_audit_row row = {.trigger = "heap", .full = true};
	double ranks;
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	fill_trigger(&dataset, &noise, 4, 3, NULL, 0, rng);
	for (size_t i = 0; i < dataset.run_count; i++)
		dataset.runs[i].value[0] *= dataset.runs[i].variant % 2 ? 2 : 1;
	assert_int_equal(ifr_analysis_make(&dataset, NULL, &analysis, NULL), 0);
	ifr_audit_row_make(analysis, &row);
	ifr_audit_adjust(&row, 1);
	if (!row.found || (ifr_layout_ranks_test(analysis, &ranks) && ranks < 0.01))
		fail_msg("p = %g, %g by ranks", row.p, ranks);
	ifr_audit_row_release(&row);
	ifr_analysis_free(analysis);
	ifr_dataset_release(&dataset);
	gsl_rng_free(rng);
}

/* The spike of the thesis' figure 4.1: over 20 % at one of 256 values. */
static void test_spike(void **state) {
	(void)state;
	static const struct noise noise = {0.015, 0.1, 0.02, 0};
	struct ifr_buffer text = {0}, json = {0};
	assert_int_equal(audit(&noise, 0.22, 512, 5, 1, &text, &json), 1);
	char *flat = flatten(ifr_buffer_text(&text));
	assert_non_null(strstr(flat, "cpu_time differed between 512 environment sizes ("));
	assert_non_null(strstr(flat, "no difference was found between 24 load addresses (from "));
	assert_non_null(strstr(flat, "%) and 24 heap placements (from "));
	assert_non_null(strstr(flat, "16 wide every 4096"));
	assert_non_null(strstr(flat, "at 3184, 16 wide, every 4096."));
	assert_non_null(strstr(flat, "; interfero " INTERFERO_VERSION ", seed "));
	assert_non_null(strstr(flat, ", context-switches (r = 0."));
	assert_non_null(strstr(flat, ", 0 to 4; a symptom of the machine)."));
	assert_non_null(strstr(flat, "Ruled out, the same for every value: L1-dcache-load-misses."));
	for (const char *line = ifr_buffer_text(&text); *line; line += strcspn(line, "\n") + 1)
		if (strcspn(line, "\n") > 80)
			fail_msg("more than 80 columns: %.100s", line);
	assert_non_null(strstr(ifr_buffer_text(&json), "\"period\": 4096"));
	free(flat);
	ifr_buffer_release(&json);
	ifr_buffer_release(&text);
}

/* A trigger that the screen left at two runs is no finding, and one without values is a reason. */
static void test_rows(void **state) {
	(void)state;
	struct ifr_audit_row rows[4] = {{.trigger = "environment", .tested = true, .full = true, .p = 0.012},
	                                {.trigger = "load", .tested = true, .p = 0.001},
	                                {.trigger = "heap", .tested = true, .full = true, .p = 0.03},
	                                {.trigger = "copies"}};
	ifr_audit_adjust(rows, 4);
	/* Holm by hand: 3 · 0.001, 2 · 0.012, 1 · 0.03. */
	assert_true(fabs(rows[1].p_adjusted - 0.003) < 1e-12);
	assert_true(fabs(rows[0].p_adjusted - 0.024) < 1e-12);
	assert_true(fabs(rows[2].p_adjusted - 0.03) < 1e-12);
	assert_true(rows[0].found && !rows[1].found && rows[2].found && !rows[3].found);
}

/* A small p of runs that are not complete is neither a finding nor "no difference". */
static void test_undecided(void **state) {
	(void)state;
	static const struct noise noise = {0.002, 0, 0, 0};
	struct ifr_dataset dataset;
	struct ifr_analysis *analysis;
	struct ifr_audit_row row;
	struct ifr_buffer text = {0};
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	fill_trigger(&dataset, &noise, 256, 3, "stack:bytes=0:4080:16", 0.3, rng);
	make_row(&dataset, "environment", &analysis, &row);
	row.full = false;
	row.runs = 1.62;
	row.found = true;
	row.metric = "cpu time";
	ifr_audit_text(&REPORT(&row, 1), false, &text);
	assert_non_null(strstr(ifr_buffer_text(&text), "interfero report prog.audit/environment.exp -m 'cpu time'\n"));
	ifr_buffer_clear(&text);
	ifr_audit_adjust(&row, 1);
	ifr_audit_text(&REPORT(&row, 1), false, &text);
	char *flat = flatten(ifr_buffer_text(&text));
	assert_null(strstr(flat, "No difference"));
	assert_non_null(strstr(flat, "256 environment sizes are not decided"));
	assert_non_null(strstr(flat, "undecided"));
	assert_non_null(strstr(flat, "environment 256 ~2 "));
	assert_non_null(strstr(flat, "environment: Not decided: time ended before all runs were made"));
	free(flat);
	ifr_buffer_clear(&text);
	row.interrupted = true;
	ifr_audit_text(&REPORT(&row, 1), false, &text);
	flat = flatten(ifr_buffer_text(&text));
	assert_non_null(
		strstr(flat, "environment: Not decided: the audit was interrupted. The same command goes on."));
	assert_null(strstr(flat, "time ended"));
	free(flat);
	ifr_buffer_release(&text);
	ifr_audit_row_release(&row);
	ifr_analysis_free(analysis);
	ifr_dataset_release(&dataset);
	gsl_rng_free(rng);
}

/* Nothing is tested where no value has two runs, or one value has runs alone: the reason and what to do are told. */
static void test_not_tested(void **state) {
	(void)state;
	static const struct noise noise = {0.002, 0, 0, 0};
	static const struct {
		unsigned values, runs;
		const char *reason;
	} cases[] = {
		{64, 1, "environment: Not tested: no value has two runs, which tell the noise; --runs of 2 or more"},
		{1, 3, "environment: Not tested: only one value has runs; a longer --budget makes more."}};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct ifr_dataset dataset;
		struct ifr_analysis *analysis;
		struct ifr_audit_row row = {.trigger = "environment", .sets = "environment sizes", .full = true};
		struct ifr_buffer text = {0}, json = {0};
		gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
		fill_trigger(&dataset, &noise, cases[i].values, cases[i].runs, "stack:bytes=0:4080:16", 0, rng);
		assert_int_equal(ifr_analysis_make(&dataset, NULL, &analysis, NULL), 0);
		ifr_audit_row_make(analysis, &row);
		ifr_audit_adjust(&row, 1);
		ifr_audit_text(&REPORT(&row, 1), false, &text);
		ifr_audit_json(&REPORT(&row, 1), &json);
		char *flat = flatten(ifr_buffer_text(&text));
		assert_non_null(strstr(flat, "No trigger could be tested."));
		assert_non_null(strstr(flat, cases[i].reason));
		assert_non_null(strstr(ifr_buffer_text(&json), "\"verdict\": \"not tested\""));
		assert_non_null(strstr(ifr_buffer_text(&json), "\"not_tested_because\": \""));
		free(flat);
		ifr_buffer_release(&json);
		ifr_buffer_release(&text);
		ifr_audit_row_release(&row);
		ifr_analysis_free(analysis);
		ifr_dataset_release(&dataset);
		gsl_rng_free(rng);
	}
}

static void test_allocator(void **state) {
	(void)state;
	static const struct noise noise = {0.002, 0, 0, 0};
	struct ifr_dataset dataset;
	struct ifr_analysis *analysis;
	struct ifr_audit_row row = {
		.trigger = "allocator", .sets = "allocators", .summary = "the allocator", .full = true};
	struct ifr_buffer text = {0};
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	fill_trigger(&dataset, &noise, 4, 12, "allocator:which=0,1,2,3", 0, rng);
	assert_int_equal(ifr_analysis_make(&dataset, NULL, &analysis, NULL), 0);
	ifr_audit_row_make(analysis, &row);
	for (unsigned found = 0; found < 2; found++) {
		row.found = found;
		ifr_audit_text(&REPORT(&row, 1), false, &text);
		char *flat = flatten(ifr_buffer_text(&text));
		assert_int_equal(strstr(flat, "interfero bench --sweep allocator:which=0,1,2,3 -- true") != NULL, found);
		free(flat);
		ifr_buffer_clear(&text);
	}
	ifr_buffer_release(&text);
	ifr_audit_row_release(&row);
	ifr_analysis_free(analysis);
	ifr_dataset_release(&dataset);
	gsl_rng_free(rng);
}

static void expect_warning(struct ifr_buffer *text, struct ifr_buffer *json) {
	char *flat = flatten(ifr_buffer_text(text));
	assert_non_null(strstr(flat, "! The program runs several threads."));
	assert_non_null(strstr(ifr_buffer_text(json), "\"The program runs several threads.\""));
	ifr_buffer_release(text);
	ifr_buffer_release(json);
	free(flat);
}

/* Audits and calibrations warn of a program's threads. */
static void test_warnings(void **state) {
	(void)state;
	static const struct noise noise = {0.002, 0, 0, 0};
	struct ifr_dataset dataset;
	struct ifr_analysis *analysis;
	struct ifr_audit_row row;
	struct ifr_calibration calibration;
	struct ifr_buffer text = {0}, json = {0};
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	fill_trigger(&dataset, &noise, 24, 4, NULL, 0, rng);
	ifr_dataset_add_fact(&dataset, "threads", "The program runs several threads.");
	make_row(&dataset, "load", &analysis, &row);
	ifr_audit_text(&REPORT(&row, 1), false, &text);
	ifr_audit_json(&REPORT(&row, 1), &json);
	expect_warning(&text, &json);
	assert_int_equal(ifr_calibration_make(analysis, 1, 0, &calibration, NULL), 0);
	ifr_calibration_text(analysis, &calibration, &text);
	ifr_calibration_json(analysis, &calibration, &json);
	expect_warning(&text, &json);
	ifr_audit_row_release(&row);
	ifr_analysis_free(analysis);
	ifr_dataset_release(&dataset);
	gsl_rng_free(rng);
}

/* 64 values that are 64 bytes apart: the sentence and a warning say so, and p counts twice, as finer steps are another
 * chance; so it does where coarser steps came before. */
static void test_coarse(void **state) {
	(void)state;
	static const struct noise noise = {0.015, 0, 0, 0};
	double p[3];
	for (int i = 0; i < 3; i++) {
		struct ifr_dataset dataset;
		struct ifr_analysis *analysis;
		struct ifr_audit_row row = {
			.trigger = "environment", .sets = "environment sizes", .full = true, .finest_step = i == 1 ? 16 : 64};
		struct ifr_buffer text = {0};
		gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
		fill_trigger(&dataset, &noise, 64, 3, "stack:bytes=0:4032:64", 0, rng);
		if (i == 2)
			ifr_dataset_add_fact(&dataset, "coarser sweep", "stack:bytes=0:3968:128");
		assert_int_equal(ifr_analysis_make(&dataset, NULL, &analysis, NULL), 0);
		ifr_audit_row_make(analysis, &row);
		p[i] = row.p;
		ifr_audit_text(&REPORT(&row, 1), false, &text);
		char *flat = flatten(ifr_buffer_text(&text));
		assert_non_null(strstr(flat, i == 1 ? "was found between 64 environment sizes, 64 bytes apart ("
		                                    : "64 environment sizes ("));
		assert_int_equal(strstr(flat, "narrower than the distance of the values (above) can hide") != NULL,
		                 i == 1);
		free(flat);
		ifr_buffer_release(&text);
		ifr_audit_row_release(&row);
		ifr_analysis_free(analysis);
		ifr_dataset_release(&dataset);
		gsl_rng_free(rng);
	}
	assert_true(p[0] > 0 && p[0] < 0.5);
	assert_true(fabs(p[1] - 2 * p[0]) < 1e-12 && fabs(p[2] - 2 * p[0]) < 1e-12);
}

/* Cycles of a sampled core have an error; counts, and cycles of short runs, have none. */
static void test_sampled(void **state) {
	static const struct {
		const char *counter, *error, *words;
	} cases[] = {{"cycles", "0.002", "over samples of the run"},
	             {"cycles", "0", "without noise"},
	             {"branch-misses", "0.002", "without noise"}};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct ifr_dataset dataset = {0};
		struct ifr_dataset_counter counter = {.source = "model"};
		const struct ifr_analysis analysis = {.dataset = &dataset, .metric = &counter, .exact = true};
		const struct ifr_audit_row row = {.analysis = &analysis,
		                                  .tested = true,
		                                  .found = true,
		                                  .layouts = 512,
		                                  .sets = "environment sizes",
		                                  .range_pct = 22};
		struct ifr_buffer text = {0};
		snprintf(counter.name, sizeof counter.name, "%s", cases[i].counter);
		ifr_dataset_add_fact(&dataset, "core", "sampled");
		ifr_dataset_add_fact(&dataset, "cycles error", cases[i].error);
		ifr_audit_sentence(&row, 1, &text);
		assert_non_null(strstr(ifr_buffer_text(&text), "512 environment sizes (22 %) (range of the values"));
		assert_non_null(strstr(ifr_buffer_text(&text), cases[i].words));
		ifr_buffer_release(&text);
		ifr_dataset_release(&dataset);
	}
}

/* p of the replication of a trigger whose layouts differ as `then` in the first experiment, and as `now` in the second:
 * by a standard deviation of so much, or with `spike` at layout 100 alone. */
static double replicate(double then, double now, bool spike, unsigned layouts, unsigned long seed, double *r) {
	static const struct noise noise = {0.01, 0.1, 0.02, 0};
	struct ifr_dataset datasets[2];
	struct ifr_analysis *analyses[2];
	struct ifr_audit_row row;
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937), *effects = gsl_rng_alloc(gsl_rng_mt19937);
	char *sweep = ifr_format("stack:bytes=0:%u:16", 16 * (layouts - 1));
	gsl_rng_set(rng, seed);
	for (int i = 0; i < 2; i++) {
		double effect[512];
		gsl_rng_set(effects, seed);
		for (unsigned k = 0; k <= layouts; k++)
			effect[k] = (i ? now : then) * (spike ? k == 100 : gsl_ran_gaussian(effects, 1));
		fill_trigger(&datasets[i], &noise, layouts, i ? 10 : 5, sweep, 0, rng);
		for (size_t k = 0; k < datasets[i].run_count; k++)
			datasets[i].runs[k].value[0] *= 1 + effect[datasets[i].runs[k].variant];
	}
	make_row(&datasets[0], "environment", &analyses[0], &row);
	assert_int_equal(ifr_analysis_make(&datasets[1], NULL, &analyses[1], NULL), 0);
	row.replication.wanted = true;
	ifr_audit_replicate(&row, analyses[1], true);
	assert_int_equal(row.replication.layouts, layouts);
	assert_true(row.replication.made && row.replication.runs == 10);
	ifr_audit_adjust(&row, 1);
	assert_int_equal(row.found, row.replication.p < 0.05);
	const double p = row.replication.p;
	if (r)
		*r = row.replication.r;
	ifr_audit_row_release(&row);
	for (int i = 0; i < 2; i++) {
		ifr_analysis_free(analyses[i]);
		ifr_dataset_release(&datasets[i]);
	}
	free(sweep);
	gsl_rng_free(effects);
	gsl_rng_free(rng);
	return p;
}

/* Effects as large as the noise correlate in both; a spike at one of 256 values stands out in both, and hardly
 * correlates.
 * Effects of the first experiment alone are not replicated: p < 0.05 in one of 20, here in up to 4 of 20 (binomial: above
 * that with 0.3 %). */
static void test_replication(void **state) {
	(void)state;
	unsigned claimed = 0;
	double r;
	assert_true(replicate(0.01, 0.01, false, 64, 1, &r) < 1e-6 && r > 0.5);
	assert_true(replicate(0.2, 0.2, true, 256, 2, &r) < 1e-6 && r < 0.3);
	/* On the other side of the median then. */
	assert_true(replicate(0.2, -0.2, true, 256, 3, NULL) > 0.05);
	for (unsigned long seed = 1; seed <= 20; seed++)
		claimed += replicate(0.02, 0, seed % 2, 64, 10 + seed, NULL) < 0.05;
	if (claimed > 4)
		fail_msg("%u of 20 replications see what is not there", claimed);
}

/* Of three triggers that are to be replicated, one had no time, which counts as a hypothesis: Holm by hand. */
static void test_replicated_rows(void **state) {
	(void)state;
	struct ifr_audit_row rows[] = {
		{.tested = true, .full = true, .p = 0.001, .replication = {.wanted = true, .made = true, .p = 0.01}},
		{.tested = true, .full = true, .p = 0.001, .replication = {.wanted = true, .made = true, .p = 0.03}},
		{.tested = true, .full = true, .p = 1e-9, .replication = {.wanted = true}},
		{.tested = true, .full = true, .p = 1e-9}};
	ifr_audit_adjust(rows, 4);
	assert_true(fabs(rows[0].replication.p_adjusted - 0.03) < 1e-12);
	assert_true(fabs(rows[1].replication.p_adjusted - 0.06) < 1e-12);
	assert_true(rows[0].found && !rows[1].found && !rows[2].found && rows[3].found);
}

int main(void) {
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_design),
	                                   cmocka_unit_test(test_parse),
	                                   cmocka_unit_test(test_budget),
	                                   cmocka_unit_test(test_train),
	                                   cmocka_unit_test(test_spike),
	                                   cmocka_unit_test(test_unbiased),
	                                   cmocka_unit_test(test_rows),
	                                   cmocka_unit_test(test_coarse),
	                                   cmocka_unit_test(test_undecided),
	                                   cmocka_unit_test(test_not_tested),
	                                   cmocka_unit_test(test_allocator),
	                                   cmocka_unit_test(test_sampled),
	                                   cmocka_unit_test(test_warnings),
	                                   cmocka_unit_test(test_long_tails),
	                                   cmocka_unit_test(test_one_slow_layout),
	                                   cmocka_unit_test(test_few_layouts),
	                                   cmocka_unit_test(test_shipped_outside),
	                                   cmocka_unit_test(test_replication),
	                                   cmocka_unit_test(test_replicated_rows)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
