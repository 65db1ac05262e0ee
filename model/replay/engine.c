/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A replay: for each chunk the survey, then the engine's stages. */
#include "model/core/parameters.h"
#include "model/replay/idealised.h"
#include "model/replay/stages.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define STAGES_MOST 10

const char *const ifr_engine_names[] = {
	[IFR_ENGINE_AUTO] = "auto",
	[IFR_ENGINE_SCALAR] = "scalar",
	[IFR_ENGINE_AVX2] = "avx2",
	[IFR_ENGINE_AVX512] = "avx512",
	NULL,
};

/* The stages of each engine; NULL ends. data, and fetch or front_end, come before outer, which reads their misses.
 */
static const struct ifr_stage *const stages[][STAGES_MOST] = {
	[IFR_ENGINE_SCALAR] = {&ifr_stage_data, &ifr_stage_alias, &ifr_stage_fetch, &ifr_stage_outer,
                           &ifr_stage_direction, &ifr_stage_targets, &ifr_stage_btb, &ifr_stage_returns,
                           &ifr_stage_core},
	[IFR_ENGINE_AVX2] = {&ifr_stage_data, &ifr_stage_alias, &ifr_lanes_stage_front_end, &ifr_lanes_stage_outer,
                         &ifr_avx2_stage_direction, &ifr_avx2_stage_targets, &ifr_stage_returns,
                         &ifr_avx2_stage_core},
	[IFR_ENGINE_AVX512] = {&ifr_stage_data, &ifr_stage_alias, &ifr_lanes_stage_front_end, &ifr_lanes_stage_outer,
                           &ifr_avx512_stage_direction, &ifr_avx512_stage_targets, &ifr_stage_returns,
                           &ifr_avx512_stage_core},
};

/* A vector costs as much for few lanes as for sixteen: below so many lanes the scalar engine is faster. */
#define LANES_WORTH_VECTORS 3

struct ifr_replay {
	struct ifr_pass pass;
	struct ifr_machine machine;
	enum ifr_engine engine;
	void *states[STAGES_MOST];
	bool started;
	uint32_t pending;
	size_t blocks_count; /* blocks whose branch addresses are known */
};

static void want_streams(struct ifr_pass *pass, const struct ifr_stage *const *all) {
	pass->wanted[pass->machine->direction->stream] = true;
	pass->wanted[pass->machine->indirect->stream] = true;
	for (; *all; all++)
		if ((*all)->want)
			(*all)->want(pass);
}

bool ifr_engine_runs(enum ifr_engine engine) {
	if (engine == IFR_ENGINE_AVX2)
		return __builtin_cpu_supports("avx2");
	if (engine == IFR_ENGINE_AVX512)
		return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
		       __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
		       __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512vpopcntdq");
	return true;
}

static enum ifr_engine choose_engine(size_t lanes_count) {
	if (lanes_count < LANES_WORTH_VECTORS)
		return IFR_ENGINE_SCALAR;
	if (ifr_engine_runs(IFR_ENGINE_AVX512))
		return IFR_ENGINE_AVX512;
	return ifr_engine_runs(IFR_ENGINE_AVX2) ? IFR_ENGINE_AVX2 : IFR_ENGINE_SCALAR;
}

int ifr_replay_new(struct ifr_replay **out, const struct ifr_machine *machine, size_t lanes_count,
                   enum ifr_engine engine, struct ifr_error *err) {
	const int rc = ifr_machine_check(machine, err);
	if (rc)
		return rc;
	if (!lanes_count)
		return ifr_fail(err, IFR_E_BUG, "a replay of no layout");
	if (engine == IFR_ENGINE_AUTO)
		engine = choose_engine(lanes_count);
	if (!ifr_engine_runs(engine))
		return ifr_fail(err, IFR_E_ENVIRONMENT,
		                "this processor has no %s, which that engine needs: take auto, or scalar",
		                engine == IFR_ENGINE_AVX2 ? "AVX2" : "AVX-512 (F, BW, DQ, VL)");
	struct ifr_replay *replay = ifr_alloc(sizeof *replay);
	replay->machine = *machine;
	replay->engine = engine;
	replay->pending = IFR_EXECUTION_BREAK;
	struct ifr_pass *pass = &replay->pass;
	pass->machine = &replay->machine;
	pass->lanes_count = lanes_count;
	pass->line_shift = ifr_log2_of(ifr_machine_line_bytes(machine));
	pass->page_shift = ifr_log2_of(machine->values[IFR_CORE_PAGE_BYTES]);
	pass->branch_layouts = ifr_alloc(lanes_count * sizeof *pass->branch_layouts);
	pass->fetch_lines = ifr_alloc(lanes_count * sizeof *pass->fetch_lines);
	pass->fetch_pages = ifr_alloc(lanes_count * sizeof *pass->fetch_pages);
	want_streams(pass, stages[engine]);
	*out = replay;
	return 0;
}

