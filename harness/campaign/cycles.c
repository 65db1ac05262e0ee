/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How the model computes cycles in an experiment: by the machine's core, over samples of the run or over all of it, or
 * without a core, as a sum over misses. One experiment has one way: the fact "core" names it. */
#include "harness/campaign/cycles.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/file.h"

/* Files from before the fact are of the time when there was no core. */
static char *read_recorded(struct ifr_experiment *experiment) {
	char *machine = ifr_experiment_get(experiment, "machine"),
		 *core = ifr_experiment_get(experiment, IFR_FACT_CORE);
	if (machine && !core)
		core = ifr_strdup(ifr_core_use_names[IFR_CORE_NONE]);
	free(machine);
	return core;
}

/* An experiment that is there already keeps its way, unless another is asked for. */
static int adopt_recorded(struct campaign_state *state, char **core, struct ifr_error *err) {
	struct ifr_experiment *experiment;
	*core = NULL;
	if (!ifr_file_exists(state->plan.file))
		return 0;
	int result = ifr_experiment_open(state->plan.file, &experiment, err);
	if (result)
		return result;
	*core = read_recorded(experiment);
	ifr_experiment_close(experiment);
	return 0;
}

/* Whether layouts of the campaign can be replayed on the machine's core. Errors: IFR_E_USAGE, with the reason. */
static int check_core(const struct campaign_state *state, struct ifr_error *err) {
	struct ifr_machine *machine = NULL;
	const unsigned axes = state->plan.generator.axes & ifr_instruction_axes();
	int result = ifr_machine_open(&machine, state->plan.machine ? state->plan.machine : "", err);
	if (!result && !ifr_machine_has_core(machine))
		result = ifr_fail(err, IFR_E_USAGE, "the description of the machine %s has no core, only penalties",
		                  machine->name);
	for (int i = 0; i < IFR_AXIS_COUNT && !result; i++)
		if (axes & 1u << i)
			result = ifr_fail(err, IFR_E_USAGE,
			                  "no core can replay layouts of the axis %s, which changes the instructions",
			                  ifr_axes[i].name);
	ifr_machine_free(machine);
	return result;
}

int campaign_choose_core(struct campaign_state *state, struct ifr_error *err) {
	struct ifr_error ignored = {0};
	char *recorded = NULL;
	int result = state->plan.core ? 0 : adopt_recorded(state, &recorded, err);
	const char *name = state->plan.core ? state->plan.core : recorded;
	if (!result && name)
		result = ifr_core_use_find(name, &state->core, err);
	else if (!result)
		state->core = IFR_CORE_SAMPLED;
	/* The differences from the experiment are told as a whole, later. */
	if (!result && !state->plan.core && state->core && check_core(state, &ignored))
		state->core = IFR_CORE_NONE;
	free(recorded);
	return result;
}

int campaign_check_core(const struct campaign_state *state, struct ifr_error *err) {
	struct ifr_error reason = {0};
	if (state->core == IFR_CORE_NONE || !check_core(state, &reason))
		return 0;
	return ifr_fail(err, IFR_E_USAGE,
	                "--core: %s: choose another --machine, as skylake, other --axes, or --core=none",
	                reason.message);
}

/* Tells why cycles are an estimate where nobody asked for that. */
static int warn_estimate(const struct campaign_state *state, struct ifr_error *err) {
	struct ifr_error reason = {0};
	if (state->plan.core || state->core || !ifr_counters_use_core(state->counters) || !check_core(state, &reason))
		return 0;
	char *text = ifr_format("The model's cycles are an estimate, a sum over misses: %s.", reason.message);
	int result = ifr_experiment_warn(state->experiment, text, err);
	free(text);
	return result;
}

int campaign_record_core(struct campaign_state *state, struct ifr_error *err) {
	const char *now = ifr_core_use_names[state->core];
	char *recorded = read_recorded(state->experiment);
	int result = 0;
	if (recorded && strcmp(recorded, now))
		result =
			ifr_fail(err, IFR_E_USAGE,
		             "%s holds cycles of the model that were computed another way (--core=%s, not %s): choose "
		             "another -o, replace it with --fresh, or repeat its command",
		             state->plan.file, recorded, now);
	if (!result)
		result = ifr_experiment_set(state->experiment, IFR_FACT_CORE, now, err);
	if (!result && !recorded)
		result = warn_estimate(state, err);
	free(recorded);
	return result;
}

static int save_error(struct campaign_state *state, const char *event, unsigned program, double error,
                      struct ifr_error *err) {
	char *fact = ifr_format("%s" IFR_FACT_ERROR, event), *name = ifr_program_fact_name(fact, program),
		 *known = ifr_experiment_get(state->experiment, name), *now = ifr_format("%.3g", error);
	const bool larger = !known || atof(now) > atof(known);
	int result = larger ? ifr_experiment_set(state->experiment, name, now, err) : 0;
	free(now);
	free(known);
	free(name);
	free(fact);
	return result;
}

int campaign_save_sampling_errors(struct campaign_state *state, unsigned program, const double *values,
                                  const struct ifr_count_errors *errors, struct ifr_error *err) {
	int result = 0;
	for (unsigned i = 0; i < ifr_counters_count(state->counters) && !result; i++) {
		const struct ifr_counter *counter = ifr_counters_get(state->counters, i);
		if (counter->pass == IFR_PASS_MODEL && errors->value[counter->event] > 0 && values[i] > 0)
			result = save_error(state, ifr_event_name((enum ifr_event)counter->event), program,
			                    errors->value[counter->event] / values[i], err);
	}
	return result;
}
