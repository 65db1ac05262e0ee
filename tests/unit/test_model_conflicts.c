/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Set conflicts: lines that meet by hand, and misses that equal those of the replay, whatever the layout. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/random.h"
#include "model/model.h"
#include "tests/unit/folder.h"
#include "tests/unit/open_machine.h"

enum { PROGRAM = IFR_MAPPING_FIRST, LOADER, STACK, TEXT = 0x401000, DATA = 0x410000, BLOCKS = 400 };

static uint64_t place(uint64_t mapping, uint64_t offset) {
	return mapping << IFR_MAPPING_SHIFT | offset;
}

static struct ifr_trace_writer *begin_trace(const char *path) {
	const struct ifr_mapping mappings[] = {
		[PROGRAM] = {.kind = IFR_MAPPING_PROGRAM, .start = 0x400000, .bytes = 0x80000, .fixed = true},
		[LOADER] = {.kind = IFR_MAPPING_LIBRARY, .bytes = 0x35000},
		[STACK] = {.kind = IFR_MAPPING_STACK, .start = IFR_STACK_ORIGIN - 0x100000, .bytes = 0x800000}};
	struct ifr_trace_writer *writer;
	assert_int_equal(ifr_trace_create(path, "stack_strings_bytes 111\nstack_pointers 5\n", &writer, NULL), 0);
	for (int i = PROGRAM; i <= STACK; i++) {
		if (i == STACK)
			ifr_trace_start_program(writer);
		assert_int_equal(ifr_trace_add_mapping(writer, &mappings[i]), i);
	}
	return writer;
}

static struct ifr_trace *end_trace(struct ifr_trace_writer *writer, const char *path) {
	struct ifr_trace_totals totals;
	struct ifr_trace *trace;
	assert_int_equal(ifr_trace_close(writer, false, &totals, NULL), 0);
	assert_int_equal(ifr_trace_open(path, &trace, NULL), 0);
	return trace;
}

/* A block of one access to anywhere, and a conditional branch. */
static uint32_t add_block(struct ifr_trace_writer *writer, uint64_t at, uint16_t bytes, uint8_t kind) {
	static const uint8_t code[256];
	const struct ifr_trace_access access = {
		.anchor = IFR_ACCESS_RECORDED, .end = (uint16_t)(bytes / 2), .bytes = 8, .kind = kind};
	const struct ifr_trace_block block = {.normalised = place(PROGRAM, at),
	                                      .target = place(PROGRAM, at),
	                                      .bytes = bytes,
	                                      .instructions = 3,
	                                      .accesses = 1,
	                                      .branch_bytes = 2,
	                                      .branch = IFR_BRANCH_CONDITIONAL};
	return ifr_trace_add_block(writer, &block, &access, code);
}

static struct ifr_address_map *map_of(const struct ifr_trace *trace, uint64_t stack_bytes) {
	const struct ifr_layout_request request = {.stack_bytes = stack_bytes};
	return ifr_address_map_new(trace, &request);
}

/* Counts the conflicts of two layouts. */
static struct ifr_conflicts conflicts_of(struct ifr_trace *trace, struct ifr_address_map *const maps[2],
                                         const char *machine_spec, enum ifr_conflict_structure structure) {
	struct ifr_machine *machine = open_machine(machine_spec);
	struct ifr_conflicts conflicts;
	assert_int_equal(ifr_conflicts_count(trace, (const struct ifr_address_map *const *)maps, machine, structure,
	                                     &conflicts, NULL),
	                 0);
	ifr_machine_free(machine);
	return conflicts;
}

static void free_layouts(struct ifr_trace *trace, struct ifr_address_map *const maps[2], char *path) {
	ifr_address_map_free(maps[0]);
	ifr_address_map_free(maps[1]);
	ifr_trace_free(trace);
	free(path);
}

/* Eight lines of static data lie 4096 bytes apart, in set 5 of 64 by eight ways. A word of the stack lies in set 5 in
 * the second layout, 64 bytes lower than in the first. Each of 100 rounds touches the eight, and before each of them the
 * word: it stays, and the eight pass through the other seven ways, so that each of them misses in each round (LRU). */
