/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The executor that runs nothing: it replays each program's recording under the plans of its variants, and the
 * model's counters are the outcome. */
#ifndef IFR_HARNESS_MODEL_EXECUTOR_H
#define IFR_HARNESS_MODEL_EXECUTOR_H

#include "harness/exec/exec.h"
#include "model/model.h"

struct ifr_model_executor {
	struct ifr_executor executor;
	const struct ifr_machine *machine;
};

/* The machine must outlive the executor. Jobs of one recording that follow one another are replayed together,
 * reading the trace once: order them by program. */
void ifr_model_executor_init(struct ifr_model_executor *executor, const struct ifr_machine *machine);

#endif
