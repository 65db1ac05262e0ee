/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loads behind stores on a described core, by its cycles: values that are forwarded, blocked, taken at rename; loads
 * that are issued again; and stores that leave their queue.
 *
 * Problem: a core that takes stored values at rename hides how long a load waits for its store.
 * Idea: it goes by names, of a base register and a displacement. The same address has other names: with an index, or of
 * another register. Chains through a store and a load by one name and by two differ as long as the value is taken. */
#include "harness/probe/described.h"
#include "harness/probe/findings.h"

#include <math.h>

#define NEAR_BYTES 0, 4, 0, 0
#define ELSEWHERE_BYTES 0, 8, 0, 0
enum { NEAR = 1024, ELSEWHERE = 2048 };

static const struct probe_step load_near = {
	{0x48, 0x8b, 0x81, NEAR_BYTES}, 7, 8, false, false, NEAR, 0}; /* mov rax, [rcx + NEAR] */
static const struct probe_step store_elsewhere = {
	{0x48, 0x89, 0x91, ELSEWHERE_BYTES}, 7, 8, true, false, ELSEWHERE, 0}; /* mov [rcx + ELSEWHERE], rdx */

static const struct probe_step chase = {
	{0x48, 0x8b, 0xb6, PROBE_NEXT, 0, 0, 0}, 7, 8, false, true, PROBE_NEXT, 0}; /* mov rsi, [rsi + PROBE_NEXT] */

/* The value that is loaded tells the store's address of the next round, so that the load waits for it. That address has
 * an index, and so no name. */
static double measure_forward(struct probe_described *probe, bool half) {
	static const struct probe_step stores[] = {
		{{0x48, 0x89, 0x94, 0x01, NEAR_BYTES}, 8, 8, true, false, NEAR, 0}, /* mov [rcx + rax + NEAR], rdx */
		{{0x89, 0x94, 0x01, NEAR_BYTES}, 7, 4, true, false, NEAR, 0}};      /* mov [rcx + rax + NEAR], edx */
	const struct probe_run runs[] = {{stores[half], 1}, {load_near, 1}};
	return probe_described_steps(probe, runs, 2, 1);
}

/* A chase over one pointer with a store in each round, at a distance from the pointer. The store's address is known,
 * and the store retires behind the load of the round before, for which this round's load waits: so it sends the load
 * back. */
static double measure_alias(struct probe_described *probe, unsigned distance) {
	const unsigned offset = PROBE_NEXT + distance;
	const struct probe_step store = {
		{0x48, 0x89, 0x91, (uint8_t)offset, (uint8_t)(offset >> 8), 0, 0}, 7, 8, true, false, offset, 0};
	const struct probe_run runs[] = {{store, 1}, {chase, 1}};
	return probe_described_steps(probe, runs, 2, 1);
}

static void tell_waits(struct probe_described *probe, double alone) {
	/* Cycles from a store's address to the load that may go on. */
	enum { STORE_KNOWN = 1, STORE_LEAVES = 3 };
	const double alike = measure_alias(probe, IFR_PAGE), apart = measure_alias(probe, IFR_PAGE + 64);
	probe_described_tell_cycles(
		probe, IFR_PROBE_CORE, "pipeline.forward", measure_forward(probe, false) - STORE_KNOWN,
		"a load of what was stored at an address that the load before tells, less a cycle of the store");
	probe_described_tell_cycles(
		probe, IFR_PROBE_CORE, "pipeline.blocked", measure_forward(probe, true) - alone - STORE_LEAVES,
		"a load of more than was so stored, less a load and three cycles until the store has left");
	probe_described_tell_cycles(probe, IFR_PROBE_CORE, "pipeline.alias", alike - apart,
	                            "a load of a chase 4096 bytes below a store, less one a line further");
}

/* --- values at rename -------------------------------------------------------------------------------------------- */

/* Cycles of a round that multiplies a value, stores it, stores elsewhere `between` times, and loads it, by the name of
 * its store or by another one. The multiplications take longer than all others need to pass. */
