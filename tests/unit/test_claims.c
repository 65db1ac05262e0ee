/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The intervals and verdicts that reports print, by simulation of the whole pipeline: made-up runs of known layouts, on
 * machines that are disturbed in known ways, go through the same code as an experiment's. A scenario is a kind of
 * layouts on a kind of machine, a claim is something that a report prints about them. Each claim has the share of
 * experiments in which it may be false; the number found must be within the binomial band of 99.9 %. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "harness/report/report.h"
#include "tests/unit/depth.h"

enum { LAYOUTS_MOST = 32, PROGRAMS_MOST = 2, RUNS_MOST = 9, BURST_RUNS = 10 };
static const double level_ns = 1e8, change = 1.02, margin = 0.01;
#define EQUAL 1e-9 /* standard deviation of layouts that hardly differ */

enum shape { NORMAL, EXPONENTIAL, TWO_KINDS };

/* Disturbances beside normal noise. */
struct machine {
	unsigned runs_between_bursts; /* on average, 0: none; a burst is BURST_RUNS runs, slower by half */
	double outliers;              /* share of single runs that an exponential part of mean 0.1 slows */
	double drift;                 /* amplitude of a slow wave, relative */
	double correlated;            /* standard deviation of noise of which 0.9 stays for the next run */
};

struct scenario {
	const char *name;
	unsigned layouts, repetitions;
	enum shape shape;
	double layout_sd, noise_sd; /* relative */
	struct machine machine;
};

static const struct scenario scenarios[] = {
	{"quiet", 32, 5, NORMAL, 0.015, 0.005, {0}},
	{"bursts and outliers", 32, 5, NORMAL, 0.015, 0.005, {.runs_between_bursts = 60, .outliers = 0.1}},
	{"drift, similar layouts", 32, 5, NORMAL, 0.002, 0.005, {.drift = 0.05}},
	/* at full depth only, from here */
	{"bursts, exponential layouts", 32, 5, EXPONENTIAL, 0.02, 0.005, {.runs_between_bursts = 60}},
	{"few layouts", 12, 3, NORMAL, 0.015, 0.005, {0}},
	{"noisy", 32, 5, NORMAL, 0.01, 0.02, {0}},
	{"exponential layouts", 32, 5, EXPONENTIAL, 0.02, 0.005, {0}},
	{"two kinds of layouts", 32, 5, TWO_KINDS, 0.02, 0.005, {0}},
	{"bursts", 32, 5, NORMAL, 0.015, 0.005, {.runs_between_bursts = 60}},
	{"bursts and outliers, similar layouts",
     32,
     5,
     NORMAL,
     0.002,
     0.005,
     {.runs_between_bursts = 60, .outliers = 0.1}},
	{"outliers", 32, 5, NORMAL, 0.015, 0.005, {.outliers = 0.1}},
	{"drift", 32, 5, NORMAL, 0.015, 0.005, {.drift = 0.05}},
	{"correlated noise", 32, 5, NORMAL, 0.01, 0.005, {.correlated = 0.01}},
	{"bursts and outliers, few layouts",
     12,
     5,
     NORMAL,
     0.015,
     0.005,
     {.runs_between_bursts = 60, .outliers = 0.1}},
	/* runs 7 to 13 % apart, as beside busy neighbours on a shared machine */
	{"very noisy, equal layouts", 32, 9, NORMAL, EQUAL, 0.1, {0}},
	{"busy neighbours, equal layouts", 32, 9, NORMAL, EQUAL, 0.04, {.correlated = 0.1}},
	{"busy neighbours", 32, 9, NORMAL, 0.02, 0.04, {.correlated = 0.1}},
	{"busy neighbours, outliers", 32, 9, NORMAL, 0.02, 0.04, {.correlated = 0.08, .outliers = 0.1}},
	{"busy neighbours, bursts", 32, 9, NORMAL, 0.02, 0.06, {.runs_between_bursts = 40, .correlated = 0.05}},
};
enum { SCENARIOS_QUICK = 3 };

/* --- made-up experiments ---------------------------------------------------------------------------------------- */

