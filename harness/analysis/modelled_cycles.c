/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/analysis/modelled_cycles.h"

#include <stdio.h>
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

double ifr_cycles_error(const struct ifr_dataset *dataset, unsigned program) {
	char name[sizeof IFR_FACT_CYCLES_ERROR + 16] = IFR_FACT_CYCLES_ERROR;
	if (program)
		snprintf(name, sizeof name, IFR_FACT_CYCLES_ERROR " %u", program + 1);
	const char *text = ifr_dataset_fact(dataset, name);
	const double error = text && !strcmp(ifr_cycles_core(dataset), "sampled") ? strtod(text, NULL) : 0;
	return error > 0 ? error : 0;
}
