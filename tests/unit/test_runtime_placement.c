/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Placement by the runtime: uniform, and dependent on seed and thread only. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <gsl/gsl_cdf.h>

#include "tests/runtime_help.h"

/* p value of the statistic under a uniform distribution. */
static double chance(const unsigned *seen, size_t cells) {
	double total = 0, sum = 0;
	for (size_t i = 0; i < cells; i++)
		total += seen[i];
	for (size_t i = 0; i < cells; i++)
		sum += (seen[i] - total / (double)cells) * (seen[i] - total / (double)cells) / (total / (double)cells);
	return gsl_cdf_chisq_Q(sum, (double)cells - 1);
}

/* Fixed seeds make the outcome deterministic. */
enum { CELLS = 64, DRAWS = 64000 };

/* A new class of 64-byte slots has 64 of them. One object at a time visits all. */
static void test_diehard_is_uniform_over_slots(void **state) {
	(void)state;
	for (uint64_t seed = 1; seed <= 3; seed++) {
		unsigned seen[CELLS] = {0};
		runtime_start(HEAP_DIEHARD, BLOCKS_GLIBC, seed);
		for (int i = 0; i < DRAWS; i++) {
			void *object = allocator_allocate(64, 16, false);
			seen[(uintptr_t)object % 65536 / 64 % CELLS]++;
			allocator_free(object);
		}
		assert_true(chance(seen, CELLS) > 0.001);
		allocator_stop();
	}
}

/* With half of the slots in use, the draw is uniform over the free ones. */
static void test_diehard_is_uniform_while_full(void **state) {
	(void)state;
	enum { LIVE = 3000 };
	static void *live[LIVE];
	unsigned seen[CELLS] = {0};
	runtime_start(HEAP_DIEHARD, BLOCKS_GLIBC, 5);
	for (int i = 0; i < LIVE; i++)
		live[i] = allocator_allocate(64, 16, false);
	uint32_t capacity = this_thread.heap->class[sizes_class(64)].capacity;
	assert_true(capacity >= 2 * LIVE && capacity <= 3 * LIVE);
	const uint32_t *spans = this_thread.heap->class[sizes_class(64)].spans;
	for (int i = 0; i < DRAWS; i++) {
		int which = i * 7919 % LIVE;
		allocator_free(live[which]);
		live[which] = allocator_allocate(64, 16, false);
		uint32_t chunk = arena_chunk(live[which]), number = 0;
		while (spans[number] / CHUNK_GRANULES != chunk)
			number++;
		uint64_t slot = number * 1024 + (uintptr_t)live[which] % 65536 / 64;
		assert_true(slot < capacity);
		seen[slot * CELLS / capacity]++;
	}
	assert_true(chance(seen, CELLS) > 0.001);
	allocator_stop();
}

/* The first object of a program, over programs. */
static void first_objects(enum heap_mode mode, uint64_t cells_bytes, unsigned *seen) {
	for (uint64_t seed = 0; seed < 2000; seed++) {
		runtime_start(mode, BLOCKS_GLIBC, seed);
		seen[(uintptr_t)allocator_allocate(64, 16, false) % (cells_bytes * CELLS) / cells_bytes]++;
		allocator_stop();
	}
}

static void test_first_objects_are_uniform_over_seeds(void **state) {
	(void)state;
	unsigned diehard[CELLS] = {0}, shuffle[CELLS] = {0};
	first_objects(HEAP_DIEHARD, 64, diehard);   /* its first page */
	first_objects(HEAP_SHUFFLE, 1024, shuffle); /* a whole span */
	assert_true(chance(diehard, CELLS) > 0.001);
	assert_true(chance(shuffle, CELLS) > 0.001);
}

enum { PAGE = 4096, SEEDS = 1024, PAGE_CELLS = 16 };

/* The page offsets of the first two objects of a size, over programs. A quarter of a page and more apart, both ways, in
 * a sixth of the programs at least, of a half where distances are uniform; at one offset, or so near that they alias,
 * in a tenth at most, of a 37th. */
