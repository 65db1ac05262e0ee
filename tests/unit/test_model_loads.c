/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loads by misses: sums that equal the replay's counters, and contexts that equal those of a naive computation, which
 * keeps whole histories and compares them element by element, with a cache of its own. */
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

/* More executions than a chunk of the replay has, and many than one of the block sequence; a rare block is the third of
 * the replay's second chunk. */
enum {
	PROGRAM = IFR_MAPPING_FIRST,
	TEXT = 0x401000,
	DATA = 0x410000,
	BLOCKS = 24,
	EXECUTIONS = 20000,
	MANY_EXECUTIONS = 70000,
	SOON = 16386
};
enum { ACCESSES = 2, SETS = 16, WAYS = 2, LINE_SHIFT = 5 };

#define CACHE "fields2004,l1d.bytes=1024,l1d.ways=2,l1d.line_bytes=32,l1d.policy=lru,"
#define OUTER "l1i.bytes=1024,l1i.ways=2,l1i.line_bytes=32,l2.bytes=2048,l2.ways=2,l2.line_bytes=32"

static uint64_t place(uint64_t offset) {
	return (uint64_t)PROGRAM << IFR_MAPPING_SHIFT | offset;
}

/* --- a trace ----------------------------------------------------------------------------------------------------- */

/* Blocks of two accesses. Blocks 3 n + 1 have the code of block 3 n with another second access; of the others, some
 * overlap the one before. The last two are a repeated string instruction and its further iteration. */
static void add_blocks(struct ifr_trace_writer *writer) {
	static const uint8_t code[64];
	for (unsigned i = 0; i < BLOCKS; i++) {
		const bool alike = i % 3 == 1, repeat = i >= BLOCKS - 2, further = i == BLOCKS - 1;
		const unsigned from = alike ? i - 1 : i;
		const uint64_t at = TEXT + 40 * (repeat ? BLOCKS : from) - (from % 3 == 2 && !repeat ? 24 : 0);
		const uint16_t bytes = further ? 0 : repeat ? 16 : from % 3 == 2 ? 24 + 40 - 8 : 40;
		const struct ifr_trace_access accesses[ACCESSES] = {
			{.anchor = IFR_ACCESS_RECORDED, .end = repeat ? bytes : 36, .bytes = 8, .kind = IFR_ACCESS_LOAD},
			{.anchor = IFR_ACCESS_RECORDED,
		     .end = bytes,
		     .bytes = 16,
		     .kind = alike || i % 4 == 2 ? IFR_ACCESS_STORE : IFR_ACCESS_LOAD}};
		const struct ifr_trace_block block = {.normalised = place(further ? at + 14 : at),
		                                      .target = place(at),
		                                      .bytes = bytes,
		                                      .instructions = further ? 0 : 4,
		                                      .accesses = ACCESSES,
		                                      .branch_bytes = further ? 0 : 2,
		                                      .branch = repeat ? IFR_BRANCH_NONE : IFR_BRANCH_CONDITIONAL,
		                                      .end = repeat ? IFR_END_REPEAT : IFR_END_BRANCH};
		assert_int_equal(ifr_trace_add_block(writer, &block, accesses, code), i);
	}
}

/* A sequence with habits, so that contexts recur: mostly the block that the last two suggest. */
static struct ifr_trace *make_trace(const char *path, unsigned executions) {
	const struct ifr_mapping program = {
		.kind = IFR_MAPPING_PROGRAM, .start = 0x400000, .bytes = 0x80000, .fixed = true};
	struct ifr_trace_writer *writer;
	struct ifr_trace_totals totals;
	struct ifr_trace *trace;
	uint64_t draw = 1;
	uint32_t block = 0;
	assert_int_equal(ifr_trace_create(path, "stack_strings_bytes 111\nstack_pointers 5\n", &writer, NULL), 0);
	assert_int_equal(ifr_trace_add_mapping(writer, &program), PROGRAM);
	ifr_trace_start_program(writer);
	add_blocks(writer);
	for (unsigned i = 0; i < executions; i++) {
		draw = ifr_random_keyed(draw, "execution", "block");
		block = draw & 7 ? (block * 5 + (i & 1)) % 7 : (uint32_t)(draw >> 8) % BLOCKS;
		block = i == SOON ? BLOCKS - 4 : block;
		const uint64_t wide = draw >> 16 & 15 ? 24 : 1500;
		const uint64_t data[ACCESSES] = {place(DATA + (draw >> 24) % wide * 8),
		                                 place(DATA + 12 + (draw >> 40) % wide * 8)};
		if (draw >> 8 & 255)
			ifr_trace_add_execution(writer, block, draw >> 3 & 1, data);
		else
			ifr_trace_add_break(writer);
	}
	assert_int_equal(ifr_trace_close(writer, false, &totals, NULL), 0);
	assert_int_equal(ifr_trace_open(path, &trace, NULL), 0);
	return trace;
}

