/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/commands/compare_benchmarks.h"

#include <math.h>
#include <stdlib.h>

struct ifr_comparison_rules compare_rules(const struct compare_options *options,
                                          const struct compare_inputs *inputs,
                                          const struct ifr_comparison_side sides[2]) {
	struct ifr_comparison_rules rules = options->rules;
	const char *confidence = ifr_dataset_fact(sides[0].dataset, "confidence");
	if (inputs->count == 1 && confidence)
		rules.confidence = fmin(fmax(strtod(confidence, NULL), 0.5), 1 - 1e-12);
	return rules;
}

void compare_find_sides(const struct compare_inputs *inputs, const struct compare_trial *trial,
                        struct ifr_comparison_side sides[2]) {
	const struct compare_input *old = &inputs->input[0], *new = &inputs->input[1];
	bool apart = inputs->count == 2 && old->kind == INPUT_EXPERIMENT;
	const struct ifr_dataset *both = inputs->count == 1 ? &old->dataset : &trial->dataset;
	const char *recorded[2] = {ifr_dataset_program_name(both, 0), ifr_dataset_program_name(both, 1)};
	sides[0] = (struct ifr_comparison_side){apart ? &old->dataset : both, 0, old->name, NULL};
	sides[1] = (struct ifr_comparison_side){apart ? &new->dataset : both, apart ? 0 : 1, new->name, NULL};
	for (int i = 0; i < 2 && inputs->count == 1; i++)
		sides[i].name = recorded[i] ? recorded[i] : "a program";
}

/* Whether some run of a side has a value of the counter. */
static bool has_values(const struct ifr_comparison_side *side, const char *name) {
	const struct ifr_dataset *dataset = side->dataset;
	int counter = ifr_dataset_counter(dataset, name);
	for (size_t i = 0; i < dataset->run_count && counter >= 0; i++)
		if (dataset->variants[dataset->runs[i].variant].program == side->program &&
		    isfinite(dataset->runs[i].value[counter]))
			return true;
	return false;
}

void compare_list_benchmarks(const struct compare_options *options, const struct compare_inputs *inputs,
                             const struct compare_trial *trial, struct ifr_strings *names) {
	struct ifr_comparison_side sides[2];
	compare_find_sides(inputs, trial, sides);
	for (int side = 0; side < 2 && !trial->failure && !options->printing.metric; side++)
		for (size_t i = 0; i < sides[side].dataset->counter_count; i++) {
			const struct ifr_dataset_counter *counter = &sides[side].dataset->counters[i];
			if (ifr_counter_is_figure(counter) && !ifr_strings_contain(names, counter->name))
				ifr_strings_add(names, counter->name);
		}
}

/* Whether a side lacks the benchmark: the index of the other one, or -1 where both or neither have it. */
static int find_only(const struct ifr_comparison_side sides[2], const char *benchmark) {
	const bool has_old = has_values(&sides[0], benchmark), has_new = has_values(&sides[1], benchmark);
	return has_old == has_new ? -1 : has_new;
}

size_t compare_count_benchmarks(const struct compare_inputs *inputs, const struct compare_trial *trial,
                                const struct ifr_strings *names) {
	struct ifr_comparison_side sides[2];
	size_t count = 0;
	compare_find_sides(inputs, trial, sides);
	for (size_t i = 0; i < names->count; i++)
		count += find_only(sides, names->items[i]) < 0;
	return count;
}

void compare_benchmark(const struct compare_options *options, const struct compare_inputs *inputs,
                       const struct compare_trial *trial, const char *command_name, const char *benchmark,
                       size_t family, struct ifr_strings *texts, struct ifr_comparison_entry *entry) {
	struct ifr_comparison_side sides[2];
	struct ifr_error err = {0};
	compare_find_sides(inputs, trial, sides);
	struct ifr_comparison_rules rules = compare_rules(options, inputs, sides);
	rules.family = family;
	ifr_strings_take(texts, ifr_format("%s%s%s", command_name, *command_name ? ": " : "", benchmark));
	*entry = (struct ifr_comparison_entry){
		.name = texts->items[texts->count - 1], .benchmark = benchmark, .command = trial->command};
	const int only = find_only(sides, benchmark);
	if (only >= 0)
		ifr_fail(&err, IFR_E_USAGE, "only %s has it", sides[only].name);
	else
		ifr_comparison_make(&sides[0], &sides[1], benchmark, &rules, &entry->main, &err);
	if (err.code) {
		ifr_strings_add(texts, err.message);
		entry->failure = texts->items[texts->count - 1];
	}
}
