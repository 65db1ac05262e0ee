/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Comparisons of made-up experiments, whose change and layout effect are known because they were put in. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <jansson.h>

#include "harness/commands/compare_budget.h"
#include "harness/commands/suite.h"
#include "harness/output/output.h"
#include "harness/report/report.h"
#include "tests/unit/depth.h"

struct recipe {
	unsigned layouts, rounds;
	double change, layout_effect; /* ratios: of the programs, and of the new one's shipped file beside it */
	double spread, noise;
	bool apart;      /* two experiments of different seeds */
	unsigned bursts; /* of ten runs each, in which the machine is slower by half */
	double shared;   /* correlation of the two layouts of a pair */
};

static const struct ifr_comparison_rules rules = {.margin = 0.01};

static void init(struct ifr_dataset *dataset, const char *seed) {
	ifr_dataset_init(dataset);
	ifr_dataset_add_fact(dataset, "seed", seed);
	ifr_dataset_add_fact(dataset, "axes", "functions");
	ifr_dataset_add_fact(dataset, "parameters", "none");
	struct ifr_dataset_counter *counter = ifr_dataset_add_counter(dataset);
	strcpy(counter->name, "cpu_time");
	strcpy(counter->unit, "ns");
	strcpy(counter->source, "clock");
}

/* Two programs in one experiment, or the one that part names in an experiment of its own (programs 1). */
static void fill(struct ifr_dataset *dataset, const struct recipe *recipe, unsigned programs, unsigned part,
                 gsl_rng *rng) {
	unsigned ids = programs * (recipe->layouts + 1), order[400];
	double level[400], offset[400];
	init(dataset, part ? "2" : "1");
	for (unsigned id = 0; id < ids; id++) {
		struct ifr_dataset_variant *variant = ifr_dataset_add_variant(dataset);
		unsigned side = programs == 2 ? id % 2 : part, index = id / programs;
		variant->program = programs == 2 ? side : 0;
		variant->layout = index;
		variant->plan = ifr_strdup("");
		variant->build_id = ifr_strdup("");
		variant->facts = ifr_strdup("");
		order[id] = id;
		/* Shipped layouts have the mean of all, but for their layout effect. */
		offset[id] = index ? gsl_ran_gaussian(rng, recipe->spread) : 0;
		if (programs == 2 && side)
			offset[id] = recipe->shared * offset[id - 1] + sqrt(1 - recipe->shared * recipe->shared) * offset[id];
		level[id] = 1e8 * (side ? recipe->change : 1) *
		            (index  ? 1 + offset[id]
		             : side ? recipe->layout_effect
		                    : 1);
	}
	for (unsigned round = 0; round < recipe->rounds; round++) {
		gsl_ran_shuffle(rng, order, ids, sizeof *order);
		for (unsigned i = 0; i < ids; i++) {
			struct ifr_dataset_run *run = ifr_dataset_add_run(dataset);
			run->variant = order[i];
			run->repetition = round;
			run->started_ns = 1 + (int64_t)(round * ids + i) * 1000;
			run->value[0] = level[order[i]] * (1 + gsl_ran_gaussian(rng, recipe->noise));
		}
	}
	for (unsigned i = 0; i < recipe->bursts; i++) {
		size_t from = gsl_rng_uniform_int(rng, dataset->run_count);
		for (size_t j = from; j < from + 10 && j < dataset->run_count; j++)
			dataset->runs[j].value[0] *= 1.5 + gsl_ran_gaussian(rng, 0.05);
	}
}

static struct ifr_comparison compared(const struct recipe *recipe, gsl_rng *rng, struct ifr_dataset datasets[2]) {
	struct ifr_comparison comparison;
	struct ifr_error err = {0};
	ifr_dataset_init(&datasets[1]);
	fill(&datasets[0], recipe, recipe->apart ? 1 : 2, 0, rng);
	if (recipe->apart)
		fill(&datasets[1], recipe, 1, 1, rng);
	const struct ifr_comparison_side old = {&datasets[0], 0, "./old", NULL};
	const struct ifr_comparison_side new = {&datasets[recipe->apart], !recipe->apart, "./new", NULL};
	if (ifr_comparison_make(&old, &new, NULL, &rules, &comparison, &err))
		fail_msg("%s", err.message);
	return comparison;
}

static void release(struct ifr_dataset datasets[2]) {
	ifr_dataset_release(&datasets[0]);
	ifr_dataset_release(&datasets[1]);
}

static gsl_rng *seeded(unsigned long seed) {
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	gsl_rng_set(rng, seed);
	return rng;
}

static void test_verdicts(void **state) {
	(void)state;
	const struct {
		struct recipe recipe;
		enum ifr_comparison_verdict verdict;
	} cases[] = {
		{{32, 5, 1.03, 1, 0.02, 0.003, false, 0, 0}, IFR_VERDICT_CHANGE},
		{{32, 5, 1.03, 1.06, 0.02, 0.003, false, 0, 0}, IFR_VERDICT_BOTH},
		{{32, 5, 1, 1.06, 0.01, 0.003, false, 0, 0}, IFR_VERDICT_LAYOUT},
		{{32, 5, 1, 1, 0.005, 0.003, false, 0, 0}, IFR_VERDICT_NO_CHANGE},
		{{8, 3, 1, 1, 0.04, 0.003, false, 0, 0}, IFR_VERDICT_INCONCLUSIVE},
		{{32, 5, 1.05, 1, 0.02, 0.003, true, 0, 0}, IFR_VERDICT_CHANGE},
		{{32, 5, 0.95, 1, 0.02, 0.003, true, 0, 0}, IFR_VERDICT_CHANGE},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		gsl_rng *rng = seeded(11);
		struct ifr_dataset datasets[2];
		struct ifr_comparison c = compared(&cases[i].recipe, rng, datasets);
		if (c.verdict != cases[i].verdict)
			fail_msg("case %zu: %s instead of %s", i, ifr_comparison_verdict_name(c.verdict),
			         ifr_comparison_verdict_name(cases[i].verdict));
		assert_true(c.interval.low < cases[i].recipe.change && cases[i].recipe.change < c.interval.high);
		assert_true(c.layout_effect_interval.low < cases[i].recipe.layout_effect &&
		            cases[i].recipe.layout_effect < c.layout_effect_interval.high);
		assert_int_equal(c.paired, !cases[i].recipe.apart);
		assert_int_equal(c.regressed, cases[i].recipe.change > 1);
		release(datasets);
		gsl_rng_free(rng);
	}
}

/* Hand arithmetic: layouts 100, 200, 150, 130, 170 against 110, 190 and the same: the ratio of the means is 1.
 * Shipped 100 against 150: all of it layout effect. */
