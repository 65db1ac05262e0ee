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
#include "model/replay/core_course.h"
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

/* How a setting is replayed. */
struct way {
	enum ifr_engine engine;
	size_t chunk_steps; /* executions in a chunk */
	unsigned rounds;    /* how often the trace is run, one after the other */
};

static void replay_by(const struct way *way, const struct setting *s, const char *spec, bool core, size_t first,
                      size_t count, struct ifr_counts *counters) {
	const size_t chunk_steps = way->chunk_steps;
	struct ifr_replay *replay;
	struct ifr_machine *machine;
	struct ifr_error err = {0};
	assert_int_equal(ifr_machine_open(&machine, spec, &err), 0);
	assert_int_equal(ifr_replay_new(&replay, machine, count, way->engine, &err), 0);
	if (core)
		ifr_replay_set_core(replay, &s->program, ifr_core_period(0));
	struct ifr_lane lanes[LANES];
	for (size_t i = 0; i < count; i++) {
		lanes[i] = s->lanes[first + i];
		lanes[i].data_group = lanes[i].line_group = (unsigned)i;
	}
	ifr_replay_set_lanes(replay, lanes);
	for (size_t step = 0; step < way->rounds * RANDOM_STEPS;) {
		const size_t from = step % RANDOM_STEPS;
		const size_t to = from + chunk_steps < RANDOM_STEPS ? from + chunk_steps : RANDOM_STEPS;
		const struct ifr_chunk chunk = random_chunk(s->trace, from, to);
		const uint64_t *addresses[LANES];
		for (size_t i = 0; i < count; i++)
			addresses[i] = s->trace->addresses[s->lanes[first + i].data_group] + s->trace->data_starts[from];
		assert_int_equal(ifr_replay_chunk(replay, &chunk, addresses, &err), 0);
		step += to - from;
	}
	ifr_replay_counters(replay, counters);
	ifr_replay_free(replay);
	ifr_machine_free(machine);
}

/* Replays lanes from `first` on in chunks of so many executions, with the core or without. */
static void replay(const struct setting *s, const char *spec, bool core, size_t first, size_t count,
                   size_t chunk_steps, struct ifr_counts *counters) {
	const struct way way = {IFR_ENGINE_SCALAR, chunk_steps, 1};
	replay_by(&way, s, spec, core, first, count, counters);
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
	struct ifr_core_sample sample = {.period = 20000, .detailed = true};
	double values[SAMPLE_VALUES], errors[SAMPLE_VALUES];
	assert_int_equal(ifr_machine_open(&machine, "skylake", NULL), 0);
	ifr_core_init(&core, machine);
	struct ifr_graph *graph = ifr_graph_new(&core);
	const uint64_t slots[IFR_SOURCES] = {0};
	uint64_t in_detail = 0;
	for (unsigned i = 0; i < 2000000 / 100; i++) {
		in_detail += sample.detailed ? 100 : 0;
		ifr_core_sample_advance(&sample, graph, slots, 100);
	}
	/* A tenth of the second million, 2000 of each 20,000. */
	assert_int_equal(in_detail, 1000000 + 100000);
	sample.head[0] = 2000000;
	sample.fragments = 2;
	sample.measured_instructions = 2000;
	sample.sums[0] = 4000;
	sample.squares[0] = 1000. * 1000 + 3000. * 3000;
	sample.products[0] = 1000. * 1000 + 3000. * 1000;
	sample.instructions2 = 2 * 1000. * 1000;
	/* Another value: 10 in the head, 20 and 20 in the fragments, which so leave no error. */
	sample.head[1] = 10;
	sample.sums[1] = 40;
	sample.squares[1] = 2 * 20. * 20;
	sample.products[1] = 2 * 20. * 1000;
	ifr_core_sample_estimate(&sample, graph, slots, values, errors);
	assert_float_equal(values[0], 4000000, 1e-6);
	/* Residuals -1000 and 1000: variance 2e6 of 2 fragments, error of the mean 1000 cycles of 1000 instructions. */
	assert_float_equal(errors[0], 1000000, 1e-3);
	assert_float_equal(values[1], 10 + 20 * 1000, 1e-6);
	assert_float_equal(errors[1], 0, 1e-6);
	ifr_graph_free(graph);
	ifr_machine_free(machine);
}