struct experiment {
	const struct scenario *scenario;
	unsigned programs;
	double level[PROGRAMS_MOST * (LAYOUTS_MOST + 1)]; /* by variant: the layout's own time */
	struct ifr_dataset dataset;
};

/* A layout effect of mean 0. */
static double draw_effect(gsl_rng *rng, enum shape shape, double sd) {
	switch (shape) {
	case EXPONENTIAL:
		return sd * (gsl_ran_exponential(rng, 1) - 1);
	case TWO_KINDS: /* three in ten are 3 sd apart from the rest */
		return sd * ((gsl_rng_uniform(rng) < 0.3 ? 2.1 : -0.9) + gsl_ran_gaussian(rng, 0.5)) / sqrt(1.89 + 0.25);
	default:
		return gsl_ran_gaussian(rng, sd);
	}
}

/* The factor by which each run, in the order of time, takes longer. */
static void draw_noise(const struct scenario *s, gsl_rng *rng, double *factor, unsigned count) {
	const struct machine *m = &s->machine;
	double phase = 2 * M_PI * gsl_rng_uniform(rng), waves = 1 + 2 * gsl_rng_uniform(rng), kept = 0;
	for (unsigned i = 0; i < count; i++) {
		kept = 0.9 * kept + sqrt(1 - 0.81) * gsl_ran_gaussian(rng, m->correlated);
		factor[i] =
			1 + gsl_ran_gaussian(rng, s->noise_sd) + kept + m->drift * sin(phase + 2 * M_PI * waves * i / count);
		if (gsl_rng_uniform(rng) < m->outliers)
			factor[i] += gsl_ran_exponential(rng, 0.1);
	}
	for (unsigned at = 0; at < count && m->runs_between_bursts; at++)
		if (gsl_rng_uniform(rng) < 1.0 / m->runs_between_bursts)
			for (unsigned j = at; j < at + BURST_RUNS && j < count; j++)
				factor[j] *= 1.5 + gsl_ran_gaussian(rng, 0.05);
}

static void add_variant(struct experiment *e, unsigned id, double level) {
	struct ifr_dataset_variant *variant = ifr_dataset_add_variant(&e->dataset);
	variant->program = id % e->programs;
	variant->layout = id / e->programs;
	variant->plan = ifr_strdup("");
	variant->build_id = ifr_strdup("");
	variant->facts = ifr_strdup("");
	e->level[id] = level;
}

static void add_facts(struct ifr_dataset *dataset) {
	ifr_dataset_add_fact(dataset, "seed", "1");
	ifr_dataset_add_fact(dataset, "axes", "functions");
	ifr_dataset_add_fact(dataset, "parameters", "none");
	struct ifr_dataset_counter *counter = ifr_dataset_add_counter(dataset);
	strcpy(counter->name, "cpu_time");
	strcpy(counter->unit, "ns");
	strcpy(counter->source, "clock");
}

/* Program 0, and program 1 which takes `ratio` times as long on average. Shipped layouts are as random as the others. */
static void simulate(const struct scenario *s, unsigned programs, double ratio, gsl_rng *rng,
                     struct experiment *e) {
	unsigned ids = programs * (s->layouts + 1), order[PROGRAMS_MOST * (LAYOUTS_MOST + 1)];
	double factor[PROGRAMS_MOST * (LAYOUTS_MOST + 1) * RUNS_MOST];
	e->scenario = s;
	e->programs = programs;
	ifr_dataset_init(&e->dataset);
	add_facts(&e->dataset);
	for (unsigned id = 0; id < ids; id++) {
		order[id] = id;
		add_variant(e, id,
		            level_ns * (id % programs ? ratio : 1) * (1 + draw_effect(rng, s->shape, s->layout_sd)));
	}
	draw_noise(s, rng, factor, ids * s->repetitions);
	for (unsigned i = 0; i < ids * s->repetitions; i++) {
		if (i % ids == 0)
			gsl_ran_shuffle(rng, order, ids, sizeof *order);
		struct ifr_dataset_run *run = ifr_dataset_add_run(&e->dataset);
		run->variant = order[i % ids];
		run->repetition = i / ids;
		run->started_ns = 1 + (int64_t)i * 1000;
		run->value[0] = e->level[run->variant] * factor[i];
	}
}