static void test_by_hand(void **state) {
	(void)state;
	const double values[] = {100, 150, 100, 110, 200, 190, 150, 150, 130, 130, 170, 170};
	struct ifr_dataset dataset;
	struct ifr_comparison c;
	init(&dataset, "1");
	for (unsigned id = 0; id < 12; id++) {
		struct ifr_dataset_variant *variant = ifr_dataset_add_variant(&dataset);
		variant->program = id % 2;
		variant->layout = id / 2;
		for (unsigned round = 0; round < 2; round++) {
			struct ifr_dataset_run *run = ifr_dataset_add_run(&dataset);
			run->variant = id;
			run->repetition = round;
			run->value[0] = values[id];
		}
	}
	const struct ifr_comparison_side old = {&dataset, 0, "old", NULL}, new = {&dataset, 1, "new", NULL};
	assert_int_equal(ifr_comparison_make(&old, &new, NULL, &rules, &c, NULL), 0);
	assert_true(fabs(c.ratio - 1) < 1e-12);
	assert_true(fabs(c.shipped_ratio - 1.5) < 1e-12 && fabs(c.layout_effect - 1.5) < 1e-12);
	assert_true(fabs(c.mean[0] - 150) < 1e-9 && fabs(c.mean[1] - 150) < 1e-9);
	/* R: cor(log(c(100, 200, 150, 130, 170)), log(c(110, 190, 150, 130, 170))) */
	assert_true(fabs(c.pair_correlation - 0.9957547) < 1e-6);
	/* Two layouts that differ this much do not bound the ratio: inconclusive, and no error. */
	for (int i = 6; i < 12; i++)
		dataset.variants[i].refused = ifr_strdup("crashed");
	assert_int_equal(ifr_comparison_make(&old, &new, NULL, &rules, &c, NULL), 0);
	assert_true(c.verdict == IFR_VERDICT_INCONCLUSIVE && isinf(c.interval.high));
	struct ifr_error err = {0};
	assert_int_equal(ifr_comparison_make(&old, &new, "cycles", &rules, &c, &err), -IFR_E_USAGE);
	assert_non_null(strstr(err.message, "cycles"));
	dataset.variants[2].refused = ifr_strdup("crashed");
	assert_int_equal(ifr_comparison_make(&old, &new, NULL, &rules, &c, &err), -IFR_E_USAGE);
	assert_non_null(
		strstr(err.message, "a comparison needs two random layouts of either program, and there are 1 of"));
	ifr_dataset_add_fact(&dataset, "complete", "no: the time budget was too short for the model: it is slow");
	assert_int_equal(ifr_comparison_make(&old, &new, NULL, &rules, &c, &err), -IFR_E_USAGE);
	assert_non_null(strstr(err.message, "the budget ended before either program had two random layouts"));
	assert_non_null(strstr(err.message, "(1 of old and 1 of new); the same command continues"));
	dataset.runs[8].value[0] = 0;
	assert_int_equal(ifr_comparison_make(&old, &new, NULL, &rules, &c, &err), -IFR_E_USAGE);
	assert_non_null(strstr(err.message, "above 0"));
	ifr_dataset_release(&dataset);
}

/* The share of comparisons that find a change of so much, in per cent, and the mean correlation of their pairs. */
static double find_power(double change, double shared, unsigned bursts, unsigned times, double *correlation) {
	gsl_rng *rng = seeded(23);
	unsigned found = 0;
	*correlation = 0;
	for (unsigned i = 0; i < times; i++) {
		const struct recipe recipe = {32, 5, change, 1, 0.015, 0.01, false, bursts, shared};
		struct ifr_dataset datasets[2];
		const struct ifr_comparison c = compared(&recipe, rng, datasets);
		found += c.p < 0.05;
		*correlation += c.pair_correlation / times;
		release(datasets);
	}
	gsl_rng_free(rng);
	return 100.0 * found / times;
}

/* Layouts that differ by 1.5 %, five runs of 1 % each, 32 layouts: a change of 1 % is found in 70 of 100 comparisons
 * if pairs share nothing, and in nearly all where they share most. By hand: a pair's difference has the variance
 * 2 (1 - correlation) 1.5^2 + 2 / 5, so that its mean is 2.57 and 6.1 standard errors from 0; power.t.test of R gives
 * 70 and 99.99 %. The level stays 5 %. */
static void test_pairs(void **state) {
	(void)state;
	const unsigned times = at_depth(80, 2000);
	const double band = is_full_depth() ? 2 : 10; /* four deviations of a share of 5 % */
	double correlation;
	assert_true(fabs(find_power(1.01, 0, 0, times, &correlation) - 70) < 2 * band);
	assert_true(fabs(correlation) < 0.05);
	assert_true(find_power(1.01, 0.9, 0, times, &correlation) > 99);
	/* Noise of the layouts' means, 0.2 of 2.25 + 0.2, dilutes it. */
	assert_true(fabs(correlation - 0.9 * 2.25 / 2.45) < 0.02);
	assert_true(fabs(find_power(1, 0.9, 0, times, &correlation) - 5) < band);
	if (is_full_depth())
		assert_true(fabs(find_power(1, 0.9, 2, times, &correlation) - 5) < band);
}

/* Much slower programs on a disturbed machine: nothing hides a factor, and few layouts tell it. */
static void test_large_changes(void **state) {
	(void)state;
	gsl_rng *rng = seeded(5);
	for (int i = 0; i < 60; i++) {
		const struct recipe recipe = {8, 2, i % 2 ? 1 / 2.5 : 2.5, 1, 0.01, 0.04, false, 2, 0};
		struct ifr_dataset datasets[2];
		const struct ifr_comparison c = compared(&recipe, rng, datasets);
		assert_true(c.verdict == IFR_VERDICT_CHANGE || c.verdict == IFR_VERDICT_BOTH);
		assert_true(c.p < 0.05 && fabs(log(c.ratio / recipe.change)) < 0.2);
		assert_true(isfinite(c.interval.high) && (c.interval.low > 1 || c.interval.high < 1));
		release(datasets);
	}
	gsl_rng_free(rng);
}

/* The same executed instructions, class by class: what the model's counts leave open is layout, and not noise. */
static void test_same_instructions(void **state) {
	(void)state;
	static const double values[] = {100, 150, 100, 110, 200, 190, 150, 150, 130, 130, 170, 170};
	for (int modelled = 0; modelled < 2; modelled++)
		for (int same = 0; same < 2; same++) {
			struct ifr_dataset dataset;
			struct ifr_comparison c;
			struct ifr_buffer text = {0};
			init(&dataset, "1");
			strcpy(dataset.counters[0].source, modelled ? "model" : "clock");
			ifr_dataset_add_fact(&dataset, "complete", same ? "yes" : "no: the time budget was used up");
			ifr_dataset_add_fact(&dataset, "variants planned", "50");
			ifr_dataset_add_fact(&dataset, "rounds planned", "5");
			ifr_dataset_add_fact(&dataset, IFR_FACT_CLASSES, "BINARY 40; LOGICAL 3");
			ifr_dataset_add_fact(&dataset, IFR_FACT_CLASSES " 2", same ? "BINARY 40; LOGICAL 3" : "BINARY 43");
			for (unsigned id = 0; id < 12; id++) {
				struct ifr_dataset_variant *variant = ifr_dataset_add_variant(&dataset);
				struct ifr_dataset_run *run = ifr_dataset_add_run(&dataset);
				variant->program = id % 2;
				variant->layout = id / 2;
				run->variant = id;
				run->value[0] = values[id];
			}
			const struct ifr_comparison_side old = {&dataset, 0, "old", NULL}, new = {&dataset, 1, "new", NULL};
			assert_int_equal(ifr_comparison_make(&old, &new, NULL, &rules, &c, NULL), 0);
			assert_int_equal(c.verdict, modelled && same ? IFR_VERDICT_LAYOUT : IFR_VERDICT_INCONCLUSIVE);
			const struct ifr_comparison_entry entry = {.name = "", .command = "./old", .main = c};
			ifr_comparison_text(&entry, 1, false, &text);
			assert_int_equal(strstr(ifr_buffer_text(&text), "the same instructions, class by class") != NULL,
			                 modelled && same);
			assert_int_equal(strstr(ifr_buffer_text(&text), "Nothing was timed") != NULL, modelled);
			assert_int_equal(strstr(ifr_buffer_text(&text), "interleaved") != NULL, !modelled);
			assert_int_equal(
				strstr(ifr_buffer_text(&text), "Partial results: the time budget was used up.") != NULL, !same);
			ifr_buffer_release(&text);
			ifr_dataset_release(&dataset);
		}
}