const char *ifr_replay_engine(const struct ifr_replay *replay) {
	return ifr_engine_names[replay->engine];
}

/* Creates the stages. The first lanes tell the number of data groups. */
static void start_stages(struct ifr_replay *replay) {
	struct ifr_pass *pass = &replay->pass;
	for (size_t i = 0; i < pass->lanes_count; i++)
		if (pass->lanes[i].data_group >= pass->groups_count)
			pass->groups_count = pass->lanes[i].data_group + 1;
	pass->line_groups = ifr_alloc(pass->groups_count * sizeof *pass->line_groups);
	for (size_t i = 0; i < pass->lanes_count; i++)
		pass->line_groups[pass->lanes[i].data_group] = pass->lanes[i].line_group;
	pass->data_lines = ifr_alloc(pass->groups_count * sizeof *pass->data_lines);
	pass->data_pages = ifr_alloc(pass->groups_count * sizeof *pass->data_pages);
	for (size_t i = 0; stages[replay->engine][i]; i++)
		replay->states[i] = stages[replay->engine][i]->create(pass);
	replay->started = true;
}

void ifr_replay_set_lanes(struct ifr_replay *replay, const struct ifr_lane *lanes) {
	struct ifr_pass *pass = &replay->pass;
	pass->lanes = lanes;
	if (!replay->started)
		start_stages(replay);
	for (size_t i = 0; i < pass->lanes_count; i++) {
		assert(lanes[i].data_group < pass->groups_count && lanes[i].line_group <= lanes[i].data_group);
		pass->branch_layouts[i].blocks = lanes[i].blocks;
	}
}

void ifr_replay_keep_outcomes(struct ifr_replay *replay) {
	struct ifr_pass *pass = &replay->pass;
	assert(!replay->started);
	if (!pass->outcomes)
		pass->outcomes = ifr_alloc(pass->lanes_count * sizeof *pass->outcomes);
}

void ifr_replay_keep_stalls(struct ifr_replay *replay) {
	struct ifr_pass *pass = &replay->pass;
	assert(!replay->started && pass->program);
	pass->load_stalls = ifr_alloc(pass->lanes_count * sizeof *pass->load_stalls);
}

double ifr_replay_stalls(const struct ifr_replay *replay, size_t lane, size_t access) {
	const struct ifr_sampled_cycles *stalls = &replay->pass.load_stalls[lane];
	return access < stalls->count ? (double)stalls->head[access] + stalls->scale * (double)stalls->sampled[access]
	                              : 0;
}

struct ifr_lane_outcomes ifr_replay_outcomes(const struct ifr_replay *replay, size_t lane) {
	const struct ifr_pass *pass = &replay->pass;
	return (struct ifr_lane_outcomes){&pass->outcomes[lane], &pass->data_lines[pass->lanes[lane].data_group],
	                                  &pass->fetch_lines[lane]};
}

void ifr_replay_set_core(struct ifr_replay *replay, const struct ifr_core_program *program, uint64_t period) {
	struct ifr_pass *pass = &replay->pass;
	assert(!replay->started && ifr_machine_has_core(&replay->machine));
	pass->program = program;
	pass->core_period = period;
	ifr_replay_keep_outcomes(replay);
	pass->errors = ifr_alloc(pass->lanes_count * sizeof *pass->errors);
}

void ifr_replay_idealise(struct ifr_replay *replay, const uint32_t *sets, size_t count, bool instructions) {
	struct ifr_pass *pass = &replay->pass;
	assert(!replay->started && pass->program);
	pass->ideal_sets = sets;
	pass->ideal_sets_count = count;
	pass->ideal_instructions = instructions;
	pass->ideal_times = ifr_alloc(pass->lanes_count * sizeof *pass->ideal_times);
}

