/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/probe/clocked.h"

#include <cpuid.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/clock.h"
#include "harness/probe/counted.h"
#include "harness/probe/findings.h"
#include "harness/probe/partial.h"

struct step {
	void (*run)(struct probe_clocked *probe);
	enum ifr_probe_part part;
	unsigned batches; /* about */
};

static const struct step steps[] = {
	{probe_clocked_cycle, IFR_PROBE_CYCLE, 1},    {probe_clocked_penalty, IFR_PROBE_PENALTY, 2},
	{probe_clocked_btb, IFR_PROBE_BTB, 8},        {probe_clocked_history, IFR_PROBE_HISTORY, 7},
	{probe_clocked_returns, IFR_PROBE_RETURN, 1}, {probe_clocked_caches, IFR_PROBE_CACHES, 7},
	{probe_clocked_tlbs, IFR_PROBE_TLBS, 2},      {probe_clocked_memory, IFR_PROBE_MEMORY, 1},
	{probe_clocked_front, IFR_PROBE_FRONT, 14},   {probe_clocked_backend, IFR_PROBE_CORE, 10},
};
enum { STEPS = sizeof steps / sizeof *steps };

struct course {
	unsigned done; /* parts, as bits */
	int64_t spent_ns;
};

/* Runs a batch, and leaves shared repetitions out. */
static int run_batch(struct probe_clocked *probe, struct probe_batch *batch, struct ifr_error *err) {
	batch->machine = probe->machine;
	const int rc = probe_batch_run(batch, err);
	if (rc || probe->machine)
		return rc;
	const double best = probe_batch_best_nop(batch);
	if (best > 0 && (best < probe->best_nop || probe->best_nop <= 0))
		probe->best_nop = best;
	if (probe->best_nop <= 0)
		return ifr_fail(err, IFR_E_ENVIRONMENT, "too few repetitions to tell a shared core");
	return probe_batch_select(batch, 1.1 * probe->best_nop, err);
}

/* A neighbour on the core may be gone a moment later. */
bool probe_clocked_measure(struct probe_clocked *probe, struct probe_batch *batch, enum ifr_probe_part part,
                           const char *const *keys) {
	enum { ATTEMPTS = 4 };
	const int64_t deadline = ifr_clock_ns() + probe->batch_ns;
	struct timespec pause = {.tv_nsec = 50000000};
	struct ifr_error err = {0};
	for (unsigned i = 0; i < ATTEMPTS; i++) {
		if (!run_batch(probe, batch, &err))
			return true;
		if (ifr_clock_ns() > deadline)
			break;
		nanosleep(&pause, NULL);
		pause.tv_nsec *= 2;
	}
	for (; *keys; keys++)
		probe_tell_nothing(probe->result, part, *keys, "%s", err.message);
	return false;
}

void probe_clocked_keep(struct probe_clocked *probe, enum ifr_probe_part part, const char *title,
                        const char *x_label, const struct probe_point *points, size_t count) {
	struct ifr_probe_curve *curve = probe_add_curve(probe->result, part, title, x_label, count);
	for (size_t i = 0; i < count; i++) {
		const double values[] = {points[i].x, points[i].y.value, points[i].y.low, points[i].y.high};
		memcpy(curve->points[i], values, sizeof values);
	}
}

void probe_clocked_tell(struct probe_clocked *probe, enum ifr_probe_part part, const char *key, const char *unit,
                        const struct probe_estimate *estimate, double widest, const char *experiment) {
	const double values[] = {estimate->value, estimate->low, estimate->high};
	if (estimate->told && estimate->high - estimate->low < widest)
		probe_tell_interval(probe->result, part, key, unit, values, "%s", experiment);
	else
		probe_tell_nothing(probe->result, part, key, "%.3g to %.3g: %s", estimate->low, estimate->high,
		                   experiment);
}

