/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Predictors: small tables worked out by hand, histories against their definitions, and for each predictor a
 * pattern that it must learn and a simpler one cannot. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/machines/machine.h"
#include "model/predictors/path_history.h"
#include "model/predictors/tage.h"
#include "tests/unit/model_random.h"

/* Shows a predictor, as a machine has it, one branch after the other. */
struct trial {
	struct ifr_machine *machine;
	void *state;
	uint64_t misses;
};

static struct trial trial_new(const char *spec) {
	struct trial trial = {0};
	struct ifr_error err;
	char whole[256];
	snprintf(whole, sizeof whole, "skylake,predictor=%s", spec);
	if (ifr_machine_open(&trial.machine, whole, &err))
		fail_msg("%s", err.message);
	trial.state = trial.machine->direction->create(trial.machine->direction_values);
	return trial;
}

static uint64_t trial_end(struct trial *trial) {
	trial->machine->direction->destroy(trial->state);
	ifr_machine_free(trial->machine);
	return trial->misses;
}

static bool show(struct trial *trial, uint8_t kind, uint64_t pc, uint64_t target, bool taken) {
	const struct ifr_predictor *predictor = trial->machine->direction;
	const struct ifr_branch_instance branch = {pc, target, kind, taken, target < pc};
	bool missed = false;
	if (kind == IFR_BRANCH_CONDITIONAL) {
		missed = predictor->predict(trial->state, &branch) != taken;
		predictor->train(trial->state, &branch);
	} else if (predictor->stream == IFR_STREAM_CONDITIONAL) {
		return false;
	}
	predictor->track(trial->state, &branch);
	trial->misses += missed;
	return missed;
}

/* An outcome is T or N; after it comes the address's digit: "T1N2". */
static uint64_t misses_of(const char *spec, const char *outcomes) {
	struct trial trial = trial_new(spec);
	for (const char *at = outcomes; *at; at += 2)
		show(&trial, IFR_BRANCH_CONDITIONAL, (uint64_t)(at[1] - '0'), 0, *at == 'T');
	return trial_end(&trial);
}

static void test_by_hand(void **state) {
	(void)state;
	/* The counter goes 1 2 3 2 1: wrong, right, wrong, wrong. */
	assert_int_equal(misses_of("bimodal", "T0T0N0N0"), 3);
	/* Two counters, by the lowest bit: 0 and 2 share one, which goes 1 2 1 2 1; 1 has its own, 1 2 3. */
	assert_int_equal(misses_of("bimodal,direction.counters=2", "T0T1N2T1T0N2"), 5);
	/* Histories 00 01 10 01 10 …: counters 0 and 2 are wrong once each, 1 says N from the start. */
	assert_int_equal(misses_of("gshare,direction.counters=4,direction.history=2", "T0N0T0N0T0N0T0N0"), 2);
	/* 00 01 11 11 11: each of the three counters is wrong once. */
	assert_int_equal(misses_of("gshare,direction.counters=4,direction.history=2", "T0T0T0T0T0"), 3);
	/* Address 3 at history 00 and address 0 at history 11 are one counter: T0 at 00, 01, 11 leave 2 in counter 3;
	 * four N4 (address 0 again by two bits) at 11, 10, 00, 00: wrong, right, wrong, right. Then T3 at 00 meets the
	 * 1 that is left in counter 3: wrong. */
	assert_int_equal(misses_of("gshare,direction.counters=4,direction.history=2", "T0T0T0N4N4N4N4T3"), 6);
	/* A short history meets the upper bit: address 0 at history 0 and 1 are counters 0 and 4, address 1
	 * has 1 and 5. */
	assert_int_equal(misses_of("gshare,direction.counters=8,direction.history=1", "T0N0T0N0T1N1"), 2);
	/* GAs, one outcome beside one address bit: 0|0, 1|1, 0|0, 1|1 … */
	assert_int_equal(misses_of("gas,direction.counters=4,direction.history=1", "T0N1T0N1T0N1"), 1);
	assert_int_equal(misses_of("gas,direction.counters=4,direction.history=1,direction.start=3", "T0N1T0N1T0N1"),
	                 2);
	/* GAg: the address does not matter. */
	assert_int_equal(misses_of("gag,direction.counters=4,direction.history=2", "T0N1T2N3T4N5T6N7"), 2);
	/* Backward taken: a target of 0 lies below 1 and not below 0. */
	assert_int_equal(misses_of("static", "T1N1T0N0"), 2);
	assert_int_equal(misses_of("perfect", "T1N1T0N0"), 0);
	/* The perceptron says taken at 0: wrong once, and then -1 is below 0. */
	assert_int_equal(misses_of("perceptron,direction.history=1", "N0"), 1);
}

