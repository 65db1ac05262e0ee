/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The region source: time, cycles and perf's events between the program's own marks (runtime/interfero.h), per
 * entry of the region. The runtime reads perf's events at the marks, if the set has any. The cost of a statement
 * in IFR_REPEAT is (t(K=101) - t(K=1)) / 100, without the cost of the code around it. Ref: Melhus 2013, section
 * 5.2. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"
#include "harness/counters/source.h"

/* The values of a region: time, cycles, then the events. */
enum { TIME, CYCLES, OWN };

struct ifr_regions {
	char (*name)[IFR_REGION_NAME];
	unsigned count;
	bool repeats;
};

int ifr_regions_open(const struct ifr_strings *names, bool repeats, struct ifr_regions **regions,
                     struct ifr_error *err) {
	struct ifr_regions *opened = ifr_alloc(sizeof *opened);
	opened->name = ifr_alloc((names->count + 1) * sizeof *opened->name);
	opened->repeats = repeats;
	*regions = opened;
	for (size_t i = 0; i < names->count; i++) {
		const char *name = names->items[i];
		if (strlen(name) >= IFR_REGION_NAME || names->count > IFR_REGIONS)
			return ifr_fail(err, IFR_E_USAGE,
			                "regions have names of at most %d characters, and there are at most %d",
			                IFR_REGION_NAME - 1, IFR_REGIONS);
		strcpy(opened->name[opened->count++], name);
	}
	return 0;
}

void ifr_regions_close(struct ifr_regions *regions) {
	if (regions)
		free(regions->name);
	free(regions);
}

unsigned ifr_regions_count(const struct ifr_regions *regions) {
	return regions ? regions->count : 0;
}

bool ifr_regions_are_repeated(const struct ifr_regions *regions) {
	return regions && regions->repeats;
}

void ifr_regions_describe(const struct ifr_regions *regions, unsigned region, const struct ifr_perf_event *event,
                          unsigned value, struct ifr_counter *counter) {
	const char *name = event ? event->name : value == TIME ? "duration_time" : "tsc";
	snprintf(counter->name, sizeof counter->name, "%s:%.*s", regions->name[region],
	         (int)(sizeof counter->name - IFR_REGION_NAME - 1), name);
	snprintf(counter->unit, sizeof counter->unit, "%s", event ? event->unit : value == TIME ? "ns" : "cycles");
	counter->source = regions->repeats ? "repeat" : "region";
	counter->pass = event ? event->pass : -1;
}

static const struct ifr_region_sum *find_region(const struct ifr_runtime_report *report, const char *name) {
	for (uint32_t i = 0; report && i < report->regions && i < IFR_REGIONS; i++)
		if (!strncmp(report->region[i].name, name, IFR_REGION_NAME) && report->region[i].entries)
			return &report->region[i];
	return NULL;
}

int ifr_regions_check(const struct ifr_regions *regions, const struct ifr_runtime_report *report,
                      struct ifr_error *err) {
	for (unsigned i = 0; i < ifr_regions_count(regions); i++)
		if (!find_region(report, regions->name[i]))
			return ifr_fail(err, IFR_E_USAGE,
			                "the program did not pass through a region \"%s\": mark it with %s of interfero.h",
			                regions->name[i], regions->repeats ? "IFR_REPEAT" : "IFR_BEGIN and IFR_END");
	return 0;
}

static double value_per_entry(const struct ifr_region_sum *sum, unsigned index) {
	uint64_t total = index == TIME ? sum->time_ns : index == CYCLES ? sum->cycles : sum->events[index - OWN];
	return (double)total / (double)sum->entries;
}

int ifr_regions_value(const struct ifr_regions *regions, unsigned region, unsigned index,
                      const struct ifr_run_times *times, double *value, struct ifr_error *err) {
	const struct ifr_region_sum *sum = find_region(times->regions, regions->name[region]);
	const struct ifr_region_sum *once = find_region(times->once, regions->name[region]);
	if (!sum || (regions->repeats && !once))
		return ifr_fail(err, IFR_E_PROGRAM, "the program did not pass through its region \"%s\"",
		                regions->name[region]);
	if (index >= OWN && (sum->events_lost || (regions->repeats && once->events_lost)))
		return ifr_fail(err, IFR_E_ENVIRONMENT, "perf's events could not be read inside the region \"%s\"",
		                regions->name[region]);
	*value = value_per_entry(sum, index);
	if (regions->repeats)
		*value = (*value - value_per_entry(once, index)) / (IFR_REGION_REPEATS - 1);
	return 0;
}