static void test_by_hand(void **state) {
	(void)state;
	enum { ROUNDS = 100, SET = 5 };
	char *path = below("hand.trace");
	struct ifr_trace_writer *writer = begin_trace(path);
	const uint32_t word = add_block(writer, TEXT, 20, IFR_ACCESS_LOAD),
				   line = add_block(writer, TEXT + 64, 20, IFR_ACCESS_LOAD);
	/* Found below, when the map tells where the stack lies. */
	uint64_t on_stack = place(STACK, IFR_STACK_ORIGIN - 0x1000);
	struct ifr_trace *empty = end_trace(writer, path);
	struct ifr_address_map *probe = map_of(empty, 64);
	on_stack += (SET * 64 - ifr_address_of(probe, on_stack)) & 4095;
	ifr_address_map_free(probe);
	ifr_trace_free(empty);
	writer = begin_trace(path);
	assert_int_equal(add_block(writer, TEXT, 20, IFR_ACCESS_LOAD), word);
	assert_int_equal(add_block(writer, TEXT + 64, 20, IFR_ACCESS_LOAD), line);
	for (unsigned i = 0; i < 8 * ROUNDS; i++) {
		const uint64_t data = place(PROGRAM, DATA + SET * 64 + (i % 8) * 4096);
		ifr_trace_add_execution(writer, word, true, &on_stack);
		ifr_trace_add_execution(writer, line, true, &data);
	}
	struct ifr_trace *trace = end_trace(writer, path);
	struct ifr_address_map *maps[2] = {map_of(trace, 0), map_of(trace, 64)};
	struct ifr_conflicts conflicts =
		conflicts_of(trace, maps, "ivybridge,l1d.bytes=32768,l1d.ways=8,l1d.policy=lru", IFR_CONFLICT_L1D);
	assert_int_equal(conflicts.misses[0], 9);
	assert_int_equal(conflicts.misses[1], 1 + 8 * ROUNDS);
	assert_int_equal(conflicts.set_count, 1);
	assert_int_equal(conflicts.sets[0].set, SET);
	assert_int_equal(conflicts.sets[0].count, 9);
	assert_int_equal(conflicts.sets[0].misses[0], 0);
	assert_int_equal(conflicts.sets[0].misses[1], 8 * (ROUNDS - 1));
	for (unsigned i = 0; i < 8; i++) {
		assert_int_equal(conflicts.lines[i].normalised, place(PROGRAM, DATA + SET * 64 + i * 4096));
		assert_int_equal(conflicts.lines[i].misses[1], ROUNDS - 1);
		assert_int_equal(conflicts.lines[i].block, line);
	}
	/* The word never misses again, and is there all the same. */
	assert_int_equal(conflicts.lines[8].normalised, on_stack);
	assert_int_equal(conflicts.lines[8].misses[1], 0);
	ifr_conflicts_release(&conflicts);
	free_layouts(trace, maps, path);
}

/* Three conditional branches in rounds of 100, each second time not taken. The second layout moves the last one 4096
 * bytes behind the first: both have the same 12 low bits, which are all that Skylake's tables by path take of an
 * address of a branch, its last byte. Then each finds the other in its entry, but for the first's first time; the run
 * ends before the last's last lookup. */
static void test_predictor_by_hand(void **state) {
	(void)state;
	enum { ROUNDS = 100, SPAN = 4096 };
	char *path = below("branches.trace");
	struct ifr_trace_writer *writer = begin_trace(path);
	const uint32_t first = add_block(writer, TEXT, 20, IFR_ACCESS_LOAD),
				   other = add_block(writer, TEXT + 64, 20, IFR_ACCESS_LOAD),
				   last = add_block(writer, TEXT + SPAN - 32, 20, IFR_ACCESS_LOAD);
	const uint64_t data = place(PROGRAM, DATA);
	for (unsigned i = 0; i < ROUNDS; i++) {
		ifr_trace_add_execution(writer, first, i & 1, &data);
		ifr_trace_add_execution(writer, other, i & 1, &data);
		ifr_trace_add_execution(writer, last, i & 1, &data);
	}
	struct ifr_trace *trace = end_trace(writer, path);
	const struct ifr_move move = {.from = TEXT + SPAN - 32, .bytes = 20, .to = TEXT + SPAN, .code = true};
	const struct ifr_layout_request request = {.moves = &move, .count = 1};
	struct ifr_address_map *maps[2] = {map_of(trace, 0), ifr_address_map_new(trace, &request)};
	struct ifr_conflicts conflicts = conflicts_of(trace, maps, "skylake", IFR_CONFLICT_PREDICTOR);
	assert_int_equal(conflicts.misses[0], 3);
	assert_int_equal(conflicts.misses[1], 1 + ROUNDS + ROUNDS - 1);
	assert_int_equal(conflicts.set_count, 1);
	assert_int_equal(conflicts.sets[0].set, (TEXT + 19) % SPAN);
	assert_int_equal(conflicts.sets[0].count, 2);
	assert_int_equal(conflicts.sets[0].misses[0], 0);
	assert_int_equal(conflicts.sets[0].misses[1], ROUNDS - 1 + ROUNDS - 2);
	assert_int_equal(conflicts.lines[0].normalised, place(PROGRAM, TEXT + 19));
	assert_int_equal(conflicts.lines[1].normalised, place(PROGRAM, TEXT + SPAN - 32 + 19));
	ifr_conflicts_release(&conflicts);
	free_layouts(trace, maps, path);
}

