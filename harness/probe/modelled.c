/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/probe/modelled.h"

#include <string.h>

/* Periods of a replay: that warm structures, and that are counted; more of a short kernel, by block executions. Sets are
 * full after a period, predictors are trained after some. */
struct periods {
	size_t warm, counted, warm_executions, counted_executions;
};
static const struct periods of_sets = {2, 1, 0, 0}, of_predictors = {4, 2, 40000, 10000}, of_all = {1, 4, 0, 0};

/* Events of an element. A wider interval leaves more than one answer: of the longest pattern that is tried
 * (history.h) half a misprediction in a period are 0.008. */
#define WIDEST 0.005

/* --- the structures of an event ---------------------------------------------------------------------------------- */

enum group { CACHES, TLBS, BTBS, RETURN_STACK, STORE_BUFFER, DIRECTION, ALL };

static enum group group_of(enum ifr_event event) {
	switch (event) {
	case IFR_EVENT_BTB_MISSES:
		return BTBS;
	case IFR_EVENT_RETURN_MISSES:
		return RETURN_STACK;
	case IFR_EVENT_ADDRESS_ALIAS:
		return STORE_BUFFER;
	case IFR_EVENT_CONDITIONAL_MISSES:
		return DIRECTION;
	case IFR_EVENT_ITLB_MISSES:
	case IFR_EVENT_DTLB_LOAD_MISSES:
	case IFR_EVENT_STLB_MISSES:
		return TLBS;
	case IFR_EVENT_L1I_MISSES:
	case IFR_EVENT_L1D_LOAD_MISSES:
	case IFR_EVENT_L2_MISSES:
	case IFR_EVENT_LLC_MISSES:
		return CACHES;
	default:
		return ALL;
	}
}

/* The machine without the structures of other groups. Without caches a line has 64 bytes, which no other group asks
 * for. */
static struct ifr_machine keep_group(const struct ifr_machine *machine, enum group group) {
	static const struct {
		enum group group;
		enum ifr_setting size;
	} structures[] = {{CACHES, IFR_L1I_BYTES},
	                  {CACHES, IFR_L1D_BYTES},
	                  {CACHES, IFR_L2_BYTES},
	                  {CACHES, IFR_L3_BYTES},
	                  {TLBS, IFR_ITLB_ENTRIES},
	                  {TLBS, IFR_DTLB_ENTRIES},
	                  {TLBS, IFR_STLB_ENTRIES},
	                  {BTBS, IFR_BTB1_ENTRIES},
	                  {BTBS, IFR_BTB2_ENTRIES},
	                  {BTBS, IFR_BTB3_ENTRIES},
	                  {RETURN_STACK, IFR_RETURN_STACK_ENTRIES},
	                  {STORE_BUFFER, IFR_STORE_BUFFER_ENTRIES}};
	struct ifr_machine kept = *machine;
	for (size_t i = 0; i < sizeof structures / sizeof *structures && group != ALL; i++)
		if (structures[i].group != group)
			kept.values[structures[i].size] = 0;
	if (group != ALL)
		kept.indirect = ifr_target_predictor_find("perfect");
	if (group != ALL && group != DIRECTION)
		kept.direction = ifr_predictor_find("perfect");
	return kept;
}

static struct periods periods_of(enum group group) {
	return group < RETURN_STACK ? of_sets : of_predictors;
}

bool probe_has_parameter(const struct ifr_parameter *parameters, const char *name) {
	while (parameters->name && strcmp(parameters->name, name) != 0)
		parameters++;
	return parameters->name != NULL;
}

/* --- replays ----------------------------------------------------------------------------------------------------- */

static size_t choose_warm(const struct probe_kernel *kernel, struct periods periods) {
	const size_t enough = periods.warm_executions / kernel->executions_count;
	return enough > periods.warm ? enough : periods.warm;
}

static size_t choose_counted(const struct probe_kernel *kernel, struct periods periods) {
	const size_t enough = periods.counted_executions / kernel->executions_count;
	return enough > periods.counted ? enough : periods.counted;
}