static double measure_named(struct probe_described *probe, size_t between, bool same) {
	enum { MULTIPLICATIONS = 40 };
	static const struct probe_step multiply = {
		{0x48, 0x0f, 0xaf, 0xc0}, 4, 0, false, false, 0, 0}; /* imul rax, rax */
	static const struct probe_step stores[] = {
		{{0x48, 0x89, 0x86, NEAR_BYTES}, 7, 8, true, false, NEAR, 0},  /* mov [rsi + NEAR], rax */
		{{0x48, 0x89, 0x81, NEAR_BYTES}, 7, 8, true, false, NEAR, 0}}; /* mov [rcx + NEAR], rax */
	const struct probe_run runs[] = {
		{multiply, MULTIPLICATIONS}, {stores[same], 1}, {store_elsewhere, between}, {load_near, 1}};
	return probe_described_steps(probe, runs, 4, 1);
}

static bool takes_value(struct probe_described *probe, size_t between) {
	return measure_named(probe, between, true) < measure_named(probe, between, false) - 0.5;
}

static double find_value(const struct probe_described *probe, const char *key) {
	const struct ifr_probe_finding *finding = ifr_probe_find(probe->result, key);
	return finding && finding->told ? finding->value : 0;
}

/* The stores between, the first one, and one more than is told must be in the window, and in the queue. */
static void tell_renamed(struct probe_described *probe) {
	static const char key[] = "pipeline.renamed";
	enum { MOST = 64 };
	const double room = fmin(find_value(probe, "pipeline.window") / 2, find_value(probe, "pipeline.stores"));
	size_t renamed = 0;
	while (renamed < MOST && (double)renamed + 2 < room && takes_value(probe, renamed))
		renamed++;
	if (find_value(probe, "pipeline.forward") < 1)
		probe_tell_nothing(probe->result, IFR_PROBE_CORE, key, "a value is forwarded as soon as it is there");
	else if (renamed < MOST && (double)renamed + 2 < room)
		probe_tell(probe->result, IFR_PROBE_CORE, key, "", (double)renamed,
		           "stores, with the load's own, behind which a chain through it takes less by one base register "
		           "than by two");
	else
		probe_tell_nothing(probe->result, IFR_PROBE_CORE, key, "the window or the queue of stores is full first");
}

/* --- stores that leave ------------------------------------------------------------------------------------------- */

/* The queue of stores is full until the first miss retires. One store more waits for that, and each further one for one
 * that leaves; the second miss lies behind them. */
static double measure_commit(struct probe_described *probe, size_t stores, size_t points) {
	double cycles[PROBE_RATE_POINTS];
	for (size_t i = 0; i < points; i++)
		cycles[i] = probe_described_misses(probe, &(struct probe_run){store_elsewhere, stores + 1 + i}, 1);
	return probe_described_rate(cycles, points);
}

/* Stores that retire, or are renamed, as slowly as they leave show nothing. */
static void tell_commit(struct probe_described *probe) {
	static const char key[] = "pipeline.commit";
	static const char experiment[] =
		"stores that wait for their full queue, before a miss: as many leave in a cycle";
	enum { FEWEST = 12 };
	const double window = find_value(probe, "pipeline.window"), stores = find_value(probe, "pipeline.stores"),
				 slots = fmin(find_value(probe, "pipeline.issue"), find_value(probe, "pipeline.retire"));
	const size_t points = (size_t)fmin(PROBE_RATE_POINTS, stores);
	const double rate = points >= FEWEST && stores + (double)points + 4 < window
	                        ? measure_commit(probe, (size_t)stores, points)
	                        : 0;
	if (rate > 0 && rate < slots - 0.5 && fabs(rate - round(rate)) < 0.2)
		probe_tell(probe->result, IFR_PROBE_CORE, key, "", round(rate), "%s", experiment);
	else
		probe_tell_nothing(probe->result, IFR_PROBE_CORE, key, "the window is full first, or as many retire: %s",
		                   experiment);
}

void probe_described_stores(struct probe_described *probe, double load_latency) {
	tell_waits(probe, load_latency);
	tell_renamed(probe);
	tell_commit(probe);
}
