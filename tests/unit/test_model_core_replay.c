/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The core in a replay: other counters stay what they are, cycles depend on a lane alone, and the outcomes that reach
 * the graph are those that the stages count. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/core/parameters.h"
#include "model/core/program.h"
#include "model/core/sample.h"
#include "model/machines/machine.h"
#include "tests/unit/model_random.h"

enum { LANES = 3 };

/* Small structures, so that a short trace fills and empties them. */
#define SMALL                                                                                              \
	"skylake,l1i.bytes=2048,l1i.ways=4,l1d.bytes=2048,l1d.ways=2,l2.bytes=8192,l2.ways=4,btb1.entries=16," \
	"btb1.ways=2,return_stack.entries=4,itlb.entries=4,itlb.ways=2,dtlb.entries=8,dtlb.ways=4"

struct setting {
	struct random_trace *trace;
	struct ifr_lane lanes[LANES];
	struct ifr_core_program program;
};

static struct setting setting_new(uint64_t seed) {
	struct setting s = {.trace = random_trace_new(seed)};
	for (size_t i = 0; i < LANES; i++)
		s.lanes[i] = random_lane_new(s.trace, seed + i, 0x401000 + 4160 * i);
	for (size_t i = 0; i < RANDOM_BLOCKS; i++) {
		const struct ifr_block *block = &s.trace->blocks[i];
		const struct ifr_geometry *at = &s.lanes[0].blocks[i];
		struct ifr_trace_access accesses[8];
		for (unsigned k = 0; k < block->accesses; k++) {
			const struct ifr_access *access = &s.trace->accesses[block->first_access + k];
			accesses[k] = (struct ifr_trace_access){.end = s.lanes[0].access_ends[block->first_access + k],
			                                        .bytes = access->bytes,
			                                        .kind = access->store};
		}
		ifr_core_program_add_unknown(&s.program, at->instructions, at->bytes, block->branch, accesses,
		                             block->accesses);
	}
	return s;
}

static void setting_free(struct setting *s) {
	for (size_t i = 0; i < LANES; i++)
		random_lane_free(&s->lanes[i]);
	ifr_core_program_release(&s->program);
	free(s->trace);
}

/* Replays lanes from `first` on in chunks of so many executions, with the core or without. */
static void replay(const struct setting *s, const char *spec, bool core, size_t first, size_t count,
                   size_t chunk_steps, struct ifr_counts *counters) {
	struct ifr_replay *replay;
	struct ifr_machine *machine;
	struct ifr_error err = {0};
	assert_int_equal(ifr_machine_open(&machine, spec, &err), 0);
	assert_int_equal(ifr_replay_new(&replay, machine, count, IFR_ENGINE_SCALAR, &err), 0);
	if (core)
		ifr_replay_set_core(replay, &s->program, false);
	struct ifr_lane lanes[LANES];
	for (size_t i = 0; i < count; i++) {
		lanes[i] = s->lanes[first + i];
		lanes[i].data_group = lanes[i].line_group = (unsigned)i;
	}
	ifr_replay_set_lanes(replay, lanes);
	for (size_t from = 0; from < RANDOM_STEPS; from += chunk_steps) {
		const size_t to = from + chunk_steps < RANDOM_STEPS ? from + chunk_steps : RANDOM_STEPS;
		const struct ifr_chunk chunk = random_chunk(s->trace, from, to);
		const uint64_t *addresses[LANES];
		for (size_t i = 0; i < count; i++)
			addresses[i] = s->trace->addresses[s->lanes[first + i].data_group] + s->trace->data_starts[from];
		assert_int_equal(ifr_replay_chunk(replay, &chunk, addresses, &err), 0);
	}
	ifr_replay_counters(replay, counters);
	ifr_replay_free(replay);
	ifr_machine_free(machine);
}

static void test_other_counters(void **state) {
	static const char *const specs[] = {SMALL,
	                                    SMALL ",predictor=l-tage",
	                                    SMALL ",indirect=target-cache,predictor=gshare",
	                                    "zen4",
	                                    "ivybridge",
	                                    "goldencove"};
	(void)state;
	for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
		struct setting s = setting_new(7 + i);
		struct ifr_counts with[LANES], without[LANES];
		replay(&s, specs[i], true, 0, LANES, 1000, with);
		replay(&s, specs[i], false, 0, LANES, 1000, without);
		for (size_t lane = 0; lane < LANES; lane++)
			for (unsigned e = 0; e < IFR_EVENT_COUNT; e++)
				if (e != IFR_EVENT_CYCLES && (!ifr_event_needs_core(e) || e == IFR_EVENT_CYCLES_ADDITIVE))
					assert_int_equal(with[lane].value[e], without[lane].value[e]);
		setting_free(&s);
	}
}

