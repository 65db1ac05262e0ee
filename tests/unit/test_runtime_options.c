/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The runtime's settings, and its log as a file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "runtime/log.h"
#include "tests/runtime_help.h"
#include "tests/unit/folder.h"

static bool set(struct options *options, const char *name, const char *text) {
	return options_set(options, name, strlen(name), text, strlen(text));
}

static void test_settings(void **state) {
	(void)state;
	struct options options;
	options_init(&options);
	assert_int_equal(options.heap, HEAP_GLIBC);
	assert_int_equal(options.fullness_pct, 50);
	assert_true(set(&options, "heap", "diehard"));
	assert_true(set(&options, "heap-seed", "0xffffffffffffffff"));
	assert_true(set(&options, "blocks-seed", "18446744073709551615"));
	assert_true(set(&options, "blocks", "alias-free"));
	assert_true(set(&options, "granule", "64"));
	assert_true(set(&options, "log", "/x/y z"));
	assert_int_equal(options.heap, HEAP_DIEHARD);
	assert_true(options.heap_seed == UINT64_MAX && options.blocks_seed == UINT64_MAX);
	assert_int_equal(options.blocks, BLOCKS_ALIAS_FREE);
	assert_int_equal(options.granule_bytes, 64);
	assert_string_equal(options.log, "/x/y z");
	assert_string_equal(options.refused, "");
}

static void test_bad_settings_change_nothing(void **state) {
	(void)state;
	static const char *const bad[][2] = {
		{"heap", "die"},
		{"heap", ""},
		{"heap", "diehards"},
		{"heap-seed", "-1"},
		{"heap-seed", " 1"},
		{"heap-seed", "18446744073709551616"},
		{"heap-seed", "0x"},
		{"heap-seed", "12g"},
		{"fullness", "0"},
		{"fullness", "96"},
		{"granule", "15"},
		{"granule", "8192"},
		{"window", "257"},
		{"colour", "red"},
		{"", ""},
		{"report", "1234567890123456789012345678901234567890123456789"},
	};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct options options, before;
		options_init(&options);
		before = options;
		assert_false(set(&options, bad[i][0], bad[i][1]));
		assert_true(*options.refused);
		memset(options.refused, 0, sizeof options.refused);
		assert_memory_equal(&options, &before, sizeof options);
	}
}

/* All requests are logged in order, each thread's events together. */
static void test_log_reads_back(void **state) {
	(void)state;
	struct options options = runtime_options(HEAP_DIEHARD, BLOCKS_RANDOM, 3);
	char *path = below("log");
	snprintf(options.log, sizeof options.log, "%s", path);
	allocator_start_with(&options, (size_t)1 << TEST_ARENA_SHIFT);
	enum { OBJECTS = 30000 };
	static void *object[OBJECTS];
	for (int i = 0; i < OBJECTS; i++)
		object[i] = allocator_allocate((size_t)i, i % 10 ? 16 : 64, i % 3 == 0);
	object[7] = allocator_resize(object[7], 100000);
	for (int i = 0; i < OBJECTS; i++)
		allocator_free(object[i]);
	/* The events of a killed child are there, too. */
	pid_t child = fork();
	if (child == 0) {
		log_after_fork();
		allocator_free(allocator_allocate(4242, 16, false));
		_exit(0);
	}
	assert_int_equal(waitpid(child, NULL, 0), child);
	allocator_stop();

	struct ifr_log_event *events;
	struct ifr_error err = {0};
	size_t count;
	if (ifr_log_read(path, &events, &count, &err))
		fail_msg("%s", err.message);
	assert_int_equal(count, 2 * OBJECTS + 1 + 2);
	for (int i = 0; i < OBJECTS; i++) {
		enum ifr_log_call call = i % 10 == 0 ? IFR_LOG_ALIGNED : i % 3 == 0 ? IFR_LOG_CALLOC : IFR_LOG_MALLOC;
		assert_int_equal(events[i].sequence, i + 1);
		assert_int_equal(events[i].call, call);
		assert_int_equal(events[i].size, i);
		assert_int_equal(events[i].thread, 0);
		assert_int_equal(events[i].process, getpid());
		assert_true(i == 7 || events[i].address == (uintptr_t)object[i]);
		assert_int_equal(events[OBJECTS + 1 + i].call, IFR_LOG_FREE);
		assert_true(events[OBJECTS + 1 + i].address == (uintptr_t)object[i]);
	}
	assert_int_equal(events[OBJECTS].call, IFR_LOG_REALLOC);
	assert_true(events[OBJECTS].old == events[7].address && events[OBJECTS].address == (uintptr_t)object[7]);
	assert_int_equal(events[count - 2].size, 4242);
	assert_int_equal(events[count - 2].process, child);
	free(events);
	free(path);
}

/* The log changes no address of the program. */
static void test_log_does_not_disturb(void **state) {
	(void)state;
	void *object[2][500];
	char *path = below("quiet");
	for (int logged = 0; logged < 2; logged++) {
		struct options options = runtime_options(HEAP_DIEHARD, BLOCKS_RANDOM, 3);
		if (logged)
			snprintf(options.log, sizeof options.log, "%s", path);
		allocator_start_with(&options, (size_t)1 << TEST_ARENA_SHIFT);
		for (int i = 0; i < 500; i++)
			object[logged][i] = allocator_allocate((size_t)i * i, 16, false);
		allocator_stop();
	}
	assert_memory_equal(object[0], object[1], sizeof object[0]);
	free(path);
}

static void refused_log(const void *data, size_t length) {
	struct ifr_log_event *events;
	struct ifr_error err = {0};
	size_t count;
	assert_int_equal(ifr_log_parse(data, length, "a file", &events, &count, &err), -IFR_E_USAGE);
	assert_non_null(strstr(err.message, "a file"));
}

static void test_damaged_logs_are_refused(void **state) {
	(void)state;
	static _Alignas(8) unsigned char data[2 * IFR_LOG_BLOCK];
	struct ifr_log_head *head = (struct ifr_log_head *)data;
	struct ifr_log_block *block = (struct ifr_log_block *)(data + IFR_LOG_BLOCK);
	refused_log(data, 0);
	refused_log(data, sizeof data);
	head->magic = IFR_LOG_MAGIC;
	struct ifr_log_event *events;
	size_t count;
	assert_int_equal(ifr_log_parse(data, sizeof data, "a file", &events, &count, NULL), 0);
	assert_int_equal(count, 0);
	free(events);
	block->magic = 5;
	refused_log(data, sizeof data);
	block->magic = IFR_LOG_MAGIC;
	block->used = IFR_LOG_BLOCK;
	refused_log(data, sizeof data);
	block->used = 3; /* an unterminated number */
	memset(block + 1, 0xff, 3);
	refused_log(data, sizeof data);
	memset(block + 1, 7, 3); /* an unknown call */
	refused_log(data, sizeof data);
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_settings),
		cmocka_unit_test(test_bad_settings_change_nothing),
		cmocka_unit_test(test_log_reads_back),
		cmocka_unit_test(test_log_does_not_disturb),
		cmocka_unit_test(test_damaged_logs_are_refused),
	};
	return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