/* The engines note the same outcomes: cycles and events of the core are equal, on machines of all kinds. */
static void test_engines(void **state) {
	static const char *const specs[] = {SMALL,
	                                    SMALL ",predictor=l-tage,indirect=ittage",
	                                    "zen3",
	                                    "zen5",
	                                    SMALL ",predictor=gshare",
	                                    "goldencove",
	                                    SMALL ",l3.bytes=32768,l3.ways=4,stlb.entries=16,stlb.ways=4"};
	(void)state;
	for (unsigned engine = IFR_ENGINE_AVX2; engine <= IFR_ENGINE_AVX512; engine++)
		for (size_t i = 0; i < sizeof specs / sizeof *specs && ifr_engine_runs((enum ifr_engine)engine); i++) {
			struct setting s = setting_new(40 + i);
			struct ifr_counts scalar[LANES], vector[LANES];
			const struct way way = {(enum ifr_engine)engine, 700, 1};
			replay(&s, specs[i], true, 0, LANES, 1000, scalar);
			replay_by(&way, &s, specs[i], true, 0, LANES, vector);
			assert_memory_equal(scalar, vector, sizeof scalar);
			setting_free(&s);
		}
}

/* A sampled run skips executions, and goes on with the right outcomes: neither chunks nor engines matter. */
static void test_skips(void **state) {
	static const char spec[] = SMALL ",predictor=l-tage";
	struct setting s = setting_new(5);
	struct ifr_counts large, small, vector;
	const struct way ways[] = {
		{IFR_ENGINE_SCALAR, 3000, 75}, {IFR_ENGINE_SCALAR, 331, 75}, {IFR_ENGINE_AVX2, 1000, 75}};
	(void)state;
	replay_by(&ways[0], &s, spec, true, 0, 1, &large);
	replay_by(&ways[1], &s, spec, true, 0, 1, &small);
	/* The head, and then some. */
	assert_true(large.value[IFR_EVENT_INSTRUCTIONS] > 1200000);
	assert_memory_equal(&large, &small, sizeof large);
	if (ifr_engine_runs(IFR_ENGINE_AVX2)) {
		replay_by(&ways[2], &s, spec, true, 0, 1, &vector);
		assert_memory_equal(&large, &vector, sizeof large);
	}
	setting_free(&s);
}

/* The course of a core through chunks, counted again execution by execution. */
struct recount {
	uint64_t instructions;
	uint32_t conditional, indirect, taken, before;
	size_t data, calls;
	uint32_t stack[RANDOM_STEPS];
	bool was_taken[RANDOM_BLOCKS];
	unsigned passed[RANDOM_BLOCKS]; /* how often since then */
	unsigned known_not_taken;
	bool was_entered[RANDOM_BLOCKS];
	unsigned fallen_into[RANDOM_BLOCKS]; /* how often since then */
	uint32_t targets[RANDOM_BLOCKS];     /* of indirect branches, + 1 */
	bool has_several[RANDOM_BLOCKS];
	unsigned several, divides;
};

/* Checks the call of a return against a stack without bounds; the course's holds 1000 calls. */
static void recount_branch(struct recount *r, const struct ifr_block *block, const struct ifr_core_course *course,
                           size_t execution, uint32_t to) {
	const struct ifr_core_branch *branch = &course->branches[execution];
	const uint8_t kind = block->branch;
	r->conditional += kind == IFR_BRANCH_CONDITIONAL;
	r->indirect += kind == IFR_BRANCH_INDIRECT_JUMP || kind == IFR_BRANCH_INDIRECT_CALL;
	const bool taken = kind == IFR_BRANCH_CONDITIONAL ? r->before & 1 : kind != IFR_BRANCH_NONE;
	r->taken += taken;
	r->was_taken[r->before >> 1] |= taken;
	r->passed[r->before >> 1] = taken ? 0 : r->passed[r->before >> 1] + 1;
	assert_int_equal(branch->known, r->was_taken[r->before >> 1] && r->passed[r->before >> 1] < 8192);
	r->known_not_taken += branch->known && !taken;
	r->was_entered[to] |= taken;
	r->fallen_into[to] = taken ? 0 : r->fallen_into[to] + 1;
	assert_int_equal(branch->divides, !taken && r->was_entered[to] && r->fallen_into[to] < 8192);
	r->divides += branch->divides;
	const bool indirect = kind == IFR_BRANCH_INDIRECT_JUMP || kind == IFR_BRANCH_INDIRECT_CALL;
	uint32_t *target = &r->targets[r->before >> 1];
	if (indirect && *target && *target != to + 1)
		r->has_several[r->before >> 1] = true;
	if (indirect)
		*target = to + 1;
	assert_int_equal(branch->several, indirect && r->has_several[r->before >> 1]);
	r->several += branch->several;
	if (kind == IFR_BRANCH_CALL || kind == IFR_BRANCH_INDIRECT_CALL)
		r->stack[r->calls++ % RANDOM_STEPS] = r->before >> 1;
	if (kind == IFR_BRANCH_RETURN)
		assert_int_equal(course->callers[execution],
		                 r->calls ? r->stack[--r->calls % RANDOM_STEPS] : IFR_NO_CALLER);
}

