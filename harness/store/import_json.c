/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Imports the JSON of hyperfine and of Google Benchmark: a run of a variant for each observation. */
#include <stdlib.h>

#include "common/buffer.h"
#include "harness/metrics/metrics.h"
#include "harness/store/import_parts.h"

static void take_values(const struct ifr_observation *from, const char *source, struct ifr_dataset *dataset,
                        struct ifr_dataset_run *run) {
	for (size_t i = 0; i < from->value_count; i++) {
		int counter = import_counter(dataset, from->values[i].name, from->values[i].unit, source);
		if (counter >= 0)
			run->value[counter] = from->values[i].value;
	}
	run->exit_status = from->exit_status;
	if (from->failure)
		run->refused = ifr_strdup(from->failure);
}

/* numbered: names begin with their number, which tells apart commands that begin alike. */
static void take_observations(const struct ifr_observations *observations, const char *source, bool numbered,
                              struct ifr_dataset *dataset) {
	/* All counters are known before the first run is. */
	for (size_t i = 0; i < observations->count; i++)
		for (size_t j = 0; j < observations->items[i].value_count; j++)
			import_counter(dataset, observations->items[i].values[j].name, observations->items[i].values[j].unit,
			               source);
	for (size_t i = 0; i < observations->count; i++) {
		const struct ifr_observation *one = &observations->items[i];
		char *name = numbered ? ifr_format("%u: %s", one->number, one->benchmark) : ifr_strdup(one->benchmark);
		take_values(one, source, dataset, import_run(dataset, import_variant(dataset, name)));
		free(name);
	}
	if (observations->host)
		ifr_dataset_add_fact(dataset, "host", observations->host);
}

int import_hyperfine(const struct ifr_import_text *text, struct ifr_dataset *dataset, struct ifr_error *err) {
	struct ifr_observations observations = {0};
	int result = ifr_hyperfine_read(text->origin, text->text, &observations, err);
	import_counter(dataset, "duration_time", "ns", "hyperfine");
	if (!result)
		take_observations(&observations, "hyperfine", true, dataset);
	ifr_observations_release(&observations);
	return result;
}

int import_google(const struct ifr_import_text *text, struct ifr_dataset *dataset, struct ifr_error *err) {
	struct ifr_observations observations = {0};
	int result = ifr_google_benchmark_read(text->origin, text->text, &observations, err);
	import_counter(dataset, "duration_time", "ns", "google");
	import_counter(dataset, "cpu_time", "ns", "google");
	if (!result)
		take_observations(&observations, "google", false, dataset);
	ifr_observations_release(&observations);
	return result;
}
