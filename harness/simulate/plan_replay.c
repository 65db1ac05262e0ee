/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/simulate/plan_replay.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "harness/exec/exec.h"
#include "harness/simulate/plan_layouts.h"
#include "kit/kit.h"

enum { THREAD_LIMIT = 16 };

static bool needs_kit(const struct ifr_plan *plans, size_t count) {
	bool needs = false;
	for (size_t i = 0; i < count; i++)
		needs |= ifr_layout_needs_kit(&plans[i]);
	return needs;
}

/* Loads the kit of the recorded program, if the program has not changed since. */
static int load_kit(const struct ifr_trace *trace, struct ifr_kit *kit, struct ifr_error *err) {
	char *program = ifr_trace_fact(trace, "program"), *build_id = ifr_trace_fact(trace, "build_id");
	char now[2 * IFR_BUILD_ID_MAX_BYTES + 1] = "";
	int result = 0;
	if (!program)
		result = ifr_fail(err, IFR_E_USAGE, "the trace does not name its program: it cannot be laid out anew");
	if (!result)
		result = ifr_build_id_read(program, now, err);
	if (!result && build_id && strcmp(now, build_id) != 0)
		result = ifr_fail(err, IFR_E_USAGE,
		                  "%s was built again since it was recorded: record it again, or put the old one back",
		                  program);
	if (!result)
		result = ifr_kit_of_program(program, kit, err);
	free(program);
	free(build_id);
	return result;
}

/* Layouts to replay. Each worker takes the next batch and replays it with a reader of its own. */
struct batch_queue {
	struct ifr_plan_replay *replay;
	struct ifr_builder *builder;
	const struct ifr_plan *plans;
	struct ifr_counts *counters;
	size_t count;          /* of layouts */
	size_t next;           /* first layout that no worker has taken */
	size_t size;           /* layouts in a batch, up to IFR_REPLAY_LANES */
	pthread_mutex_t mutex; /* protects next, builder, result and err */
	int result;
	struct ifr_error *err;
};

struct worker {
	struct batch_queue *queue;
	struct ifr_trace *trace;
	pthread_t thread;
};

/* Takes the next batch and makes its address maps. Returns the number of layouts; 0 if none is left or a worker
 * has failed. */
static size_t take_batch(struct worker *worker, struct ifr_address_map **maps, size_t *first) {
	struct batch_queue *queue = worker->queue;
	pthread_mutex_lock(&queue->mutex);
	const size_t rest = queue->count - queue->next;
	size_t count = queue->result ? 0 : rest < queue->size ? rest : queue->size;
	*first = queue->next;
	queue->next += count;
	for (size_t i = 0; i < count && !queue->result; i++)
		queue->result =
			ifr_layout_of_plan(worker->trace, queue->builder, &queue->plans[*first + i], &maps[i], queue->err);
	if (queue->result)
		count = 0;
	pthread_mutex_unlock(&queue->mutex);
	return count;
}

static void replay_batch(struct worker *worker, struct ifr_address_map *const *maps, size_t first, size_t count) {
	struct batch_queue *queue = worker->queue;
	struct ifr_plan_replay *replay = queue->replay;
	struct ifr_error err = {0};
	const char *engine = NULL;
	int result = 0;
	for (size_t i = 0; i < replay->machine_count && !result; i++) {
		const struct ifr_count_settings settings = {
			.machine = replay->machines[i], .engine = replay->engine, .stopped = ifr_launch_interrupted};
		result = ifr_count_events(worker->trace, maps, count, &settings,
		                          queue->counters + i * queue->count + first, &engine, &err);
	}
	pthread_mutex_lock(&queue->mutex);
	if (result && !queue->result) {
		queue->result = result;
		*queue->err = err;
	}
	if (engine && !first)
		replay->engine_name = engine;
	pthread_mutex_unlock(&queue->mutex);
}

static void *run_worker(void *argument) {
	struct worker *worker = argument;
	struct ifr_address_map *maps[IFR_REPLAY_LANES];
	for (size_t first, count = 1; count;) {
		memset(maps, 0, sizeof maps);
		count = take_batch(worker, maps, &first);
		if (count)
			replay_batch(worker, maps, first, count);
		for (size_t i = 0; i < IFR_REPLAY_LANES; i++)
			ifr_address_map_free(maps[i]);
	}
	return NULL;
}

