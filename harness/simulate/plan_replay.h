/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Replays a trace under plans, for `interfero replay` and for the counter source `model`. */
#ifndef IFR_HARNESS_PLAN_REPLAY_H
#define IFR_HARNESS_PLAN_REPLAY_H

#include <stdint.h>

#include "common/plan.h"
#include "kit/kit.h"
#include "model/model.h"

/* Limits: layouts in a batch, which reads the trace once, and layouts in a vector group of the engines. Each
 * processor replays a batch of its own; a core's front ends, which run one layout after another, are worth a second
 * processor from so many layouts on. */
enum { IFR_REPLAY_LANES = 64, IFR_REPLAY_VECTOR = 16, IFR_REPLAY_CORE = 8 };

struct ifr_cluster;

struct ifr_plan_replay {
	struct ifr_trace *trace;
	const struct ifr_machine *const *machines;
	size_t machine_count;
	enum ifr_engine engine;
	enum ifr_core_use core;
	struct ifr_count_errors *errors; /* as counters; NULL: not wanted */
	const uint32_t *sets;            /* of causes (model/core/causes.h), under which the core runs, too */
	size_t sets_count;
	const struct ifr_site_marks *marks;    /* sites among the causes; NULL: none */
	const struct ifr_step_observer *steps; /* of one plan's core on one machine; NULL: none */
	bool instructions;                     /* the cycles of sets are noted by instruction, too */
	struct ifr_ideal_times *times;         /* as counters; their cycles, if there are sets */
	/* Called instead for each plan, once its times are there, which it may take; by one thread at a time. */
	void (*take)(void *taker, size_t plan, struct ifr_ideal_times *times);
	void *taker;
	int64_t deadline_ns; /* on CLOCK_MONOTONIC; 0: none. A replay that cannot end by then fails early on */
	/* Called a few times a second with the share that is done, up to 1, after so much time; NULL: none. */
	void (*progress)(double share, int64_t spent_ns);
	/* Called once, as soon as the expected time of the whole replay is known; NULL: not. */
	void (*foresee)(void *data, size_t layouts, int64_t expected_ns);
	void *data;
	int64_t expected_ns; /* a result: the expected time of the whole replay, where it cannot end in time; else 0 */
	const struct ifr_kit *kit; /* of the recorded program; NULL: it is found by the trace */
	/* Replays in pieces elsewhere (cluster/cluster.h), without sets, sites and a deadline; NULL: here. */
	int (*spread)(struct ifr_plan_replay *replay, const struct ifr_plan *plans, size_t count,
	              struct ifr_counts *counters, struct ifr_error *err);
	struct ifr_cluster *cluster;      /* for it */
	const char *trace_file;           /* for it */
	const char *const *machine_specs; /* for it: each machine as ifr_machine_open took it */
};

/* Counts the events of the trace under each plan on each machine and stores those of plan p on machine m in
 * counters[m * count + p]. Each layout is made once. Plans with axes of the relinker or compiler need the kit of
 * the recorded program. Errors: IFR_E_USAGE if there is no such kit, or if the program has changed since, or if the
 * deadline is too early (with expected_ns); those of ifr_layout_of_plan and ifr_count_events. */
int ifr_replay_plans(struct ifr_plan_replay *replay, const struct ifr_plan *plans, size_t count,
                     struct ifr_counts *counters, struct ifr_error *err);

/* Loads the kit of a trace's program. Errors: IFR_E_USAGE if there is none, or if the program has changed since. */
int ifr_recorded_kit_load(const struct ifr_trace *trace, struct ifr_kit *kit, struct ifr_error *err);

/* The recorded program's path if it was built again since it was recorded: the recorded addresses are not of its code.
 * The caller frees; NULL: it was not, or this cannot be told (no build-id; the recording is of a variant). */
char *ifr_recorded_program_changed(const struct ifr_trace *trace);
/* Errors: IFR_E_USAGE if it was. */
int ifr_recorded_program_check(const struct ifr_trace *trace, struct ifr_error *err);

#endif