/* Two programs of six layouts each, layout 0 shipped, with these values of old and new in turn. */
static void fill_values(struct ifr_dataset *dataset, const char *source, const double values[12]) {
	init(dataset, "1");
	strcpy(dataset->counters[0].source, source);
	for (unsigned id = 0; id < 12; id++) {
		struct ifr_dataset_variant *variant = ifr_dataset_add_variant(dataset);
		struct ifr_dataset_run *run = ifr_dataset_add_run(dataset);
		variant->program = id % 2;
		variant->layout = id / 2;
		run->variant = id;
		run->value[0] = values[id];
	}
}

static void add_run(struct ifr_dataset *dataset, unsigned variant, unsigned repetition, bool twin, double value) {
	struct ifr_dataset_run *run = ifr_dataset_add_run(dataset);
	run->variant = variant;
	run->repetition = repetition;
	run->twin = twin;
	run->value[0] = value;
}

/* Shipped files that took 100 and 150, equal layouts, and second runs of some that agree but for 1 in 1000. Four of
 * them give no interval, five do: Student's reach of the two runs, t(.995; 5) = 4.0321 (R) of sqrt(2) deviations. By
 * hand: five pairs of 100 and 100.1, each with half of 0.0009995^2, so that a run's deviation is 0.0007068 and the
 * reach 0.00403. Six twins of 100 and 110 say 1.4826 log(1.1) / sqrt(2) = 0.09992, and the reach is 0.5698, more than
 * log(1.5). */