void ifr_replay_observe_steps(struct ifr_replay *replay, const struct ifr_step_observer *observer) {
	assert(!replay->started && replay->pass.program);
	replay->pass.steps = *observer;
}

void ifr_replay_take_ideal_times(struct ifr_replay *replay, size_t lane, struct ifr_ideal_times *times) {
	*times = replay->pass.ideal_times[lane];
	replay->pass.ideal_times[lane] = (struct ifr_ideal_times){0};
}

void ifr_ideal_times_release(struct ifr_ideal_times *times) {
	free(times->cycles);
	free(times->fragment_instructions);
	free(times->fragment_cycles);
	free(times->instruction_cycles);
	*times = (struct ifr_ideal_times){0};
}

void ifr_replay_errors(const struct ifr_replay *replay, struct ifr_count_errors *errors) {
	const struct ifr_pass *pass = &replay->pass;
	memset(errors, 0, pass->lanes_count * sizeof *errors);
	if (pass->errors)
		memcpy(errors, pass->errors, pass->lanes_count * sizeof *errors);
}

void ifr_marks_grow(struct ifr_marks *marks) {
	marks->capacity = marks->capacity ? 2 * marks->capacity : 1024;
	marks->items = ifr_realloc(marks->items, marks->capacity, sizeof *marks->items);
}

/* Makes room for the outcomes of a chunk. */
static void reserve_outcomes(struct ifr_pass *pass) {
	const size_t data = pass->chunk->data_count + 1;
	for (size_t i = 0; i < pass->lanes_count && pass->outcomes; i++) {
		struct ifr_outcomes *outcomes = &pass->outcomes[i];
		outcomes->conditional.count = outcomes->indirect.count = outcomes->taken.count = 0;
		outcomes->data = ifr_realloc(outcomes->data, data, 1);
		memset(outcomes->data, 0, data);
	}
}

void ifr_outcomes_reserve_misses(struct ifr_pass *pass) {
	for (size_t i = 0; i < pass->lanes_count && pass->outcomes; i++) {
		struct ifr_outcomes *outcomes = &pass->outcomes[i];
		outcomes->fetch_lines = ifr_realloc(outcomes->fetch_lines, pass->fetch_lines[i].count + 1, 1);
		outcomes->fetch_pages = ifr_realloc(outcomes->fetch_pages, pass->fetch_pages[i].count + 1, 1);
		outcomes->data_lines =
			ifr_realloc(outcomes->data_lines, pass->data_lines[pass->lanes[i].data_group].count + 1, 1);
	}
}

static void free_outcomes(struct ifr_pass *pass) {
	for (size_t i = 0; i < pass->lanes_count && pass->outcomes; i++) {
		free(pass->outcomes[i].conditional.items);
		free(pass->outcomes[i].indirect.items);
		free(pass->outcomes[i].taken.items);
		free(pass->outcomes[i].data);
		free(pass->outcomes[i].fetch_lines);
		free(pass->outcomes[i].fetch_pages);
		free(pass->outcomes[i].data_lines);
	}
	for (size_t i = 0; i < pass->lanes_count && pass->ideal_times; i++)
		ifr_ideal_times_release(&pass->ideal_times[i]);
	free(pass->ideal_times);
	for (size_t i = 0; i < pass->lanes_count && pass->load_stalls; i++) {
		free(pass->load_stalls[i].head);
		free(pass->load_stalls[i].sampled);
	}
	free(pass->load_stalls);
	free(pass->outcomes);
	free(pass->errors);
}

/* Computes the branch addresses of new blocks in one lane. */
static void add_branches(struct ifr_branch_layout *places, size_t from, size_t count, bool last_byte) {
	uint64_t *pcs = ifr_realloc((void *)places->pcs, count, sizeof *pcs);
	for (size_t i = from; i < count; i++) {
		const struct ifr_geometry *place = &places->blocks[i];
		pcs[i] = place->address + place->bytes - (last_byte ? 1 : place->branch_bytes);
	}
	places->pcs = pcs;
}

static void add_blocks(struct ifr_replay *replay) {
	struct ifr_pass *pass = &replay->pass;
	for (size_t i = 0; i < pass->lanes_count; i++) {
		pass->branch_layouts[i].kinds = pass->kinds;
		if (pass->blocks_count > replay->blocks_count)
			add_branches(&pass->branch_layouts[i], replay->blocks_count, pass->blocks_count,
			             pass->machine->values[IFR_CORE_BRANCH_BYTE]);
	}
	replay->blocks_count = pass->blocks_count;
}

