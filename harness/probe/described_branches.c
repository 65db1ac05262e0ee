/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Branches of a described machine: BTB, histories, return stack. */
#include "harness/probe/described.h"
#include "harness/probe/findings.h"
#include "harness/probe/history.h"

#include <stdlib.h>
#include <string.h>

enum {
	BRANCHES_MOST = 1 << 16,
	CALLS_MOST = 2048,
	CODE_MOST = 1 << 30,
	CURVE_CODE_MOST = 1 << 26,
	NEAREST = 4, /* bytes between the nearest branches of a curve */
	MANY_BRANCHES = 80
};

/* Less than half an event in a period is none. Where the interval has the half inside, the answer is unclear. */
enum probe_answer probe_events_fit(void *data, const struct probe_places *places) {
	const struct probe_events_question *question = data;
	struct probe_kernel kernel;
	probe_kernel_init(&kernel, 0);
	question->build(&kernel, places);
	const double elements = (double)kernel.elements;
	const struct probe_estimate rate = probe_modelled_estimate(question->model, &kernel, question->event);
	probe_kernel_release(&kernel);
	if (!rate.told)
		return PROBE_UNCLEAR;
	return rate.high * elements < 0.5 ? PROBE_YES : rate.low * elements < 0.5 ? PROBE_UNCLEAR : PROBE_NO;
}

/* A lowest index bit shows only where there is more than one set. */
static void tell_index_bit(struct probe_described *probe, const char *key,
                           const struct probe_organisation *found) {
	if (found->ways && found->ways < found->entries)
		probe_tell(probe->result, IFR_PROBE_BTB, key, "", __builtin_ctzll(found->granule),
		           "the largest distance at which %zu branches fit", found->entries);
	else
		probe_tell_nothing(probe->result, IFR_PROBE_BTB, key, "one set has no index");
}

/* Adds the curve of a chain: misses of a branch by the distance of branches, each twice the one before.
 * Ref: Milenković et al. 2004, figures 7, 8 and 18, tables II and III. */
static void keep_misses(struct probe_described *probe, size_t branches, uint64_t farthest) {
	size_t count = 0;
	for (uint64_t distance = NEAREST; distance <= farthest && distance * branches <= CURVE_CODE_MOST;
	     distance *= 2)
		count++;
	char *title = ifr_format("misses of the BTB for each of %zu branches", branches);
	struct ifr_probe_curve *curve =
		probe_add_curve(probe->result, IFR_PROBE_BTB, title, "bytes from branch to branch", count);
	for (size_t i = 0; i < count; i++) {
		const uint64_t distance = (uint64_t)NEAREST << i;
		struct probe_kernel kernel;
		probe_kernel_init(&kernel, 0);
		probe_branch_chain(&kernel, &(struct probe_places){branches, 1, distance, distance});
		const struct probe_estimate missed = probe_modelled_estimate(&probe->model, &kernel, IFR_EVENT_BTB_MISSES);
		const double values[] = {(double)distance, missed.value, missed.low, missed.high};
		probe_kernel_release(&kernel);
		memcpy(curve->points[i], values, sizeof values);
	}
	free(title);
}

/* Curves of as many branches as there are entries, of twice as many, which never fit, and of one to four sets: up to the
 * distance behind which no number of branches fits. */
static void keep_curves(struct probe_described *probe, const struct probe_organisation *found) {
	if (!found->ways || !found->span)
		return;
	keep_misses(probe, 2 * found->entries, 2 * found->span);
	keep_misses(probe, found->entries, 2 * found->span);
	for (size_t sets = 4; sets && sets * found->ways < found->entries; sets /= 2)
		keep_misses(probe, sets * found->ways, 2 * found->span);
}

/* Whether the first byte stands for a branch or the last: branches whose last bytes lie in one set, and whose first bytes
 * lie in two, in turn. Twice as many as ways fit by their first bytes. */
