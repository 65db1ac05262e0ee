/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guarantees of the runtime's allocator in every placement mode: sizes, alignment, contents, errors, invalid
 * frees. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/runtime_help.h"
#include "tests/unit/depth.h"

/* Computed by hand from the table in sizes.h. */
static void test_size_classes(void **state) {
	(void)state;
	static const struct {
		size_t size;
		uint32_t slot;
	} known[] = {{0, 16},      {1, 16},      {16, 16},     {17, 32},       {128, 128},
	             {129, 160},   {160, 160},   {161, 192},   {256, 256},     {257, 320},
	             {1024, 1024}, {1025, 1152}, {1152, 1152}, {1153, 1280},   {2049, 2304},
	             {4360, 4608}, {4096, 4096}, {4097, 4608}, {32767, 32768}, {32768, 32768}};
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		assert_int_equal(sizes_bytes(sizes_class(known[i].size)), known[i].slot);
	for (size_t size = 1; size <= SIZES_SMALL_MAX; size++) {
		unsigned class = sizes_class(size);
		assert_in_range(class, 0, SIZES_PLAIN - 1);
		assert_true(sizes_bytes(class) >= size);
		assert_true(!class || sizes_bytes(class - 1) < size);
	}
	/* Slots lie at multiples of their size from the start of a span, which preserves alignment; or at multiples of 16
	 * or 64, from a page on. */
	for (size_t alignment = 16; alignment <= 4096; alignment *= 2)
		for (size_t size = alignment; size <= SIZES_SMALL_MAX; size += alignment) {
			unsigned class = sizes_aligned_class(sizes_class(size), alignment);
			assert_in_range(class, 0, SIZES_CLASSES - 1);
			assert_int_equal(sizes_bytes(class), sizes_bytes(sizes_class(size)));
			assert_int_equal(sizes_bytes(class) % alignment, 0);
			assert_int_equal(sizes_step(class) % alignment, 0);
			assert_int_equal(sizes_step(class), size <= 3840 || alignment > 64 ? 0 : alignment > 16 ? 64 : 16);
		}
}

static void each_way(void (*test)(void)) {
	for (int heap = HEAP_GLIBC; heap <= HEAP_DIEHARD; heap++)
		for (int blocks = BLOCKS_GLIBC; blocks <= BLOCKS_ALIAS_FREE; blocks++) {
			runtime_start((enum heap_mode)heap, (enum block_policy)blocks, 7);
			test();
			allocator_stop();
		}
}

static void alignments(void) {
	for (size_t alignment = 16; alignment <= (size_t)1 << 24; alignment *= 2)
		for (size_t size = 0; size < 300000; size = size * 3 + 1) {
			char *memory = allocator_allocate(size, alignment, false);
			assert_non_null(memory);
			assert_int_equal((uintptr_t)memory % alignment, 0);
			assert_true(allocator_usable(memory) >= size);
			memset(memory, 1, allocator_usable(memory));
			allocator_free(memory);
		}
}

static void test_alignment_and_usable_size(void **state) {
	(void)state;
	each_way(alignments);
}

/* Zeroed memory is zero also if it was dirty before: slots, blocks, and blocks cut from larger ones. */
static void zeros(void) {
	for (unsigned round = 0; round < at_depth(5, 20); round++)
		for (size_t size = 1; size < 3000000; size = size * 2 + 7) {
			unsigned char *memory = allocator_allocate(size, 16, true);
			for (size_t i = 0; i < size; i++)
				if (memory[i])
					fail_msg("byte %zu of %zu is not zero", i, size);
			memset(memory, 0xff, size);
			allocator_free(memory);
		}
}

static void test_calloc_gives_zeros(void **state) {
	(void)state;
	each_way(zeros);
}

