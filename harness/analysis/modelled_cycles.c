/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/analysis/modelled_cycles.h"

#include <stdlib.h>
#include <string.h>

#include "common/strings.h"

bool ifr_counter_is_modelled_cycles(const struct ifr_dataset_counter *counter) {
	const char *name = counter->name;
	return !strcmp(counter->source, "model") &&
	       !strcmp(ifr_starts_with(name, "model:") ? name + strlen("model:") : name, "cycles");
}

/* The first experiments with a model had no core. */
const char *ifr_cycles_core(const struct ifr_dataset *dataset) {
	const char *core = ifr_dataset_fact(dataset, IFR_FACT_CORE);
	return core ? core : "none";
}

double ifr_sampling_error(const struct ifr_dataset *dataset, const struct ifr_dataset_counter *counter,
                          unsigned program) {
	const char *name = counter->name;
	if (strcmp(counter->source, "model") || strcmp(ifr_cycles_core(dataset), "sampled"))
		return 0;
	char *fact = ifr_format("%s" IFR_FACT_ERROR, ifr_starts_with(name, "model:") ? name + strlen("model:") : name);
	const char *text = ifr_dataset_program_fact(dataset, fact, program);
	const double error = text ? strtod(text, NULL) : 0;
	free(fact);
	return error > 0 ? error : 0;
}

bool ifr_cycles_are_added(const struct ifr_dataset *dataset, const struct ifr_dataset_counter *counter) {
	return ifr_counter_is_modelled_cycles(counter) && !strcmp(ifr_cycles_core(dataset), "none");
}

bool ifr_cycles_are_sampled(const struct ifr_dataset *dataset, const struct ifr_dataset_counter *counter) {
	return ifr_counter_is_modelled_cycles(counter) && ifr_sampling_error(dataset, counter, 0) > 0;
}