static void check_page_offsets(enum heap_mode mode, size_t size, size_t alignment) {
	unsigned seen[PAGE_CELLS] = {0}, far = 0, near = 0;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		runtime_start(mode, BLOCKS_GLIBC, seed);
		uintptr_t first = (uintptr_t)allocator_allocate(size, alignment, false),
				  second = (uintptr_t)allocator_allocate(size, alignment, false);
		const unsigned apart = (unsigned)(second - first) % PAGE;
		assert_int_equal((first | second) % (alignment > 16 ? 64 : 16), 0);
		seen[first % PAGE / (PAGE / PAGE_CELLS)]++;
		far += apart >= PAGE / 4 && apart <= 3 * PAGE / 4;
		near += apart < 64 || apart > PAGE - 64;
		allocator_stop();
	}
	if (!(chance(seen, PAGE_CELLS) > 0.001) || far < SEEDS / 6 || near > SEEDS / 10)
		fail_msg("mode %d, %zu bytes: %u of %d far, %u near, p = %g", mode, size, far, SEEDS, near,
		         chance(seen, PAGE_CELLS));
}

static void test_page_offsets_are_uniform_over_seeds(void **state) {
	(void)state;
	/* 18640: the thesis' arrays of 4660 floats. */
	static const size_t sizes[] = {4096, 6000, 18640, 32768};
	for (int mode = HEAP_SHUFFLE; mode <= HEAP_DIEHARD; mode++)
		for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
			check_page_offsets((enum heap_mode)mode, sizes[i], 16);
			check_page_offsets((enum heap_mode)mode, sizes[i], 64);
		}
}

/* Objects of a page and more do not overlap, in spans that are full and that follow each other. */
static void test_paged_objects_are_apart(void **state) {
	(void)state;
	enum { OBJECTS = 300 };
	static const size_t alignments[] = {16, 64, 256};
	unsigned char *object[OBJECTS];
	for (int mode = HEAP_SHUFFLE; mode <= HEAP_DIEHARD; mode++)
		for (size_t size = PAGE; size <= SIZES_SMALL_MAX; size = size * 5 / 4) {
			runtime_start((enum heap_mode)mode, BLOCKS_GLIBC, size);
			for (int i = 0; i < OBJECTS; i++) {
				object[i] = allocator_allocate(size, alignments[i % 3], false);
				assert_int_equal((uintptr_t)object[i] % alignments[i % 3], 0);
				memset(object[i], i % 251, allocator_usable(object[i]));
			}
			for (int i = 0; i < OBJECTS; i++) {
				size_t usable = allocator_usable(object[i]);
				assert_true(object[i][0] == i % 251 && !memcmp(object[i], object[i] + 1, usable - 1));
				allocator_free(object[i]);
			}
			allocator_stop();
		}
}

/* Successive objects are drawn from a window of 64 slots that slides over fresh ones: neither in order, nor as far
 * from it as a permutation of them all. */
static void test_shuffle_draws_from_its_window(void **state) {
	(void)state;
	enum { OBJECTS = 512, SPAN = 1024, WINDOW = 64 + 16 }; /* a search sets 16 aside */
	unsigned slot[OBJECTS], descents = 0, starts = 0;
	runtime_start(HEAP_SHUFFLE, BLOCKS_GLIBC, 9);
	for (int i = 0; i < OBJECTS; i++) {
		slot[i] = (unsigned)((uintptr_t)allocator_allocate(64, 16, false) / 64 % SPAN);
		descents += i && slot[i] < slot[i - 1];
	}
	/* Counted from where the sweep began, object i is one of the first i + 80 slots. */
	for (unsigned start = 0; start < SPAN; start++) {
		bool fits = true;
		for (unsigned i = 0; i < OBJECTS; i++)
			fits = fits && (slot[i] - start) % SPAN < i + WINDOW;
		starts += fits;
	}
	assert_true(starts >= 1);
	/* In order there would be one descent, where the span ends; in a permutation half of all steps. */
	assert_in_range(descents, OBJECTS / 4, OBJECTS * 3 / 4);
	allocator_stop();
}

/* One object that comes and goes has each slot of the window equally often, and no other. */
static void test_shuffle_is_uniform_over_its_window(void **state) {
	(void)state;
	unsigned seen[1024] = {0}, slots = 0;
	runtime_start(HEAP_SHUFFLE, BLOCKS_GLIBC, 11);
	for (int i = 0; i < DRAWS; i++) {
		void *object = allocator_allocate(64, 16, false);
		seen[(uintptr_t)object % 65536 / 64]++;
		allocator_free(object);
	}
	for (size_t i = 0; i < sizeof seen / sizeof *seen; i++)
		if (seen[i])
			seen[slots++] = seen[i];
	assert_int_equal(slots, 64);
	assert_true(chance(seen, slots) > 0.001);
	allocator_stop();
}