void probe_clocked_tell_cycles(struct probe_clocked *probe, enum ifr_probe_part part, const char *key,
                               const struct probe_estimate *estimate, const char *experiment) {
	double whole;
	if (probe_estimate_whole(estimate, 1, &whole) && whole >= 0) {
		const double values[] = {whole + 0.0 /* no -0 */, estimate->low, estimate->high};
		probe_tell_interval(probe->result, part, key, "cycles", values, "%s", experiment);
	} else {
		probe_tell_nothing(probe->result, part, key, "%.3g to %.3g cycles: %s", estimate->low, estimate->high,
		                   experiment);
	}
}

char *probe_read_brand(void) {
	unsigned words[13] = {0};
	const char *text = (const char *)words;
	if (__get_cpuid_max(0x80000000, NULL) < 0x80000004)
		return ifr_strdup("a processor without a name");
	for (unsigned i = 0; i < 3; i++)
		__cpuid(0x80000002 + i, words[4 * i], words[4 * i + 1], words[4 * i + 2], words[4 * i + 3]);
	while (*text == ' ')
		text++;
	char *brand = ifr_strdup(text);
	for (size_t length = strlen(brand); length && brand[length - 1] == ' ';)
		brand[--length] = 0;
	return brand;
}

/* The references alone, some times, before anything is told by them. */
static void find_best_nop(struct probe_clocked *probe) {
	static const char *const no_keys[] = {NULL};
	enum { TIMES = 5 };
	const struct timespec pause = {.tv_nsec = 50000000};
	for (unsigned i = 0; i < TIMES; i++) {
		struct probe_batch batch;
		probe_batch_init(&batch, false, INT64_C(1000000000));
		probe_clocked_measure(probe, &batch, IFR_PROBE_CYCLE, no_keys);
		probe_batch_release(&batch);
		nanosleep(&pause, NULL);
	}
}

/* An estimate's interval is of one process: its pages, and its moment. Another process has others. */
static void run_twice(struct probe_clocked *probe, const struct step *step, struct ifr_probe_result *result) {
	struct ifr_probe_result both[2] = {{0}};
	for (unsigned i = 0; i < 2; i++) {
		probe->result = &both[i];
		step->run(probe);
	}
	probe_tell_agreed(result, &both[0], &both[1]);
	ifr_probe_release(&both[0]);
	ifr_probe_release(&both[1]);
}

/* This machine's events, where perf has them. */
struct counted {
	struct probe_counters counters;
	struct probe_event_source source;
};

/* A predictor of today knows the paper's patterns by heart: then the clock's loops, whose outcomes never come again, tell
 * by the mispredictions in them. */
static void add_never_repeating(const struct counted *counted, struct ifr_probe_result *result) {
	struct ifr_probe_result repeating = *result, others = {.source = IFR_PROBE_BY_EVENTS};
	struct probe_clocked loops = *counted->counters.clocked;
	loops.result = &others;
	loops.mispredictions = counted->counters.sums[IFR_EVENT_CONDITIONAL_MISSES];
	if (!loops.mispredictions)
		return;
	probe_clocked_history(&loops);
	*result = (struct ifr_probe_result){0};
	probe_tell_joined(result, &repeating, &others);
	ifr_probe_release(&repeating);
	ifr_probe_release(&others);
}

/* Each question has a process of its own. Those that are asked again have other pages. */
static void count_twice(const struct counted *counted, const struct step *step, uint64_t seed,
                        struct ifr_probe_result *result) {
	struct ifr_probe_result both[2] = {{0}};
	for (unsigned i = 0; i < 2; i++) {
		probe_counted_run(&counted->source, counted->counters.clocked->near, step->part, seed, &both[i]);
		if (step->part == IFR_PROBE_HISTORY)
			add_never_repeating(counted, &both[i]);
	}
	result->source = IFR_PROBE_BY_EVENTS;
	probe_tell_agreed(result, &both[0], &both[1]);
	ifr_probe_release(&both[0]);
	ifr_probe_release(&both[1]);
}

