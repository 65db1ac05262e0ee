/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/simulate/plan_replay.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "common/parallel.h"
#include "harness/exec/exec.h"
#include "harness/simulate/plan_layouts.h"
#include "harness/simulate/replay_pace.h"
#include "kit/kit.h"

enum { THREAD_LIMIT = 16 };

/* Refuses to move a library that the recorded run did not load. */
static int check_mapped(const struct ifr_trace *trace, const char *library, struct ifr_error *err) {
	const struct ifr_mapping *mappings;
	const size_t count = ifr_trace_mappings(trace, &mappings);
	char *file = ifr_trace_fact(trace, IFR_TRACE_LAID_OUT);
	bool found = false;
	for (size_t i = IFR_MAPPING_FIRST; i < count && file; i++)
		found |= mappings[i].kind == IFR_MAPPING_LIBRARY && !strcmp(mappings[i].path, file);
	free(file);
	return found ? 0
	             : ifr_fail(err, IFR_E_USAGE, "the recorded run did not load %s: there is nothing to lay out",
	                        library);
}

/* Whether a recorded file's build-id is no longer that of a fact of the trace. Errors: those of ifr_build_id_read. */
static int compare_build_id(const struct ifr_trace *trace, const char *file, const char *fact, bool *changed,
                            struct ifr_error *err) {
	char now[2 * IFR_BUILD_ID_MAX_BYTES + 1];
	char *recorded = ifr_trace_fact(trace, fact);
	const int result = ifr_build_id_read(file, now, err);
	*changed = !result && recorded && strcmp(now, recorded) != 0;
	free(recorded);
	return result;
}

char *ifr_recorded_program_changed(const struct ifr_trace *trace) {
	char *variant = ifr_trace_fact(trace, "variant"), *program = ifr_trace_fact(trace, "program");
	bool changed = false;
	if (program && !variant)
		compare_build_id(trace, program, "build_id", &changed, NULL);
	free(variant);
	if (changed)
		return program;
	free(program);
	return NULL;
}

static int fail_changed(const char *file, struct ifr_error *err) {
	return ifr_fail(err, IFR_E_USAGE,
	                "%s was built again since it was recorded: record it again, or put the old one back", file);
}

int ifr_recorded_program_check(const struct ifr_trace *trace, struct ifr_error *err) {
	char *changed = ifr_recorded_program_changed(trace);
	const int result = changed ? fail_changed(changed, err) : 0;
	free(changed);
	return result;
}

int ifr_recorded_kit_load(const struct ifr_trace *trace, struct ifr_kit *kit, struct ifr_error *err) {
	/* A library that layouts move has taken the program's place. */
	char *library = ifr_trace_fact(trace, "library");
	char *program = library ? library : ifr_trace_fact(trace, "program");
	bool changed = false;
	int result = 0;
	if (!program)
		result = ifr_fail(err, IFR_E_USAGE, "the trace does not name its program: it cannot be laid out anew");
	if (!result && library)
		result = check_mapped(trace, library, err);
	if (!result)
		result = compare_build_id(trace, program, library ? "library_build_id" : "build_id", &changed, err);
	if (!result && changed)
		result = fail_changed(program, err);
	if (!result)
		result = ifr_kit_of_program(program, kit, err);
	free(program);
	return result;
}

/* Layouts to replay, in batches. Each thread has a reader of the trace of its own. */
struct batches {
	struct ifr_plan_replay *replay;
	struct ifr_trace *traces[THREAD_LIMIT]; /* by thread */
	const struct ifr_plan *plans;
	struct ifr_counts *counters;
	size_t count; /* of layouts */
	size_t size;  /* layouts in a batch, up to IFR_REPLAY_LANES */
	struct ifr_builder *builder;
	struct replay_pace pace;
	int64_t shown_ns;      /* when progress was shown last */
	bool foreseen;         /* the time was told */
	pthread_mutex_t mutex; /* protects builder, pace, shown_ns and foreseen */
};

/* A batch on one machine, in its thread. */
struct batch_run {
	struct batches *batches;
	struct replay_work work;
};

/* Tells the expected time, once. */
static void foresee(struct batches *batches, int64_t now_ns) {
	const struct ifr_plan_replay *replay = batches->replay;
	const int64_t expected_ns =
		replay->foresee && !batches->foreseen ? replay_pace_foresee(&batches->pace, now_ns) : 0;
	if (!expected_ns)
		return;
	batches->foreseen = true;
	replay->foresee(replay->data, batches->count, expected_ns);
}