/* Grows and shrinks; contents are kept in place, by copying and by moving pages. */
static void resizes(void) {
	static const size_t sizes[] = {1,      40,     100,     60,     5000,    20000,  33000,  40000, 300000,
	                               900000, 905000, 3000000, 100000, 5000000, 200000, 33000,  100,   0x2000000,
	                               17,     70000,  70001,   131072, 131073,  16,     1000000};
	void *obstacle[sizeof sizes / sizeof *sizes];
	unsigned char *memory = NULL;
	size_t before = 0;
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		memory = allocator_resize(memory, sizes[i]);
		assert_non_null(memory);
		for (size_t j = 0; j < before && j < sizes[i]; j += 61)
			if (memory[j] != (unsigned char)(j * 7))
				fail_msg("byte %zu is lost from %zu to %zu", j, before, sizes[i]);
		for (size_t j = 0; j < sizes[i]; j++)
			memory[j] = (unsigned char)(j * 7);
		before = sizes[i];
		/* A block behind prevents growth in place. */
		obstacle[i] = allocator_allocate(sizes[i], 16, false);
	}
	assert_null(allocator_resize(memory, 0));
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
		allocator_free(obstacle[i]);
}

/* A block of glibc's that becomes small moves to the arena, and is freed there. */
static void test_small_objects_are_ours(void **state) {
	(void)state;
	runtime_start(HEAP_SHUFFLE, BLOCKS_GLIBC, 3);
	for (size_t size = 1; size <= SIZES_SMALL_MAX; size = size * 2 + 1) {
		char *memory = allocator_allocate(200000, 16, false);
		assert_false(arena_has(memory));
		memset(memory, 5, size);
		memory = allocator_resize(memory, size);
		assert_true(arena_has(memory) && memory[size - 1] == 5);
		allocator_free(memory);
	}
	allocator_stop();
}

static void test_realloc_keeps_contents(void **state) {
	(void)state;
	each_way(resizes);
}

static void errors(void) {
	static const size_t impossible[] = {SIZE_MAX, SIZE_MAX - 4096, (size_t)PTRDIFF_MAX + 1, PTRDIFF_MAX};
	void *memory = allocator_allocate(100, 16, false);
	for (size_t i = 0; i < sizeof impossible / sizeof *impossible; i++) {
		errno = 0;
		assert_null(allocator_allocate(impossible[i], 16, i % 2));
		assert_int_equal(errno, ENOMEM);
		errno = 0;
		assert_null(allocator_resize(memory, impossible[i]));
		assert_int_equal(errno, ENOMEM);
	}
	errno = 42;
	allocator_free(memory);
	for (int i = 0; i < 60; i++) {
		void *block = allocator_allocate((size_t)i * 30000, 16, false);
		memset(block, 1, (size_t)i * 30000);
		allocator_free(block);
	}
	assert_int_equal(errno, 42);
}

static void test_errors_and_errno(void **state) {
	(void)state;
	each_way(errors);
}

/* Runs a function in a child, which SIGABRT must stop after one line with the address that it wrote. */
static void stopped(void (*function)(int), const char *what) {
	int line[2], told[2];
	char text[256] = "", address[64] = "";
	assert_int_equal(pipe(line) | pipe(told), 0);
	pid_t child = fork();
	if (child == 0) {
		struct rlimit none = {0, 0};
		setrlimit(RLIMIT_CORE, &none);
		signal(SIGABRT, SIG_DFL);
		dup2(line[1], 2);
		function(told[1]);
		_exit(0);
	}
	close(line[1]);
	close(told[1]);
	int status;
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(read(told[0], address, sizeof address - 1) > 0);
	if (read(line[0], text, sizeof text - 1) <= 0)
		fail_msg("nothing was said of %s, status %x", address, (unsigned)status);
	close(line[0]);
	close(told[0]);
	if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGABRT)
		fail_msg("status %x after \"%s\" at %s", (unsigned)status, text, address);
	char expected[256];
	snprintf(expected, sizeof expected, "libinterfero: %s %s\n", what, address);
	assert_string_equal(text, expected);
}

static void tell(int fd, const void *address) {
	dprintf(fd, "%p", address);
}

static void free_twice(int fd) {
	void *memory = allocator_allocate(100, 16, false);
	tell(fd, memory);
	allocator_free(memory);
	allocator_free(memory);
}

static void free_block_twice(int fd) {
	void *memory = allocator_allocate(100000, 16, false);
	tell(fd, memory);
	allocator_free(memory);
	allocator_free(memory);
}