static struct ifr_address_map *map_of(const struct ifr_trace *trace) {
	return ifr_address_map_new(trace, &(struct ifr_layout_request){0});
}

/* --- the naive computation --------------------------------------------------------------------------------------- */

/* The whole run, in order. A history begins with HISTORY elements that stand for the time before the trace. */
enum { HISTORY = 130, REFERENCES = ACCESSES * EXECUTIONS };

struct reference {
	size_t moment, blocks,
		outcomes; /* the execution; elements of both histories before it, its own block included */
	bool missed;
};

struct naive {
	uint64_t cache[SETS][WAYS]; /* the most recent first; 0: empty */
	uint64_t blocks[HISTORY + EXECUTIONS];
	size_t block_count;
	uint8_t outcomes[HISTORY + REFERENCES];
	size_t outcome_count;
	struct reference references[REFERENCES]; /* of the load that is asked for */
	uint8_t own[HISTORY + REFERENCES];
	size_t count;
};

static bool touch(struct naive *naive, uint64_t line) {
	uint64_t *ways = naive->cache[line % SETS];
	for (unsigned i = 0; i < WAYS; i++)
		if (ways[i] == line) {
			memmove(ways + 1, ways, i * sizeof *ways);
			ways[0] = line;
			return true;
		}
	memmove(ways + 1, ways, (WAYS - 1) * sizeof *ways);
	ways[0] = line;
	return false;
}

/* The first and the last byte, upwards. */
static bool misses(struct naive *naive, uint64_t address, unsigned bytes) {
	const uint64_t first = address >> LINE_SHIFT, last = (address + bytes - 1) >> LINE_SHIFT;
	bool missed = false;
	for (uint64_t line = first; line <= last; line++)
		missed |= !touch(naive, line);
	return missed;
}

/* The code of an instruction, by its end; the further iteration's by hand. */
static uint64_t end_of(const struct ifr_trace_block *blocks, uint32_t block, uint16_t end) {
	return block == BLOCKS - 1 ? blocks[BLOCKS - 2].normalised + 16 : blocks[block].normalised + end;
}

static void walk(struct naive *naive, struct ifr_trace *trace, const struct ifr_address_map *map,
                 uint64_t load_end) {
	const struct ifr_trace_block *blocks;
	const struct ifr_trace_access *accesses;
	struct ifr_trace_chunk chunk;
	size_t at = 0;
	memset(naive, 0, sizeof *naive);
	naive->block_count = naive->outcome_count = HISTORY;
	ifr_trace_blocks(trace, &blocks);
	ifr_trace_accesses(trace, &accesses);
	ifr_trace_rewind(trace);
	ifr_trace_read_chunk(trace, EXECUTIONS, &chunk);
	assert_int_equal(chunk.executions_count, EXECUTIONS);
	for (size_t i = 0; i < chunk.executions_count; i++) {
		const bool cut = chunk.executions[i] == IFR_EXECUTION_BREAK;
		const uint32_t block = chunk.executions[i] >> 1;
		if (cut || blocks[block].bytes)
			naive->blocks[naive->block_count++] = cut ? 1 : blocks[block].normalised << 16 | blocks[block].bytes;
		for (uint32_t k = 0; !cut && k < blocks[block].accesses; k++, at++) {
			const struct ifr_trace_access *access = &accesses[blocks[block].first_access + k];
			const bool missed = misses(naive, ifr_address_of(map, chunk.normalised[at]), access->bytes);
			if (access->kind == IFR_ACCESS_LOAD && end_of(blocks, block, access->end) == load_end) {
				naive->own[HISTORY + naive->count] = missed;
				naive->references[naive->count++] =
					(struct reference){i, naive->block_count, naive->outcome_count, missed};
			}
			naive->outcomes[naive->outcome_count++] = missed;
		}
	}
}

