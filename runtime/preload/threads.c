/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Interposed pthread functions: they tell which thread starts, joins or detaches which. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>

#include "runtime/preload/preload.h"
#include "runtime/preload/start.h"
#include "runtime/threads.h"

typedef int create_function(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
typedef int join_function(pthread_t, void **);
typedef int timed_join_function(pthread_t, void **, const struct timespec *);
typedef int clock_join_function(pthread_t, void **, clockid_t, const struct timespec *);
typedef int detach_function(pthread_t);

/* dlsym returns data pointers; POSIX allows calling them. */
#define NEXT(type, name)       \
	static type *_Atomic next; \
	if (!next)                 \
	*(void **)&next = dlsym(RTLD_NEXT, name)

static void *begin_thread(void *argument) {
	struct heap *heap = argument;
	threads_begin(heap, pthread_self());
	start_thread_watch();
	return heap->start(heap->argument);
}

static bool is_detached(const pthread_attr_t *attributes) {
	int state = PTHREAD_CREATE_JOINABLE;
	return attributes && !pthread_attr_getdetachstate(attributes, &state) && state == PTHREAD_CREATE_DETACHED;
}

EXPORTED int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *),
                            void *argument) {
	NEXT(create_function, "pthread_create");
	struct heap *heap = arena.base ? threads_announce(is_detached(attributes)) : NULL;
	if (!heap)
		return next(thread, attributes, function, argument);
	heap->start = function;
	heap->argument = argument;
	unsigned uses = heap->uses;
	int error = next(thread, attributes, begin_thread, heap);
	if (error)
		threads_withdraw(heap);
	else
		threads_started(heap, uses, *thread);
	return error;
}

EXPORTED int pthread_join(pthread_t thread, void **result) {
	NEXT(join_function, "pthread_join");
	struct heap *heap = arena.base ? threads_joining(thread) : NULL;
	int error = next(thread, result);
	threads_joined(heap, !error);
	return error;
}

EXPORTED int pthread_tryjoin_np(pthread_t thread, void **result) {
	NEXT(join_function, "pthread_tryjoin_np");
	struct heap *heap = arena.base ? threads_joining(thread) : NULL;
	int error = next(thread, result);
	threads_joined(heap, !error);
	return error;
}

EXPORTED int pthread_timedjoin_np(pthread_t thread, void **result, const struct timespec *until) {
	NEXT(timed_join_function, "pthread_timedjoin_np");
	struct heap *heap = arena.base ? threads_joining(thread) : NULL;
	int error = next(thread, result, until);
	threads_joined(heap, !error);
	return error;
}

EXPORTED int pthread_clockjoin_np(pthread_t thread, void **result, clockid_t clock, const struct timespec *until) {
	NEXT(clock_join_function, "pthread_clockjoin_np");
	struct heap *heap = arena.base ? threads_joining(thread) : NULL;
	int error = next(thread, result, clock, until);
	threads_joined(heap, !error);
	return error;
}

EXPORTED int pthread_detach(pthread_t thread) {
	NEXT(detach_function, "pthread_detach");
	/* Before the call, as a detached thread may end at once and its pthread_t be reused. */
	if (arena.base)
		threads_detached(thread);
	return next(thread);
}
