/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Costs and interaction costs, with their sampling errors.
 *
 * Of the sum over the subsets V of U, in which cost(V) has the sign of the causes that V lacks, the term t(nothing)
 * cancels: icost(U) is the sum of -t(V) with these signs. A fragment of the samples has the same sum, so the error
 * is that of one ratio estimate, of the sum's cycles an instruction: Cochran 1977, "Sampling techniques", 6.3. */
#include "harness/icost/interaction.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const ifr_icost_kinds[] = {"independent", "parallel", "serial"};

static bool is_listed(const struct ifr_icost *icost, uint32_t set) {
	const int count = __builtin_popcount(set);
	return icost->all_subsets || count <= 1 || (!icost->singles && (count == 2 || set == icost->causes));
}

/* The next subset of causes above a set, in ascending order. */
static uint32_t next_subset(uint32_t set, uint32_t causes) {
	return ((set | ~causes) + 1) & causes;
}

static void list_sets(struct ifr_icost *icost) {
	const size_t n = (size_t)__builtin_popcount(icost->causes);
	icost->sets = ifr_alloc((icost->all_subsets ? (size_t)1 << n : 2 + n * (n + 1) / 2) * sizeof *icost->sets);
	uint32_t set = 0;
	do {
		if (is_listed(icost, set))
			icost->sets[icost->count++] = set;
		set = next_subset(set, icost->causes);
	} while (set);
}

void ifr_icost_init(struct ifr_icost *icost, uint32_t causes, bool all_subsets) {
	*icost = (struct ifr_icost){.causes = causes, .all_subsets = all_subsets};
	list_sets(icost);
}

void ifr_icost_init_singles(struct ifr_icost *icost, uint32_t causes) {
	*icost = (struct ifr_icost){.causes = causes, .singles = true};
	list_sets(icost);
}

void ifr_icost_release(struct ifr_icost *icost) {
	free(icost->sets);
	ifr_ideal_times_release(&icost->times);
	*icost = (struct ifr_icost){0};
}

size_t ifr_icost_find(const struct ifr_icost *icost, uint32_t set) {
	size_t low = 0, high = icost->count;
	while (low + 1 < high) {
		const size_t middle = low + (high - low) / 2;
		if (icost->sets[middle] <= set)
			low = middle;
		else
			high = middle;
	}
	return low;
}

double ifr_icost_time(const struct ifr_icost *icost, uint32_t set) {
	return icost->times.cycles[ifr_icost_find(icost, set)];
}

/* A sum of times of sets, each with a weight. */
struct weighted_sum {
	size_t *sets;
	double *weights;
	size_t count;
};

static void sum_add(struct weighted_sum *sum, const struct ifr_icost *icost, uint32_t set, double weight) {
	sum->sets = ifr_realloc(sum->sets, sum->count + 1, sizeof *sum->sets);
	sum->weights = ifr_realloc(sum->weights, sum->count + 1, sizeof *sum->weights);
	sum->sets[sum->count] = ifr_icost_find(icost, set);
	sum->weights[sum->count++] = weight;
}

static double sum_of_fragment(const struct weighted_sum *sum, const struct ifr_ideal_times *times,
                              size_t fragment) {
	double total = 0;
	for (size_t i = 0; i < sum->count; i++)
		total += sum->weights[i] * times->fragment_cycles[sum->sets[i] * times->fragments + fragment];
	return total;
}

static double sum_error(const struct weighted_sum *sum, const struct ifr_ideal_times *times) {
	const double n = (double)times->fragments;
	double values = 0, instructions = 0, squares = 0;
	if (n < 2)
		return 0;
	for (size_t i = 0; i < times->fragments; i++) {
		values += sum_of_fragment(sum, times, i);
		instructions += times->fragment_instructions[i];
	}
	for (size_t i = 0; i < times->fragments; i++) {
		const double residual =
			sum_of_fragment(sum, times, i) - values / instructions * times->fragment_instructions[i];
		squares += residual * residual;
	}
	return times->rest / (instructions / n) * sqrt(squares / (n - 1) / n);
}

/* Evaluates and releases a sum. */
static struct ifr_icost_value sum_end(struct weighted_sum *sum, const struct ifr_ideal_times *times) {
	struct ifr_icost_value value = {.error = sum_error(sum, times)};
	for (size_t i = 0; i < sum->count; i++)
		value.cycles += sum->weights[i] * times->cycles[sum->sets[i]];
	free(sum->sets);
	free(sum->weights);
	return value;
}

