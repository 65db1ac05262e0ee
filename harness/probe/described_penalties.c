/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cycles of each event on a described machine: a regression of the cycles of kernels on their events. Chases and chains
 * at many counts and distances overflow each structure at some of them, so no two columns go together: elements at a
 * long distance share a set of every structure, so few are enough. */
#include "harness/probe/described.h"
#include "harness/probe/findings.h"
#include "harness/probe/redirect.h"
#include "harness/statistics/statistics.h"

#include <math.h>
#include <stdlib.h>

#include "common/random.h"

struct column {
	const char *key; /* NULL: stores, whose setting is that of loads */
	enum ifr_event event;
};

/* Cycles by the sum over misses: the core's overlap them. */
static const struct column columns[] = {
	{"core.width", IFR_EVENT_INSTRUCTIONS},          {"penalty.conditional", IFR_EVENT_CONDITIONAL_MISSES},
	{"penalty.indirect", IFR_EVENT_INDIRECT_MISSES}, {"penalty.return", IFR_EVENT_RETURN_MISSES},
	{"penalty.btb", IFR_EVENT_BTB_MISSES},           {"penalty.l1i", IFR_EVENT_L1I_MISSES},
	{"penalty.l1d", IFR_EVENT_L1D_LOAD_MISSES},      {"penalty.l2", IFR_EVENT_L2_MISSES},
	{"penalty.llc", IFR_EVENT_LLC_MISSES},           {"penalty.itlb", IFR_EVENT_ITLB_MISSES},
	{"penalty.dtlb", IFR_EVENT_DTLB_LOAD_MISSES},    {"penalty.stlb", IFR_EVENT_STLB_MISSES},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

enum { KERNELS_MOST = 160 };
struct observations {
	struct ifr_counts counts[KERNELS_MOST];
	size_t count;
};

/* Takes the kernel's counts, and releases it. */
static void observe(struct probe_described *probe, struct observations *all, struct probe_kernel *kernel) {
	probe_modelled_count(&probe->model, kernel, &all->counts[all->count++]);
	probe_kernel_release(kernel);
}

static void observe_places(struct probe_described *probe, struct observations *all) {
	static const uint64_t distances[] = {64, 256, 4096, 16384, 1 << 17, 1 << 20};
	static const size_t counts[] = {6, 24, 48, 100, 520, 1600};
	for (size_t i = 0; i < sizeof distances / sizeof *distances; i++)
		for (size_t j = 0; j < sizeof counts / sizeof *counts; j++) {
			const struct probe_places places = {counts[j], 1, distances[i], distances[i]};
			struct probe_kernel kernel;
			probe_kernel_init(&kernel, 0);
			probe_chase(&kernel, &places, 0);
			observe(probe, all, &kernel);
			probe_kernel_init(&kernel, 0);
			probe_branch_chain(&kernel, &places);
			observe(probe, all, &kernel);
		}
}

/* Many neighbours overflow a BTB, and not the first cache; calls overflow the return stack; random outcomes are
 * mispredicted. */
static void observe_branches(struct probe_described *probe, struct observations *all) {
	enum { ROUNDS = 8191, MOST_CALLS = 200, MOST_BRANCHES = 16384 };
	uint8_t outcomes[ROUNDS];
	struct probe_kernel kernel;
	for (size_t calls = 8; calls < MOST_CALLS; calls *= 2) {
		probe_kernel_init(&kernel, 0);
		probe_call_nest(&kernel, calls);
		observe(probe, all, &kernel);
	}
	for (size_t branches = 256; branches <= MOST_BRANCHES; branches *= 4) {
		probe_kernel_init(&kernel, 0);
		probe_branch_chain(&kernel, &(struct probe_places){branches, 1, 2, 2});
		observe(probe, all, &kernel);
	}
	for (unsigned spacing = 9; spacing < 20; spacing += 4) {
		for (size_t i = 0; i < ROUNDS; i++)
			outcomes[i] = ifr_siphash(probe->seed, spacing, &i, sizeof i) % 16 < spacing;
		probe_kernel_init(&kernel, 0);
		probe_pattern_loop(&kernel, &(struct probe_item){.outcomes = outcomes}, 1, ROUNDS, spacing, 0);
		observe(probe, all, &kernel);
	}
}

/* Random targets are mispredicted. */
static void observe_indirect(struct probe_described *probe, struct observations *all) {
	enum { ROUNDS = 2039 };
	uint8_t which[ROUNDS];
	for (unsigned targets = 2; targets <= PROBE_TARGETS_MOST; targets *= 4) {
		struct probe_kernel kernel;
		for (size_t i = 0; i < ROUNDS; i++)
			which[i] = (uint8_t)(ifr_siphash(probe->seed, 64 + targets, &i, sizeof i) % targets);
		probe_kernel_init(&kernel, 0);
		probe_indirect_loop(
			&kernel, &(struct probe_indirect){.targets = targets, .which = {which, NULL}, .rounds = ROUNDS});
		observe(probe, all, &kernel);
	}
}

static void observe_instructions(struct probe_described *probe, struct observations *all) {
	struct probe_kernel kernel;
	probe_kernel_init(&kernel, 0);
	probe_unit_chain(&kernel);
	observe(probe, all, &kernel);
	for (size_t count = 50; count < 1000; count *= 3) {
		probe_kernel_init(&kernel, 0);
		probe_nops(&kernel, count, 1);
		observe(probe, all, &kernel);
	}
}

/* Whether a column can enter: it varies, and is not the same as the next one (the last cache's misses are the second's
 * where there is no third). */
static bool is_usable(const struct observations *all, size_t column) {
	const size_t event = columns[column].event, next = column + 1 < COLUMNS ? columns[column + 1].event : event;
	bool varies = false, differs = next == event;
	for (size_t i = 0; i < all->count; i++) {
		varies |= all->counts[i].value[event] != all->counts[0].value[event];
		differs |= all->counts[i].value[event] != all->counts[i].value[next];
	}
	return varies && differs;
}

/* Without a second TLB every miss of the first ones is a page walk, and their cycles cannot be told apart. */
static bool always_walks(const struct observations *all) {
	for (size_t i = 0; i < all->count; i++) {
		const uint64_t *value = all->counts[i].value;
		if (value[IFR_EVENT_STLB_MISSES] !=
		    value[IFR_EVENT_ITLB_MISSES] + value[IFR_EVENT_DTLB_LOAD_MISSES] + value[IFR_EVENT_DTLB_STORE_MISSES])
			return false;
	}
	return true;
}

static bool is_tlb(enum ifr_event event) {
	return event == IFR_EVENT_ITLB_MISSES || event == IFR_EVENT_DTLB_LOAD_MISSES || event == IFR_EVENT_STLB_MISSES;
}

static void tell_coefficient(struct probe_described *probe, const struct column *column, double coefficient) {
	const bool is_width = column->event == IFR_EVENT_INSTRUCTIONS;
	const double value = is_width ? 1 / coefficient : coefficient, whole = round(value);
	/* Cycles are whole numbers for each kernel, so coefficients are not quite. */
	if (fabs(value - whole) < 0.05)
		probe_tell(probe->result, IFR_PROBE_PENALTY, column->key, is_width ? "" : "cycles", whole,
		           is_width
		               ? "instructions for each cycle without a miss, by regression over chases, chains and others"
		               : "cycles for each event, by regression over chases, chains and others");
	else
		probe_tell_nothing(probe->result, IFR_PROBE_PENALTY, column->key,
		                   "the regression gives %.3g, no whole number", value);
}

/* Regresses cycles on the columns that can enter. values: room for COLUMNS + 1 columns. */
static void fit_penalties(struct probe_described *probe, const struct observations *all, double *values) {
	const size_t count = all->count;
	const double *x[COLUMNS];
	double *cycles = values + COLUMNS * count;
	size_t used[COLUMNS], predictors = 0;
	struct ifr_multiple_regression fit;
	struct ifr_error err = {0};
	const bool walks = always_walks(all);
	for (size_t c = 0; c < COLUMNS; c++) {
		if (walks && is_tlb(columns[c].event))
			probe_tell_nothing(probe->result, IFR_PROBE_PENALTY, columns[c].key,
			                   "every miss of a TLB is a page walk: their cycles cannot be told apart");
		if (!is_usable(all, c) || (walks && is_tlb(columns[c].event) && columns[c].event != IFR_EVENT_STLB_MISSES))
			continue;
		for (size_t i = 0; i < count; i++)
			values[predictors * count + i] = (double)all->counts[i].value[columns[c].event];
		x[predictors] = values + predictors * count;
		used[predictors++] = c;
	}
	for (size_t i = 0; i < count; i++)
		cycles[i] = (double)all->counts[i].value[IFR_EVENT_CYCLES_ADDITIVE];
	if (ifr_multiple_regression_fit(x, predictors, cycles, count, false, &fit, &err)) {
		probe_tell_nothing(probe->result, IFR_PROBE_PENALTY, "penalty.conditional", "%s", err.message);
		return;
	}
	for (size_t i = 0; i < predictors; i++)
		if (!walks || !is_tlb(columns[used[i]].event))
			tell_coefficient(probe, &columns[used[i]], fit.coefficient[i + 1]);
	ifr_multiple_regression_release(&fit);
}

/* Nothing is told of a core whose redirect is that of penalty.conditional. */
static void tell_redirect(struct probe_described *probe) {
	static const char key[] = "fetch.redirect";
	struct probe_redirect straight = {0}, jumps = {0};
	if (probe->model.err.code || !ifr_machine_has_core(probe->model.machine) ||
	    probe_redirect_model(probe->model.machine, false, &straight, &probe->model.err) ||
	    probe_redirect_model(probe->model.machine, true, &jumps, &probe->model.err))
		return;
	const struct ifr_probe_finding *conditional = ifr_probe_find(probe->result, "penalty.conditional");
	const double redirect = straight.whole - straight.rest, other = jumps.whole - jumps.rest;
	if (!conditional || !conditional->told || fabs(redirect + IFR_CORE_REDIRECT_REST - conditional->value) < 0.5)
		probe_tell_nothing(probe->result, IFR_PROBE_PENALTY, key,
		                   "the next slot comes as penalty.conditional says, or no branch is mispredicted");
	else if (!straight.told || !jumps.told || fabs(other - redirect) > 0.05)
		probe_tell_nothing(probe->result, IFR_PROBE_PENALTY, key,
		                   "%.3g cycles in straight code, %.3g before a jump, less those from the next slot on",
		                   redirect, other);
	else
		probe_described_tell_cycles(
			probe, IFR_PROBE_PENALTY, key, redirect,
			"mispredictions of a branch between multiplications, less what they take from the next slot on");
}

void probe_described_penalties(struct probe_described *probe) {
	struct observations *all = ifr_alloc(sizeof *all);
	observe_places(probe, all);
	observe_branches(probe, all);
	observe_indirect(probe, all);
	observe_instructions(probe, all);
	double *values = ifr_alloc((COLUMNS + 1) * all->count * sizeof *values);
	fit_penalties(probe, all, values);
	free(values);
	free(all);
	tell_redirect(probe);
}
