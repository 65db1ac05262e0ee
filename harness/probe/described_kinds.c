/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kinds of a described machine's predictors: which kind, with the history that was found, mispredicts as often in
 * each of some loops of patterns, correlations and random outcomes. */
#include "harness/probe/described.h"
#include "harness/probe/experiments.h"
#include "harness/probe/findings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* An experiment of the table with these values. */
struct loop {
	const char *experiment;
	uint64_t values[PROBE_PARAMETERS_MOST];
};

static const struct loop direction_loops[] = {
	{"pattern", {6, 0, 0, 17, 0, 840}},      {"pattern", {11, 0, 0, 17, 0, 840}},
	{"pattern", {5, 9, 0, 17, 0, 840}},      {"pattern", {9, 0, 2, 17, 0, 2520}},
	{"pattern", {40, 0, 1, 23, 64, 840}},    {"pattern", {3, 40, 0, 9, 0, 840}},
	{"two-patterns", {5, 2, 3, 17, 0, 840}}, {"correlation", {3, 1, 1, 17, 0, 509}},
	{"correlation", {3, 0, 1, 17, 0, 509}},  {"correlation", {20, 1, 1, 9, 0, 509}},
};
static const struct loop indirect_loops[] = {
	{"indirect", {4, 0, 0, 1, 1021}}, {"indirect", {2, 0, 0, 1, 1021}},   {"indirect", {5, 0, 5, 1, 1020}},
	{"indirect", {3, 4, 3, 0, 1020}}, {"indirect", {16, 2, 40, 1, 1040}}, {"indirect", {4, 20, 0, 1, 1021}},
};
enum { LOOPS_MOST = 16 };

static const struct probe_experiment *find(const char *name) {
	const struct probe_experiment *experiment = probe_experiments;
	while (strcmp(experiment->name, name))
		experiment++;
	return experiment;
}

/* Counts with all other structures away, as probe_modelled_rate has them. Indirect branches have no group of their
 * own. */
static double count_missed(struct probe_described *probe, const struct ifr_machine *machine,
                           const struct loop *loop, enum ifr_event event) {
	struct ifr_machine alone = *machine;
	struct probe_modelled model = {.machine = &alone};
	struct probe_kernel kernel;
	const bool indirect = event == IFR_EVENT_INDIRECT_MISSES;
	probe_kernel_init(&kernel, 0);
	find(loop->experiment)->build(&kernel, loop->values, probe->seed);
	if (indirect)
		alone.direction = ifr_predictor_find("perfect");
	const double missed = probe_modelled_rate(&model, &kernel, event);
	return model.err.code ? NAN : missed;
}

struct trial {
	const struct loop *loops;
	size_t count;
	enum ifr_event event;
	double missed[LOOPS_MOST];
};

static bool misses_equally(struct probe_described *probe, const struct ifr_machine *machine,
                           const struct trial *trial) {
	for (size_t i = 0; i < trial->count; i++)
		if (!(fabs(count_missed(probe, machine, &trial->loops[i], trial->event) - trial->missed[i]) < 1e-9))
			return false;
	return true;
}

/* The machine with a predictor of that kind: its initial values, and the history that was found. */
static bool make_machine(const struct probe_described *probe, const char *group, const char *kind,
                         struct ifr_machine *machine) {
	const struct ifr_probe_finding *history = ifr_probe_find(probe->result, "direction.history");
	*machine = *probe->model.machine;
	/* ifr_machine_set would free the notes of the machine that is copied. */
	memset(machine->notes, 0, sizeof machine->notes);
	memset(machine->direction_notes, 0, sizeof machine->direction_notes);
	memset(machine->indirect_notes, 0, sizeof machine->indirect_notes);
	bool fits = !ifr_machine_set(machine, group, kind, NULL);
	if (fits && !strcmp(group, "direction") && history && history->told) {
		char *value = ifr_format("%.0f", history->value);
		ifr_machine_set(machine, "direction.history", value, NULL); /* of a kind that has one */
		free(value);
	}
	return fits && !ifr_machine_check(machine, NULL);
}

static void release_notes(struct ifr_machine *machine) {
	for (size_t i = 0; i < IFR_SETTINGS; i++)
		free(machine->notes[i].source);
	for (size_t i = 0; i <= IFR_PREDICTOR_PARAMETERS; i++) {
		free(machine->direction_notes[i].source);
		free(machine->indirect_notes[i].source);
	}
}

static void try_kind(struct probe_described *probe, const char *group, const char *kind, const struct trial *trial,
                     struct ifr_buffer *names, unsigned *equal) {
	struct ifr_machine machine;
	if (make_machine(probe, group, kind, &machine) && misses_equally(probe, &machine, trial))
		ifr_buffer_printf(names, "%s%s", (*equal)++ ? " or " : "", kind);
	release_notes(&machine);
}

static void tell_kind(struct probe_described *probe, const char *group, struct trial *trial) {
	struct ifr_buffer names = {0};
	unsigned equal = 0;
	const bool direction = trial->event == IFR_EVENT_CONDITIONAL_MISSES;
	char *key = ifr_format("%s.kind", group);
	for (size_t i = 0; i < trial->count; i++)
		trial->missed[i] = count_missed(probe, probe->model.machine, &trial->loops[i], trial->event);
	for (size_t i = 0; direction && ifr_predictors[i]; i++)
		try_kind(probe, group, ifr_predictors[i]->name, trial, &names, &equal);
	for (size_t i = 0; !direction && ifr_target_predictors[i]; i++)
		try_kind(probe, group, ifr_target_predictors[i]->name, trial, &names, &equal);
	if (equal == 1)
		probe_tell_word(
			probe->result, IFR_PROBE_HISTORY, key, ifr_buffer_text(&names),
			"the kind that mispredicts as often in loops of patterns, correlations and random branches");
	else
		probe_tell_nothing(probe->result, IFR_PROBE_HISTORY, key,
		                   "%s with its initial values mispredicts as often",
		                   equal ? ifr_buffer_text(&names) : "no kind");
	free(key);
	ifr_buffer_release(&names);
}

void probe_described_kinds(struct probe_described *probe) {
	struct trial direction = {direction_loops,
	                          sizeof direction_loops / sizeof *direction_loops,
	                          IFR_EVENT_CONDITIONAL_MISSES,
	                          {0}},
				 indirect = {indirect_loops,
	                         sizeof indirect_loops / sizeof *indirect_loops,
	                         IFR_EVENT_INDIRECT_MISSES,
	                         {0}};
	tell_kind(probe, "direction", &direction);
	tell_kind(probe, "indirect", &indirect);
}
