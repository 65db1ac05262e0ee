/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The stages of direction and target predictors over vector groups. A predictor, or a size of it, without a
 * vectorised version runs lane by lane, as in the scalar engine. */
#include "model/replay/vector/vector_group.h"

#include <stdlib.h>
#include <string.h>

struct predictors {
	const struct group_predictor *kind; /* NULL: there is no vectorised version */
	struct vector_group *groups;
	void *scalar;
};

static const struct group_predictor *find_predictor(const struct group_predictor *const *kinds, const char *name,
                                                    const unsigned *values) {
	for (size_t i = 0; kinds[i]; i++)
		if (!strcmp(kinds[i]->name, name) && kinds[i]->fits(values))
			return kinds[i];
	return NULL;
}

static void *create(const struct ifr_pass *pass, const struct group_predictor *kind, const unsigned *values,
                    const struct ifr_stage *scalar) {
	struct predictors *all = ifr_alloc(sizeof *all);
	all->kind = kind;
	if (!kind) {
		all->scalar = scalar->create(pass);
		return all;
	}
	all->groups = ifr_alloc(vector_groups_count(pass) * sizeof *all->groups);
	for (size_t i = 0; i < vector_groups_count(pass); i++) {
		all->groups[i] = vector_group_at(pass, i);
		all->groups[i].state = kind->create(values);
	}
	return all;
}

static void *create_direction(const struct ifr_pass *pass) {
	static const struct group_predictor *const kinds[] = {&IFR_VECTOR(bimodal),
	                                                      &IFR_VECTOR(gag),
	                                                      &IFR_VECTOR(gas),
	                                                      &IFR_VECTOR(gshare),
	                                                      &IFR_VECTOR(path),
	                                                      &IFR_VECTOR(l_tage),
	                                                      NULL};
	const unsigned *values = pass->machine->direction_values;
	return create(pass, find_predictor(kinds, pass->machine->direction->name, values), values,
	              &ifr_stage_direction);
}

static void *create_targets(const struct ifr_pass *pass) {
	static const struct group_predictor *const kinds[] = {&IFR_VECTOR(ittage), NULL};
	const unsigned *values = pass->machine->indirect_values;
	return create(pass, find_predictor(kinds, pass->machine->indirect->name, values), values, &ifr_stage_targets);
}

static void destroy(struct predictors *all, const struct ifr_pass *pass, const struct ifr_stage *scalar) {
	if (!all->kind)
		scalar->destroy(all->scalar, pass);
	for (size_t i = 0; all->kind && i < vector_groups_count(pass); i++)
		all->kind->destroy(all->groups[i].state);
	free(all->groups);
	free(all);
}

static void destroy_direction(void *state, const struct ifr_pass *pass) {
	destroy(state, pass, &ifr_stage_direction);
}

static void destroy_targets(void *state, const struct ifr_pass *pass) {
	destroy(state, pass, &ifr_stage_targets);
}

static struct vector_notes notes_of(const struct ifr_pass *pass, const struct vector_group *vector_group,
                                    bool indirect) {
	struct vector_notes notes = {.wanted = (1u << vector_group->count) - 1};
	for (size_t i = 0; i < vector_group->count; i++) {
		struct ifr_outcomes *outcomes = &pass->outcomes[vector_group->first + i];
		notes.marks[i] = indirect ? &outcomes->indirect : &outcomes->conditional;
	}
	return notes;
}

static void run(struct predictors *all, struct ifr_pass *pass, enum ifr_stream stream, bool indirect,
                const struct ifr_stage *scalar) {
	const struct ifr_branches branches = ifr_pass_stream(pass, stream);
	if (!all->kind) {
		scalar->run(all->scalar, pass);
		return;
	}
	for (size_t i = 0; i < vector_groups_count(pass); i++) {
		struct vector_group *vector_group = &all->groups[i];
		if (pass->blocks_count > vector_group->blocks_count)
			all->kind->add_blocks(vector_group->state, pass, vector_group, pass->blocks_count);
		vector_group->blocks_count = pass->blocks_count;
		struct vector_notes notes;
		if (pass->outcomes)
			notes = notes_of(pass, vector_group, indirect);
		all->kind->run(vector_group->state, &branches, pass->kinds, vector_group->misses,
		               pass->outcomes ? &notes : NULL);
	}
}

static void run_direction(void *state, struct ifr_pass *pass) {
	run(state, pass, pass->machine->direction->stream, false, &ifr_stage_direction);
}

static void run_targets(void *state, struct ifr_pass *pass) {
	run(state, pass, pass->machine->indirect->stream, true, &ifr_stage_targets);
}

static void count(const struct predictors *all, const struct ifr_pass *pass, size_t lane, enum ifr_event event,
                  const struct ifr_stage *scalar, struct ifr_counts *counters) {
	if (all->kind)
		counters->value[event] += all->groups[lane / LANES].misses[lane % LANES];
	else
		scalar->count(all->scalar, pass, lane, counters);
}

static void count_direction(const void *state, const struct ifr_pass *pass, size_t lane,
                            struct ifr_counts *counters) {
	count(state, pass, lane, IFR_EVENT_CONDITIONAL_MISSES, &ifr_stage_direction, counters);
}

static void count_targets(const void *state, const struct ifr_pass *pass, size_t lane,
                          struct ifr_counts *counters) {
	count(state, pass, lane, IFR_EVENT_INDIRECT_MISSES, &ifr_stage_targets, counters);
}

const struct ifr_stage IFR_VECTOR(stage_direction) = {.name = ENGINE_NAME,
                                                      .create = create_direction,
                                                      .run = run_direction,
                                                      .count = count_direction,
                                                      .destroy = destroy_direction};
const struct ifr_stage IFR_VECTOR(stage_targets) = {.name = ENGINE_NAME,
                                                    .create = create_targets,
                                                    .run = run_targets,
                                                    .count = count_targets,
                                                    .destroy = destroy_targets};