struct ifr_icost_value ifr_icost_cost(const struct ifr_icost *icost, uint32_t set) {
	struct weighted_sum sum = {0};
	sum_add(&sum, icost, 0, 1);
	sum_add(&sum, icost, set, -1);
	return sum_end(&sum, &icost->times);
}

struct ifr_icost_value ifr_icost_interaction(const struct ifr_icost *icost, uint32_t set) {
	struct weighted_sum sum = {0};
	uint32_t subset = 0;
	if (!set)
		return (struct ifr_icost_value){0};
	do {
		sum_add(&sum, icost, subset, __builtin_popcount(set ^ subset) % 2 ? 1 : -1);
		subset = next_subset(subset, set);
	} while (subset);
	return sum_end(&sum, &icost->times);
}

/* The cause comes behind the set's others in |set|! (n - |set| - 1)! of n! orders; in each its part is the time without
 * it less the time with it. */
double ifr_icost_share_weight(unsigned n, uint32_t set, enum ifr_cause cause) {
	const bool with = set >> cause & 1;
	const unsigned before = (unsigned)__builtin_popcount(set) - with;
	double weight = 1.0 / n;
	for (unsigned i = 1; i <= before; i++)
		weight *= (double)i / (n - i);
	return with ? -weight : weight;
}

struct ifr_icost_value ifr_icost_share(const struct ifr_icost *icost, enum ifr_cause cause) {
	struct weighted_sum sum = {0};
	const unsigned n = (unsigned)__builtin_popcount(icost->causes);
	for (size_t i = 0; i < icost->count; i++)
		sum_add(&sum, icost, icost->sets[i], ifr_icost_share_weight(n, icost->sets[i], cause));
	return sum_end(&sum, &icost->times);
}

static struct ifr_icost_value value_of_time(const struct ifr_icost *icost) {
	struct weighted_sum sum = {0};
	sum_add(&sum, icost, 0, 1);
	return sum_end(&sum, &icost->times);
}

static bool have_same_fragments(const struct ifr_ideal_times *one, const struct ifr_ideal_times *other) {
	return one->fragments == other->fragments &&
	       (!one->fragments || !memcmp(one->fragment_instructions, other->fragment_instructions,
	                                   one->fragments * sizeof *one->fragment_instructions));
}

struct ifr_icost_value ifr_icost_saving(const struct ifr_icost *before, const struct ifr_icost *after) {
	const struct ifr_icost_value first = value_of_time(before), second = value_of_time(after);
	struct ifr_icost_value saving = {first.cycles - second.cycles, hypot(first.error, second.error)};
	const size_t fragments = before->times.fragments;
	if (!have_same_fragments(&before->times, &after->times) || !fragments)
		return saving;
	/* The two runs as two sets of one. */
	double *cycles = ifr_alloc(2 * fragments * sizeof *cycles);
	memcpy(cycles, before->times.fragment_cycles + ifr_icost_find(before, 0) * fragments,
	       fragments * sizeof *cycles);
	memcpy(cycles + fragments, after->times.fragment_cycles + ifr_icost_find(after, 0) * fragments,
	       fragments * sizeof *cycles);
	struct ifr_ideal_times both = before->times;
	both.fragment_cycles = cycles;
	const struct weighted_sum difference = {(size_t[]){0, 1}, (double[]){1, -1}, 2};
	saving.error = sum_error(&difference, &both);
	free(cycles);
	return saving;
}

enum ifr_icost_kind ifr_icost_kind(const struct ifr_icost *icost, const struct ifr_icost_value *value) {
	const double least = fmax(ifr_icost_time(icost, 0) / 100, 2 * value->error);
	if (fabs(value->cycles) < least)
		return IFR_ICOST_INDEPENDENT;
	return value->cycles > 0 ? IFR_ICOST_PARALLEL : IFR_ICOST_SERIAL;
}

const struct ifr_cause_about *ifr_icost_about(const struct ifr_icost *icost, unsigned cause) {
	return cause < IFR_CAUSES ? &ifr_causes[cause] : &icost->sites[cause - IFR_CAUSES];
}

void ifr_icost_print_set(const struct ifr_icost *icost, uint32_t set, struct ifr_buffer *out) {
	const char *between = "";
	for (unsigned i = 0; i < IFR_CAUSE_LIMIT; i++)
		if (set >> i & 1) {
			ifr_buffer_printf(out, "%s%s", between, ifr_icost_about(icost, i)->name);
			between = "+";
		}
}
