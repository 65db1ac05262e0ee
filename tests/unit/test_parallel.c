/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parallel loops. Threads meet at gates, so that no outcome depends on their speed. */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/parallel.h"

enum { TASKS = 1000, THREADS = 4 };

struct record {
	atomic_uint runs[TASKS];
	atomic_uint busy[IFR_PARALLEL_MOST];
	atomic_uint clashes, all, highest_thread;
	size_t fails_at; /* number of the failing task */
};

static int count_task(size_t index, size_t thread, void *data, struct ifr_error *err) {
	struct record *record = data;
	if (atomic_fetch_add(&record->busy[thread], 1))
		atomic_fetch_add(&record->clashes, 1);
	atomic_fetch_add(&record->runs[index], 1);
	atomic_fetch_add(&record->all, 1);
	while (thread > atomic_load(&record->highest_thread))
		atomic_store(&record->highest_thread, (unsigned)thread);
	atomic_fetch_sub(&record->busy[thread], 1);
	return index == record->fails_at ? ifr_fail(err, IFR_E_PROGRAM, "task %zu", index) : 0;
}

static void test_every_task_once(void **state) {
	(void)state;
	static const size_t threads[] = {0, 1, 2, THREADS, IFR_PARALLEL_MOST, 1000};
	for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
		static struct record record;
		record = (struct record){.fails_at = SIZE_MAX};
		assert_int_equal(ifr_parallel_each(TASKS, threads[i], count_task, &record, NULL), 0);
		for (size_t k = 0; k < TASKS; k++)
			assert_int_equal(record.runs[k], 1);
		assert_int_equal(record.clashes, 0);
		assert_true(record.highest_thread <= (threads[i] ? threads[i] - 1 : 0));
	}
	assert_int_equal(ifr_parallel_each(0, THREADS, count_task, NULL, NULL), 0);
}

static void test_failure_ends_the_loop(void **state) {
	(void)state;
	for (size_t threads = 1; threads <= THREADS; threads++) {
		static struct record record;
		struct ifr_error err = {0};
		record = (struct record){.fails_at = 20};
		assert_int_equal(ifr_parallel_each(TASKS, threads, count_task, &record, &err), -IFR_E_PROGRAM);
		assert_int_equal(err.code, IFR_E_PROGRAM);
		assert_string_equal(err.message, "task 20");
		for (size_t k = 0; k <= 20; k++)
			assert_int_equal(record.runs[k], 1);
		assert_true(threads > 1 || record.all == 21);
		assert_int_equal(ifr_parallel_each(TASKS, threads, count_task, &record, NULL), -IFR_E_PROGRAM);
	}
}

/* Two tasks that both fail, one after the other, once both run. */
struct pair {
	atomic_uint running;
	atomic_bool failed;
	size_t first; /* the task that fails first */
};

static int fail_in_turn(size_t index, size_t thread, void *data, struct ifr_error *err) {
	struct pair *pair = data;
	(void)thread;
	atomic_fetch_add(&pair->running, 1);
	while (atomic_load(&pair->running) < 2 || (index != pair->first && !atomic_load(&pair->failed)))
		sched_yield();
	if (index != pair->first)
		usleep(2000); /* lets the loop note the first failure, too, before */
	atomic_store(&pair->failed, true);
	return ifr_fail(err, index ? IFR_E_USAGE : IFR_E_PROGRAM, "task %zu", index);
}

static void test_lowest_failure_counts(void **state) {
	(void)state;
	for (size_t first = 0; first < 2; first++) {
		struct pair pair = {.first = first};
		struct ifr_error err = {0};
		assert_int_equal(ifr_parallel_each(2, 2, fail_in_turn, &pair, &err), -IFR_E_PROGRAM);
		assert_string_equal(err.message, "task 0");
	}
}

/* Each task waits for all others: without as many threads as tasks it would never end. */
static int meet(size_t index, size_t thread, void *data, struct ifr_error *err) {
	(void)index, (void)thread, (void)err;
	pthread_barrier_wait(data);
	return 0;
}

static void test_tasks_run_at_the_same_time(void **state) {
	(void)state;
	pthread_barrier_t barrier;
	pthread_barrier_init(&barrier, NULL, THREADS);
	assert_int_equal(ifr_parallel_each(THREADS, THREADS, meet, &barrier, NULL), 0);
	pthread_barrier_destroy(&barrier);
}

static void test_processors(void **state) {
	(void)state;
	cpu_set_t all, one;
	assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
	const int expected = CPU_COUNT(&all) < IFR_PARALLEL_MOST ? CPU_COUNT(&all) : IFR_PARALLEL_MOST;
	assert_int_equal(ifr_parallel_processors(), expected);
	CPU_ZERO(&one);
	for (size_t i = 0; !CPU_COUNT(&one); i++)
		if (CPU_ISSET(i, &all))
			CPU_SET(i, &one);
	assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
	assert_int_equal(ifr_parallel_processors(), 1);
	assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_task_once),
		cmocka_unit_test(test_failure_ends_the_loop),
		cmocka_unit_test(test_lowest_failure_counts),
		cmocka_unit_test(test_tasks_run_at_the_same_time),
		cmocka_unit_test(test_processors),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