static uint64_t misses_of_pattern(const char *spec, const char *pattern, unsigned times, unsigned warm) {
	struct trial trial = trial_new(spec);
	for (unsigned i = 0; i < times; i++) {
		trial.misses = i == warm ? 0 : trial.misses;
		for (const char *at = pattern; *at; at++)
			show(&trial, IFR_BRANCH_CONDITIONAL, 0x400123, 0x400100, *at == 'T');
	}
	return trial_end(&trial);
}

/* Milenković et al., table IV: four bits of local history know 11110, and not 111110, which is wrong once in six.
 */
static void test_local(void **state) {
	(void)state;
	assert_int_equal(misses_of_pattern("local,direction.history=4,direction.start=2", "TTTTN", 100, 20), 0);
	assert_int_equal(misses_of_pattern("local,direction.history=4,direction.start=2", "TTTTTN", 100, 20), 80);
	/* From weakly not taken the one counter of TTTT goes 1 2 1 2, and is wrong both times. */
	assert_int_equal(misses_of_pattern("local,direction.history=4", "TTTTTN", 100, 20), 160);
}

/* A loop of forty iterations: fifteen outcomes before its end are all the same, TAGE's longer histories are not.
 */
static void test_long_loop(void **state) {
	(void)state;
	const char *pattern = "TTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTN";
	assert_int_equal(misses_of_pattern("gshare-8k", pattern, 400, 300), 100);
	assert_in_range(misses_of_pattern("l-tage,direction.loop=0", pattern, 400, 300), 0, 2);
	assert_int_equal(misses_of_pattern("l-tage", pattern, 400, 300), 0);
	assert_in_range(misses_of_pattern("tage-sc-l", pattern, 400, 300), 0, 2);
	assert_int_equal(misses_of_pattern("perceptron,direction.history=40", pattern, 400, 300), 0);
}

/* The same loop with a random branch in every iteration: no history repeats, but iterations can be counted. */
static uint64_t exit_misses(const char *spec) {
	struct trial trial = trial_new(spec);
	uint64_t seed = 6, misses = 0;
	for (unsigned i = 0; i < 40 * 1000; i++) {
		show(&trial, IFR_BRANCH_CONDITIONAL, 0x400210, 0x400300, draw(&seed, 2));
		misses += show(&trial, IFR_BRANCH_CONDITIONAL, 0x400345, 0x400200, i % 40 != 39) && i > 20000;
	}
	trial_end(&trial);
	return misses;
}

static void test_counted_loop(void **state) {
	(void)state;
	assert_true(exit_misses("l-tage,direction.loop=0") >= 500);
	assert_in_range(exit_misses("l-tage"), 0, 5);
	assert_in_range(exit_misses("tage-sc-l"), 0, 50);
}

/* A branch that repeats an outcome of twenty branches before, with random ones between: one weight of the
 * perceptron says it; gshare's fifteen outcomes do not reach it, and history tables would need all the random
 * outcomes. */