/* Whether two references have the same context. */
static bool are_alike(const struct naive *naive, size_t a, size_t b, enum ifr_load_context_kind kind, size_t n) {
	const struct reference *first = &naive->references[a], *second = &naive->references[b];
	if (kind == IFR_LOAD_CONTEXT_SELF)
		return !memcmp(naive->own + HISTORY + a - n, naive->own + HISTORY + b - n, n);
	if (kind == IFR_LOAD_CONTEXT_GLOBAL)
		return !memcmp(naive->outcomes + first->outcomes - n, naive->outcomes + second->outcomes - n, n);
	return !memcmp(naive->blocks + first->blocks - n - 1, naive->blocks + second->blocks - n - 1,
	               (n + 1) * sizeof *naive->blocks);
}

/* Up to 64 outcomes are their context's key, the youngest highest; of others it is a hash, which is not compared. */
static uint64_t key_of(const struct naive *naive, size_t reference, enum ifr_load_context_kind kind, size_t n) {
	const uint8_t *after = kind == IFR_LOAD_CONTEXT_SELF ? naive->own + HISTORY + reference
	                                                     : naive->outcomes + naive->references[reference].outcomes;
	uint64_t key = 0;
	for (size_t i = 0; i < n && i < 64; i++)
		key |= (uint64_t)after[(ptrdiff_t)i - (ptrdiff_t)n] << i;
	return kind == IFR_LOAD_CONTEXT_CONTROL_FLOW || n > 64 ? 0 : key;
}

static size_t count_contexts(const struct naive *naive, enum ifr_load_context_kind kind, size_t n,
                             struct ifr_load_context *contexts) {
	size_t *examples = ifr_alloc((naive->count + 1) * sizeof *examples), count = 0;
	for (size_t i = 0; i < naive->count; i++) {
		size_t k = 0;
		while (k < count && !are_alike(naive, examples[k], i, kind, n))
			k++;
		if (k == count) {
			examples[count] = i;
			contexts[count++] =
				(struct ifr_load_context){.key = key_of(naive, i, kind, n), .first = naive->references[i].moment};
		}
		contexts[k].references++;
		contexts[k].misses += naive->references[i].missed;
	}
	free(examples);
	return count;
}

/* --- contexts ---------------------------------------------------------------------------------------------------- */

static int compare_contexts(const void *left, const void *right) {
	const struct ifr_load_context *a = left, *b = right;
	if (a->first != b->first)
		return a->first > b->first ? 1 : -1;
	if (a->references != b->references)
		return a->references > b->references ? 1 : -1;
	if (a->misses != b->misses)
		return a->misses > b->misses ? 1 : -1;
	return (a->key > b->key) - (a->key < b->key);
}

static void compare_list(const struct naive *naive, enum ifr_load_context_kind kind, unsigned length,
                         const struct ifr_load_context_list *list, struct ifr_load_context *room) {
	const size_t count = count_contexts(naive, kind, length, room);
	assert_false(list->too_many);
	for (size_t i = 1; i < list->count; i++)
		assert_true(list->items[i - 1].references >= list->items[i].references);
	if (list->count != count)
		fail_msg("%s, %u: %zu contexts, naively %zu", ifr_load_context_kind_names[kind], length, list->count,
		         count);
	for (size_t i = 0; i < count && (kind == IFR_LOAD_CONTEXT_CONTROL_FLOW || length > 64); i++)
		list->items[i].key = 0;
	qsort(list->items, list->count, sizeof *list->items, compare_contexts);
	qsort(room, count, sizeof *room, compare_contexts);
	for (size_t i = 0; i < count; i++)
		if (compare_contexts(&list->items[i], &room[i]))
			fail_msg("%s, %u: context %zu differs", ifr_load_context_kind_names[kind], length, i);
}

