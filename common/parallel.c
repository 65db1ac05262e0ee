/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>

struct loop {
	ifr_parallel_task task;
	void *data;
	size_t count;
	pthread_mutex_t mutex; /* protects what follows */
	size_t next;           /* first task that no thread has taken */
	size_t failed;         /* the failed task with the lowest number; count: none */
	int result;            /* of that task */
	struct ifr_error err;
};

struct worker {
	struct loop *loop;
	size_t number;
	pthread_t thread;
};

/* Takes the next task; returns false if none is left or one has failed. */
static bool take_task(struct loop *loop, size_t *index) {
	pthread_mutex_lock(&loop->mutex);
	const bool more = !loop->result && loop->next < loop->count;
	*index = loop->next;
	loop->next += more;
	pthread_mutex_unlock(&loop->mutex);
	return more;
}

static void note_failure(struct loop *loop, size_t index, int result, const struct ifr_error *err) {
	pthread_mutex_lock(&loop->mutex);
	if (index < loop->failed) {
		loop->failed = index;
		loop->result = result;
		loop->err = *err;
	}
	pthread_mutex_unlock(&loop->mutex);
}

static void *run_worker(void *argument) {
	const struct worker *worker = argument;
	struct loop *loop = worker->loop;
	for (size_t index; take_task(loop, &index);) {
		struct ifr_error err = {0};
		const int result = loop->task(index, worker->number, loop->data, &err);
		if (result)
			note_failure(loop, index, result, &err);
	}
	return NULL;
}

int ifr_parallel_each(size_t count, size_t threads, ifr_parallel_task task, void *data, struct ifr_error *err) {
	struct loop loop = {
		.task = task, .data = data, .count = count, .failed = count, .mutex = PTHREAD_MUTEX_INITIALIZER};
	struct worker workers[IFR_PARALLEL_MOST] = {{.loop = &loop}};
	size_t started = 1;
	for (; started < threads && started < count && started < IFR_PARALLEL_MOST; started++) {
		workers[started] = (struct worker){.loop = &loop, .number = started};
		if (pthread_create(&workers[started].thread, NULL, run_worker, &workers[started]))
			break;
	}
	run_worker(&workers[0]);
	for (size_t i = 1; i < started; i++)
		pthread_join(workers[i].thread, NULL);
	if (loop.result && err)
		*err = loop.err;
	return loop.result;
}

size_t ifr_parallel_processors(void) {
	cpu_set_t allowed;
	const int count = sched_getaffinity(0, sizeof allowed, &allowed) ? 1 : CPU_COUNT(&allowed);
	return count < 1 ? 1 : count < IFR_PARALLEL_MOST ? (size_t)count : IFR_PARALLEL_MOST;
}
