/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sides of a trial of interfero compare, and the comparisons of the program's own benchmarks. Private to the
 * command. */
#ifndef IFR_HARNESS_COMPARE_BENCHMARKS_H
#define IFR_HARNESS_COMPARE_BENCHMARKS_H

#include "harness/commands/compare_trials.h"

/* The comparison under one command. */
/* The part of a suite's budget that a trial had, and what it lacked. */
struct compare_time {
	int64_t part_ns, used_ns;
	int64_t least_ns, enough_s; /* of struct ifr_campaign_result; 0: not known */
	bool ended;                 /* before there was anything to compare */
	bool again;                 /* measured once more, in the time that the others left */
};

struct compare_trial {
	const char *name; /* "" without a suite */
	struct compare_inputs *inputs;
	char *command, *file, *failure;
	struct ifr_dataset dataset;
	int status; /* 0, or an exit status */
	struct compare_time time;
};

/* The rules under which a trial is compared: those of its own interim analyses, where it was measured before. */
struct ifr_comparison_rules compare_rules(const struct compare_options *options,
                                          const struct compare_inputs *inputs,
                                          const struct ifr_comparison_side sides[2]);
void compare_find_sides(const struct compare_inputs *inputs, const struct compare_trial *trial,
                        struct ifr_comparison_side sides[2]);

/* Adds the benchmarks of both sides, each once. Where the user names a metric, that one is compared, and none is
 * added. */
void compare_list_benchmarks(const struct compare_options *options, const struct compare_inputs *inputs,
                             const struct compare_trial *trial, struct ifr_strings *names);
/* The number of these benchmarks that both sides have. */
size_t compare_count_benchmarks(const struct compare_inputs *inputs, const struct compare_trial *trial,
                                const struct ifr_strings *names);
/* Fills in the entry of a benchmark, whose verdict holds together with those of the family. command_name: "" without a
 * suite. texts owns the entry's name and failure. */
void compare_benchmark(const struct compare_options *options, const struct compare_inputs *inputs,
                       const struct compare_trial *trial, const char *command_name, const char *benchmark,
                       size_t family, struct ifr_strings *texts, struct ifr_comparison_entry *entry);

#endif