static void test_lanes_and_chunks(void **state) {
	(void)state;
	for (uint64_t seed = 1; seed < 6; seed++) {
		struct setting s = setting_new(seed);
		struct ifr_counts together[LANES], alone[LANES];
		replay(&s, SMALL, true, 0, LANES, 1000, together);
		for (size_t i = 0; i < LANES; i++)
			replay(&s, SMALL, true, i, 1, 37, &alone[i]);
		assert_memory_equal(together, alone, sizeof together);
		assert_true(together[0].value[IFR_EVENT_CYCLES] > 0);
		assert_int_not_equal(together[0].value[IFR_EVENT_CYCLES], together[1].value[IFR_EVENT_CYCLES]);
		setting_free(&s);
	}
}

/* Raises a penalty by 1000 cycles: the cycles rise by 1000 for each of its events. */
static void assert_charged(const char *spec, const char *low, const char *high, enum ifr_event event,
                           double allowed) {
	struct setting s = setting_new(3);
	struct ifr_counts before, after;
	char *cheap = ifr_format("%s,%s", spec, low), *dear = ifr_format("%s,%s", spec, high);
	replay(&s, cheap, true, 0, 1, 500, &before);
	replay(&s, dear, true, 0, 1, 500, &after);
	const double events = (double)after.value[event];
	const double charged = ((double)after.value[IFR_EVENT_CYCLES] - (double)before.value[IFR_EVENT_CYCLES]) / 1000;
	assert_true(events > 50);
	if (charged < events * (1 - allowed) || charged > events * (1 + allowed))
		fail_msg("%s: %.1f of %.0f are charged", high, charged, events);
	free(cheap);
	free(dear);
	setting_free(&s);
}

static void test_outcomes(void **state) {
	(void)state;
	/* Lines of one slot, so that decoders deliver most blocks. */
	static const char decoders[] = SMALL ",op_cache.ops=1,op_cache.lines=1,op_cache.sets=1,op_cache.ways=1";
	assert_charged(SMALL, "penalty.conditional=0", "penalty.conditional=1000", IFR_EVENT_BRANCH_MISSES, 0.02);
	assert_charged(decoders, "penalty.l1i=0", "penalty.l1i=1000", IFR_EVENT_L1I_MISSES, 0.05);
	assert_charged(decoders, "penalty.itlb=0", "penalty.itlb=1000", IFR_EVENT_ITLB_MISSES, 0.05);
	/* A mispredicted branch is not charged for the BTB, too; here only returns are. */
	assert_charged(SMALL ",predictor=perfect,indirect=perfect", "penalty.btb=0", "penalty.btb=1000",
	               IFR_EVENT_BTB_MISSES, 0.15);
}

/* A known answer by hand: a head of 1,000,000 instructions at 2 cycles each, then fragments at 1 and 3. */
static void test_sample(void **state) {
	(void)state;
	struct ifr_machine *machine;
	struct ifr_core core;
	struct ifr_core_sample sample = {.detailed = true};
	double values[SAMPLE_VALUES];
	assert_int_equal(ifr_machine_open(&machine, "skylake", NULL), 0);
	ifr_core_init(&core, machine);
	struct ifr_graph *graph = ifr_graph_new(&core);
	uint64_t in_detail = 0;
	for (unsigned i = 0; i < 2000000 / 100; i++) {
		in_detail += sample.detailed ? 100 : 0;
		ifr_core_sample_advance(&sample, graph, 100);
	}
	/* A tenth of the second million, 2000 of each 20,000. */
	assert_int_equal(in_detail, 1000000 + 100000);
	sample.head[0] = 2000000;
	sample.fragments = 2;
	sample.measured_instructions = 2000;
	sample.sums[0] = 4000;
	sample.cycles2 = 1000. * 1000 + 3000. * 3000;
	sample.products = 1000. * 1000 + 3000. * 1000;
	sample.instructions2 = 2 * 1000. * 1000;
	const double error = ifr_core_sample_estimate(&sample, graph, values);
	assert_float_equal(values[0], 4000000, 1e-6);
	/* Residuals -1000 and 1000: variance 2e6 of 2 fragments, error of the mean 1000 cycles of 1000 instructions. */
	assert_float_equal(error, 1000000, 1e-3);
	ifr_graph_free(graph);
	ifr_machine_free(machine);
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_other_counters),
		cmocka_unit_test(test_lanes_and_chunks),
		cmocka_unit_test(test_outcomes),
		cmocka_unit_test(test_sample),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