int probe_replay_periods(struct ifr_replay *replay, const struct probe_kernel *kernel, size_t periods,
                         struct ifr_error *err) {
	const struct ifr_chunk chunk = {.blocks = kernel->blocks,
	                                .accesses = kernel->accesses,
	                                .blocks_count = kernel->blocks_count,
	                                .accesses_count = kernel->accesses_count,
	                                .executions = kernel->executions,
	                                .executions_count = kernel->executions_count,
	                                .data_count = kernel->addresses_count};
	const uint64_t *const addresses[] = {kernel->addresses};
	int rc = 0;
	for (size_t i = 0; i < periods && !rc; i++)
		rc = ifr_replay_chunk(replay, &chunk, addresses, err);
	return rc;
}

/* Replays warm and counted periods; adds the counts of the latter. */
static int replay_kernel(const struct ifr_machine *machine, const struct probe_kernel *kernel,
                         struct periods periods, struct ifr_counts *counts, struct ifr_error *err) {
	const struct ifr_lane lane = {.blocks = kernel->geometry, .access_ends = kernel->access_ends};
	struct ifr_counts warm = {{0}};
	struct ifr_replay *replay = NULL;
	int rc = ifr_replay_new(&replay, machine, 1, IFR_ENGINE_SCALAR, err);
	if (rc)
		return rc;
	ifr_replay_set_lanes(replay, &lane);
	rc = probe_replay_periods(replay, kernel, choose_warm(kernel, periods), err);
	ifr_replay_counters(replay, &warm);
	if (!rc)
		rc = probe_replay_periods(replay, kernel, choose_counted(kernel, periods), err);
	ifr_replay_counters(replay, counts);
	for (size_t i = 0; i < IFR_EVENT_COUNT; i++)
		counts->value[i] -= warm.value[i];
	ifr_replay_free(replay);
	return rc;
}

void probe_modelled_count(struct probe_modelled *model, const struct probe_kernel *kernel,
                          struct ifr_counts *counts) {
	*counts = (struct ifr_counts){{0}};
	if (!model->err.code)
		replay_kernel(model->machine, kernel, of_all, counts, &model->err);
}

void probe_modelled_count_warm(struct probe_modelled *model, const struct probe_kernel *kernel,
                               double events[IFR_EVENT_COUNT]) {
	struct ifr_counts counts = {{0}};
	const double elements = (double)(choose_counted(kernel, of_predictors) * kernel->elements);
	if (!model->err.code)
		replay_kernel(model->machine, kernel, of_predictors, &counts, &model->err);
	for (size_t i = 0; i < IFR_EVENT_COUNT; i++)
		events[i] = (double)counts.value[i] / elements;
}

static struct probe_estimate estimate_modelled(struct probe_modelled *model, const struct probe_kernel *kernel,
                                               enum ifr_event event) {
	const enum group group = group_of(event);
	const struct periods periods = periods_of(group);
	const struct ifr_machine machine = keep_group(model->machine, group);
	const size_t counted = choose_counted(kernel, periods);
	struct ifr_counts counts = {{0}};
	if (!model->err.code)
		replay_kernel(&machine, kernel, periods, &counts, &model->err);
	const double rate = model->err.code ? 0 : (double)counts.value[event] / (double)(counted * kernel->elements);
	return (struct probe_estimate){rate, rate, rate, true};
}

struct probe_estimate probe_modelled_estimate(struct probe_modelled *model, const struct probe_kernel *kernel,
                                              enum ifr_event event) {
	struct probe_estimate rate = {0};
	if (!model->source)
		return estimate_modelled(model, kernel, event);
	return model->source->count(model->source->data, kernel, event, &rate) ? rate : (struct probe_estimate){0};
}

double probe_modelled_rate(struct probe_modelled *model, struct probe_kernel *kernel, enum ifr_event event) {
	const struct probe_estimate rate = probe_modelled_estimate(model, kernel, event);
	probe_kernel_release(kernel);
	model->unclear |= !rate.told || rate.high - rate.low > WIDEST;
	return rate.value;
}