/* A slot that is set aside is no object: freeing it is reported. */
static void test_only_objects_are_alive(void **state) {
	(void)state;
	enum { OBJECTS = 1000 };
	for (int mode = HEAP_SHUFFLE; mode <= HEAP_DIEHARD; mode++) {
		runtime_start((enum heap_mode)mode, BLOCKS_GLIBC, 7);
		for (int i = 0; i < OBJECTS; i++)
			assert_non_null(allocator_allocate((size_t)i, 16, false));
		const struct heap *heap = this_thread.heap;
		uint64_t end = (uint64_t)heap->spans.next * CHUNK_GRANULES;
		unsigned alive = 0;
		for (uint64_t granule = (uint64_t)heap->spans.first * CHUNK_GRANULES; granule < end; granule++)
			alive += live_test(granule);
		assert_int_equal(alive, OBJECTS);
		allocator_stop();
	}
}

enum { TRACE = 400, THREADS = 4, RUNS = 20 };

struct trace {
	void *address[TRACE];
	uint64_t seed;
};

/* The same sequence of requests each time, small and large. */
static void *work(void *argument) {
	struct trace *trace = argument;
	uint64_t state = 99 + trace->seed;
	for (int i = 0; i < TRACE; i++) {
		state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
		size_t size = state >> 63 ? (state >> 40) % 100000 : (state >> 40) % 500;
		trace->address[i] = allocator_allocate(size, 16, false);
		if (i % 3 == 2)
			allocator_free(trace->address[i - 1]);
	}
	for (int i = 0; i < TRACE; i++)
		if (i % 3 != 1 || i + 1 >= TRACE)
			allocator_free(trace->address[i]);
	return NULL;
}

static void *work_with_children(void *argument) {
	struct trace *trace = argument;
	pthread_t child[2];
	for (int i = 0; i < 2; i++)
		child[i] = runtime_thread(work, &trace[1 + i]);
	work(trace);
	for (int i = 0; i < 2; i++)
		runtime_join(child[i]);
	return NULL;
}

/* One thread; then four at once that each start two more, twice, so that heaps are passed on. */
static void record(uint64_t seed, enum heap_mode mode, enum block_policy policy, struct trace *trace) {
	runtime_start(mode, policy, seed);
	work(trace++);
	for (int round = 0; round < 2; round++) {
		pthread_t thread[THREADS];
		for (int i = 0; i < THREADS; i++)
			thread[i] = runtime_thread(work_with_children, &trace[i * 3]);
		for (int i = 0; i < THREADS; i++)
			runtime_join(thread[i]);
		trace += THREADS * 3;
	}
	allocator_stop();
}

enum { TRACES = 1 + 2 * THREADS * 3 };

static void check_repeats(enum heap_mode mode, enum block_policy policy) {
	static struct trace first[TRACES], again[TRACES];
	memset(first, 0, sizeof first);
	memset(again, 0, sizeof again);
	for (int i = 0; i < TRACES; i++)
		first[i].seed = again[i].seed = (uint64_t)i;
	record(17, mode, policy, first);
	for (int run = 1; run < RUNS; run++) {
		record(17, mode, policy, again);
		assert_memory_equal(first, again, sizeof first);
	}
	record(18, mode, policy, again);
	unsigned same = 0;
	for (int i = 0; i < TRACES; i++)
		for (int j = 0; j < TRACE; j++)
			same += first[i].address[j] == again[i].address[j];
	/* Heaps begin at one of hundreds of offsets, by seed: equal addresses would be a coincidence. */
	assert_in_range(same, 0, TRACES * TRACE / 20);
}

static void test_same_seed_same_addresses(void **state) {
	(void)state;
#ifdef __SANITIZE_THREAD__
	skip();
#endif
	check_repeats(HEAP_DIEHARD, BLOCKS_RANDOM);
	check_repeats(HEAP_SHUFFLE, BLOCKS_ALIAS_FREE);
}

enum { BLOCKS = 256 };

static void take_blocks(enum block_policy policy, uint64_t seed, unsigned low[BLOCKS]) {
	runtime_start(HEAP_GLIBC, policy, seed);
	void *block[BLOCKS];
	for (int i = 0; i < BLOCKS; i++) {
		block[i] = allocator_allocate(100000 + 4096 * (size_t)(i % 5), 16, false);
		low[i] = (uintptr_t)block[i] & 4095;
		assert_int_equal(low[i] % 16, 0);
		memset(block[i], i, 100000);
	}
	for (int i = 0; i < BLOCKS; i++)
		allocator_free(block[i]);
	allocator_stop();
}