static void check_course(struct recount *r, const struct setting *s, const struct ifr_chunk *chunk,
                         const struct ifr_core_course *course) {
	size_t span = 0;
	r->conditional = r->indirect = r->taken = 0;
	r->data = 0;
	for (size_t i = 0; i < chunk->executions_count; i++) {
		const uint32_t execution = chunk->executions[i];
		/* The last 6000 of 7000 instructions: 4000 for the op cache, 1000 for the pipeline, 1000 measured. */
		const bool runs = r->instructions % 7000 >= 1000;
		while (span < course->spans_count && course->spans[span].end <= i)
			span++;
		const struct ifr_core_span *at = &course->spans[span];
		const bool covered = span < course->spans_count && at->first <= i;
		assert_int_equal(covered, runs);
		if (covered && at->first == i) {
			assert_int_equal(at->before, r->before);
			assert_int_equal(at->instructions, r->instructions);
			assert_int_equal(at->conditional, r->conditional);
			assert_int_equal(at->indirect, r->indirect);
			assert_int_equal(at->taken, r->taken);
			assert_int_equal(at->data, r->data);
		}
		if (execution != IFR_EXECUTION_BREAK) {
			const struct ifr_block *block = &s->trace->blocks[execution >> 1];
			if (r->before != IFR_EXECUTION_BREAK)
				recount_branch(r, &s->trace->blocks[r->before >> 1], course, i, execution >> 1);
			r->data += block->accesses;
			r->instructions += s->lanes[0].blocks[execution >> 1].instructions;
		}
		r->before = execution;
	}
}

static void test_course(void **state) {
	struct setting s = setting_new(11);
	struct ifr_machine *machine;
	struct ifr_core_course course;
	uint8_t kinds[RANDOM_BLOCKS];
	struct recount *r = ifr_alloc(sizeof *r);
	(void)state;
	for (size_t i = 0; i < RANDOM_BLOCKS; i++)
		kinds[i] = s.trace->blocks[i].branch;
	assert_int_equal(ifr_machine_open(&machine, "skylake,return_stack.entries=1000", NULL), 0);
	struct ifr_pass pass = {
		.machine = machine, .lanes = s.lanes, .lanes_count = 1, .kinds = kinds, .core_period = 7000};
	ifr_core_course_init(&course, &pass);
	/* Behind the head. */
	r->instructions = course.instructions = 7000000;
	r->before = IFR_EXECUTION_BREAK;
	for (size_t from = 0; from < RANDOM_STEPS; from += 611) {
		const struct ifr_chunk chunk =
			random_chunk(s.trace, from, from + 611 < RANDOM_STEPS ? from + 611 : RANDOM_STEPS);
		pass.chunk = &chunk;
		ifr_core_course_follow(&course, &pass);
		check_course(r, &s, &chunk, &course);
	}
	assert_true(r->instructions > 7000000 + 10000);
	assert_true(r->known_not_taken > 100 && r->divides > 100 && r->several > 100);
	ifr_core_course_release(&course);
	ifr_machine_free(machine);
	free(r);
	setting_free(&s);
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_other_counters), cmocka_unit_test(test_lanes_and_chunks),
		cmocka_unit_test(test_outcomes),       cmocka_unit_test(test_sample),
		cmocka_unit_test(test_engines),        cmocka_unit_test(test_skips),
		cmocka_unit_test(test_course),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