/* --- counting false claims -------------------------------------------------------------------------------------- */

struct count {
	unsigned made, false_ones;
};

static void count(struct count *count, bool made, bool is_true) {
	count->made += made;
	count->false_ones += made && !is_true;
}

static bool holds(const struct ifr_interval *interval, double truth) {
	return interval->low <= truth && truth <= interval->high;
}

/* More than `most` of all would be false in 1 of 1000 tests at most. */
static void expect_at_most(const char *claim, const struct scenario *s, const struct count *c, double most) {
	double share = c->made ? (double)c->false_ones / c->made : 0;
	print_message("%-38s %-32s %5.1f %% of %u\n", s->name, claim, 100 * share, c->made);
	if (c->false_ones && gsl_cdf_binomial_Q(c->false_ones - 1, most, c->made) < 0.001)
		fail_msg("%s: \"%s\" is false in %u of %u experiments, and may be in %.1f %%", s->name, claim,
		         c->false_ones, c->made, 100 * most);
}

static gsl_rng *seeded(unsigned long seed) {
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	gsl_rng_set(rng, seed);
	return rng;
}

static unsigned scenario_count(void) {
	return at_depth(SCENARIOS_QUICK, sizeof scenarios / sizeof *scenarios);
}

/* --- comparisons ------------------------------------------------------------------------------------------------ */

struct comparison_counts {
	struct count interval, p, equal, effect, shipped, regression;
};

static void count_comparison(const struct scenario *s, double ratio, gsl_rng *rng,
                             struct comparison_counts *counts) {
	const struct ifr_comparison_rules rules = {.margin = margin, .fail_above = change - 1};
	struct experiment e;
	struct ifr_comparison c;
	simulate(s, 2, ratio, rng, &e);
	const struct ifr_comparison_side old = {&e.dataset, 0, "old", NULL}, new = {&e.dataset, 1, "new", NULL};
	assert_int_equal(ifr_comparison_make(&old, &new, NULL, &rules, &c, NULL), 0);
	bool differs = c.interval.low > 1 || c.interval.high < 1;
	assert_int_equal(c.p < 0.05, differs);
	double shipped = e.level[1] / e.level[0];
	count(&counts->interval, true, holds(&c.interval, ratio));
	count(&counts->p, ratio == 1, c.p >= 0.05);
	count(&counts->equal, ratio == change, c.verdict != IFR_VERDICT_NO_CHANGE);
	count(&counts->effect, true, holds(&c.layout_effect_interval, shipped / ratio));
	count(&counts->shipped, true, holds(&c.shipped_interval, shipped));
	count(&counts->regression, ratio == change, !c.regressed);
	ifr_dataset_release(&e.dataset);
}

/* Intervals of the change hold under every disturbance, with and without a change. A change of exactly
 * --fail-above is called a regression in 2.5 %. */
static void test_comparisons(void **state) {
	(void)state;
	const unsigned sets = at_depth(60, 300);
	for (unsigned i = 0; i < scenario_count(); i++) {
		const struct scenario *s = &scenarios[i];
		struct comparison_counts counts = {.interval = {0}};
		for (int changed = 0; changed < 2; changed++) {
			gsl_rng *rng = seeded(100 + 50 * (unsigned)changed + i);
			for (unsigned set = 0; set < sets; set++)
				count_comparison(s, changed ? change : 1, rng, &counts);
			gsl_rng_free(rng);
		}
		expect_at_most("interval of the change", s, &counts.interval, 0.05);
		expect_at_most("a change where there is none", s, &counts.p, 0.05);
		expect_at_most("no change, under one of 2 %", s, &counts.equal, 0.025);
		expect_at_most("interval of the layout effect", s, &counts.effect, 0.01);
		/* Resampled from residuals of few runs: 94 %. */
		expect_at_most("interval of the shipped files", s, &counts.shipped, 0.06);
		expect_at_most("a change above --fail-above", s, &counts.regression, 0.025);
	}
}

