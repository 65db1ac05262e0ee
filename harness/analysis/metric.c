/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The counter that layouts are compared by. */
#include <string.h>

#include "harness/analysis/analysis.h"
#include "harness/analysis/steps.h"

/* The processor's own time comes first, for layout changes nothing else; time on the clock also holds the time
 * that other programs took. */
static const char *const preferred[] = {"cycles", "cpu_time", "duration_time"};

bool ifr_counter_is_time(const struct ifr_dataset_counter *counter) {
	return !strcmp(counter->unit, "ns") || !strcmp(counter->unit, "cycles") || !strcmp(counter->name, "cycles");
}

bool ifr_counter_is_figure(const struct ifr_dataset_counter *counter) {
	return !strcmp(counter->source, "program");
}

int ifr_event_counter(const struct ifr_dataset *dataset, const char *name) {
	for (size_t i = 0; i < dataset->counter_count; i++)
		if (!strcmp(dataset->counters[i].name, name) && strcmp(dataset->counters[i].source, "clock"))
			return (int)i;
	return -1;
}

static int no_such_counter(const struct ifr_dataset *dataset, const char *name, struct ifr_error *err) {
	struct ifr_buffer known = {0};
	for (size_t i = 0; i < dataset->counter_count; i++)
		ifr_buffer_printf(&known, "%s%s", i ? ", " : "", dataset->counters[i].name);
	int result = ifr_fail(err, IFR_E_USAGE, "this experiment did not record \"%s\"; it has: %s", name,
	                      known.length ? ifr_buffer_text(&known) : "no counter at all");
	ifr_buffer_release(&known);
	return result;
}

static int default_metric(const struct ifr_dataset *dataset) {
	/* --metrics and --repeat-marker ask for the cost of a benchmark, or of one statement. */
	for (size_t i = 0; i < dataset->counter_count; i++) {
		if (ifr_counter_is_figure(&dataset->counters[i]))
			return ifr_benchmarks_choose(dataset);
		if (!strcmp(dataset->counters[i].source, "repeat"))
			return (int)i;
	}
	for (size_t i = 0; i < sizeof preferred / sizeof *preferred; i++) {
		int counter = ifr_dataset_counter(dataset, preferred[i]);
		if (counter >= 0)
			return counter;
	}
	return dataset->counter_count ? 0 : -1;
}

int ifr_metric_choose(struct ifr_analysis *analysis, const char *name, struct ifr_error *err) {
	const struct ifr_dataset *dataset = analysis->dataset;
	int chosen = name ? ifr_dataset_find_counter(dataset, name) : default_metric(dataset);
	if (chosen < 0)
		return no_such_counter(dataset, name ? name : "cpu_time", err);
	analysis->metric_index = (size_t)chosen;
	analysis->metric = &dataset->counters[chosen];
	analysis->exact = !strcmp(analysis->metric->source, "model");
	return 0;
}

int ifr_metric_match(const struct ifr_dataset *const datasets[2], const char *name, int counters[2]) {
	const size_t count = name ? 0 : sizeof preferred / sizeof *preferred;
	/* Without a preferred counter in both, the first counter of the first dataset. */
	const char *last = name ? name : datasets[0]->counter_count ? datasets[0]->counters[0].name : "cpu_time";
	counters[0] = counters[1] = -1;
	for (size_t i = 0; i <= count && (counters[0] < 0 || counters[1] < 0); i++)
		for (int side = 0; side < 2; side++)
			counters[side] = i < count ? ifr_dataset_counter(datasets[side], preferred[i])
			                           : ifr_dataset_find_counter(datasets[side], last);
	return counters[0] < 0 ? 0 : counters[1] < 0 ? 1 : -1;
}

bool ifr_counter_is_symptom(const char *name) {
	static const char *const names[] = {"context-switches", "cpu-migrations", "cgroup-switches", "page-faults",
	                                    "minor-faults",     "major-faults",   "max-rss"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}
