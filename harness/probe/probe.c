/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A probe: the experiments of the parts that are wanted, one after the other. */
#include "harness/probe/probe.h"

#include <stdlib.h>

#include "harness/probe/clocked.h"
#include "harness/probe/described.h"

struct step {
	enum ifr_probe_part part;
	void (*run)(struct probe_described *probe);
};

/* The experiments of the clock, with a described core for a clock. */
static void run_front(struct probe_described *probe) {
	struct probe_clocked clocked = {.result = probe->result, .seed = probe->seed, .machine = probe->model.machine};
	if (!ifr_machine_has_core(clocked.machine))
		return;
	probe_clocked_windows(&clocked);
	probe_described_front(probe);
	probe_described_loop_buffer(probe);
}

static void run_core(struct probe_described *probe) {
	if (ifr_machine_has_core(probe->model.machine))
		probe_described_core(probe);
}

static const struct step steps[] = {
	{IFR_PROBE_BTB, probe_described_btb},
	{IFR_PROBE_HISTORY, probe_described_history},
	{IFR_PROBE_RETURN, probe_described_returns},
	{IFR_PROBE_CACHES, probe_described_caches},
	{IFR_PROBE_TLBS, probe_described_tlbs},
	{IFR_PROBE_MEMORY, probe_described_memory},
	{IFR_PROBE_PENALTY, probe_described_penalties},
	{IFR_PROBE_FRONT, run_front},
	{IFR_PROBE_CORE, run_core},
};
enum { STEPS = sizeof steps / sizeof *steps };

static int run_described(const struct ifr_probe_options *options, struct ifr_probe_result *result,
                         struct ifr_error *err) {
	struct ifr_machine *machine = NULL;
	const int rc = ifr_machine_open(&machine, options->machine, err);
	if (rc)
		return rc;
	struct probe_described probe = {.model = {.machine = machine}, .result = result, .seed = options->seed};
	for (unsigned i = 0; i < STEPS; i++) {
		if (options->progress)
			options->progress(i, STEPS, -1);
		if (options->parts >> steps[i].part & 1)
			steps[i].run(&probe);
	}
	probe_described_untold(&probe, options->parts);
	const struct ifr_error failure = probe.model.err;
	ifr_machine_free(machine);
	if (failure.code) {
		if (err)
			*err = failure;
		return -failure.code;
	}
	return 0;
}

int ifr_probe_run(const struct ifr_probe_options *options, struct ifr_probe_result *result,
                  struct ifr_error *err) {
	*result = (struct ifr_probe_result){.seed = options->seed, .is_described = options->machine != NULL};
	if (!options->machine)
		return probe_clocked_run(options, result, err);
	result->machine = ifr_strdup(options->machine);
	result->source = IFR_PROBE_BY_MODEL;
	return run_described(options, result, err);
}
