/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A few chunks go round between two threads: the reader fills the slots in order, the user empties them in order. A
 * slot lends its arrays to the trace while a chunk is read into them. */
#include "model/trace/ahead.h"

#include <pthread.h>
#include <stdlib.h>

#include "model/trace/reader.h"

enum { SLOTS = 4 };

struct slot {
	struct ifr_trace_chunk chunk;
	uint32_t *executions;
	uint64_t *normalised;
	size_t execution_room, normalised_room;
};

struct ifr_trace_ahead {
	struct ifr_trace *trace;
	size_t most;
	ifr_trace_chunk_reader read;
	struct slot slots[SLOTS];
	pthread_t thread;
	bool threaded;
	pthread_mutex_t mutex; /* protects what follows */
	pthread_cond_t changed;
	size_t filled, emptied; /* slots so far; the user has the one before `emptied` */
	bool ended, stopped;    /* the last chunk was read; the user wants no more */
};

static void exchange_arrays(struct ifr_trace *trace, struct slot *slot) {
	const struct slot before = *slot;
	slot->executions = trace->executions;
	slot->normalised = trace->normalised;
	slot->execution_room = trace->execution_room;
	slot->normalised_room = trace->normalised_room;
	trace->executions = before.executions;
	trace->normalised = before.normalised;
	trace->execution_room = before.execution_room;
	trace->normalised_room = before.normalised_room;
}

static void fill_slot(struct ifr_trace_ahead *ahead, struct slot *slot) {
	exchange_arrays(ahead->trace, slot);
	ahead->read(ahead->trace, ahead->most, &slot->chunk);
	exchange_arrays(ahead->trace, slot);
}

/* The user keeps a slot until it asks for the next. */
static bool is_full(const struct ifr_trace_ahead *ahead) {
	return ahead->filled - ahead->emptied + 1 >= SLOTS;
}

static void *read_chunks(void *data) {
	struct ifr_trace_ahead *ahead = data;
	pthread_mutex_lock(&ahead->mutex);
	for (;;) {
		while (is_full(ahead) && !ahead->stopped)
			pthread_cond_wait(&ahead->changed, &ahead->mutex);
		if (ahead->stopped)
			break;
		struct slot *slot = &ahead->slots[ahead->filled % SLOTS];
		pthread_mutex_unlock(&ahead->mutex);
		fill_slot(ahead, slot);
		pthread_mutex_lock(&ahead->mutex);
		ahead->filled++;
		ahead->ended = !slot->chunk.executions_count;
		pthread_cond_broadcast(&ahead->changed);
		if (ahead->ended)
			break;
	}
	pthread_mutex_unlock(&ahead->mutex);
	return NULL;
}

struct ifr_trace_ahead *ifr_trace_ahead_new(struct ifr_trace *trace, size_t most_executions,
                                            ifr_trace_chunk_reader read) {
	struct ifr_trace_ahead *ahead = ifr_alloc(sizeof *ahead);
	ahead->trace = trace;
	ahead->most = most_executions;
	ahead->read = read;
	pthread_mutex_init(&ahead->mutex, NULL);
	pthread_cond_init(&ahead->changed, NULL);
	ifr_trace_rewind(trace);
	ahead->threaded = !pthread_create(&ahead->thread, NULL, read_chunks, ahead);
	return ahead;
}

void ifr_trace_ahead_next(struct ifr_trace_ahead *ahead, struct ifr_trace_chunk *chunk) {
	if (!ahead->threaded) {
		ahead->read(ahead->trace, ahead->most, chunk);
		return;
	}
	pthread_mutex_lock(&ahead->mutex);
	while (ahead->filled == ahead->emptied && !ahead->ended)
		pthread_cond_wait(&ahead->changed, &ahead->mutex);
	const bool none = ahead->filled == ahead->emptied;
	if (!none)
		*chunk = ahead->slots[ahead->emptied++ % SLOTS].chunk;
	pthread_cond_broadcast(&ahead->changed);
	pthread_mutex_unlock(&ahead->mutex);
	if (none)
		*chunk = (struct ifr_trace_chunk){0};
}

void ifr_trace_ahead_free(struct ifr_trace_ahead *ahead) {
	if (!ahead)
		return;
	pthread_mutex_lock(&ahead->mutex);
	ahead->stopped = true;
	pthread_cond_broadcast(&ahead->changed);
	pthread_mutex_unlock(&ahead->mutex);
	if (ahead->threaded)
		pthread_join(ahead->thread, NULL);
	for (size_t i = 0; i < SLOTS; i++) {
		free(ahead->slots[i].executions);
		free(ahead->slots[i].normalised);
	}
	pthread_mutex_destroy(&ahead->mutex);
	pthread_cond_destroy(&ahead->changed);
	free(ahead);
}
