/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The executor without program runs: it replays each program's recording under the plans of its variants. The
 * model's counters are the outcomes. */
#ifndef IFR_HARNESS_MODEL_EXECUTOR_H
#define IFR_HARNESS_MODEL_EXECUTOR_H

#include "harness/exec/exec.h"
#include "model/model.h"

struct ifr_plan_replay;
struct ifr_cluster;

struct ifr_model_executor {
	struct ifr_executor executor;
	const struct ifr_machine *machine;
	enum ifr_core_use core; /* must be IFR_CORE_NONE for a machine without a core */
	int64_t deadline_ns; /* as in struct ifr_plan_replay; may be set after ifr_model_executor_init, as progress */
	void (*progress)(double share, int64_t spent_ns);
	void (*foresee)(void *data, size_t layouts, int64_t expected_ns); /* as in struct ifr_plan_replay */
	void *data;
	/* As in struct ifr_plan_replay, where there is no deadline; NULL: replays are made here. */
	int (*spread)(struct ifr_plan_replay *replay, const struct ifr_plan *plans, size_t count,
	              struct ifr_counts *counters, struct ifr_error *err);
	struct ifr_cluster *cluster;
	const char *machine_spec;
	int64_t expected_ns;                   /* result: not 0 where a replay could not end in time */
	size_t expected_layouts;               /* … of so many layouts */
	const struct ifr_count_errors *errors; /* of the outcome that the owner takes */
};

/* Initialises an executor on a modelled machine, which must outlive it. Consecutive jobs of one recording become
 * one batch, which reads the trace once: order jobs by program. */
void ifr_model_executor_init(struct ifr_model_executor *executor, const struct ifr_machine *machine,
                             enum ifr_core_use core);

#endif
