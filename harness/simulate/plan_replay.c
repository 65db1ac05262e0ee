/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/simulate/plan_replay.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "harness/exec/exec.h"
#include "harness/simulate/plan_layouts.h"
#include "kit/kit.h"

enum { MOST_THREADS = 16 };

static bool needs_kit(const struct ifr_plan *plans, size_t count) {
	bool needs = false;
	for (size_t i = 0; i < count; i++)
		needs |= ifr_layout_needs_kit(&plans[i]);
	return needs;
}

/* The kit of the program as it was recorded. */
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

/* Lots of layouts, replayed by several threads: each takes the next lot with a reader of its own. */
struct lots {
	struct ifr_plan_replay *replaying;
	struct ifr_builder *builder;
	const struct ifr_plan *plans;
	struct ifr_counts *counters;
	size_t count, next, size;
	pthread_mutex_t mutex; /* over all that follows, next, and the builder */
	int result;
	struct ifr_error *err;
};

struct worker {
	struct lots *lots;
	struct ifr_trace *trace;
	pthread_t thread;
};

/* Takes the next layouts and finds out where they put everything. Returns how many; 0 when none are left, or when
 * something has failed. */
static size_t take_lot(struct worker *worker, struct ifr_address_map **maps, size_t *first) {
	struct lots *lots = worker->lots;
	pthread_mutex_lock(&lots->mutex);
	const size_t rest = lots->count - lots->next;
	size_t count = lots->result ? 0 : rest < lots->size ? rest : lots->size;
	*first = lots->next;
	lots->next += count;
	for (size_t i = 0; i < count && !lots->result; i++)
		lots->result =
			ifr_layout_of_plan(worker->trace, lots->builder, &lots->plans[*first + i], &maps[i], lots->err);
	if (lots->result)
		count = 0;
	pthread_mutex_unlock(&lots->mutex);
	return count;
}

static void replay_lot(struct worker *worker, struct ifr_address_map *const *maps, size_t first, size_t count) {
	struct lots *lots = worker->lots;
	struct ifr_plan_replay *replaying = lots->replaying;
	struct ifr_error err = {0};
	const char *engine = NULL;
	int result = 0;
	for (size_t i = 0; i < replaying->machine_count && !result; i++) {
		const struct ifr_count_settings settings = {
			.machine = replaying->machines[i], .engine = replaying->engine, .stopped = ifr_launch_interrupted};
		result = ifr_count_events(worker->trace, maps, count, &settings, lots->counters + i * lots->count + first,
		                          &engine, &err);
	}
	pthread_mutex_lock(&lots->mutex);
	if (result && !lots->result) {
		lots->result = result;
		*lots->err = err;
	}
	if (engine && !first)
		replaying->engine_name = engine;
	pthread_mutex_unlock(&lots->mutex);
}

static void *work(void *argument) {
	struct worker *worker = argument;
	struct ifr_address_map *maps[IFR_REPLAY_LANES];
	for (size_t first, count = 1; count;) {
		memset(maps, 0, sizeof maps);
		count = take_lot(worker, maps, &first);
		if (count)
			replay_lot(worker, maps, first, count);
		for (size_t i = 0; i < IFR_REPLAY_LANES; i++)
			ifr_address_map_free(maps[i]);
	}
	return NULL;
}

/* The states of shared caches are what takes room: keys and times of every line of every layout. */
static size_t lanes_in_memory(const struct ifr_machine *machine, size_t threads) {
	const struct ifr_cache_shape l2 = ifr_machine_cache_shape(machine, IFR_L2_BYTES);
	const struct ifr_cache_shape l3 = ifr_machine_cache_shape(machine, IFR_L3_BYTES);
	const size_t lines = (size_t)l2.sets * l2.ways + (size_t)l3.sets * l3.ways;
	const size_t lanes = ((size_t)1 << 30) / threads / (lines * 2 * sizeof(uint64_t) + 1);
	return lanes < 1 ? 1 : lanes;
}

/* As many as there are vectors of layouts to share out, and processors. */
static size_t choose_threads(size_t count) {
	cpu_set_t allowed;
	const size_t processors = sched_getaffinity(0, sizeof allowed, &allowed) ? 1 : (size_t)CPU_COUNT(&allowed);
	const size_t vectors = 1 + (count - 1) / IFR_REPLAY_VECTOR;
	const size_t most = processors < MOST_THREADS ? processors : MOST_THREADS;
	const size_t threads = vectors < most ? vectors : most;
	return threads ? threads : 1;
}

/* The more layouts in a lot, the less each pays for reading; but all threads shall have some. */
static size_t lot_size(const struct ifr_plan_replay *replaying, size_t count, size_t threads) {
	const size_t vectors = 1 + (count - 1) / IFR_REPLAY_VECTOR;
	const size_t share = (vectors + threads - 1) / threads * IFR_REPLAY_VECTOR;
	size_t size = share < IFR_REPLAY_LANES ? share : IFR_REPLAY_LANES;
	for (size_t i = 0; i < replaying->machine_count; i++) {
		const size_t memory = lanes_in_memory(replaying->machines[i], threads);
		size = size < memory ? size : memory;
	}
	return size;
}

/* This thread works, too. A thread that cannot be had leaves its lots to the others. */
static int replay_lots(struct lots *lots, size_t threads) {
	struct worker workers[MOST_THREADS] = {{.lots = lots, .trace = lots->replaying->trace}};
	size_t started = 1;
	for (; started < threads; started++) {
		struct worker *worker = &workers[started];
		struct ifr_error err = {0};
		*worker = (struct worker){.lots = lots};
		if (ifr_trace_reopen(lots->replaying->trace, &worker->trace, &err))
			break;
		if (pthread_create(&worker->thread, NULL, work, worker)) {
			ifr_trace_free(worker->trace);
			break;
		}
	}
	work(&workers[0]);
	for (size_t i = 1; i < started; i++) {
		pthread_join(workers[i].thread, NULL);
		ifr_trace_free(workers[i].trace);
	}
	return lots->result;
}

int ifr_replay_plans(struct ifr_plan_replay *replaying, const struct ifr_plan *plans, size_t count,
                     struct ifr_counts *counters, struct ifr_error *err) {
	struct ifr_kit kit;
	struct ifr_builder *builder = NULL;
	int result = 0;
	ifr_kit_init(&kit);
	if (needs_kit(plans, count)) {
		result = load_kit(replaying->trace, &kit, err);
		if (!result)
			result = ifr_builder_open(&kit, &builder, err);
	}
	if (!result && count) {
		const size_t threads = choose_threads(count);
		struct lots lots = {.replaying = replaying,
		                    .builder = builder,
		                    .plans = plans,
		                    .counters = counters,
		                    .count = count,
		                    .size = lot_size(replaying, count, threads),
		                    .mutex = PTHREAD_MUTEX_INITIALIZER,
		                    .err = err};
		result = replay_lots(&lots, threads);
	}
	ifr_builder_close(builder);
	ifr_kit_release(&kit);
	return result;
}