static void test_correlation(void **state) {
	(void)state;
	static const char *const specs[] = {"perceptron", "gshare-8k", "l-tage"};
	uint64_t misses[3] = {0};
	for (size_t s = 0; s < 3; s++) {
		struct trial trial = trial_new(specs[s]);
		uint64_t seed = 3;
		for (unsigned i = 0; i < 2000; i++) {
			const bool coin = draw(&seed, 2);
			show(&trial, IFR_BRANCH_CONDITIONAL, 0x400010, 0x400400, coin);
			for (unsigned k = 0; k < 19; k++)
				show(&trial, IFR_BRANCH_CONDITIONAL, 0x400020 + 8 * k, 0x400400, draw(&seed, 2));
			misses[s] += show(&trial, IFR_BRANCH_CONDITIONAL, 0x400300, 0x400400, coin) && i >= 1000;
		}
		trial_end(&trial);
	}
	assert_in_range(misses[0], 0, 100);
	assert_true(misses[1] > 350 && misses[2] > 350);
}

/* The target depends on which of two jumps led here: the path says it, address and outcomes (one) do not. */
static uint64_t path_misses(const char *spec) {
	struct trial trial = trial_new(spec);
	uint64_t seed = 8, misses = 0;
	for (unsigned i = 0; i < 4000; i++) {
		const bool left = draw(&seed, 2);
		show(&trial, IFR_BRANCH_JUMP, left ? 0x400111 : 0x400777, 0x400200, true);
		misses += show(&trial, IFR_BRANCH_CONDITIONAL, 0x400205, 0x400300, left) && i > 3000;
		for (unsigned k = 0; k < 100; k++)
			show(&trial, IFR_BRANCH_JUMP, 0x400301, 0x400300, true);
	}
	trial_end(&trial);
	return misses;
}

static void test_path(void **state) {
	(void)state;
	assert_in_range(path_misses("path"), 0, 10);
	assert_true(path_misses("bimodal") > 300);
	assert_true(path_misses("gshare") > 300);
}

/* Two tenths of the outcomes are reversed by chance: no predictor can do better, and none may do much worse. */
static void test_bias(void **state) {
	(void)state;
	struct ifr_buffer names = {0};
	ifr_predictor_print_names(&names);
	char *rest = names.data;
	for (const char *name; (name = strsep(&rest, " "));) {
		struct trial trial = trial_new(name);
		uint64_t seed = 5;
		for (unsigned i = 0; i < 20000; i++)
			show(&trial, IFR_BRANCH_CONDITIONAL, 0x400100 + i % 16 * 7, 0x400000, draw(&seed, 5) != 0);
		const uint64_t misses = trial_end(&trial);
		if (strcmp(name, "perfect"))
			assert_in_range(misses, 3500, 9999); /* better than chance */
		else
			assert_int_equal(misses, 0);
	}
	ifr_buffer_release(&names);
}

static uint64_t noise_misses(const char *spec) {
	struct trial trial = trial_new(spec);
	uint64_t seed = 12, misses = 0;
	for (unsigned i = 0; i < 30000; i++) {
		show(&trial, IFR_BRANCH_CONDITIONAL, 0x400210, 0x400300, draw(&seed, 2));
		misses += show(&trial, IFR_BRANCH_CONDITIONAL, 0x400300, 0x400400, draw(&seed, 5) != 0) && i > 10000;
	}
	trial_end(&trial);
	return misses;
}

/* A biased branch among random ones: history tables learn the random outcomes, the corrector sees the bias. A
 * fifth of 20000, 4000, is what the bias is worth. */
static void test_corrector(void **state) {
	(void)state;
	const uint64_t with = noise_misses("tage-sc-l"), without = noise_misses("l-tage"),
				   lean = noise_misses("bimodal");
	assert_true(with < without);
	assert_true(lean < 5000);
}

/* Alternation needs the history, a bias between random outcomes the address: the tournament finds out which. */
static void test_tournament(void **state) {
	(void)state;
	assert_int_equal(misses_of_pattern("tournament", "TN", 400, 300), 0);
	assert_int_equal(misses_of_pattern("tournament,direction.beside=1", "TN", 400, 300), 0);
	assert_in_range(misses_of_pattern("bimodal", "TN", 400, 300), 100, 200);
	const uint64_t both = noise_misses("tournament"),
				   history = noise_misses("gshare,direction.counters=8192,direction.history=13");
	assert_true(both < history);
}