/* The number of layouts a thread whose state fits into 1 GiB for all threads. L2 and L3 dominate: each lane keeps
 * a key and a time for every line. */
static size_t count_lanes_in_memory(const struct ifr_machine *machine, size_t threads) {
	const struct ifr_cache_shape l2 = ifr_machine_cache_shape(machine, IFR_L2_BYTES);
	const struct ifr_cache_shape l3 = ifr_machine_cache_shape(machine, IFR_L3_BYTES);
	const size_t lines = (size_t)l2.sets * l2.ways + (size_t)l3.sets * l3.ways;
	const size_t lanes = ((size_t)1 << 30) / threads / (lines * 2 * sizeof(uint64_t) + 1);
	return lanes < 1 ? 1 : lanes;
}

/* One thread for each vector group of layouts, up to the processors. */
static size_t choose_threads(size_t count) {
	cpu_set_t allowed;
	const size_t processors = sched_getaffinity(0, sizeof allowed, &allowed) ? 1 : (size_t)CPU_COUNT(&allowed);
	const size_t vectors = 1 + (count - 1) / IFR_REPLAY_VECTOR;
	const size_t most = processors < THREAD_LIMIT ? processors : THREAD_LIMIT;
	const size_t threads = vectors < most ? vectors : most;
	return threads ? threads : 1;
}

/* Large batches, because a batch reads the trace once; yet small enough to give every thread one. */
static size_t choose_batch_size(const struct ifr_plan_replay *replay, size_t count, size_t threads) {
	const size_t vectors = 1 + (count - 1) / IFR_REPLAY_VECTOR;
	const size_t share = (vectors + threads - 1) / threads * IFR_REPLAY_VECTOR;
	size_t size = share < IFR_REPLAY_LANES ? share : IFR_REPLAY_LANES;
	for (size_t i = 0; i < replay->machine_count; i++) {
		const size_t memory = count_lanes_in_memory(replay->machines[i], threads);
		size = size < memory ? size : memory;
	}
	return size;
}

/* Replays all batches; the calling thread is a worker, too. If a thread cannot start, the others take its batches. */
static int replay_batches(struct batch_queue *queue, size_t threads) {
	struct worker workers[THREAD_LIMIT] = {{.queue = queue, .trace = queue->replay->trace}};
	size_t started = 1;
	for (; started < threads; started++) {
		struct worker *worker = &workers[started];
		struct ifr_error err = {0};
		*worker = (struct worker){.queue = queue};
		if (ifr_trace_reopen(queue->replay->trace, &worker->trace, &err))
			break;
		if (pthread_create(&worker->thread, NULL, run_worker, worker)) {
			ifr_trace_free(worker->trace);
			break;
		}
	}
	run_worker(&workers[0]);
	for (size_t i = 1; i < started; i++) {
		pthread_join(workers[i].thread, NULL);
		ifr_trace_free(workers[i].trace);
	}
	return queue->result;
}

int ifr_replay_plans(struct ifr_plan_replay *replay, const struct ifr_plan *plans, size_t count,
                     struct ifr_counts *counters, struct ifr_error *err) {
	struct ifr_kit kit;
	struct ifr_builder *builder = NULL;
	int result = 0;
	ifr_kit_init(&kit);
	if (needs_kit(plans, count)) {
		result = load_kit(replay->trace, &kit, err);
		if (!result)
			result = ifr_builder_open(&kit, &builder, err);
	}
	if (!result && count) {
		const size_t threads = choose_threads(count);
		struct batch_queue queue = {.replay = replay,
		                            .builder = builder,
		                            .plans = plans,
		                            .counters = counters,
		                            .count = count,
		                            .size = choose_batch_size(replay, count, threads),
		                            .mutex = PTHREAD_MUTEX_INITIALIZER,
		                            .err = err};
		result = replay_batches(&queue, threads);
	}
	ifr_builder_close(builder);
	ifr_kit_release(&kit);
	return result;
}