static void free_inside(int fd) {
	char *memory = allocator_allocate(100, 16, false);
	tell(fd, memory + 16);
	allocator_free(memory + 16);
}

static void free_inside_paged(int fd) {
	char *memory = allocator_allocate(18640, 16, false);
	tell(fd, memory + 4096);
	allocator_free(memory + 4096);
}

static void free_paged_twice(int fd) {
	char *memory = allocator_allocate(18640, 64, false);
	tell(fd, memory);
	allocator_free(memory);
	allocator_free(memory);
}

static void free_inside_block(int fd) {
	char *memory = allocator_allocate(200000, 16, false);
	tell(fd, memory + 65536);
	allocator_free(memory + 65536);
}

static void free_unaligned(int fd) {
	char *memory = allocator_allocate(100, 16, false);
	tell(fd, memory + 1);
	allocator_free(memory + 1);
}

static void free_static(int fd) {
	static _Alignas(16) char memory[64];
	tell(fd, memory + 16);
	allocator_free(memory + 16);
}

static void free_unused(int fd) {
	char *memory = (char *)arena.base + ((size_t)1 << arena.window_shift) * (arena.windows / 2) + 4096;
	tell(fd, memory);
	allocator_free(memory);
}

static void *passed;

static void *free_it(void *unused) {
	allocator_free(passed);
	return unused;
}

static void free_here_and_there(int fd) {
	passed = allocator_allocate(100, 16, false);
	tell(fd, passed);
	runtime_join(runtime_thread(free_it, NULL));
	allocator_free(passed);
}

static void free_there_twice(int fd) {
	passed = allocator_allocate(100000, 16, false);
	tell(fd, passed);
	runtime_join(runtime_thread(free_it, NULL));
	runtime_join(runtime_thread(free_it, NULL));
}

static void test_bad_frees_stop_the_program(void **state) {
	(void)state;
	for (int heap = HEAP_SHUFFLE; heap <= HEAP_DIEHARD; heap++) {
		runtime_start((enum heap_mode)heap, BLOCKS_RANDOM, 3);
		stopped(free_twice, "double free of");
		stopped(free_block_twice, "double free of");
		stopped(free_inside, "invalid free of");
		stopped(free_inside_paged, "invalid free of");
		stopped(free_paged_twice, "double free of");
		stopped(free_inside_block, "invalid free of");
		stopped(free_unaligned, "invalid free of");
		stopped(free_static, "invalid free of");
		stopped(free_unused, "invalid free of");
		stopped(free_here_and_there, "double free of");
		stopped(free_there_twice, "double free of");
		allocator_stop();
	}
}

enum { PASSED = 20000 };
static void *handed_over[PASSED];

static void *free_all(void *unused) {
	for (int i = 0; i < PASSED; i++)
		allocator_free(handed_over[i]);
	return unused;
}

/* Remotely freed slots are reused: the address space of a class does not grow with every repetition. */
static void test_remote_frees_come_back(void **state) {
	(void)state;
	for (int heap = HEAP_SHUFFLE; heap <= HEAP_DIEHARD; heap++) {
		runtime_start((enum heap_mode)heap, BLOCKS_ALIGNED, 3);
		uint32_t spans = 0;
		for (int round = 0; round < 10; round++) {
			for (int i = 0; i < PASSED; i++)
				handed_over[i] = allocator_allocate(i % 100 ? 48 : 50000, 16, false);
			runtime_join(runtime_thread(free_all, NULL));
			if (round == 1)
				spans = this_thread.heap->class[sizes_class(48)].span_count;
		}
		assert_in_range(this_thread.heap->class[sizes_class(48)].span_count, 1, spans * 5 / 4 + 1);
		assert_true(this_thread.heap->blocks.area.next - this_thread.heap->blocks.area.first <= 2 * PASSED / 100);
		allocator_stop();
	}
}

static size_t resident_bytes(void) {
	unsigned long whole = 0, resident = 0;
	FILE *file = fopen("/proc/self/statm", "r");
	assert_non_null(file);
	assert_int_equal(fscanf(file, "%lu %lu", &whole, &resident), 2);
	fclose(file);
	return resident * 4096;
}