static uint64_t target_misses(const char *spec, unsigned period) {
	struct ifr_machine *machine;
	struct ifr_error err;
	char whole[256];
	snprintf(whole, sizeof whole, "skylake,indirect=%s", spec);
	assert_int_equal(ifr_machine_open(&machine, whole, &err), 0);
	const struct ifr_target_predictor *predictor = machine->indirect;
	void *state = predictor->create(machine->indirect_values);
	uint64_t misses = 0;
	for (unsigned i = 0; i < 1000; i++) {
		const struct ifr_branch_instance branch = {0x400123, 0x400200 + i % period * 0x34,
		                                           IFR_BRANCH_INDIRECT_JUMP, true, false};
		misses += predictor->predict(state, &branch) != branch.target && i >= 500;
		predictor->train(state, &branch);
		predictor->track(state, &branch);
	}
	predictor->destroy(state);
	ifr_machine_free(machine);
	return misses;
}

static void test_targets(void **state) {
	(void)state;
	assert_int_equal(target_misses("last-target", 1), 0);
	assert_int_equal(target_misses("last-target", 3), 500);
	assert_int_equal(target_misses("target-cache", 3), 0);
	assert_int_equal(target_misses("ittage", 3), 0);
	assert_int_equal(target_misses("perfect", 3), 0);
}

/* An interpreter: one jump, a long repeated sequence of targets. Every size of ITTAGE learns it, also where index and tag
 * are equally wide (512 entries). */
static void test_interpreter(void **state) {
	(void)state;
	enum { PERIOD = 120, TARGETS = 12, ROUNDS = 60 };
	for (unsigned entries = 256; entries <= 4096; entries *= 2) {
		struct ifr_machine *machine;
		struct ifr_error err;
		char spec[64];
		uint64_t seed = 7, sequence[PERIOD], misses = 0;
		snprintf(spec, sizeof spec, "skylake,indirect=ittage,indirect.entries=%u", entries);
		assert_int_equal(ifr_machine_open(&machine, spec, &err), 0);
		const struct ifr_target_predictor *predictor = machine->indirect;
		void *predictor_state = predictor->create(machine->indirect_values);
		for (unsigned i = 0; i < PERIOD; i++)
			sequence[i] = 0x401000 + draw(&seed, TARGETS) * 0x5a;
		for (unsigned i = 0; i < ROUNDS * PERIOD; i++) {
			const struct ifr_branch_instance jump = {0x400123, sequence[i % PERIOD], IFR_BRANCH_INDIRECT_JUMP,
			                                         true, false},
											 back = {jump.target + 0x31, 0x400110, IFR_BRANCH_JUMP, true, false};
			misses += predictor->predict(predictor_state, &jump) != jump.target && i >= ROUNDS / 2 * PERIOD;
			predictor->train(predictor_state, &jump);
			predictor->track(predictor_state, &jump);
			predictor->track(predictor_state, &back);
		}
		predictor->destroy(predictor_state);
		ifr_machine_free(machine);
		if (misses)
			fail_msg("%u entries: %" PRIu64 " misses in %u jumps", entries, misses, ROUNDS / 2 * PERIOD);
	}
}