static void tell_branch_byte(struct probe_described *probe, const struct probe_organisation *found, bool is_only) {
	static const char key[] = "core.branch_byte";
	struct probe_kernel kernel;
	size_t groups = 1;
	/* More than inner levels hold. */
	while (!is_only && 32 * groups * found->ways < found->entries)
		groups *= 2;
	if (!found->ways || 4 * groups * found->ways > found->entries || found->granule < 4) {
		probe_tell_nothing(probe->result, IFR_PROBE_BTB, key, "one set, or entries of few bytes");
		return;
	}
	probe_kernel_init(&kernel, 0);
	probe_branch_pairs(&kernel,
	                   &(struct probe_places){2 * found->ways * groups, groups, found->granule, found->span});
	const double elements = (double)kernel.elements;
	const bool fit = probe_modelled_rate(&probe->model, &kernel, IFR_EVENT_BTB_MISSES) * elements < 0.5;
	probe_tell_word(probe->result, IFR_PROBE_BTB, key, fit ? "first" : "last",
	                "branches that end in one set, of which twice as many fit if they begin in two");
}

/* The event counts branches that no level has, so the largest level shows. No event tells which one that is: its number,
 * nothing else, is taken from the description. */
static unsigned find_largest_level(const unsigned *values, unsigned *levels) {
	static const enum ifr_setting all[] = {IFR_BTB1_ENTRIES, IFR_BTB2_ENTRIES, IFR_BTB3_ENTRIES};
	unsigned largest = 0;
	*levels = 0;
	for (unsigned i = 0; i < 3 && values[all[i]]; i++) {
		largest = values[all[i]] > values[all[largest]] ? i : largest;
		++*levels;
	}
	return largest;
}

/* The largest level, by the event: branches that no level has. */
static void tell_largest(struct probe_described *probe, unsigned largest, bool is_only) {
	static const char *const keys[3][3] = {{"btb1.entries", "btb1.ways", "btb1.index_bit"},
	                                       {"btb2.entries", "btb2.ways", "btb2.index_bit"},
	                                       {"btb3.entries", "btb3.ways", "btb3.index_bit"}};
	struct probe_events_question events = {&probe->model, probe_branch_chain, IFR_EVENT_BTB_MISSES};
	const struct probe_question question = {probe_events_fit, &events, BRANCHES_MOST, CODE_MOST};
	struct probe_organisation found;
	probe_find_organisation(&question, 2, 0, &found);
	if (!is_only && found.entries && found.granule)
		probe_find_ways(&question, &found, found.entries / 16);
	/* Nearer than 8 bytes the loop's own branch falls into the set of others, or into one that all others leave out: then
	 * one more than half fit 8 bytes apart, and no half of those at twice the distance. */
	if (!found.entries || found.granule < 8 || ((is_only || probe->model.source) && !found.ways)) {
		probe_tell_nothing(probe->result, IFR_PROBE_BTB, keys[largest][0],
		                   "branches 8 bytes apart show no sets, or all fit");
		return;
	}
	probe_tell(
		probe->result, IFR_PROBE_BTB, keys[largest][0], "", (double)found.entries,
		"always-taken branches that are found, over and over, at the best distance (figure 7 of the paper)");
	if (found.ways)
		probe_tell(probe->result, IFR_PROBE_BTB, keys[largest][1], "", (double)found.ways,
		           "branches that are found at any distance (figure 9 of the paper)");
	else
		probe_tell_nothing(probe->result, IFR_PROBE_BTB, keys[largest][1],
		                   "capacities do not halve with distances");
	tell_index_bit(probe, keys[largest][2], &found);
	keep_curves(probe, &found);
	if (!probe->model.source)
		tell_branch_byte(probe, &found, is_only);
}

static double measure_jump(struct probe_described *probe, bool far) {
	struct probe_kernel kernel;
	probe_kernel_init(&kernel, 0);
	probe_there_and_back(&kernel, far);
	return probe_described_event(probe, &kernel, IFR_EVENT_CYCLES);
}

static void tell_far(struct probe_described *probe) {
	probe_described_tell_cycles(probe, IFR_PROBE_BTB, "fetch.far",
	                            measure_jump(probe, true) - measure_jump(probe, false),
	                            "a jump by memory to code 2^40 bytes away, less one to near code");
}

