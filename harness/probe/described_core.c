/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A described core behind its front end: window, queues, scheduler, rates and latencies, by its cycles.
 *
 * Problem: what holds the operations of a core is not seen but for the time that it is full.
 * Idea: rounds of two loads that miss all caches, the second of which has the address of the next round's first. They
 * overlap as long as the second one enters the window while the first one waits; what lies between fills one structure.
 * Invariant: the model is exact, so each number of operations between is either below the step or above it, and the
 * last one below tells the size; where another structure is full first, nothing is told.
 * Ref: Wong 2013, Measuring reorder buffer capacity. */
#include "harness/probe/described.h"
#include "harness/probe/findings.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* More rounds than a cache has ways. */
enum { ROUNDS = 72, MOST = 4096, NEAR = 1024 };

#define NEAR_BYTES (uint8_t) NEAR, NEAR >> 8, 0, 0
static const struct probe_step first_miss = {{0x48, 0x8b, 0x06}, 3, 8, false, true, 0, 0}; /* mov rax, [rsi] */
static const struct probe_step next_miss = {
	{0x48, 0x8b, 0xb6, PROBE_NEXT, 0, 0, 0}, 7, 8, false, true, PROBE_NEXT, 0};  /* mov rsi, [rsi + PROBE_NEXT] */
static const struct probe_step clear = {{0x31, 0xd2}, 2, 0, false, false, 0, 0}; /* xor edx, edx */
static const struct probe_step wait = {{0x48, 0x8d, 0x14, 0}, 4, 0, false, false, 0, 0}; /* lea rdx, [rax + rax] */
static const struct probe_step load = {
	{0x48, 0x8b, 0x91, NEAR_BYTES}, 7, 8, false, false, NEAR, 0}; /* mov rdx, [rcx + NEAR] */
static const struct probe_step store = {
	{0x48, 0x89, 0x91, NEAR_BYTES}, 7, 8, true, false, NEAR, 0}; /* mov [rcx + NEAR], rdx */

double probe_described_event(struct probe_described *probe, struct probe_kernel *kernel, enum ifr_event event) {
	double events[IFR_EVENT_COUNT] = {0};
	if (!probe->model.err.code)
		probe_modelled_core(probe->model.machine, kernel, events, &probe->model.err);
	probe_kernel_release(kernel);
	return events[event];
}

double probe_described_steps(struct probe_described *probe, const struct probe_run *runs, size_t count,
                             size_t rounds) {
	struct probe_kernel kernel;
	probe_kernel_init(&kernel, 0);
	probe_steps(&kernel, runs, count, rounds);
	return probe_described_event(probe, &kernel, IFR_EVENT_CYCLES);
}

/* --- window and queues ------------------------------------------------------------------------------------------- */

double probe_described_misses(struct probe_described *probe, const struct probe_run *between, size_t count) {
	enum { BETWEEN_MOST = 2 };
	struct probe_run runs[BETWEEN_MOST + 2] = {{first_miss, 1}};
	assert(count <= BETWEEN_MOST);
	memcpy(runs + 1, between, count * sizeof *between);
	runs[count + 1] = (struct probe_run){next_miss, 1};
	return probe_described_steps(probe, runs, count + 2, ROUNDS);
}

static double between(struct probe_described *probe, const struct probe_step *step, size_t count) {
	return probe_described_misses(probe, &(struct probe_run){*step, count}, 1);
}

/* Whether the misses overlap: the steps alone take a cycle each at most. */
static bool overlap(struct probe_described *probe, const struct probe_step *step, size_t count, double alone) {
	const struct probe_run runs[] = {{*step, count}};
	const double steps = count ? probe_described_steps(probe, runs, 1, 1) : 0;
	return between(probe, step, count) - fmin(steps, (double)count) < 1.3 * alone;
}

