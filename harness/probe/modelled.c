/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/probe/modelled.h"

#include <stdlib.h>
#include <string.h>

/* Periods until caches are full and counters trained, and periods that are counted; more of a short kernel, by block
 * executions. */
enum { WARM_PERIODS = 4, COUNTED_PERIODS = 2, WARM_EXECUTIONS = 40000, COUNTED_EXECUTIONS = 10000 };

void probe_modelled_init(struct probe_modelled *model, const struct ifr_machine *machine) {
	*model = (struct probe_modelled){.machine = machine};
}

void probe_modelled_release(struct probe_modelled *model) {
	free(model->observations);
	*model = (struct probe_modelled){0};
}

static size_t choose_periods(const struct probe_kernel *kernel, size_t least, size_t executions) {
	const size_t enough = executions / kernel->executions_count;
	return enough > least ? enough : least;
}

static int replay_periods(struct ifr_replay *replay, const struct probe_kernel *kernel, size_t periods,
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

static int count_kernel(const struct ifr_machine *machine, const struct probe_kernel *kernel, size_t counted,
                        struct ifr_counts counts[2], struct ifr_error *err) {
	const struct ifr_lane lane = {.blocks = kernel->geometry, .access_ends = kernel->access_ends};
	struct ifr_replay *replay = NULL;
	int rc = ifr_replay_new(&replay, machine, 1, IFR_ENGINE_SCALAR, err);
	if (rc)
		return rc;
	ifr_replay_set_lanes(replay, &lane);
	rc = replay_periods(replay, kernel, choose_periods(kernel, WARM_PERIODS, WARM_EXECUTIONS), err);
	ifr_replay_counters(replay, &counts[0]);
	if (!rc)
		rc = replay_periods(replay, kernel, counted, err);
	ifr_replay_counters(replay, &counts[1]);
	ifr_replay_free(replay);
	return rc;
}

const struct probe_observation *probe_modelled_run(struct probe_modelled *model,
                                                   const struct probe_kernel *kernel) {
	struct ifr_counts counts[2] = {{{0}}};
	const size_t counted = choose_periods(kernel, COUNTED_PERIODS, COUNTED_EXECUTIONS);
	if (!model->err.code)
		count_kernel(model->machine, kernel, counted, counts, &model->err);
	if (model->observations_count == model->observations_room) {
		model->observations_room = model->observations_room ? 2 * model->observations_room : 256;
		model->observations =
			ifr_realloc(model->observations, model->observations_room, sizeof *model->observations);
	}
	struct probe_observation *observation = &model->observations[model->observations_count++];
	for (size_t i = 0; i < IFR_EVENT_COUNT; i++)
		observation->value[i] = model->err.code ? 0 : counts[1].value[i] - counts[0].value[i];
	return observation;
}

double probe_modelled_rate(struct probe_modelled *model, struct probe_kernel *kernel, enum ifr_event event) {
	const size_t counted = choose_periods(kernel, COUNTED_PERIODS, COUNTED_EXECUTIONS);
	const struct probe_observation *observation = probe_modelled_run(model, kernel);
	const double rate = (double)observation->value[event] / (double)(counted * kernel->elements);
	probe_kernel_release(kernel);
	return rate;
}