static void test_few_repeats(void **state) {
	(void)state;
	static const double values[12] = {100, 150, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100};
	static const struct {
		unsigned repeats, twins;
		enum ifr_comparison_verdict verdict;
		double reach;
		const char *text;
	} cases[] = {
		{0, 0, IFR_VERDICT_NO_CHANGE, 0, "one run of each gives no interval for that."},
		{4, 0, IFR_VERDICT_NO_CHANGE, 0, "too few layouts ran twice for an interval of that."},
		{5, 0, IFR_VERDICT_LAYOUT, 0.00403, "(99 % interval +"},
		{5, 6, IFR_VERDICT_NO_CHANGE, 0.5698, "(99 % interval -"},
		{6, 6, IFR_VERDICT_LAYOUT, 0, "(99 % interval +"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct ifr_dataset dataset;
		struct ifr_comparison c;
		struct ifr_buffer text = {0};
		fill_values(&dataset, "clock", values);
		for (unsigned j = 0; j < cases[i].repeats; j++)
			add_run(&dataset, 2 + j, 1, false, 100.1);
		for (unsigned j = 0; j < cases[i].twins; j++)
			add_run(&dataset, 2 + j, 0, true, 110);
		const struct ifr_comparison_side old = {&dataset, 0, "old", NULL}, new = {&dataset, 1, "new", NULL};
		assert_int_equal(ifr_comparison_make(&old, &new, NULL, &rules, &c, NULL), 0);
		if (c.verdict != cases[i].verdict)
			fail_msg("case %zu: %s", i, ifr_comparison_verdict_name(c.verdict));
		assert_int_equal(c.has_layout_effect, cases[i].repeats >= 5);
		if (cases[i].reach > 0)
			assert_true(fabs(log(c.layout_effect_interval.high / c.layout_effect) / cases[i].reach - 1) < 0.1);
		const struct ifr_comparison_entry entry = {.name = "", .command = "./old", .main = c};
		ifr_comparison_text(&entry, 1, false, &text);
		char *flat = ifr_buffer_detach(&text), *to = flat;
		for (const char *from = flat; *from; from++)
			if (*from != ' ' && *from != '\n')
				*to++ = *from;
			else if (to > flat && to[-1] != ' ')
				*to++ = ' ';
		*to = '\0';
		if (!strstr(flat, cases[i].text))
			fail_msg("case %zu says: %s", i, flat);
		free(flat);
		ifr_dataset_release(&dataset);
	}
}

/* Adds a unit of new, the second program. */
static void add_instructions(struct ifr_dataset *dataset, const char *name, uint64_t instructions) {
	struct ifr_dataset_unit *unit = ifr_dataset_add_unit(dataset);
	unit->program = 1;
	unit->name = ifr_strdup(name);
	unit->instructions = instructions;
}

/* The loader's 30 of 100 instructions are in the verdict, the table and the page, and beside each change. */
static void check_start(const struct ifr_comparison_entry *entry, bool large) {
	struct ifr_buffer text = {0};
	const struct ifr_comparison_entry two[] = {*entry, *entry};
	ifr_comparison_text(entry, 1, false, &text);
	const char *words = ifr_buffer_text(&text);
	assert_non_null(strstr(words, large ? "Verdict: change of the whole run: "
	                                    : "Verdict: no change of the whole run: +0.01 %, less than 1.0 %"));
	assert_int_equal(strstr(words, "Next: let a run do more work: 30 % of it is the dynamic loader's.") != NULL,
	                 !large);
	assert_non_null(strstr(words, "executed 30 % of the recorded"));
	assert_int_equal(strstr(words, " itself") != NULL, large);
	ifr_buffer_clear(&text);
	ifr_comparison_text(two, 2, false, &text);
	assert_non_null(strstr(ifr_buffer_text(&text), large ? "change (regression) *" : "no change *"));
	assert_non_null(strstr(ifr_buffer_text(&text), "* of the whole run"));
	ifr_buffer_clear(&text);
	ifr_comparison_html(entry, 1, &text);
	assert_non_null(strstr(ifr_buffer_text(&text), large ? "new against old: change of the whole run, a regression"
	                                                     : "new against old: no change of the whole run"));
	ifr_buffer_release(&text);
}

/* One event more in ten thousand, in every layout, is no regression by the model's counts, and is one of 2 in 100. */
static void test_exact_margin(void **state) {
	(void)state;
	const struct ifr_comparison_rules strict = {.margin = 0.00001, .fail_above = 0.00001};
	for (int large = 0; large < 2; large++) {
		struct ifr_dataset dataset;
		struct ifr_comparison c;
		double values[12];
		for (int i = 0; i < 12; i++)
			values[i] = (10000 + 10 * (i / 2)) * (i % 2 ? large ? 1.02 : 1.0001 : 1);
		fill_values(&dataset, "model", values);
		add_instructions(&dataset, "[ld-linux-x86-64.so.2]", 30);
		add_instructions(&dataset, "a.c:.text.main", 70);
		const struct ifr_comparison_side old = {&dataset, 0, "old", NULL}, new = {&dataset, 1, "new", NULL};
		assert_int_equal(ifr_comparison_make(&old, &new, NULL, &strict, &c, NULL), 0);
		assert_true(c.verdict == IFR_VERDICT_CHANGE && c.regressed);
		assert_int_equal(ifr_comparison_make(&old, &new, NULL, &rules, &c, NULL), 0);
		assert_int_equal(c.verdict, large ? IFR_VERDICT_CHANGE : IFR_VERDICT_NO_CHANGE);
		assert_int_equal(c.regressed, large);
		const struct ifr_comparison_entry entry = {.name = "", .command = "./old", .main = c};
		check_start(&entry, large);
		ifr_dataset_release(&dataset);
	}
}

/* Sampled cycles that are 2 % more in every layout, with standard errors of s for each program. By hand: the ratio's is
 * sqrt(2) s. For s = 1 % the interval reaches by a factor of exp(1.96 * 0.01414) = 1.0281 to either side, from -0.79 % to
 * +4.86 %, and p = 2 Q(ln 1.02 / 0.01414) = 2 Q(1.400) = 0.161. For s = 0.1 % it reaches from +1.72 % to +2.28 %. */
static void test_sampled_cycles(void **state) {
	static const char *const errors[] = {"0.01", "0.001"};
	(void)state;
	for (int small = 0; small < 2; small++) {
		struct ifr_dataset dataset;
		struct ifr_comparison c;
		struct ifr_buffer text = {0};
		double values[12];
		for (int i = 0; i < 12; i++)
			values[i] = (10000 + 10 * (i / 2)) * (i % 2 ? 1.02 : 1);
		fill_values(&dataset, "model", values);
		strcpy(dataset.counters[0].name, "cycles");
		ifr_dataset_add_fact(&dataset, "core", "sampled");
		ifr_dataset_add_fact(&dataset, "cycles error", errors[small]);
		ifr_dataset_add_fact(&dataset, "cycles error 2", errors[small]);
		const struct ifr_comparison_side old = {&dataset, 0, "old", NULL}, new = {&dataset, 1, "new", NULL};
		assert_int_equal(ifr_comparison_make(&old, &new, NULL, &rules, &c, NULL), 0);
		assert_int_equal(c.verdict, small ? IFR_VERDICT_CHANGE : IFR_VERDICT_INCONCLUSIVE);
		assert_true(fabs(c.interval.low - (small ? 1.0172 : 0.9921)) < 1e-4);
		assert_true(fabs(c.interval.high - (small ? 1.0228 : 1.0486)) < 2e-4);
		assert_true(small ? c.p < 1e-6 : fabs(c.p - 0.161) < 1e-3);
		const struct ifr_comparison_entry entry = {.name = "", .command = "./old", .main = c};
		ifr_comparison_text(&entry, 1, false, &text);
		assert_int_equal(strstr(ifr_buffer_text(&text), "replay the whole run (--core=full)") != NULL, !small);
		/* Another sampled counter has its own error; one without an error is exact. */
		strcpy(dataset.counters[0].name, "model:idq.mite_uops");
		ifr_dataset_add_fact(&dataset, "idq.mite_uops error", errors[small]);
		ifr_dataset_add_fact(&dataset, "idq.mite_uops error 2", errors[small]);
		assert_int_equal(ifr_comparison_make(&old, &new, "model:idq.mite_uops", &rules, &c, NULL), 0);
		assert_true(fabs(c.interval.high - (small ? 1.0228 : 1.0486)) < 2e-4);
		strcpy(dataset.counters[0].name, "branch-misses");
		assert_int_equal(ifr_comparison_make(&old, &new, "branch-misses", &rules, &c, NULL), 0);
		assert_true(c.verdict == IFR_VERDICT_CHANGE && c.interval.low > 1.0199 && !(c.sampling_error > 0));
		ifr_buffer_release(&text);
		ifr_dataset_release(&dataset);
	}
}

/* A program against itself, on a shared machine, at full depth on a quiet one, too: 5 % say there is a change, within
 * three standard deviations. A layout effect is tested at 99 %: 1 % are false, at most three standard deviations more. */
static void test_a_against_a(void **state) {
	(void)state;
	const struct recipe machines[] = {{16, 3, 1, 1, 0.02, 0.005, false, 0, 0},
	                                  {16, 3, 1, 1, 0.02, 0.005, false, 2, 0}};
	for (int machine = (int)at_depth(1, 0); machine < 2; machine++) {
		const unsigned sets = at_depth(250, 2000);
		unsigned changes = 0, effects = 0;
		gsl_rng *rng = seeded(10);
		for (unsigned i = 0; i < sets; i++) {
			struct ifr_dataset datasets[2];
			struct ifr_comparison c = compared(&machines[machine], rng, datasets);
			changes += c.verdict == IFR_VERDICT_CHANGE || c.verdict == IFR_VERDICT_BOTH;
			effects += c.verdict == IFR_VERDICT_LAYOUT || c.verdict == IFR_VERDICT_BOTH;
			release(datasets);
		}
		gsl_rng_free(rng);
		double sd = sqrt(sets * 0.05 * 0.95);
		if (fabs(changes - 0.05 * sets) > 3 * sd || effects > 0.01 * sets + 3 * sqrt(sets * 0.01 * 0.99))
			fail_msg("machine %d: %u changes and %u layout effects in %u", machine, changes, effects, sets);
	}
}

/* Benchmarks of one experiment: what is inconclusive gets one next step, by the benchmark that needs the most layouts,
 * in the text as on the page. */
static void test_open_benchmarks(void **state) {
	static const double values[12] = {100, 150, 100, 110, 200, 190, 150, 150, 130, 130, 170, 170};
	struct ifr_dataset dataset;
	struct ifr_comparison c;
	struct ifr_buffer text = {0};
	(void)state;
	fill_values(&dataset, "clock", values);
	const struct ifr_comparison_side old = {&dataset, 0, "old", NULL}, new = {&dataset, 1, "new", NULL};
	assert_int_equal(ifr_comparison_make(&old, &new, NULL, &rules, &c, NULL), 0);
	assert_int_equal(c.verdict, IFR_VERDICT_INCONCLUSIVE);
	struct ifr_comparison_entry entries[] = {
		{.name = "BM_a", .command = "./old", .benchmark = "a", .main = c},
		{.name = "BM_b", .command = "./old", .benchmark = "b", .main = c},
		{.name = "BM_c", .command = "./old", .benchmark = "c", .main = c},
	};
	/* 12 layouts of 20 that are needed are enough to say how many it takes. */
	for (int i = 0; i < 3; i++) {
		entries[i].main.needed = 8;
		entries[i].main.recommended = i == 1 ? 77 : 33;
	}
	ifr_comparison_text(entries, 3, false, &text);
	assert_non_null(strstr(ifr_buffer_text(&text), "Next, for the 3 that are inconclusive (BM_b needs the most): "
	                                               "measure 77"));
	ifr_buffer_clear(&text);
	entries[0].main.verdict = entries[1].main.verdict = IFR_VERDICT_NO_CHANGE;
	ifr_comparison_text(entries, 3, false, &text);
	assert_non_null(strstr(ifr_buffer_text(&text), "Next, for BM_c, which is inconclusive: measure 33 layouts"));
	ifr_buffer_clear(&text);
	entries[2].main.verdict = IFR_VERDICT_NO_CHANGE;
	ifr_comparison_text(entries, 3, false, &text);
	assert_null(strstr(ifr_buffer_text(&text), "Next"));
	ifr_buffer_release(&text);
	ifr_dataset_release(&dataset);
}

static size_t count_of(const char *text, const char *words) {
	size_t count = 0;
	for (; (text = strstr(text, words)); text++)
		count++;
	return count;
}

static void test_forms(void **state) {
	(void)state;
	const struct recipe recipe = {32, 5, 1.03, 1.06, 0.02, 0.003, false, 0, 0};
	gsl_rng *rng = seeded(11);
	struct ifr_dataset datasets[2];
	struct ifr_comparison_entry entries[] = {{.name = "a<b|&\"c\"", .command = "./old <x>"},
	                                         {.name = "broken", .command = "", .failure = "it <crashed>"}};
	entries[0].main = compared(&recipe, rng, datasets);
	struct ifr_buffer out = {0};
	ifr_comparison_text(entries, 2, false, &out);
	for (const char *line = ifr_buffer_text(&out); *line; line += strcspn(line, "\n") + 1)
		assert_true(strcspn(line, "\n") <= 80);
	assert_non_null(strstr(ifr_buffer_text(&out), "Verdict: both: new is "));
	assert_non_null(strstr(ifr_buffer_text(&out), "Not compared: it <crashed>"));
	ifr_buffer_clear(&out);
	ifr_comparison_junit(entries, 2, &out);
	assert_non_null(strstr(ifr_buffer_text(&out), "tests=\"2\" failures=\"1\" errors=\"1\""));
	assert_non_null(strstr(ifr_buffer_text(&out), "a&lt;b|&amp;&quot;c&quot;"));
	assert_null(strstr(ifr_buffer_text(&out), "<crashed>"));
	ifr_buffer_clear(&out);
	ifr_comparison_html(entries, 2, &out);
	assert_non_null(strstr(ifr_buffer_text(&out), "a&lt;b|&amp;&quot;c&quot;: both, a regression"));
	assert_non_null(strstr(ifr_buffer_text(&out), "Not compared: it &lt;crashed&gt;"));
	assert_non_null(strstr(ifr_buffer_text(&out), "layout effect"));
	assert_null(strstr(ifr_buffer_text(&out), "<crashed>"));
	assert_null(strstr(ifr_buffer_text(&out), "<x>"));
	/* An interval that reaches to 9000 % ends in an arrow; the scale stays that of the others. */
	assert_null(strstr(ifr_buffer_text(&out), "l6 5l-6 5"));
	ifr_buffer_clear(&out);
	struct ifr_comparison_entry wide[] = {entries[0]};
	wide[0].main.layout_effect_interval.high = 91;
	ifr_comparison_html(wide, 1, &out);
	assert_int_equal(count_of(ifr_buffer_text(&out), "l6 5l-6 5"), 1);
	assert_null(strstr(ifr_buffer_text(&out), "l-6 5l6 5"));
	/* Three times the farthest centre, 9 % as shipped, and a margin of a twentieth. */
	char *end = ifr_format("text-anchor=\"end\">%+.0f %%</text>", 3 * 105 * (wide[0].main.shipped_ratio - 1));
	assert_non_null(strstr(ifr_buffer_text(&out), end));
	free(end);
	ifr_buffer_clear(&out);
	ifr_comparison_markdown(entries, 2, &out);
	assert_non_null(strstr(ifr_buffer_text(&out), "a\\<b\\|&\"c\""));
	ifr_buffer_clear(&out);
	ifr_comparison_json(entries, 2, &out);
	json_t *root = json_loads(ifr_buffer_text(&out), 0, NULL);
	json_t *first = json_array_get(json_object_get(root, "comparisons"), 0);
	assert_string_equal(json_string_value(json_object_get(first, "verdict")), "both");
	json_t *ratio = json_object_get(json_object_get(first, "result"), "ratio");
	assert_true(fabs(json_real_value(ratio) - entries[0].main.ratio) < 1e-12);
	json_decref(root);
	ifr_buffer_release(&out);
	release(datasets);
	gsl_rng_free(rng);
}

/* A change that is certain and small, as counts of the model are where only the program's start differs; and one reason
 * for which two benchmarks are not compared, told once. */
static void test_small_change(void **state) {
	(void)state;
	const struct recipe recipe = {32, 5, 1.004, 1, 0.002, 0.0003, false, 0, 0};
	struct ifr_dataset datasets[2];
	struct ifr_comparison_entry entries[3] = {
		{.name = "small", .command = "", .benchmark = "small"},
		{.name = "one", .command = "", .benchmark = "one", .failure = "none"},
		{.name = "two", .command = "", .benchmark = "two", .failure = "none"}};
	struct ifr_buffer out = {0};
	gsl_rng *rng = seeded(11);
	entries[0].main = compared(&recipe, rng, datasets);
	ifr_comparison_text(entries, 1, false, &out);
	assert_non_null(strstr(ifr_buffer_text(&out), "What it means: certain, but below 1.0 %: the code, or"));
	ifr_buffer_clear(&out);
	ifr_comparison_text(entries, 3, false, &out);
	assert_non_null(strstr(ifr_buffer_text(&out), "  ! one, two: not compared: none.\n"));
	assert_int_equal(count_of(ifr_buffer_text(&out), ": not compared:"), 1);
	ifr_buffer_release(&out);
	release(datasets);
	gsl_rng_free(rng);
}

/* The first three lines of each verdict, unbroken, and the command behind the third. */
static void test_headline(void **state) {
	(void)state;
	const struct {
		struct recipe recipe;
		const char *verdict, *meaning, *next, *command; /* command: its line without the indent; NULL: none */
	} cases[] = {
		{{32, 5, 1.03, 1, 0.02, 0.003, false, 0, 0},
	     "Verdict: change: new is ",
	     "the change is in the code",
	     "Next: look in the code of new for the cause.",
	     "perf record -e cpu-clock -- ./new -x 'a b' && perf report"},
		{{32, 5, 1, 1.06, 0.01, 0.003, false, 0, 0},
	     "Verdict: layout: the change is ",
	     " by addresses alone; other builds need not show it.",
	     "Next: see why layouts of new differ. By cause, and by line, in the model:",
	     "interfero icost --across --machine native -n 32 -s 1 -- ./new -x 'a b'"},
		{{32, 5, 1, 1, 0.005, 0.003, false, 0, 0},
	     "Verdict: no change: less than 1.0 % (95 % interval ",
	     "counts as none.",
	     "Next: nothing.",
	     NULL},
		{{8, 3, 1, 1, 0.04, 0.003, false, 0, 0},
	     "Verdict: inconclusive: the change is ",
	     "a change, or none.",
	     "Next: measure ",
	     "interfero compare ./old ./new --budget 9s -n "},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		gsl_rng *rng = seeded(11);
		struct ifr_dataset datasets[2];
		struct ifr_comparison_entry entry = {.name = "", .command = ""};
		struct ifr_buffer out = {0};
		entry.main = compared(&cases[i].recipe, rng, datasets);
		ifr_dataset_add_fact(&datasets[0], "options", "./old ./new --budget 9s");
		ifr_dataset_add_fact(&datasets[0], "command", "./old -x 'a b'");
		ifr_dataset_add_fact(&datasets[0], "rounds planned", "3");
		/* The page names both programs above the verdict. */
		ifr_comparison_html(&entry, 1, &out);
		assert_non_null(strstr(ifr_buffer_text(&out), "<h2 id=\"c0\">new against old: "));
		ifr_buffer_clear(&out);
		ifr_comparison_text(&entry, 1, false, &out);
		char *text = ifr_buffer_detach(&out), *rest = text, *lines[5];
		for (size_t j = 0; j < 5; j++)
			lines[j] = strsep(&rest, "\n");
		if (strncmp(lines[0], cases[i].verdict, strlen(cases[i].verdict)) || !strstr(lines[0], " % to ") ||
		    !strstr(lines[1], cases[i].meaning) || strncmp(lines[2] + 2, cases[i].next, strlen(cases[i].next)))
			fail_msg("case %zu says:\n%s\n%s\n%s", i, lines[0], lines[1], lines[2]);
		if (cases[i].command)
			assert_memory_equal(lines[3], "      ", 6);
		assert_true(cases[i].command ? strstr(lines[3], cases[i].command) == lines[3] + 6 : !*lines[3]);
		if (cases[i].recipe.layouts == 8)
			assert_string_equal(strstr(lines[3], " -r "), " -r 3 -- -x 'a b'");
		free(text);
		release(datasets);
		gsl_rng_free(rng);
	}
}

/* Of two experiments, commands name the programs of these, and go to the folder where they ran. */
static void test_commands_of_experiments(void **state) {
	(void)state;
	const struct recipe recipe = {32, 5, 1, 1.06, 0.01, 0.003, true, 0, 0};
	static const char *const users[] = {"itself", "./user"};
	for (size_t i = 0; i < 2; i++) {
		struct ifr_dataset datasets[2];
		struct ifr_comparison_entry entry = {.name = "", .command = ""};
		struct ifr_buffer out = {0};
		gsl_rng *rng = seeded(11);
		entry.main = compared(&recipe, rng, datasets);
		entry.main.verdict = IFR_VERDICT_LAYOUT;
		entry.main.side[1].name = "new.exp";
		ifr_dataset_add_fact(&datasets[1], "program name", "bin/new");
		ifr_dataset_add_fact(&datasets[1], "run in", users[i]);
		ifr_dataset_add_fact(&datasets[1], "folder", "/else where");
		ifr_dataset_add_fact(&datasets[1], "options", "-q -a base -r 5");
		ifr_dataset_add_fact(&datasets[1], "command", i ? "./user -x" : "bin/new -x");
		ifr_comparison_text(&entry, 1, false, &out);
		/* icost moves no libraries. */
		if (i)
			assert_non_null(strstr(ifr_buffer_text(&out),
			                       "(cd '/else where' \\\n        && interfero bench -a base "
			                       "--library bin/new -- ./user -x)\n"));
		else
			assert_non_null(strstr(ifr_buffer_text(&out),
			                       "(cd '/else where' \\\n        && interfero icost --across -a "
			                       "base --machine native -n 32 -s 2 -- \\\n        bin/new "
			                       "-x)\n"));
		ifr_buffer_release(&out);
		release(datasets);
		gsl_rng_free(rng);
	}
}

/* So few and so different layouts that intervals reach more than 100 % away, or below a ratio of 0. */
static void test_few_layouts(void **state) {
	(void)state;
	for (unsigned layouts = 2; layouts <= 4; layouts++) {
		const struct recipe recipe = {layouts, 3, 1.05, 1, 0.3, 0.02, false, 0, 0};
		struct ifr_dataset datasets[2];
		struct ifr_comparison_entry entry = {.name = "", .command = ""};
		struct ifr_buffer out = {0};
		gsl_rng *rng = seeded(11);
		entry.main = compared(&recipe, rng, datasets);
		ifr_dataset_add_fact(&datasets[0], "options", "./old ./new");
		ifr_dataset_add_fact(&datasets[0], "command", "./old");
		char *words = ifr_format(" (%u layouts do not bound it).\n", layouts);
		ifr_comparison_text(&entry, 1, false, &out);
		assert_non_null(strstr(ifr_buffer_text(&out), words));
		assert_non_null(strstr(ifr_buffer_text(&out), "  Next: measure 20 layouts: "));
		assert_non_null(strstr(ifr_buffer_text(&out), "interfero compare ./old ./new -n 20"));
		assert_null(strstr(ifr_buffer_text(&out), "rarer than 100 %"));
		ifr_comparison_markdown(&entry, 1, &out);
		assert_non_null(strstr(ifr_buffer_text(&out), "% (unbounded) |"));
		ifr_buffer_clear(&out);
		ifr_comparison_json(&entry, 1, &out);
		json_t *root = json_loads(ifr_buffer_text(&out), 0, NULL);
		json_t *result = json_object_get(json_array_get(json_object_get(root, "comparisons"), 0), "result");
		assert_non_null(json_object_get(result, "interval"));
		json_decref(root);
		/* More layouts do not help where runs do different work. */
		ifr_dataset_add_fact(&datasets[0], "own iterations",
		                     "The program chooses its iterations anew in every run (Catch2): time");
		ifr_buffer_clear(&out);
		ifr_comparison_text(&entry, 1, false, &out);
		assert_non_null(strstr(ifr_buffer_text(&out), "Next: first let all runs do the same work"));
		assert_null(strstr(ifr_buffer_text(&out), "Next: measure"));
		/* Fieller's interval of a ratio that is certainly below 1 may end below 0. */
		entry.main.interval = (struct ifr_interval){-13.05, 0.5, 0.95};
		entry.main.ratio = 0.2;
		ifr_buffer_clear(&out);
		ifr_comparison_text(&entry, 1, false, &out);
		assert_non_null(strstr(ifr_buffer_text(&out), "interval -100 % to -50 %)"));
		free(words);
		ifr_buffer_release(&out);
		release(datasets);
		gsl_rng_free(rng);
	}
}

/* Layouts 1 and 2, two runs each: medians by hand. */
static void test_layouts(void **state) {
	(void)state;
	struct ifr_dataset dataset;
	init(&dataset, "1");
	for (unsigned id = 0; id < 6; id++) {
		struct ifr_dataset_variant *variant = ifr_dataset_add_variant(&dataset);
		variant->program = id % 2;
		variant->layout = id / 2;
		variant->plan = ifr_strdup("");
	}
	dataset.variants[5].refused = ifr_strdup("crashed");
	for (unsigned i = 0; i < 18; i++) {
		struct ifr_dataset_run *run = ifr_dataset_add_run(&dataset);
		run->variant = i % 6;
		run->value[0] = 100 * (i % 6 + 1) + (i < 6 ? 0 : 10);
		run->twin = i >= 12;
	}
	const struct ifr_comparison c = {.metric = dataset.counters[0],
	                                 .side = {{&dataset, 0, "old", NULL}, {&dataset, 1, "new", NULL}}};
	struct ifr_comparison_layout *layouts;
	assert_int_equal(ifr_comparison_layouts(&c, &layouts), 3);
	assert_true(layouts[0].median[0] == 105 && layouts[0].median[1] == 205);
	assert_true(layouts[1].median[0] == 305 && layouts[1].median[1] == 405);
	assert_true(layouts[2].median[0] == 505 && isnan(layouts[2].median[1]));
	free(layouts);
	ifr_dataset_release(&dataset);
}

/* One row for each command, before all else, in text, page and JSON. */
static void test_overview(void **state) {
	(void)state;
	const struct recipe slower = {32, 5, 1.03, 1, 0.02, 0.003, false, 0, 0},
						same = {32, 5, 1, 1, 0.005, 0.003, false, 0, 0};
	gsl_rng *rng = seeded(11);
	struct ifr_dataset a[2], b[2];
	struct ifr_comparison_entry entries[3] = {{.name = "slower", .command = "./old 1"},
	                                          {.name = "same", .command = "./old 2"},
	                                          {.name = "broken", .command = "./old 3", .failure = "it crashed"}};
	struct ifr_buffer out = {0};
	entries[0].main = compared(&slower, rng, a);
	entries[1].main = compared(&same, rng, b);
	ifr_comparison_text(entries, 3, false, &out);
	char *text = ifr_buffer_detach(&out), *rest = text, *lines[5];
	for (size_t i = 0; i < 5; i++)
		lines[i] = strsep(&rest, "\n");
	assert_string_equal(lines[0], "3 commands: 1 regression, 1 \"change\", 1 \"no change\", 1 not compared.");
	char *row = ifr_format("  slower                   change (regression)      %+.1f %%  %+.1f %% to %+.1f %%",
	                       100 * (entries[0].main.ratio - 1), 100 * (entries[0].main.interval.low - 1),
	                       100 * (entries[0].main.interval.high - 1));
	assert_string_equal(lines[2], row);
	assert_memory_equal(lines[3], "  same                     no change  ", 38);
	assert_memory_equal(lines[4], "  broken                   not compared", 39);
	for (size_t i = 0; i < 5; i++)
		assert_true(strlen(lines[i]) <= 80);
	free(row);
	free(text);
	ifr_comparison_html(entries, 3, &out);
	const char *page = ifr_buffer_text(&out);
	assert_int_equal(count_of(page, "<table class=\"overview\">"), 1);
	assert_non_null(strstr(page, "<a href=\"#c1\">same</a>"));
	assert_non_null(strstr(page, "<h2 id=\"c1\">same: no change</h2>"));
	/* Ratios, both sides, and pairs, of each command that was compared; nothing is preformatted but commands. */
	assert_int_equal(count_of(page, "<svg"), 2 * 3);
	assert_int_equal(count_of(page, "layout effect of these two files"), 2);
	assert_int_equal(count_of(page, "<title>layout 5: "), 2 * 3);
	assert_int_equal(count_of(page, "<pre>"), 0);
	ifr_buffer_clear(&out);
	ifr_comparison_html(entries, 1, &out);
	assert_null(strstr(ifr_buffer_text(&out), "class=\"overview\""));
	ifr_buffer_clear(&out);
	ifr_comparison_json(entries, 3, &out);
	json_t *root = json_loads(ifr_buffer_text(&out), 0, NULL), *overview = json_object_get(root, "overview");
	assert_int_equal(json_array_size(overview), 3);
	assert_string_equal(json_string_value(json_object_get(json_array_get(overview, 0), "verdict")), "change");
	assert_true(json_is_true(json_object_get(json_array_get(overview, 0), "regression")));
	assert_true(json_is_null(json_object_get(json_array_get(overview, 2), "ratio")));
	assert_string_equal(json_string_value(json_object_get(json_array_get(overview, 2), "failure")), "it crashed");
	json_decref(root);
	ifr_buffer_release(&out);
	release(a);
	release(b);
	gsl_rng_free(rng);
}

static void test_suite(void **state) {
	(void)state;
	struct suite suite;
	struct ifr_error err = {0};
	assert_int_equal(
		suite_parse("# nothing\n\n fib: fib.lua 32\nsort:'a b'\"c\\\"\" \\\\ ''\nnone:\n", "s", &suite, &err), 0);
	assert_int_equal(suite.count, 3);
	assert_string_equal(suite.commands[0].name, "fib");
	assert_string_equal(suite.commands[0].words.items[1], "32");
	assert_int_equal(suite.commands[1].words.count, 3);
	assert_string_equal(suite.commands[1].words.items[0], "a bc\"");
	assert_string_equal(suite.commands[1].words.items[1], "\\");
	assert_string_equal(suite.commands[1].words.items[2], "");
	assert_int_equal(suite.commands[2].words.count, 0);
	suite_release(&suite);
	static const char *const bad[] = {"",         "# only\n", "no colon\n", "a: 'open\n", "a: 1\na: 2\n",
	                                  "a/b: 1\n", ".: 1\n"};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		assert_int_equal(suite_parse(bad[i], "s", &suite, &err), -IFR_E_USAGE);
		suite_release(&suite);
	}
	assert_non_null(strstr(err.message, "s:1"));
}