/* Without a core's cycles the number of the largest level, nothing else, is taken from the description. A processor's
 * counters must show its sets: hashed or shared entries look like fewer. */
void probe_described_btb(struct probe_described *probe) {
	static const char *const entries[] = {"btb1.entries", "btb2.entries", "btb3.entries"};
	unsigned levels, inner = 0;
	const unsigned largest = find_largest_level(probe->model.machine->values, &levels);
	const bool has_core = !probe->model.source && ifr_machine_has_core(probe->model.machine);
	if (has_core)
		inner = probe_described_levels(probe, levels);
	tell_largest(probe, inner ? inner : largest, levels < 2);
	for (unsigned level = 0; level < levels; level++)
		if (!ifr_probe_find(probe->result, entries[level]))
			probe_tell_nothing(probe->result, IFR_PROBE_BTB, entries[level],
			                   "no branch is found in this level sooner than in another");
	if (has_core)
		tell_far(probe);
}

/* --- histories --------------------------------------------------------------------------------------------------- */

/* The interference check: a loop is run at three places and spacings, and the fewest mispredictions count. Branches that
 * share an entry in one of them do not in another. Of many branches a few that share one change little.
 * Odd spacings keep the low bits of all addresses apart. */
static double count_missed(void *data, const struct probe_item *items, size_t count, size_t rounds) {
	static const struct {
		unsigned spacing;
		uint64_t offset;
	} places[] = {{17, 0}, {9, 0x1234}, {23, 0x40a7}};
	enum { PLACES = sizeof places / sizeof *places };
	struct probe_described *probe = data;
	double least = 1;
	for (size_t i = 0; i < (count > MANY_BRANCHES ? 1 : PLACES) && least > 0; i++) {
		struct probe_kernel kernel;
		probe_kernel_init(&kernel, 0);
		probe_pattern_loop(&kernel, items, count, rounds, places[i].spacing, places[i].offset);
		const double missed = probe_modelled_rate(&probe->model, &kernel, IFR_EVENT_CONDITIONAL_MISSES);
		if (!i || missed < least)
			least = missed;
	}
	return least;
}

static void keep_step(void *data, unsigned step, unsigned parameter, double missed) {
	struct probe_described *probe = data;
	probe_add_step(probe->result, step, parameter, missed);
}

static void tell_history(struct ifr_probe_result *result, const char *key, enum probe_part_of_history part,
                         unsigned bits, const char *experiment) {
	if (part == PROBE_HISTORY_UNTOLD)
		probe_tell_nothing(result, IFR_PROBE_HISTORY, key, "every pattern up to %d is predicted",
		                   PROBE_LONGEST_PATTERN - 1);
	else
		probe_tell(result, IFR_PROBE_HISTORY, key, "bits", part == PROBE_HISTORY_BITS ? bits : 0, "%s",
		           experiment);
}

static void tell_correlation(struct ifr_probe_result *result, const char *key, unsigned found,
                             const char *experiment) {
	if (found >= PROBE_FARTHEST_BRANCH)
		probe_tell_nothing(result, IFR_PROBE_HISTORY, key, "%d branches between, and still predicted",
		                   PROBE_FARTHEST_BRANCH);
	else
		probe_tell(result, IFR_PROBE_HISTORY, key, "branches", found, "%s", experiment);
}

/* The history of a description's predictor, where the experiments show it as a setting. */
static void tell_setting(struct ifr_probe_result *result, const struct probe_histories *histories,
                         unsigned outcomes) {
	const bool is_local = histories->local == PROBE_HISTORY_BITS && histories->global == PROBE_HISTORY_NONE;
	if (is_local)
		probe_tell(result, IFR_PROBE_HISTORY, "direction.history", "bits", histories->local_bits,
		           "steps 1 and 2 of the paper: a local history, and no global one");
	else if (histories->global == PROBE_HISTORY_BITS && histories->local == PROBE_HISTORY_NONE &&
	         outcomes < PROBE_FARTHEST_BRANCH)
		probe_tell(result, IFR_PROBE_HISTORY, "direction.history", "bits", outcomes,
		           "distance of two branches with equal random outcomes, of which the second is predicted");
}