int ifr_replay_chunk(struct ifr_replay *replay, const struct ifr_chunk *chunk, const uint64_t *const *addresses,
                     struct ifr_error *err) {
	struct ifr_pass *pass = &replay->pass;
	if (!pass->lanes)
		return ifr_fail(err, IFR_E_BUG, "a chunk is replayed before there are lanes");
	pass->chunk = chunk;
	pass->addresses = addresses;
	const int rc = ifr_survey_chunk(pass, &replay->pending, err);
	if (rc)
		return rc;
	add_blocks(replay);
	reserve_outcomes(pass);
	for (size_t i = 0; stages[replay->engine][i]; i++)
		stages[replay->engine][i]->run(replay->states[i], pass);
	return 0;
}

static void estimate_cycles(const unsigned *values, uint64_t *v) {
	v[IFR_EVENT_BRANCH_MISSES] =
		v[IFR_EVENT_CONDITIONAL_MISSES] + v[IFR_EVENT_INDIRECT_MISSES] + v[IFR_EVENT_RETURN_MISSES];
	v[IFR_EVENT_CYCLES_ADDITIVE] =
		v[IFR_EVENT_INSTRUCTIONS] / values[IFR_CORE_WIDTH] +
		v[IFR_EVENT_CONDITIONAL_MISSES] * values[IFR_PENALTY_CONDITIONAL] +
		v[IFR_EVENT_INDIRECT_MISSES] * values[IFR_PENALTY_INDIRECT] +
		v[IFR_EVENT_RETURN_MISSES] * values[IFR_PENALTY_RETURN] +
		v[IFR_EVENT_BTB_MISSES] * values[IFR_PENALTY_BTB] + v[IFR_EVENT_L1I_MISSES] * values[IFR_PENALTY_L1I] +
		v[IFR_EVENT_L1D_LOAD_MISSES] * values[IFR_PENALTY_L1D] +
		(values[IFR_L3_BYTES] ? v[IFR_EVENT_L2_MISSES] * values[IFR_PENALTY_L2] : 0) +
		v[IFR_EVENT_LLC_MISSES] * values[IFR_PENALTY_LLC] + v[IFR_EVENT_ITLB_MISSES] * values[IFR_PENALTY_ITLB] +
		(v[IFR_EVENT_DTLB_LOAD_MISSES] + v[IFR_EVENT_DTLB_STORE_MISSES]) * values[IFR_PENALTY_DTLB] +
		v[IFR_EVENT_STLB_MISSES] * values[IFR_PENALTY_STLB];
}

void ifr_replay_counters(const struct ifr_replay *replay, struct ifr_counts *counters) {
	const struct ifr_pass *pass = &replay->pass;
	memset(counters, 0, pass->lanes_count * sizeof *counters);
	for (size_t lane = 0; lane < pass->lanes_count && replay->started; lane++) {
		ifr_survey_count(pass, lane, &counters[lane]);
		for (size_t i = 0; stages[replay->engine][i]; i++)
			stages[replay->engine][i]->count(replay->states[i], pass, lane, &counters[lane]);
		estimate_cycles(replay->machine.values, counters[lane].value);
		if (!pass->program)
			counters[lane].value[IFR_EVENT_CYCLES] = counters[lane].value[IFR_EVENT_CYCLES_ADDITIVE];
	}
}

static void free_misses(struct ifr_misses *lists, size_t count) {
	for (size_t i = 0; i < count; i++)
		free(lists[i].items);
	free(lists);
}

void ifr_replay_free(struct ifr_replay *replay) {
	if (!replay)
		return;
	struct ifr_pass *pass = &replay->pass;
	for (size_t i = 0; replay->started && stages[replay->engine][i]; i++)
		stages[replay->engine][i]->destroy(replay->states[i], pass);
	for (size_t i = 0; i < pass->lanes_count; i++)
		free((void *)pass->branch_layouts[i].pcs);
	free_misses(pass->data_lines, pass->groups_count);
	free_misses(pass->data_pages, pass->groups_count);
	free_misses(pass->fetch_lines, pass->lanes_count);
	free_misses(pass->fetch_pages, pass->lanes_count);
	free_outcomes(pass);
	free(pass->branch_layouts);
	free(pass->line_groups);
	ifr_survey_release(pass);
	free(replay);
}
