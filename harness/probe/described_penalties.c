/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cycles of each event on a described machine: a regression of the cycles of all kernels on their events. The kernels of
 * the other experiments have events of one kind each, at many points, so no two columns go together. */
#include "harness/probe/described.h"
#include "harness/probe/findings.h"
#include "harness/statistics/statistics.h"

#include <math.h>
#include <stdlib.h>

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

/* Whether a column can enter: it varies, and is not the same as the next one (the last cache's misses are the second's
 * where there is no third). */
static bool is_usable(const struct probe_modelled *model, size_t column) {
	const struct probe_observation *all = model->observations;
	const size_t event = columns[column].event, next = column + 1 < COLUMNS ? columns[column + 1].event : event;
	bool varies = false, differs = next == event;
	for (size_t i = 0; i < model->observations_count; i++) {
		varies |= all[i].value[event] != all[0].value[event];
		differs |= all[i].value[event] != all[i].value[next];
	}
	return varies && differs;
}

/* Without a second TLB every miss of the first ones is a page walk, and their cycles cannot be told apart. */
static bool always_walks(const struct probe_modelled *model) {
	for (size_t i = 0; i < model->observations_count; i++) {
		const uint64_t *value = model->observations[i].value;
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
		           is_width ? "instructions for each cycle without a miss, by regression over all kernels"
		                    : "cycles for each event, by regression over all kernels");
	else
		probe_tell_nothing(probe->result, IFR_PROBE_PENALTY, column->key,
		                   "the regression gives %.3g, no whole number", value);
}

void probe_described_penalties(struct probe_described *probe) {
	const struct probe_modelled *model = &probe->model;
	const size_t count = model->observations_count;
	const double *x[COLUMNS];
	size_t used[COLUMNS], predictors = 0;
	double *values = ifr_alloc((COLUMNS + 1) * (count + 1) * sizeof *values), *cycles = values + COLUMNS * count;
	struct ifr_multiple_regression fit;
	struct ifr_error err = {0};
	const bool walks = always_walks(model);
	for (size_t c = 0; c < COLUMNS; c++) {
		if (walks && is_tlb(columns[c].event))
			probe_tell_nothing(probe->result, IFR_PROBE_PENALTY, columns[c].key,
			                   "every miss of a TLB is a page walk: their cycles cannot be told apart");
		if (!is_usable(model, c) ||
		    (walks && is_tlb(columns[c].event) && columns[c].event != IFR_EVENT_STLB_MISSES))
			continue;
		for (size_t i = 0; i < count; i++)
			values[predictors * count + i] = (double)model->observations[i].value[columns[c].event];
		x[predictors] = values + predictors * count;
		used[predictors++] = c;
	}
	for (size_t i = 0; i < count; i++)
		cycles[i] = (double)model->observations[i].value[IFR_EVENT_CYCLES_ADDITIVE];
	if (ifr_multiple_regression_fit(x, predictors, cycles, count, false, &fit, &err)) {
		probe_tell_nothing(probe->result, IFR_PROBE_PENALTY, "penalty.conditional", "%s", err.message);
	} else {
		for (size_t i = 0; i < predictors; i++)
			if (!walks || !is_tlb(columns[used[i]].event))
				tell_coefficient(probe, &columns[used[i]], fit.coefficient[i + 1]);
		ifr_multiple_regression_release(&fit);
	}
	free(values);
}
