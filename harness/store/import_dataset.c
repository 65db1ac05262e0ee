/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The dataset that an import fills: its variants, counters and runs. */
#include <stdio.h>
#include <string.h>

#include "common/random.h"
#include "harness/store/import_parts.h"

static void copy_name(char *to, size_t size, const char *from) {
	snprintf(to, size, "%s", from);
}

/* A name of the experiment's length; what is longer ends in a digest, so that names that begin alike stay apart.
 */
static void keep_name(char kept[IFR_NAME_MAX], const char *name) {
	unsigned digest = (unsigned)ifr_siphash(0, 0, name, strlen(name));
	if (strlen(name) < IFR_NAME_MAX)
		copy_name(kept, IFR_NAME_MAX, name);
	else
		snprintf(kept, IFR_NAME_MAX, "%.50s..%08x", name, digest);
}

static bool has_shipped(const struct ifr_dataset *dataset) {
	for (size_t i = 0; i < dataset->variant_count; i++)
		if (!dataset->variants[i].layout)
			return true;
	return false;
}

size_t import_variant(struct ifr_dataset *dataset, const char *name) {
	char kept[IFR_NAME_MAX];
	keep_name(kept, name);
	/* Mostly it is the last run's variant, or the one after it: a million runs are not to search for theirs. */
	size_t count = dataset->variant_count,
		   last = dataset->run_count ? dataset->runs[dataset->run_count - 1].variant : 0;
	for (size_t i = 0; i < count; i++)
		if (!strcmp(dataset->variants[(last + i) % count].name, kept))
			return (last + i) % count;
	bool ships = (!strcmp(name, "shipped") || !strcmp(name, "v00000")) && !has_shipped(dataset);
	struct ifr_dataset_variant *variant = ifr_dataset_add_variant(dataset);
	variant->layout = ships ? 0 : (unsigned)dataset->variant_count;
	copy_name(variant->name, sizeof variant->name, kept);
	variant->plan = ifr_strdup("");
	variant->build_id = ifr_strdup("");
	variant->facts = ifr_strdup("");
	return dataset->variant_count - 1;
}

int import_counter(struct ifr_dataset *dataset, const char *name, const char *unit, const char *source) {
	char kept[sizeof dataset->counters->name];
	copy_name(kept, sizeof kept, name);
	int known = ifr_dataset_counter(dataset, kept);
	if (known >= 0 || dataset->counter_count >= IMPORT_COUNTERS_MOST)
		return known;
	struct ifr_dataset_counter *counter = ifr_dataset_add_counter(dataset);
	copy_name(counter->name, sizeof counter->name, name);
	copy_name(counter->unit, sizeof counter->unit, unit);
	copy_name(counter->source, sizeof counter->source, source);
	return (int)dataset->counter_count - 1;
}

struct ifr_dataset_run *import_run(struct ifr_dataset *dataset, size_t variant) {
	unsigned repetition = 0;
	for (size_t i = dataset->run_count; i-- > 0;)
		if (dataset->runs[i].variant == variant) {
			repetition = dataset->runs[i].repetition + 1;
			break;
		}
	struct ifr_dataset_run *run = ifr_dataset_add_run(dataset);
	run->variant = (unsigned)variant;
	run->repetition = repetition;
	return run;
}