/* Of the time half is for events. Without a near description nobody knows which level of a BTB is the largest. */
static void run_step(struct probe_clocked *probe, struct counted *counted, const struct step *step,
                     struct ifr_probe_result *result) {
	struct ifr_probe_result by_events = {0}, by_clock = {0};
	if (!result->has_events || !probe_counted_has(step->part) || (step->part == IFR_PROBE_BTB && !probe->near)) {
		run_twice(probe, step, result);
		return;
	}
	counted->counters.deadline = ifr_clock_ns() + probe->batch_ns * step->batches;
	count_twice(counted, step, probe->seed, &by_events);
	run_twice(probe, step, &by_clock);
	probe_tell_joined(result, &by_events, &by_clock);
	ifr_probe_release(&by_events);
	ifr_probe_release(&by_clock);
}

static int find_events(struct probe_clocked *probe, const struct ifr_probe_options *options,
                       struct counted *counted, struct ifr_probe_result *result, struct ifr_error *err) {
	struct ifr_error why = {0};
	*counted = (struct counted){.counters = {.clocked = probe}};
	counted->source = (struct probe_event_source){probe_counters_count, &counted->counters};
	if (options->events == IFR_PROBE_EVENTS_LEFT_OUT)
		return 0;
	if (probe_counters_find(&counted->counters, &why)) {
		result->why_no_events = ifr_format("%.*s", (int)strcspn(why.message, ";"), why.message);
		if (options->events != IFR_PROBE_EVENTS_NEEDED)
			return 0;
		if (err)
			*err = why;
		return -why.code;
	}
	result->has_events = true;
	return 0;
}

/* A part that is done is kept before the next one begins. */
static int run_steps(struct probe_clocked *probe, const struct ifr_probe_options *options, struct counted *counted,
                     struct ifr_probe_result *result, struct course *course, struct ifr_error *err) {
	const int64_t begin = ifr_clock_ns() - course->spent_ns;
	unsigned planned = 0, done = 0;
	int rc = 0;
	for (unsigned i = 0; i < STEPS; i++)
		if (options->parts & ~course->done & 1u << steps[i].part)
			planned += steps[i].batches;
	for (unsigned i = 0; i < STEPS && !rc; i++) {
		if (!(options->parts & ~course->done & 1u << steps[i].part))
			continue;
		const int64_t left = options->budget_ns - (ifr_clock_ns() - begin);
		/* Each part twice, and by events as long as by the clock. */
		probe->batch_ns = left > 0 ? left / ((result->has_events ? 4 : 2) * (planned - done)) : 1;
		if (options->progress)
			options->progress(done, planned, left);
		run_step(probe, counted, &steps[i], result);
		done += steps[i].batches;
		course->done |= 1u << steps[i].part;
		if (options->partial)
			rc = probe_partial_write(options->partial, result, course->done, ifr_clock_ns() - begin, err);
	}
	return rc;
}

/* The built-in description that is near, if there is one. */
static struct ifr_machine *open_near(void) {
	struct ifr_machine *near = NULL;
	char *name = NULL;
	bool is_same;
	if (!ifr_machine_nearest(&name, &is_same, NULL))
		ifr_machine_open(&near, name, NULL);
	free(name);
	return near;
}

int probe_clocked_run(const struct ifr_probe_options *options, struct ifr_probe_result *result,
                      struct ifr_error *err) {
	struct probe_clocked probe = {.seed = options->seed};
	struct course course = {0};
	struct counted counted;
	struct ifr_machine *near = open_near();
	probe.near = near;
	result->machine = probe_read_brand();
	int rc =
		options->resume ? probe_partial_read(options->partial, result, &course.done, &course.spent_ns, err) : 0;
	if (!rc)
		rc = find_events(&probe, options, &counted, result, err);
	if (!rc) {
		find_best_nop(&probe);
		rc = run_steps(&probe, options, &counted, result, &course, err);
		if (!rc && options->partial)
			unlink(options->partial);
		probe_add_published(result);
	}
	ifr_machine_free(near);
	return rc;
}