/* A line goes on behind a backslash, or a blank. The caller frees. */
static char *unbroken(const char *text) {
	char *line = ifr_strdup(text), *end = line;
	for (const char *c = text; *c; c++)
		if (!strchr(" \\\n", *c) || (end > line && end[-1] != ' '))
			*end++ = strchr(" \\\n", *c) ? ' ' : *c;
	*end = '\0';
	return line;
}

/* Libraries of one file name are told apart by their folders; commands keep the program that uses them. A library
 * cannot be profiled by starting it. */
static void test_library_commands(void **state) {
	(void)state;
	static const struct {
		struct recipe recipe;
		const char *verdict, *command;
	} cases[] = {
		{{32, 5, 1.03, 1, 0.02, 0.003, false, 0, 0},
	     "Verdict: change: new/lib.so is ",
	     "perf record -e cpu-clock -- interfero run --library new/lib.so -- ./user 'a b' && perf report"},
		{{32, 5, 1, 1.06, 0.01, 0.003, false, 0, 0},
	     "Verdict: layout: the change is ",
	     "interfero bench --library new/lib.so -- ./user 'a b'"},
		{{8, 3, 1, 1, 0.04, 0.003, false, 0, 0}, "Verdict: inconclusive: the change is ", " -- ./user 'a b'"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		gsl_rng *rng = seeded(11);
		struct ifr_dataset datasets[2];
		struct ifr_comparison_entry entry = {.name = "", .command = ""};
		struct ifr_buffer out = {0};
		entry.main = compared(&cases[i].recipe, rng, datasets);
		entry.main.side[0].name = "old/lib.so";
		entry.main.side[1].name = "new/lib.so";
		ifr_dataset_add_fact(&datasets[0], "options", "--library old/lib.so new/lib.so");
		ifr_dataset_add_fact(&datasets[0], "command", "./user 'a b'");
		ifr_dataset_add_fact(&datasets[0], "run in", "/home/user");
		ifr_dataset_add_fact(&datasets[0], "driver of", "none");
		ifr_comparison_text(&entry, 1, false, &out);
		char *text = unbroken(ifr_buffer_text(&out));
		ifr_buffer_release(&out);
		if (strncmp(text, cases[i].verdict, strlen(cases[i].verdict)) || !strstr(text, cases[i].command))
			fail_msg("case %zu says: %s", i, text);
		assert_true(i || strstr(text, " than old/lib.so (95"));
		free(text);
		release(datasets);
		gsl_rng_free(rng);
	}
}

/* Of a shipped file that was edited after its link, the layout effect is unknown, and no verdict rests on it. */
static void test_edited(void **state) {
	(void)state;
	const struct recipe recipe = {32, 5, 1, 1.06, 0.01, 0.003, false, 0, 0};
	gsl_rng *rng = seeded(11);
	struct ifr_dataset datasets[2];
	struct ifr_comparison_entry entry = {.name = "", .command = ""};
	struct ifr_comparison before = compared(&recipe, rng, datasets);
	assert_int_equal(before.verdict, IFR_VERDICT_LAYOUT);
	ifr_dataset_add_fact(&datasets[0], "edited 2", "after its link");
	assert_int_equal(ifr_comparison_make(&before.side[0], &before.side[1], NULL, &rules, &entry.main, NULL), 0);
	const struct ifr_comparison *c = &entry.main;
	assert_true(!c->edited[0] && c->edited[1] && !c->has_shipped && !c->has_layout_effect);
	assert_int_not_equal(c->verdict, IFR_VERDICT_LAYOUT);
	assert_int_equal(c->runs[1], 32 * 5);
	struct ifr_comparison_layout *layouts;
	assert_int_equal(ifr_comparison_layouts(c, &layouts), 33);
	assert_true(!isnan(layouts[0].median[0]) && isnan(layouts[0].median[1]));
	free(layouts);
	struct ifr_buffer out = {0};
	ifr_comparison_text(&entry, 1, false, &out);
	char *text = unbroken(ifr_buffer_text(&out));
	assert_non_null(strstr(text, "The shipped file of new was edited after the link"));
	assert_null(strstr(text, "As shipped"));
	free(text);
	ifr_buffer_release(&out);
	release(datasets);
	gsl_rng_free(rng);
}

static void assert_says(const struct ifr_comparison_entry *entry, const char *words, bool wanted) {
	struct ifr_buffer out = {0};
	ifr_comparison_text(entry, 1, false, &out);
	char *text = unbroken(ifr_buffer_text(&out));
	if (!strstr(text, words) == wanted)
		fail_msg("%s \"%s\": %s", wanted ? "lacks" : "has", words, text);
	free(text);
	ifr_buffer_release(&out);
}

/* An interval of the layout effect that is wider than all of the difference leaves its size open; counters that never
 * vary have no interval to tell; long names and further commands are whole. */
static void test_words(void **state) {
	(void)state;
	const struct recipe recipe = {32, 5, 1.03, 1, 0.02, 0.003, false, 0, 0};
	gsl_rng *rng = seeded(11);
	struct ifr_dataset datasets[2];
	struct ifr_comparison other;
	struct ifr_comparison_entry entry = {.name = "", .command = "", .others = &other, .other_count = 1};
	entry.main = compared(&recipe, rng, datasets);
	other = entry.main;
	strcpy(other.metric.name, "model:ld_blocks_partial.address_alias");
	assert_says(&entry, "model:ld_blocks_partial.address_alias", true);
	assert_says(&entry, "equal in all runs", false);
	other.ratio = 1;
	other.between_sd = other.within_sd = 0;
	other.interval = (struct ifr_interval){NAN, NAN, 0.95};
	assert_says(&entry, "equal in all runs", true);
	assert_says(&entry, "unbounded", false);
	assert_says(&entry, "is open (99 % interval", false);
	entry.main.shipped_ratio = 1.22;
	entry.main.layout_effect = 1.28;
	entry.main.layout_effect_interval = (struct ifr_interval){0.9966, 1.63, 0.99};
	assert_says(&entry, "is open (99 % interval -0.34 % to +63 %): it may be none.", true);
	assert_says(&entry, "+28 %", false);
	/* A further command begins a line of its own where it does not fit. */
	struct ifr_buffer command = {0};
	ifr_text_command(&command, "perf record -e cpu-clock -- interfero run --library l.so -- ./u && perf report",
	                 "      ");
	assert_non_null(strstr(ifr_buffer_text(&command), "\n        && perf report\n"));
	ifr_buffer_release(&command);
	/* The page's axes: no powers of ten. */
	struct ifr_buffer page = {0};
	ifr_comparison_html(&entry, 1, &page);
	assert_null(strstr(ifr_buffer_text(&page), "e+0"));
	assert_null(strstr(ifr_buffer_text(&page), "e-0"));
	assert_non_null(strstr(ifr_buffer_text(&page), " ms</text>"));
	ifr_buffer_release(&page);
	release(datasets);
	gsl_rng_free(rng);
}

/* By hand: the first line's part of 1705 s is a fifth, 341 s; the third's, of 2290 s less 436 s, is a third, 618 s. */
static void test_suite_budget(void **state) {
	static const int64_t needs_s[] = {341, 95, 618, 292, 200};
	(void)state;
	assert_int_equal(suite_budget_enough(needs_s, 5), 2290);
	assert_int_equal(suite_budget_enough(needs_s, 2), 682);
	assert_int_equal(suite_budget_enough(needs_s, 1), 341);
	assert_int_equal(suite_budget_enough(needs_s, 0), 0);
}

/* The rest goes to the line that needs least, once; a line that needs more than the rest has no use for it. */
static void test_suite_rest(void **state) {
	struct compare_trial trials[4] = {{.time = {.ended = true, .least_ns = 60}},
	                                  {.time = {.ended = false, .least_ns = 1}},
	                                  {.time = {.ended = true, .least_ns = 40}},
	                                  {.time = {.ended = true, .part_ns = 20}}};
	(void)state;
	assert_int_equal(compare_budget_choose(trials, 4, 50), 3);
	trials[3].time.again = true;
	assert_int_equal(compare_budget_choose(trials, 4, 50), 2);
	assert_int_equal(compare_budget_choose(trials, 4, 39), 4);
	trials[2].time.ended = false;
	assert_int_equal(compare_budget_choose(trials, 4, 50), 4);
	assert_int_equal(compare_budget_choose(trials, 4, 60), 0);
	/* The first line of four needs 70 s of the whole: 280 s. Without a figure of each line that ended there is none. */
	trials[0].time.enough_s = 70;
	trials[3].time.enough_s = 20;
	char *text = compare_budget_describe(trials, 4);
	assert_string_equal(text,
	                    "the budget ended before 2 of 4 lines could be compared: the same command continues, and "
	                    "--budget 280s has time for the whole suite");
	free(text);
	trials[3].time.enough_s = 0;
	text = compare_budget_describe(trials, 4);
	assert_non_null(strstr(text, "a longer --budget"));
	free(text);
	trials[0].time.ended = trials[3].time.ended = false;
	assert_null(compare_budget_describe(trials, 4));
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_open_benchmarks),
		cmocka_unit_test(test_verdicts),
		cmocka_unit_test(test_by_hand),
		cmocka_unit_test(test_large_changes),
		cmocka_unit_test(test_pairs),
		cmocka_unit_test(test_a_against_a),
		cmocka_unit_test(test_forms),
		cmocka_unit_test(test_suite),
		cmocka_unit_test(test_suite_budget),
		cmocka_unit_test(test_suite_rest),
		cmocka_unit_test(test_small_change),
		cmocka_unit_test(test_headline),
		cmocka_unit_test(test_commands_of_experiments),
		cmocka_unit_test(test_layouts),
		cmocka_unit_test(test_library_commands),
		cmocka_unit_test(test_overview),
		cmocka_unit_test(test_same_instructions),
		cmocka_unit_test(test_exact_margin),
		cmocka_unit_test(test_sampled_cycles),
		cmocka_unit_test(test_few_layouts),
		cmocka_unit_test(test_edited),
		cmocka_unit_test(test_few_repeats),
		cmocka_unit_test(test_words),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