/* Called by all threads. */
static bool go_on(void *data, size_t executions) {
	enum { EVERY_NS = 200000000 };
	struct batch_run *run = data;
	struct batches *batches = run->batches;
	const struct ifr_plan_replay *replay = batches->replay;
	const int64_t now_ns = ifr_clock_ns();
	pthread_mutex_lock(&batches->mutex);
	const bool in_time = replay_pace_advance(&batches->pace, replay_work_advance(&run->work, executions), now_ns);
	if (replay->progress && now_ns - batches->shown_ns >= EVERY_NS) {
		batches->shown_ns = now_ns;
		replay->progress(replay_pace_share(&batches->pace), now_ns - batches->pace.begun_ns);
	}
	if (in_time)
		foresee(batches, now_ns);
	pthread_mutex_unlock(&batches->mutex);
	return in_time && !ifr_launch_interrupted();
}

static int make_maps(struct batches *batches, struct ifr_trace *trace, size_t first, size_t count,
                     struct ifr_address_map **maps, struct ifr_error *err) {
	int result = 0;
	pthread_mutex_lock(&batches->mutex);
	for (size_t i = 0; i < count && !result; i++)
		result = ifr_layout_of_plan(trace, batches->builder, &batches->plans[first + i], &maps[i], err);
	pthread_mutex_unlock(&batches->mutex);
	return result;
}

/* The executions of the first IFR_CORE_HEAD instructions, all of which a sampled core takes. */
static struct replay_work describe_work(const struct batches *batches, size_t lanes) {
	struct ifr_trace_totals totals;
	ifr_trace_totals(batches->replay->trace, &totals);
	const bool sampled = batches->replay->core == IFR_CORE_SAMPLED && totals.instructions;
	return (struct replay_work){.lanes = lanes,
	                            .executions = totals.executions,
	                            .head = sampled ? (uint64_t)((double)IFR_CORE_HEAD * (double)totals.executions /
	                                                         (double)totals.instructions)
	                                            : 0};
}

/* The work of all batches on all machines. */
static uint64_t plan_work(const struct batches *batches) {
	uint64_t planned = 0;
	for (size_t first = 0; first < batches->count; first += batches->size) {
		const size_t rest = batches->count - first;
		const struct replay_work work = describe_work(batches, rest < batches->size ? rest : batches->size);
		planned += replay_work_planned(&work);
	}
	return planned * batches->replay->machine_count;
}

static void give_times(struct batches *batches, size_t first, size_t count, struct ifr_ideal_times *times) {
	pthread_mutex_lock(&batches->mutex);
	for (size_t i = 0; i < count; i++)
		batches->replay->take(batches->replay->taker, first + i, &times[i]);
	pthread_mutex_unlock(&batches->mutex);
	for (size_t i = 0; i < count; i++)
		ifr_ideal_times_release(&times[i]);
}

static int replay_maps(struct batches *batches, struct ifr_trace *trace, struct ifr_address_map *const *maps,
                       size_t first, size_t count, struct ifr_error *err) {
	struct ifr_plan_replay *replay = batches->replay;
	const char *engine = NULL;
	struct ifr_ideal_times times[IFR_REPLAY_LANES] = {{0}};
	int result = 0;
	for (size_t i = 0; i < replay->machine_count && !result; i++) {
		struct batch_run run = {batches, describe_work(batches, count)};
		const struct ifr_count_settings settings = {
			.machine = replay->machines[i],
			.engine = replay->engine,
			.core = replay->core,
			.errors = replay->errors ? replay->errors + i * batches->count + first : NULL,
			.sets = replay->sets,
			.sets_count = replay->sets_count,
			.marks = replay->marks,
			.instructions = replay->instructions,
			.steps = replay->steps,
			.times = replay->take    ? times
		             : replay->times ? replay->times + i * batches->count + first
		                             : NULL,
			.go_on = go_on,
			.data = &run};
		result = ifr_count_events(trace, maps, count, &settings, batches->counters + i * batches->count + first,
		                          &engine, err);
		if (!result && replay->take)
			give_times(batches, first, count, times);
	}
	return result;
}