/* Folds updated branch by branch equal those of the whole history: bit i in bit i mod width. */
static void test_folds(void **state) {
	(void)state;
	enum { LENGTH = 37, WIDTH = 10, PATH = 58, PATH_WIDTH = 9, STEPS = 500 };
	bool outcomes[STEPS + LENGTH] = {0};
	struct ifr_fold fold = ifr_fold_new(LENGTH, WIDTH);
	struct ifr_path path = {{0}};
	struct ifr_path_fold path_fold = ifr_path_fold_new(PATH, PATH_WIDTH);
	uint64_t seed = 1;
	for (unsigned n = 0; n < STEPS; n++) {
		uint32_t expected = 0, path_expected = 0;
		outcomes[LENGTH + n] = draw(&seed, 2);
		ifr_fold_shift(&fold, outcomes[LENGTH + n], outcomes[n]);
		for (unsigned i = 0; i < LENGTH; i++)
			expected ^= (uint32_t)outcomes[LENGTH + n - i] << i % WIDTH;
		assert_int_equal(fold.value, expected);
		const uint32_t footprint = (uint32_t)draw(&seed, 1 << 16);
		const struct ifr_path before = path;
		ifr_path_fold_push(&path_fold, ifr_path_leaving(&path, PATH), footprint);
		ifr_path_push(&path, footprint);
		for (unsigned i = 0; i < PATH; i++)
			path_expected ^= ifr_path_bit(&path, i) << i % PATH_WIDTH;
		assert_int_equal(path_fold.value, path_expected);
		/* A push shifts by two bits and mixes the footprint into the lowest sixteen. */
		for (unsigned i = 2; i < 440; i++)
			assert_int_equal(ifr_path_bit(&path, i),
			                 ifr_path_bit(&before, i - 2) ^ (i < 16 ? footprint >> i & 1 : 0));
	}
}

/* A run over a stream equals the verbs one by one, for every kind. */
static void test_runs(void **state) {
	(void)state;
	enum { BRANCHES = 5000, BLOCKS = 64 };
	static uint32_t executions[BRANCHES], next[BRANCHES];
	static uint64_t pcs[BLOCKS];
	static struct ifr_geometry blocks[BLOCKS];
	static uint8_t kinds[BLOCKS];
	uint64_t seed = 2;
	for (unsigned i = 0; i < BLOCKS; i++) {
		blocks[i] = (struct ifr_geometry){0x400000 + 37 * i, 30, 5, 2, i & 1};
		pcs[i] = blocks[i].address + 29;
		kinds[i] = IFR_BRANCH_CONDITIONAL;
	}
	for (unsigned i = 0; i < BRANCHES; i++) {
		executions[i] = (uint32_t)(draw(&seed, BLOCKS) << 1 | (draw(&seed, 3) == 0));
		next[i] = (uint32_t)draw(&seed, BLOCKS);
	}
	const struct ifr_branch_layout places = {pcs, blocks, kinds};
	for (size_t k = 0; ifr_predictors[k]; k++) {
		struct trial trial = trial_new(ifr_predictors[k]->name);
		void *other = ifr_predictors[k]->create(trial.machine->direction_values);
		const bool all = ifr_predictors[k]->stream == IFR_STREAM_ALL;
		const struct ifr_branches branches = {executions, all ? next : NULL, BRANCHES};
		const uint64_t misses = ifr_predictors[k]->run(other, &branches, &places);
		for (unsigned i = 0; i < BRANCHES; i++) {
			const uint32_t block = executions[i] >> 1;
			const struct ifr_branch_instance branch = {pcs[block], blocks[next[i]].address, IFR_BRANCH_CONDITIONAL,
			                                           executions[i] & 1, blocks[block].backward};
			trial.misses += ifr_predictors[k]->predict(trial.state, &branch) != branch.taken;
			ifr_predictors[k]->train(trial.state, &branch);
			ifr_predictors[k]->track(trial.state, &branch);
		}
		assert_int_equal(misses, trial.misses);
		ifr_predictors[k]->destroy(other);
		trial_end(&trial);
	}
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_by_hand),    cmocka_unit_test(test_local),
		cmocka_unit_test(test_long_loop),  cmocka_unit_test(test_counted_loop),
		cmocka_unit_test(test_path),       cmocka_unit_test(test_correlation),
		cmocka_unit_test(test_bias),       cmocka_unit_test(test_interpreter),
		cmocka_unit_test(test_folds),      cmocka_unit_test(test_targets),
		cmocka_unit_test(test_runs),       cmocka_unit_test(test_corrector),
		cmocka_unit_test(test_tournament),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