/* Profiles every load of the trace. */
static struct ifr_profiled_load *profile_all(struct ifr_trace *trace, struct ifr_address_map *map,
                                             const struct ifr_machine *machine,
                                             const struct ifr_load_summary *summary, unsigned level,
                                             const struct ifr_miss_stream *misses, const unsigned *lengths,
                                             size_t length_count, size_t bytes) {
	const struct ifr_count_settings settings = {.machine = machine};
	struct ifr_profiled_load *loads = NULL;
	uint32_t *all = ifr_alloc((summary->sites.count + 1) * sizeof *all);
	for (uint32_t i = 0; i < summary->sites.count; i++)
		all[i] = i;
	const struct ifr_load_context_request request = {.level = level,
	                                                 .lengths = lengths,
	                                                 .length_count = length_count,
	                                                 .loads = all,
	                                                 .load_count = summary->sites.count,
	                                                 .misses = misses,
	                                                 .most_bytes = bytes};
	assert_int_equal(ifr_load_contexts_make(trace, map, &settings, &summary->sites, &request, &loads, NULL), 0);
	free(all);
	return loads;
}

static void test_contexts_are_naive_ones(void **state) {
	(void)state;
	static const unsigned lengths[] = {1, 2, 3, 9, 63, 64, 65, 128};
	enum { LENGTHS = sizeof lengths / sizeof *lengths };
	char *path = below("contexts.trace");
	struct ifr_trace *trace = make_trace(path, EXECUTIONS);
	struct ifr_address_map *map = map_of(trace);
	struct ifr_machine *machine = open_machine(CACHE OUTER);
	const struct ifr_count_settings settings = {.machine = machine};
	struct ifr_load_summary summary;
	struct naive *naive = ifr_alloc(sizeof *naive);
	struct ifr_load_context *room = ifr_alloc(REFERENCES * sizeof *room);
	size_t compared = 0, most = 0;
	assert_int_equal(ifr_load_summary_make(trace, map, &settings, NULL, &summary, NULL), 0);
	assert_int_equal(summary.executions, EXECUTIONS);
	struct ifr_profiled_load *loads =
		profile_all(trace, map, machine, &summary, 0, NULL, lengths, LENGTHS, 1u << 30);
	for (size_t i = 0; i < summary.sites.count; i++) {
		walk(naive, trace, map, summary.sites.items[i].normalised + 1);
		assert_int_equal(summary.loads[i].references, naive->count);
		assert_int_equal(loads[i].references, naive->count);
		assert_int_equal(loads[i].misses, summary.loads[i].misses[0]);
		most = naive->count > most ? naive->count : most;
		if (naive->count > 400) /* the naive one is quadratic */
			continue;
		compared++;
		for (enum ifr_load_context_kind kind = 0; kind < IFR_LOAD_CONTEXT_KINDS; kind++)
			for (unsigned k = 0; k < LENGTHS; k++)
				compare_list(naive, kind, lengths[k], &loads[i].lists[kind][k], room);
	}
	assert_true(compared > 8 && most > 400);
	ifr_load_contexts_release(loads, summary.sites.count);
	ifr_load_summary_release(&summary);
	ifr_machine_free(machine);
	ifr_address_map_free(map);
	ifr_trace_free(trace);
	free(naive);
	free(room);
	free(path);
}

static void assert_equal_lists(const struct ifr_load_context_list *one,
                               const struct ifr_load_context_list *other) {
	assert_int_equal(one->count, other->count);
	assert_int_equal(one->too_many, other->too_many);
	for (size_t i = 0; i < one->count; i++)
		assert_memory_equal(&one->items[i], &other->items[i], sizeof *one->items);
}