static int replay_batch(size_t index, size_t thread, void *data, struct ifr_error *err) {
	struct batches *batches = data;
	struct ifr_trace *trace = batches->traces[thread];
	struct ifr_address_map *maps[IFR_REPLAY_LANES] = {NULL};
	const size_t first = index * batches->size, rest = batches->count - first;
	const size_t count = rest < batches->size ? rest : batches->size;
	int result = make_maps(batches, trace, first, count, maps, err);
	if (!result)
		result = replay_maps(batches, trace, maps, first, count, err);
	for (size_t i = 0; i < count; i++)
		ifr_address_map_free(maps[i]);
	return result;
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
static size_t choose_threads(size_t count, size_t vector) {
	const size_t processors = ifr_parallel_processors();
	const size_t vectors = 1 + (count - 1) / vector;
	const size_t most = processors < THREAD_LIMIT ? processors : THREAD_LIMIT;
	const size_t threads = vectors < most ? vectors : most;
	return threads ? threads : 1;
}

/* Large batches, because a batch reads the trace once; yet small enough to give every thread one. */
static size_t choose_batch_size(const struct ifr_plan_replay *replay, size_t count, size_t threads,
                                size_t vector) {
	const size_t vectors = 1 + (count - 1) / vector;
	const size_t share = (vectors + threads - 1) / threads * vector;
	/* Graphs of many sets cost more than a reading of the trace. */
	size_t size = replay->sets_count ? 1 : share < IFR_REPLAY_LANES ? share : IFR_REPLAY_LANES;
	for (size_t i = 0; i < replay->machine_count; i++) {
		const size_t memory = count_lanes_in_memory(replay->machines[i], threads);
		size = size < memory ? size : memory;
	}
	return size;
}

/* Of a number of seconds: whole ones, but two figures of fewer than ten. */
static int decimals(double seconds) {
	return seconds >= 10 ? 0 : seconds >= 1 ? 1 : 2;
}

/* A thread for which the trace cannot be opened once more is left out. */
static int replay_batches(struct batches *batches, size_t threads, struct ifr_error *err) {
	struct ifr_error inner = {0};
	size_t opened = 1;
	batches->traces[0] = batches->replay->trace;
	const size_t count = (batches->count + batches->size - 1) / batches->size;
	replay_pace_init(&batches->pace, ifr_clock_ns(), batches->replay->deadline_ns, plan_work(batches));
	while (opened < threads && !ifr_trace_reopen(batches->replay->trace, &batches->traces[opened], &inner))
		opened++;
	int result = ifr_parallel_each(count, opened, replay_batch, batches, err);
	batches->replay->expected_ns = batches->pace.expected_ns;
	const double takes_s = (double)batches->pace.expected_ns / 1e9,
				 left_s = fmax((double)(batches->replay->deadline_ns - batches->pace.begun_ns) / 1e9, 0);
	if (batches->pace.expected_ns)
		result = ifr_fail(err, IFR_E_USAGE,
		                  "to replay %zu layouts takes about %.*f s, and the budget leaves %.*f s for that%s",
		                  batches->count, decimals(takes_s), takes_s, decimals(left_s), left_s,
		                  batches->replay->core ? " (--core=none is faster, with an estimate of cycles)" : "");
	while (opened > 1)
		ifr_trace_free(batches->traces[--opened]);
	return result;
}

int ifr_replay_plans(struct ifr_plan_replay *replay, const struct ifr_plan *plans, size_t count,
                     struct ifr_counts *counters, struct ifr_error *err) {
	struct ifr_kit kit;
	struct ifr_builder *builder = NULL;
	int result = 0;
	if (replay->spread)
		return replay->spread(replay, plans, count, counters, err);
	ifr_kit_init(&kit);
	if (ifr_layouts_need_kit(plans, count)) {
		if (!replay->kit)
			result = ifr_recorded_kit_load(replay->trace, &kit, err);
		if (!result)
			result = ifr_builder_open(replay->kit ? replay->kit : &kit, &builder, err);
	}
	if (!result && count) {
		/* A core's front ends go one layout after another, so half a vector in each of two threads ends earlier. */
		const size_t vector = replay->sets_count ? 1
		                      : replay->core     ? IFR_REPLAY_CORE
		                                         : IFR_REPLAY_VECTOR,
					 threads = choose_threads(count, vector);
		struct batches batches = {.replay = replay,
		                          .builder = builder,
		                          .plans = plans,
		                          .counters = counters,
		                          .count = count,
		                          .size = choose_batch_size(replay, count, threads, vector),
		                          .mutex = PTHREAD_MUTEX_INITIALIZER};
		result = replay_batches(&batches, threads, err);
	}
	ifr_builder_close(builder);
	ifr_kit_release(&kit);
	return result;
}
