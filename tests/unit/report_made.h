/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Made-up experiments, whose true values are known because they were put in. */
#ifndef IFR_TESTS_REPORT_MADE_H
#define IFR_TESTS_REPORT_MADE_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "harness/store/dataset.h"

struct recipe {
	unsigned variants, rounds;
	double centre, between, within; /* of duration_time, in ns; the last two relative */
	double second_group;            /* relative shift of every other layout */
	unsigned refused;               /* this variant, if not 0 */
	bool perf;                      /* cycles, instructions and branch-misses in two passes as well */
	const char *program;
};

static inline void add_counter(struct ifr_dataset *dataset, const char *name, const char *unit,
                               const char *source) {
	struct ifr_dataset_counter *counter = ifr_dataset_add_counter(dataset);
	strcpy(counter->name, name);
	strcpy(counter->unit, unit);
	strcpy(counter->source, source);
}

static inline void add_facts(struct ifr_dataset *dataset, const struct recipe *recipe) {
	const char *const facts[][2] = {{"tool version", "0.1.0"},
	                                {"program", recipe->program},
	                                {"command", "./lua fib.lua 32"},
	                                {"kit", "3c6741592ad30c5b"},
	                                {"seed", "42"},
	                                {"axes", "functions,padding"},
	                                {"host", "bench1"},
	                                {"processor", "Example CPU 9000"},
	                                {"kernel", "6.1.0"},
	                                {"pinned to", "CPU 1"},
	                                {"aslr", "off"},
	                                {"started", "2024-01-02 03:04:05 UTC"}};
	for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
		ifr_dataset_add_fact(dataset, facts[i][0], facts[i][1]);
}

static inline void add_variants(struct ifr_dataset *dataset, const struct recipe *recipe) {
	for (unsigned i = 0; i < recipe->variants; i++) {
		struct ifr_dataset_variant *variant = ifr_dataset_add_variant(dataset);
		struct ifr_buffer text = {0};
		struct ifr_plan plan;
		ifr_plan_init(&plan);
		ifr_plan_derive(&plan, 42, 1u << IFR_AXIS_FUNCTIONS | 1u << IFR_AXIS_PADDING, i);
		ifr_plan_print(&plan, &text);
		variant->layout = i;
		snprintf(variant->name, sizeof variant->name, i ? "v%03u" : "shipped", i);
		variant->plan = i ? ifr_buffer_detach(&text) : ifr_strdup("");
		variant->build_id = ifr_strdup("");
		variant->facts = ifr_strdup("");
		variant->refused =
			i && i == recipe->refused ? ifr_strdup("printed something else than the original") : NULL;
		ifr_buffer_release(&text);
	}
}

/* CPI = 0.5 + 0.025 MPKI + a little noise, at 10^9 instructions. */
static inline void add_perf(struct ifr_dataset *dataset, struct ifr_dataset_run *run, double layout,
                            gsl_rng *rng) {
	double mpki = 6 + 60 * layout;
	if (run->pass == 0) {
		run->value[ifr_dataset_counter(dataset, "cycles")] =
			1e9 * (0.5 + 0.025 * mpki) * (1 + gsl_ran_gaussian(rng, 0.001));
		run->value[ifr_dataset_counter(dataset, "instructions")] = 1e9;
	} else {
		run->value[ifr_dataset_counter(dataset, "branch-misses")] =
			1e6 * mpki * (1 + gsl_ran_gaussian(rng, 0.001));
	}
}

static inline void fill(struct ifr_dataset *dataset, const struct recipe *recipe, unsigned long seed) {
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	double layout[512];
	gsl_rng_set(rng, seed);
	ifr_dataset_init(dataset);
	add_facts(dataset, recipe);
	add_counter(dataset, "duration_time", "ns", "clock");
	if (recipe->perf) {
		add_counter(dataset, "cycles", "cycles", "perf");
		add_counter(dataset, "instructions", "", "perf");
		add_counter(dataset, "branch-misses", "", "perf");
	}
	add_variants(dataset, recipe);
	for (unsigned i = 0; i < recipe->variants; i++)
		layout[i] = gsl_ran_gaussian(rng, recipe->between) + (i % 2 ? recipe->second_group : 0);
	for (unsigned round = 0; round < recipe->rounds; round++)
		for (unsigned i = 0; i < recipe->variants; i++)
			for (unsigned pass = 0; pass < (recipe->perf ? 2u : 1u); pass++) {
				struct ifr_dataset_run *run = ifr_dataset_add_run(dataset);
				run->variant = i;
				run->repetition = round;
				run->pass = pass;
				run->value[0] = recipe->centre * (1 + layout[i] + gsl_ran_gaussian(rng, recipe->within));
				if (recipe->perf)
					add_perf(dataset, run, layout[i], rng);
			}
	gsl_rng_free(rng);
}

static const struct recipe usual = {33, 5, 104e6, 0.018, 0.003, 0, 0, false, "./lua"};

#endif