static void test_aligned_blocks_begin_pages(void **state) {
	(void)state;
	unsigned low[BLOCKS];
	take_blocks(BLOCKS_ALIGNED, 1, low);
	for (int i = 0; i < BLOCKS; i++)
		assert_int_equal(low[i], 0);
}

static void test_random_offsets_are_uniform_and_by_seed(void **state) {
	(void)state;
	unsigned low[BLOCKS], other[BLOCKS], seen[CELLS] = {0}, same = 0;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		take_blocks(BLOCKS_RANDOM, seed, low);
		for (int i = 0; i < BLOCKS; i++)
			seen[low[i] / 64]++;
	}
	assert_true(chance(seen, CELLS) > 0.001);
	take_blocks(BLOCKS_RANDOM, 21, other);
	for (int i = 0; i < BLOCKS; i++)
		same += low[i] == other[i];
	assert_in_range(same, 0, 10); /* one expected */
}

/* A page has 256 offsets of 16 bytes: as many blocks share none, and fewer are further apart. */
static void test_alias_free_blocks_do_not_alias(void **state) {
	(void)state;
	for (uint64_t seed = 1; seed <= 5; seed++) {
		unsigned low[BLOCKS], first[2];
		take_blocks(BLOCKS_ALIAS_FREE, seed, low);
		first[seed & 1] = low[0];
		for (int i = 0; i < BLOCKS; i++)
			for (int j = 0; j < i; j++) {
				unsigned apart = (low[i] - low[j]) & 4095;
				unsigned least = i < 2 ? 2048 : i < 16 ? 256 : i < 64 ? 64 : 16;
				assert_true(apart >= least && apart <= 4096 - least);
			}
		if (seed > 1)
			assert_int_not_equal(first[0], first[1]);
	}
}

/* A freed block's offset is reused before two live blocks share one. */
static void test_alias_free_keeps_count(void **state) {
	(void)state;
	void *block[BLOCKS];
	runtime_start(HEAP_GLIBC, BLOCKS_ALIAS_FREE, 3);
	for (int i = 0; i < BLOCKS; i++)
		block[i] = allocator_allocate(40000, 16, false);
	for (int i = 0; i < 1000; i++) {
		int which = i * 37 % BLOCKS;
		unsigned low = (uintptr_t)block[which] & 4095;
		allocator_free(block[which]);
		block[which] = allocator_allocate(40000 + (size_t)i * 100, 16, false);
		assert_int_equal((uintptr_t)block[which] & 4095, low);
	}
	allocator_stop();
}

/* One axis does not move what the other owns. */
static void test_axes_are_apart(void **state) {
	(void)state;
	struct options options = runtime_options(HEAP_DIEHARD, BLOCKS_RANDOM, 1);
	void *small[3], *large[3];
	for (int i = 0; i < 3; i++) {
		options.heap_seed = i == 1 ? 2 : 1;
		options.blocks_seed = i == 2 ? 2 : 1;
		allocator_start_with(&options, (size_t)1 << TEST_ARENA_SHIFT);
		small[i] = allocator_allocate(100, 16, false);
		large[i] = allocator_allocate(100000, 16, false);
		allocator_stop();
	}
#ifndef __SANITIZE_THREAD__
	assert_ptr_not_equal(small[0], small[1]);
	assert_ptr_equal(large[0], large[1]);
	assert_ptr_equal(small[0], small[2]);
	assert_ptr_not_equal(large[0], large[2]);
#endif
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_diehard_is_uniform_over_slots),
		cmocka_unit_test(test_diehard_is_uniform_while_full),
		cmocka_unit_test(test_first_objects_are_uniform_over_seeds),
		cmocka_unit_test(test_page_offsets_are_uniform_over_seeds),
		cmocka_unit_test(test_paged_objects_are_apart),
		cmocka_unit_test(test_shuffle_draws_from_its_window),
		cmocka_unit_test(test_shuffle_is_uniform_over_its_window),
		cmocka_unit_test(test_only_objects_are_alive),
		cmocka_unit_test(test_same_seed_same_addresses),
		cmocka_unit_test(test_aligned_blocks_begin_pages),
		cmocka_unit_test(test_random_offsets_are_uniform_and_by_seed),
		cmocka_unit_test(test_alias_free_blocks_do_not_alias),
		cmocka_unit_test(test_alias_free_keeps_count),
		cmocka_unit_test(test_axes_are_apart),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