/* Adds runs that follow the first repetition: the beginning of the second one, and a twin of every other layout. */
static void add_rest(struct experiment *e, unsigned repeats, gsl_rng *rng) {
	const size_t first = e->dataset.run_count;
	double factor[2 * PROGRAMS_MOST * (LAYOUTS_MOST + 1)];
	draw_noise(e->scenario, rng, factor, repeats + (unsigned)first / 2);
	for (size_t i = 0; i < repeats + first / 2; i++) {
		const bool twin = i >= repeats;
		const unsigned variant = twin ? (unsigned)(2 * (i - repeats)) : e->dataset.runs[i].variant;
		struct ifr_dataset_run *run = ifr_dataset_add_run(&e->dataset);
		run->variant = variant;
		run->repetition = !twin;
		run->twin = twin;
		run->started_ns = 1 + (int64_t)(first + i) * 1000;
		run->value[0] = e->level[variant] * factor[i];
	}
}

/* A comparison that ends early, of programs and shipped files that are alike: the few layouts with a second run give no
 * interval, or one that holds. */
static void test_few_repeats(void **state) {
	(void)state;
	static const struct scenario cut[] = {
		{"similar layouts, one run", 32, 1, NORMAL, 0, 0.03, {0}},
		{"layouts, one run", 32, 1, NORMAL, 0.015, 0.005, {0}},
		{"outliers, one run", 32, 1, NORMAL, 0, 0.01, {.outliers = 0.1}},
	};
	static const unsigned repeats[] = {0, 1, 5, 12};
	const struct ifr_comparison_rules rules = {.margin = margin};
	const unsigned sets = at_depth(30, 500);
	for (unsigned i = 0; i < at_depth(2, sizeof cut / sizeof *cut); i++) {
		struct count effect = {0};
		gsl_rng *rng = seeded(300 + i);
		for (unsigned set = 0; set < 4 * sets; set++) {
			struct experiment e;
			struct ifr_comparison c;
			simulate(&cut[i], 2, 1, rng, &e);
			add_rest(&e, repeats[set % 4], rng);
			const struct ifr_comparison_side old = {&e.dataset, 0, "old", NULL},
											 new = {&e.dataset, 1, "new", NULL};
			assert_int_equal(ifr_comparison_make(&old, &new, NULL, &rules, &c, NULL), 0);
			assert_int_equal(c.has_layout_effect, repeats[set % 4] >= 5);
			assert_int_equal(c.repeats, repeats[set % 4]);
			assert_true(c.has_layout_effect || (c.verdict != IFR_VERDICT_LAYOUT && c.verdict != IFR_VERDICT_BOTH));
			count(&effect, c.has_layout_effect, holds(&c.layout_effect_interval, e.level[1] / e.level[0]));
			ifr_dataset_release(&e.dataset);
		}
		gsl_rng_free(rng);
		expect_at_most("interval of the layout effect", &cut[i], &effect, 0.01);
	}
}

/* --- single experiments ----------------------------------------------------------------------------------------- */

struct analysis_counts {
	struct count differ, mean, centre, sd, standing, faster, best, gain, again;
};

/* The share of all layouts that are faster than one whose effect is that. */
static double share_below(enum shape shape, double effect_sd) {
	if (shape == EXPONENTIAL)
		return gsl_cdf_exponential_P(effect_sd + 1, 1);
	if (shape == NORMAL)
		return gsl_cdf_ugaussian_P(effect_sd);
	double x = effect_sd * sqrt(1.89 + 0.25);
	return 0.3 * gsl_cdf_gaussian_P(x - 2.1, 0.5) + 0.7 * gsl_cdf_gaussian_P(x + 0.9, 0.5);
}

static double median_effect(enum shape shape) {
	double low = -3, high = 3;
	for (int i = 0; i < 60; i++)
		*(share_below(shape, (low + high) / 2) < 0.5 ? &low : &high) = (low + high) / 2;
	return low;
}

