/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The runtime's allocator in a test's own process, under its own names: malloc stays the sanitizer's. */
#ifndef IFR_TESTS_RUNTIME_HELP_H
#define IFR_TESTS_RUNTIME_HELP_H

#include <pthread.h>
#include <stdlib.h>

#include "runtime/allocator.h"
#include "runtime/threads.h"

enum { TEST_ARENA_SHIFT = 42 };

static inline struct options runtime_options(enum heap_mode heap, enum block_policy blocks, uint64_t seed) {
	struct options options;
	options_init(&options);
	options.heap = heap;
	options.blocks = blocks;
	options.heap_seed = options.blocks_seed = seed;
	return options;
}

static inline void runtime_start(enum heap_mode heap, enum block_policy blocks, uint64_t seed) {
	struct options options = runtime_options(heap, blocks, seed);
	allocator_start_with(&options, (size_t)1 << TEST_ARENA_SHIFT);
}

/* The steps of libinterfero.so around pthread_create and pthread_join. */
static void *runtime_begin(void *argument) {
	struct heap *heap = argument;
	threads_begin(heap, pthread_self());
	void *result = heap->start(heap->argument);
	threads_end();
	return result;
}

static inline pthread_t runtime_thread(void *(*function)(void *), void *argument) {
	pthread_t thread;
	struct heap *heap = threads_announce(false);
	if (!heap)
		abort();
	heap->start = function;
	heap->argument = argument;
	unsigned uses = heap->uses;
	if (pthread_create(&thread, NULL, runtime_begin, heap))
		abort();
	threads_started(heap, uses, thread);
	return thread;
}

static inline void runtime_join(pthread_t thread) {
	struct heap *heap = threads_joining(thread);
	if (!heap || pthread_join(thread, NULL))
		abort();
	threads_joined(heap, true);
}

#endif