/* The steps take it that each conditional branch enters a global history. Then it ends the correlation of two branches
 * when it is full: step 2 gives it up to a bit. */
static bool is_consistent(const struct probe_histories *histories, unsigned conditional) {
	if (histories->global == PROBE_HISTORY_NONE)
		return !conditional;
	if (histories->global != PROBE_HISTORY_BITS)
		return true;
	return conditional >= histories->global_bits && conditional <= histories->global_bits + 1;
}

/* A path history of taken branches. Ref: Yavarzadeh et al. 2023, section 3: two bits for each. */
static void tell_path(struct ifr_probe_result *result, unsigned taken) {
	if (taken < PROBE_FARTHEST_BRANCH)
		probe_tell(result, IFR_PROBE_HISTORY, "path-history", "bits", 2 * taken,
		           "two for each jump between two correlated branches");
}

void probe_described_history(struct probe_described *probe) {
	const struct probe_outcomes outcomes = {count_missed, keep_step, probe, probe->seed};
	struct probe_histories histories;
	probe_histories_find(&outcomes, &histories);
	const unsigned conditional = probe_correlation_find(&outcomes, PROBE_ITEM_PATTERN, histories.local_bits),
				   taken = probe_correlation_find(&outcomes, PROBE_ITEM_JUMP, histories.local_bits);
	if (histories.longest_pattern < PROBE_LONGEST_PATTERN)
		probe_tell(probe->result, IFR_PROBE_HISTORY, "longest-pattern", "", histories.longest_pattern,
		           "step 1 of the paper: the longest pattern 1...10 that is predicted");
	else
		probe_tell_nothing(probe->result, IFR_PROBE_HISTORY, "longest-pattern",
		                   "every pattern up to %d is predicted", PROBE_LONGEST_PATTERN - 1);
	if (is_consistent(&histories, conditional)) {
		tell_history(probe->result, "local-history", histories.local, histories.local_bits,
		             "steps 1, 2 and 6 of the paper");
		tell_history(probe->result, "global-history", histories.global, histories.global_bits,
		             "steps 1 to 5 of the paper");
		tell_setting(probe->result, &histories, conditional);
	} else {
		static const char why[] =
			"branches that are not taken do not enter the history, as the paper's steps assume";
		probe_tell_nothing(probe->result, IFR_PROBE_HISTORY, "local-history", why);
		probe_tell_nothing(probe->result, IFR_PROBE_HISTORY, "global-history", why);
		tell_path(probe->result, taken);
	}
	tell_correlation(probe->result, "correlation-not-taken", conditional,
	                 "distance of two correlated branches, with branches between that are not taken");
	tell_correlation(probe->result, "correlation-taken", taken,
	                 "distance of two correlated branches, with jumps between");
	if (probe->model.source)
		return;
	probe_described_loops(probe);
	probe_described_targets(probe);
	probe_described_kinds(probe);
}

/* --- return stack ------------------------------------------------------------------------------------------------ */

static void build_nest(struct probe_kernel *kernel, const struct probe_places *places) {
	probe_call_nest(kernel, places->count);
}

void probe_described_returns(struct probe_described *probe) {
	struct probe_events_question events = {&probe->model, build_nest, IFR_EVENT_RETURN_MISSES};
	const struct probe_question question = {probe_events_fit, &events, CALLS_MOST, CODE_MOST};
	const size_t entries = probe_find_capacity(&question, 1, 1, 1, 0);
	if (entries)
		probe_tell(probe->result, IFR_PROBE_RETURN, "return_stack.entries", "", (double)entries,
		           "nested calls whose returns are all predicted");
	else
		probe_tell_nothing(probe->result, IFR_PROBE_RETURN, "return_stack.entries",
		                   "the returns of up to %d calls are all predicted", CALLS_MOST);
}