/* Whether the machine leaves the level of all runs alone. A mean is one under the machine's conditions: where it is
 * slower half of the time, so is the mean, and no truth is left to compare it with. */
static bool keeps_level(const struct machine *m) {
	return !m->runs_between_bursts && !(m->outliers > 0) && !(m->drift > 0) && !(m->correlated > 0);
}

/* The median of as many runs of a layout as before, on a machine that keeps the level. */
static double measure_again(const struct scenario *s, double level, gsl_rng *rng) {
	double runs[RUNS_MOST], median = 0;
	for (unsigned i = 0; i < s->repetitions; i++)
		runs[i] = level * (1 + gsl_ran_gaussian(rng, s->noise_sd));
	ifr_sample_median(runs, s->repetitions, &median, NULL);
	return median;
}

static void count_analysis(const struct scenario *s, gsl_rng *rng, struct analysis_counts *counts) {
	struct experiment e;
	struct ifr_analysis *a;
	simulate(s, 1, 1, rng, &e);
	assert_int_equal(ifr_analysis_make(&e.dataset, NULL, &a, NULL), 0);
	double shipped = e.level[0], median = level_ns * (1 + s->layout_sd * median_effect(s->shape));
	double share = share_below(s->shape, (shipped / level_ns - 1) / s->layout_sd);
	size_t best = (size_t)(a->best.layout->variant - e.dataset.variants);
	count(&counts->mean, keeps_level(&s->machine), holds(&a->mean.interval, level_ns));
	count(&counts->centre, keeps_level(&s->machine) && a->has_centre_interval, holds(&a->centre_interval, median));
	count(&counts->differ, s->layout_sd <= EQUAL, a->components.p >= 0.05);
	assert_true(a->components.between_interval.high > 0);
	count(&counts->sd, true, holds(&a->components.between_interval, s->layout_sd * level_ns));
	count(&counts->standing, a->shipped_to_centre.has_interval,
	      holds(&a->shipped_to_centre.interval_pct, 100 * (shipped - median) / a->centre));
	count(&counts->faster, a->has_faster_share, holds(&a->faster_share, share));
	count(&counts->best, a->best.to_shipped.has_interval,
	      holds(&a->best.to_shipped.interval_pct, 100 * (e.level[best] - shipped) / a->shipped->median));
	count(&counts->gain, a->best.again.has_interval,
	      holds(&a->best.again.interval_pct, 100 * (e.level[best] - shipped) / a->shipped->median));
	if (keeps_level(&s->machine))
		count(&counts->again, a->best.predicted,
		      holds(&a->best.prediction.again, measure_again(s, e.level[best], rng)));
	ifr_analysis_free(a);
	ifr_dataset_release(&e.dataset);
}

static void test_analyses(void **state) {
	(void)state;
	const unsigned sets = at_depth(60, 300);
	for (unsigned i = 0; i < scenario_count(); i++) {
		const struct scenario *s = &scenarios[i];
		struct analysis_counts counts = {.mean = {0}};
		gsl_rng *rng = seeded(200 + i);
		for (unsigned set = 0; set < sets; set++)
			count_analysis(s, rng, &counts);
		gsl_rng_free(rng);
		expect_at_most("interval of the mean", s, &counts.mean, 0.05);
		expect_at_most("interval of the median layout", s, &counts.centre, 0.05);
		expect_at_most("layouts differ where they do not", s, &counts.differ, 0.05);
		expect_at_most("interval of the deviation", s, &counts.sd, 0.08);
		expect_at_most("interval of the standing", s, &counts.standing, 0.05);
		expect_at_most("interval of the faster share", s, &counts.faster, 0.05);
		expect_at_most("interval of the best against shipped", s, &counts.best, 0.05);
		/* The prediction takes layouts for normal: 93 % where they are not, or the machine drifts. */
		expect_at_most("interval of the gain", s, &counts.gain, 0.07);
		expect_at_most("the best layout measured again", s, &counts.again, 0.07);
	}
}

int main(void) {
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_comparisons), cmocka_unit_test(test_few_repeats),
	                                   cmocka_unit_test(test_analyses)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