/* The most steps with which the misses overlap; MOST if they always do. */
static size_t find_most(struct probe_described *probe, const struct probe_step *step) {
	const double alone = between(probe, step, 0);
	size_t low = 0, high = 1;
	while (high < MOST && overlap(probe, step, high, alone)) {
		low = high;
		high *= 2;
	}
	if (high >= MOST)
		return MOST;
	while (low + 1 < high) {
		const size_t middle = low + (high - low) / 2;
		if (overlap(probe, step, middle, alone))
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* A structure of which each step takes an entry, and the two loads `more`. Returns its entries, or 0. */
static size_t tell_entries(struct probe_described *probe, const char *key, const struct probe_step *step,
                           unsigned more, size_t window, const char *experiment) {
	const size_t most = find_most(probe, step);
	if (most < MOST && (!window || most + 2 < window)) {
		probe_tell(probe->result, IFR_PROBE_CORE, key, "", (double)(most + more), "%s", experiment);
		return most + more;
	}
	probe_tell_nothing(probe->result, IFR_PROBE_CORE, key, "%s: %s",
	                   most < MOST ? "the window is full first" : "no number is too many", experiment);
	return 0;
}

/* Loads of as many lines at once, the last of which has the next round's address. */
static double measure_fills(struct probe_described *probe, size_t lines) {
	enum { LINE = 512, FIRST = 1024 };
	static const struct probe_step one = {
		{0x48, 0x8b, 0x86, 0, 0, 0, 0}, 7, 8, false, true, FIRST, LINE}; /* mov rax, [rsi + …] */
	const struct probe_run runs[] = {{one, lines - 1}, {next_miss, 1}};
	return probe_described_steps(probe, runs, 2, ROUNDS);
}

static void tell_fills(struct probe_described *probe) {
	enum { FILLS_MOST = 80 };
	const double alone = measure_fills(probe, 1);
	size_t lines = 1;
	while (lines < FILLS_MOST && measure_fills(probe, lines + 1) < 1.4 * alone)
		lines++;
	if (lines < FILLS_MOST)
		probe_tell(probe->result, IFR_PROBE_CORE, "pipeline.fills", "", (double)lines,
		           "lines that loads miss at once; one more takes much longer");
	else
		probe_tell_nothing(probe->result, IFR_PROBE_CORE, "pipeline.fills", "%zu lines are missed at once", lines);
}

/* --- rates ------------------------------------------------------------------------------------------------------- */

double probe_described_rate(const double *cycles, size_t count) {
	double mean_x = (double)(count - 1) / 2, mean_y = 0, xy = 0, xx = 0;
	for (size_t i = 0; i < count; i++)
		mean_y += cycles[i] / (double)count;
	for (size_t i = 0; i < count; i++) {
		xy += ((double)i - mean_x) * (cycles[i] - mean_y);
		xx += ((double)i - mean_x) * ((double)i - mean_x);
	}
	return xy > 0 ? xx / xy : 0;
}

/* The queue of loads is full until the first miss retires. Behind it, slots that wait in the front end are renamed at
 * full rate. */
static double measure_issue(struct probe_described *probe, size_t loads) {
	double cycles[PROBE_RATE_POINTS];
	for (size_t i = 0; i < PROBE_RATE_POINTS; i++) {
		const struct probe_run runs[] = {{load, loads}, {clear, i}};
		cycles[i] = probe_described_misses(probe, runs, 2);
	}
	return probe_described_rate(cycles, PROBE_RATE_POINTS);
}

/* The queue of loads is full until a load has retired, which is behind the first miss and zeroed registers: they retire
 * at full rate. */
static double measure_retire(struct probe_described *probe, size_t loads) {
	double cycles[PROBE_RATE_POINTS];
	for (size_t i = 0; i < PROBE_RATE_POINTS; i++) {
		const struct probe_run runs[] = {{clear, i}, {load, loads}};
		cycles[i] = probe_described_misses(probe, runs, 2);
	}
	return probe_described_rate(cycles, PROBE_RATE_POINTS);
}

static void tell_rate(struct probe_described *probe, const char *key, double rate, const char *experiment) {
	if (rate > 0 && fabs(rate - round(rate)) < 0.3)
		probe_tell(probe->result, IFR_PROBE_CORE, key, "", round(rate), "%s", experiment);
	else
		probe_tell_nothing(probe->result, IFR_PROBE_CORE, key, "%.3g a cycle: %s", rate, experiment);
}

static void tell_rates(struct probe_described *probe, size_t loads, size_t window) {
	static const char issue[] = "zeroed registers behind a full queue of loads, which are renamed in a cycle",
					  retire[] =
						  "zeroed registers before loads that wait for their queue, which retire in a cycle",
					  full[] = "the window is full before the queue of loads";
	if (!loads || loads + PROBE_RATE_POINTS + 4 > window) {
		probe_tell_nothing(probe->result, IFR_PROBE_CORE, "pipeline.issue", full);
		probe_tell_nothing(probe->result, IFR_PROBE_CORE, "pipeline.retire", full);
		return;
	}
	tell_rate(probe, "pipeline.issue", measure_issue(probe, loads), issue);
	tell_rate(probe, "pipeline.retire", measure_retire(probe, loads), retire);
}

/* --- latencies --------------------------------------------------------------------------------------------------- */

static double measure_chase(struct probe_described *probe, uint64_t offset) {
	struct probe_kernel kernel;
	probe_kernel_init(&kernel, 0);
	probe_chase_self(&kernel, offset);
	return probe_described_event(probe, &kernel, IFR_EVENT_CYCLES);
}

void probe_described_tell_cycles(struct probe_described *probe, enum ifr_probe_part part, const char *key,
                                 double cycles, const char *experiment) {
	if (fabs(cycles - round(cycles)) < 0.05 && cycles > -0.5)
		probe_tell(probe->result, part, key, "cycles", round(cycles) + 0.0, "%s", experiment);
	else
		probe_tell_nothing(probe->result, part, key, "%.3g cycles: %s", cycles, experiment);
}

/* Returns the cycles of a load. */
static double tell_loads(struct probe_described *probe) {
	enum { LINE_END = 60, PAGE_END = 4092 };
	const double alone = measure_chase(probe, 0);
	probe_described_tell_cycles(probe, IFR_PROBE_CORE, "pipeline.load_latency", alone,
	                            "a load of a chase over one pointer");
	probe_described_tell_cycles(probe, IFR_PROBE_CORE, "pipeline.line_split",
	                            measure_chase(probe, LINE_END) - alone,
	                            "a chase over one pointer across two lines, less one within a line");
	probe_described_tell_cycles(probe, IFR_PROBE_CORE, "pipeline.page_split",
	                            measure_chase(probe, PAGE_END) - alone,
	                            "a chase over one pointer across two pages, less one within a line");
	return alone;
}

void probe_described_core(struct probe_described *probe) {
	const size_t window = tell_entries(probe, "pipeline.window", &clear, 2, 0,
	                                   "zeroed registers between two misses that overlap, and the two");
	const size_t loads = tell_entries(probe, "pipeline.loads", &load, 2, window,
	                                  "loads between two misses that overlap, and the two");
	tell_entries(probe, "pipeline.stores", &store, 0, window, "stores between two misses that overlap");
	tell_entries(probe, "pipeline.scheduler", &wait, 1, window,
	             "operations that wait for the first of two misses that overlap, and the second");
	tell_fills(probe);
	tell_rates(probe, loads, window);
	probe_described_stores(probe, tell_loads(probe));
	probe_described_instructions(probe);
}