static struct ifr_trace *make_random_trace(const char *path) {
	struct ifr_trace_writer *writer = begin_trace(path);
	uint64_t draw = 1, at = TEXT;
	for (unsigned i = 0; i < BLOCKS; i++) {
		draw = ifr_random_keyed(draw, "block", "bytes");
		const uint16_t bytes = (uint16_t)(8 + draw % 90);
		add_block(writer, at, bytes, draw >> 32 & 1 ? IFR_ACCESS_STORE : IFR_ACCESS_LOAD);
		at += bytes;
	}
	for (unsigned i = 0; i < 60000; i++) {
		draw = ifr_random_keyed(draw, "block", "execution");
		const uint64_t offset = (draw >> 8) % 20000, data = draw & 1
		                                                        ? place(PROGRAM, DATA + offset)
		                                                        : place(STACK, IFR_STACK_ORIGIN - 30000 + offset);
		if (draw >> 40 & 255)
			ifr_trace_add_execution(writer, (uint32_t)(draw >> 32) % (draw & 6 ? 40 : BLOCKS), draw & 8, &data);
		else
			ifr_trace_add_break(writer);
	}
	return end_trace(writer, path);
}

static uint64_t counted(const struct ifr_counts *counts, enum ifr_conflict_structure structure) {
	static const enum ifr_event events[] = {[IFR_CONFLICT_L1I] = IFR_EVENT_L1I_MISSES,
	                                        [IFR_CONFLICT_L2] = IFR_EVENT_L2_MISSES,
	                                        [IFR_CONFLICT_BTB] = IFR_EVENT_BTB_MISSES};
	return structure == IFR_CONFLICT_L1D
	           ? counts->value[IFR_EVENT_L1D_LOAD_MISSES] + counts->value[IFR_EVENT_L1D_STORE_MISSES]
	           : counts->value[events[structure]];
}

static void test_equals_replay(void **state) {
	(void)state;
	static const char *const specs[] = {
		"ivybridge,l1i.bytes=2048,l1i.ways=4,l1d.bytes=2048,l1d.ways=2,l2.bytes=8192,l2.ways=4,"
		"btb1.entries=16,btb1.ways=2",
		"zen4,l1i.bytes=4096,l1i.ways=8,l1d.bytes=4096,l1d.ways=4,l2.bytes=16384,l2.ways=8"};
	char *path = below("random.trace");
	struct ifr_trace *trace = make_random_trace(path);
	struct ifr_address_map *maps[2] = {map_of(trace, 0), map_of(trace, 848)};
	for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
		struct ifr_machine *machine = open_machine(specs[i]);
		const struct ifr_count_settings settings = {.machine = machine, .engine = IFR_ENGINE_SCALAR};
		struct ifr_counts counts[2];
		assert_int_equal(ifr_count_events(trace, maps, 2, &settings, counts, NULL, NULL), 0);
		for (int structure = IFR_CONFLICT_L1D; structure <= IFR_CONFLICT_BTB; structure++) {
			struct ifr_conflicts conflicts;
			assert_int_equal(ifr_conflicts_count(trace, (const struct ifr_address_map *const *)maps, machine,
			                                     (enum ifr_conflict_structure)structure, &conflicts, NULL),
			                 0);
			for (unsigned layout = 0; layout < 2; layout++)
				if (conflicts.misses[layout] != counted(&counts[layout], (enum ifr_conflict_structure)structure))
					fail_msg("%s, structure %d, layout %u: %llu misses, by the replay %llu", specs[i], structure,
					         layout, (unsigned long long)conflicts.misses[layout],
					         (unsigned long long)counted(&counts[layout], (enum ifr_conflict_structure)structure));
			assert_true(conflicts.misses[1] > 50);
			ifr_conflicts_release(&conflicts);
		}
		ifr_machine_free(machine);
	}
	free_layouts(trace, maps, path);
}

int main(void) {
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_by_hand), cmocka_unit_test(test_predictor_by_hand),
	                                   cmocka_unit_test(test_equals_replay)};
	return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