/* Touches each page, and no shadow of the address sanitizer: some kernels count pages that were only read as resident. */
__attribute__((no_sanitize("address"))) static void *touch(void *memory, size_t bytes) {
	volatile char *at = memory;
	for (size_t i = 0; i < bytes; i += 1024)
		at[i] = 1;
	return memory;
}

/* After freeing 64 MiB of small objects at most 40 stay resident: slots that wait for reuse keep their spans. */
static void test_memory_is_given_back(void **state) {
	(void)state;
	enum { OBJECTS = 65536 };
	static void *object[OBJECTS];
	runtime_start(HEAP_SHUFFLE, BLOCKS_ALIGNED, 3);
	size_t before = resident_bytes();
	for (int i = 0; i < OBJECTS; i++)
		object[i] = touch(allocator_allocate(1024, 16, false), 1024);
	assert_true(resident_bytes() > before + ((size_t)60 << 20));
	for (int i = 0; i < OBJECTS; i++)
		allocator_free(object[i]);
	assert_true(resident_bytes() < before + ((size_t)40 << 20));
	void *block = touch(allocator_allocate((size_t)256 << 20, 16, false), (size_t)256 << 20);
	assert_true(resident_bytes() > before + ((size_t)250 << 20));
	allocator_free(block);
	assert_true(resident_bytes() < before + ((size_t)40 << 20));
	allocator_stop();
}

/* Requests while this thread is inside the allocator, as from a signal handler. */
static void test_requests_in_between(void **state) {
	(void)state;
	runtime_start(HEAP_DIEHARD, BLOCKS_RANDOM, 3);
	char *outside = allocator_allocate(100, 16, false);
	struct heap *own = thread_enter(&this_thread);
	char *inside = allocator_allocate(100, 16, false), *block = allocator_allocate(100000, 16, false);
	assert_true(heap_of(inside) != heap_of(outside) && heap_of(block) != heap_of(outside));
	memset(inside, 1, 100);
	allocator_free(outside); /* marked, and drained later */
	allocator_free(inside);
	inside = allocator_resize(block, 200000);
	allocator_free(inside);
	thread_leave(&this_thread, own);
	heap_drain(this_thread.heap);
	assert_false(live_test(arena_granule(outside)));
	allocator_stop();
}

/* With little address space the arena is smaller, and when a class's share is full, glibc serves the program. */
static void test_small_arena(void **state) {
	(void)state;
	struct options options = runtime_options(HEAP_DIEHARD, BLOCKS_RANDOM, 3);
	allocator_start_with(&options, (size_t)1 << 30);
	assert_true(arena.bytes == (size_t)1 << 30);
	void *object[100];
	for (int i = 0; i < 100; i++)
		memset(object[i] = allocator_allocate((size_t)8 << 20, 16, false), i, (size_t)1 << 20);
	assert_false(arena_has(object[99]));
	for (int i = 0; i < 100; i++)
		allocator_free(object[i]);
	allocator_stop();
}

static void test_granule(void **state) {
	(void)state;
	struct options options = runtime_options(HEAP_DIEHARD, BLOCKS_GLIBC, 3);
	options.granule_bytes = 64;
	allocator_start_with(&options, (size_t)1 << TEST_ARENA_SHIFT);
	for (size_t size = 0; size < 2000; size++)
		assert_int_equal((uintptr_t)allocator_allocate(size, 16, false) % 64, 0);
	allocator_stop();
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_size_classes),
		cmocka_unit_test(test_alignment_and_usable_size),
		cmocka_unit_test(test_calloc_gives_zeros),
		cmocka_unit_test(test_realloc_keeps_contents),
		cmocka_unit_test(test_small_objects_are_ours),
		cmocka_unit_test(test_errors_and_errno),
		cmocka_unit_test(test_bad_frees_stop_the_program),
		cmocka_unit_test(test_remote_frees_come_back),
		cmocka_unit_test(test_memory_is_given_back),
		cmocka_unit_test(test_requests_in_between),
		cmocka_unit_test(test_small_arena),
		cmocka_unit_test(test_granule),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
