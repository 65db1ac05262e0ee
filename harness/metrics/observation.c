/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"
#include "common/random.h"
#include "harness/metrics/formats.h"

void ifr_figure_name(char kept[IFR_FIGURE_NAME], const char *name) {
	unsigned digest = (unsigned)ifr_siphash(0, 0, name, strlen(name));
	size_t length = strlen(name);
	if (length < IFR_FIGURE_NAME)
		memcpy(kept, name, length + 1);
	else
		snprintf(kept, IFR_FIGURE_NAME, "%.50s..%08x", name, digest);
}

/* Makes room for one more element in an array that grows by doubling. */
static void *one_more(void *array, size_t count, size_t size) {
	if (count && (count & (count - 1)))
		return array;
	return ifr_realloc(array, count ? count * 2 : 1, size);
}

struct ifr_observation *observations_add(struct ifr_observations *observations, const char *benchmark) {
	observations->items = one_more(observations->items, observations->count, sizeof *observations->items);
	struct ifr_observation *made = &observations->items[observations->count++];
	*made = (struct ifr_observation){.benchmark = ifr_strdup(benchmark)};
	return made;
}

void observation_add_value(struct ifr_observation *observation, const char *name, const char *unit, double value) {
	observation->values = one_more(observation->values, observation->value_count, sizeof *observation->values);
	struct ifr_observed_value *made = &observation->values[observation->value_count++];
	*made = (struct ifr_observed_value){.name = ifr_strdup(name), .value = value};
	snprintf(made->unit, sizeof made->unit, "%s", unit);
}

void observations_add_time(struct ifr_observations *observations, const char *benchmark, double ns,
                           double iterations) {
	struct ifr_observation *made = observations_add(observations, benchmark);
	made->iterations = iterations;
	observation_add_value(made, "duration_time", "ns", ns);
}

void ifr_observations_release(struct ifr_observations *observations) {
	for (size_t i = 0; i < observations->count; i++) {
		struct ifr_observation *one = &observations->items[i];
		for (size_t j = 0; j < one->value_count; j++)
			free(one->values[j].name);
		free(one->values);
		free(one->benchmark);
		free(one->failure);
	}
	free(observations->items);
	free(observations->host);
	*observations = (struct ifr_observations){0};
}

double time_unit_ns(const char *unit) {
	static const struct {
		const char *unit;
		double ns;
	} units[] = {{"ns", 1},   {"us", 1e3}, {"\xc2\xb5s", 1e3}, {"\xce\xbcs", 1e3},
	             {"ms", 1e6}, {"s", 1e9},  {"ps", 1e-3},       {"min", 60e9}};
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (!strcmp(unit, units[i].unit))
			return units[i].ns;
	return NAN;
}