/* Contexts from the stream of misses that a summary keeps are those of a replay. */
static void test_contexts_of_stream(void **state) {
	(void)state;
	static const unsigned lengths[] = {1, 7, 64, 100};
	char *path = below("stream.trace");
	struct ifr_trace *trace = make_trace(path, MANY_EXECUTIONS);
	struct ifr_address_map *map = map_of(trace);
	struct ifr_machine *machine = open_machine(CACHE OUTER);
	const struct ifr_count_settings settings = {.machine = machine};
	for (unsigned level = 0; level < 2; level++) {
		struct ifr_load_summary summary;
		struct ifr_miss_stream misses = {.level = level};
		assert_int_equal(ifr_load_summary_make(trace, map, &settings, &misses, &summary, NULL), 0);
		assert_true(misses.count > 100);
		struct ifr_profiled_load *replayed =
			profile_all(trace, map, machine, &summary, level, NULL, lengths, 4, 1u << 20);
		struct ifr_profiled_load *streamed =
			profile_all(trace, NULL, machine, &summary, level, &misses, lengths, 4, 1u << 20);
		for (size_t i = 0; i < summary.sites.count; i++) {
			assert_int_equal(streamed[i].references, replayed[i].references);
			assert_int_equal(streamed[i].misses, replayed[i].misses);
			for (unsigned kind = 0; kind < IFR_LOAD_CONTEXT_KINDS; kind++)
				for (unsigned k = 0; k < 4; k++)
					assert_equal_lists(&streamed[i].lists[kind][k], &replayed[i].lists[kind][k]);
		}
		ifr_load_contexts_release(replayed, summary.sites.count);
		ifr_load_contexts_release(streamed, summary.sites.count);
		ifr_miss_stream_release(&misses);
		ifr_load_summary_release(&summary);
	}
	ifr_machine_free(machine);
	ifr_address_map_free(map);
	ifr_trace_free(trace);
	free(path);
}

static void test_stream(void **state) {
	static const uint64_t numbers[] = {0,         1, 2, 130, 131, 259, 260, 16700, 1ull << 40, (1ull << 40) + 1,
	                                   1ull << 62};
	enum { COUNT = sizeof numbers / sizeof *numbers };
	struct ifr_miss_stream stream = {0};
	struct ifr_miss_cursor cursor;
	(void)state;
	ifr_miss_cursor_init(&cursor, &stream);
	assert_true(cursor.reference == UINT64_MAX);
	for (size_t i = 0; i < COUNT; i++)
		ifr_miss_stream_add(&stream, numbers[i]);
	ifr_miss_cursor_init(&cursor, &stream);
	for (size_t i = 0; i < COUNT; i++, ifr_miss_cursor_step(&cursor))
		assert_true(cursor.reference == numbers[i]);
	assert_true(cursor.reference == UINT64_MAX);
	for (uint64_t i = 0; !stream.given_up; i++)
		ifr_miss_stream_add(&stream, stream.next + (1ull << 30));
	assert_null(stream.bytes);
	ifr_miss_stream_add(&stream, UINT64_MAX - 1);
	assert_int_equal(stream.count, 0);
}

/* --- sums -------------------------------------------------------------------------------------------------------- */

/* Of each level: the lines that loads, stores and fetches miss are the counter; contexts sum up to their load. */
static void test_sums_are_counters(void **state) {
	(void)state;
	static const unsigned lengths[] = {1, 16};
	char *path = below("sums.trace");
	struct ifr_trace *trace = make_trace(path, EXECUTIONS);
	struct ifr_address_map *map = map_of(trace);
	struct ifr_machine *machine =
		open_machine(CACHE OUTER ",l3.bytes=4096,l3.ways=2,l3.line_bytes=32,penalty.l2=10");
	const struct ifr_count_settings settings = {.machine = machine};
	struct ifr_load_summary summary;
	struct ifr_counts counts;
	assert_int_equal(ifr_count_events(trace, &map, 1, &settings, &counts, NULL, NULL), 0);
	assert_int_equal(ifr_load_summary_make(trace, map, &settings, NULL, &summary, NULL), 0);
	assert_int_equal(summary.levels, 3);
	for (enum ifr_event event = IFR_EVENT_L1I_LOADS; event <= IFR_EVENT_LLC_MISSES; event++)
		assert_int_equal(summary.counts.value[event], counts.value[event]);
	const uint64_t counted[] = {counts.value[IFR_EVENT_L1D_LOAD_MISSES] +
	                                counts.value[IFR_EVENT_L1D_STORE_MISSES] + counts.value[IFR_EVENT_L1I_MISSES],
	                            counts.value[IFR_EVENT_L2_MISSES], counts.value[IFR_EVENT_LLC_MISSES]};
	for (unsigned level = 0; level < 3; level++) {
		struct ifr_profiled_load *loads =
			profile_all(trace, map, machine, &summary, level, NULL, lengths, 2, 1u << 30);
		uint64_t lines = 0;
		for (size_t i = 0; i < summary.sites.count; i++) {
			const struct ifr_load_count *load = &summary.loads[i];
			lines += load->lines[level];
			assert_true(load->misses[level] <= load->lines[level]);
			assert_int_equal(loads[i].misses, load->misses[level]);
			for (unsigned kind = 0; kind < IFR_LOAD_CONTEXT_KINDS; kind++)
				for (unsigned k = 0; k < 2; k++) {
					uint64_t references = 0, missed = 0;
					for (size_t c = 0; c < loads[i].lists[kind][k].count; c++) {
						references += loads[i].lists[kind][k].items[c].references;
						missed += loads[i].lists[kind][k].items[c].misses;
					}
					assert_int_equal(references, load->references);
					assert_int_equal(missed, load->misses[level]);
				}
		}
		assert_true(lines && summary.stores[level] && summary.fetches[level]);
		if (!level)
			assert_int_equal(lines, counts.value[IFR_EVENT_L1D_LOAD_MISSES]);
		assert_int_equal(lines + summary.stores[level] + summary.fetches[level], counted[level]);
		ifr_load_contexts_release(loads, summary.sites.count);
	}
	ifr_load_summary_release(&summary);
	ifr_machine_free(machine);
	ifr_address_map_free(map);
	ifr_trace_free(trace);
	free(path);
}

/* Where contexts do not fit, their length and all longer ones are given up; shorter ones are as with more memory. */
static void test_bounded_memory(void **state) {
	(void)state;
	static const unsigned lengths[] = {1, 2, 64, 128};
	char *path = below("bounded.trace");
	struct ifr_trace *trace = make_trace(path, EXECUTIONS);
	struct ifr_address_map *map = map_of(trace);
	struct ifr_machine *machine = open_machine(CACHE OUTER);
	const struct ifr_count_settings settings = {.machine = machine};
	struct ifr_load_summary summary;
	size_t kept = 0, given_up = 0;
	assert_int_equal(ifr_load_summary_make(trace, map, &settings, NULL, &summary, NULL), 0);
	const size_t tables = summary.sites.count * IFR_LOAD_CONTEXT_KINDS * 4 + 1;
	struct ifr_profiled_load *loads = profile_all(trace, map, machine, &summary, 0, NULL, lengths, 4,
	                                              tables * 64 * sizeof(struct ifr_load_context));
	struct ifr_profiled_load *whole = profile_all(trace, map, machine, &summary, 0, NULL, lengths, 4, 1u << 30);
	for (size_t i = 0; i < summary.sites.count; i++)
		for (unsigned kind = 0; kind < IFR_LOAD_CONTEXT_KINDS; kind++)
			for (unsigned k = 0; k < 4; k++) {
				const struct ifr_load_context_list *list = &loads[i].lists[kind][k];
				assert_true(list->count <= 56);
				if (list->too_many)
					assert_int_equal(list->count, 0);
				else
					assert_equal_lists(list, &whole[i].lists[kind][k]);
				assert_true(!k || list->too_many || !loads[i].lists[kind][k - 1].too_many);
				kept += !list->too_many;
				given_up += list->too_many;
			}
	assert_true(kept && given_up);
	ifr_load_contexts_release(loads, summary.sites.count);
	ifr_load_contexts_release(whole, summary.sites.count);
	ifr_load_summary_release(&summary);
	ifr_machine_free(machine);
	ifr_address_map_free(map);
	ifr_trace_free(trace);
	free(path);
}

int main(void) {
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_contexts_are_naive_ones),
	                                   cmocka_unit_test(test_contexts_of_stream), cmocka_unit_test(test_stream),
	                                   cmocka_unit_test(test_sums_are_counters),
	                                   cmocka_unit_test(test_bounded_memory)};
	return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
