/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The set: the list of counters of all sources in a specification. Order: clock, perf, each region, program, model. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"
#include "harness/counters/source.h"
#include "model/model.h"

enum { REGION_OWN = 2 }; /* a region's time and cycles */

struct ifr_counters {
	struct ifr_counter *counters;
	int *clock_index; /* [count] of each counter of clock; -1 for others */
	unsigned count, clock_count;
	struct ifr_perf *perf;            /* NULL: none */
	struct ifr_regions *regions;      /* NULL: none; for each region its time, cycles and perf's events */
	char (*figures)[IFR_FIGURE_NAME]; /* names of the program's figures, whose counters stand before the model's */
	unsigned figure_count;
	unsigned first_model; /* index of the model's first counter */
	bool runs;            /* the set needs runs: the model is not the only source */
	bool may_add_model;   /* "auto" found no hardware events */
};

/* A specification, parsed. */
struct request {
	bool automatic, defaults, repeats, runs, may_add_model, core;
	bool model[IFR_EVENT_COUNT];
	struct ifr_strings events, regions;
};

static int add_region(const char *word, struct request *request, struct ifr_error *err) {
	bool repeats = ifr_starts_with(word, "repeat:");
	if (request->regions.count && repeats != request->repeats)
		return ifr_fail(err, IFR_E_USAGE,
		                "counters: regions are measured as they are, or by repeating (--repeat-marker), not both");
	request->repeats = repeats;
	ifr_strings_add(&request->regions, word + 7);
	return 0;
}

/* Whether an event belongs to all events of the model. The estimate beside the core's cycles, and stalls by their cause,
 * are named one by one: they would only lengthen every table. */
static bool is_common(enum ifr_event event, bool core) {
	const bool special = event == IFR_EVENT_CYCLES_ADDITIVE ||
	                     (event >= IFR_EVENT_STALLS_WINDOW && event <= IFR_EVENT_STALLS_STORES);
	return !ifr_event_needs_core(event) || (core && !special);
}

/* "model" or "model:EVENT". */
static int add_model(const char *word, struct request *request, struct ifr_error *err) {
	enum ifr_event event = word[5] ? ifr_event_find(word + 6) : IFR_EVENT_COUNT;
	if (word[5] && event != IFR_EVENT_COUNT && ifr_event_needs_core(event) && !request->core)
		return ifr_fail(
			err, IFR_E_USAGE,
			"counters: the model counts '%s' by a core: leave out --core=none and the axes unit-order, nops and "
			"align, and choose a --machine that has one, as skylake",
			word + 6);
	if (word[5] && event == IFR_EVENT_COUNT)
		return ifr_fail(err, IFR_E_USAGE,
		                "counters: the model has no event '%s'; \"interfero replay TRACE\" lists what it counts",
		                word + 6);
	for (unsigned i = 0; i < IFR_EVENT_COUNT; i++)
		request->model[i] |= word[5] ? i == event : is_common((enum ifr_event)i, request->core);
	return 0;
}

static int parse_word(const char *word, struct request *request, struct ifr_error *err) {
	if (!strcmp(word, "model") || (ifr_starts_with(word, "model:") && word[6]))
		return add_model(word, request, err);
	request->runs = true;
	if (!strcmp(word, "auto"))
		request->automatic = true;
	else if (!strcmp(word, "perf"))
		request->defaults = true;
	else if (ifr_starts_with(word, "perf:") && word[5])
		ifr_strings_add(&request->events, word + 5);
	else if ((ifr_starts_with(word, "region:") || ifr_starts_with(word, "repeat:")) && word[7])
		return add_region(word, request, err);
	else if (strcmp(word, "clock"))
		return ifr_fail(
			err, IFR_E_USAGE,
			"counters: '%s' is not a source; there are auto, clock, perf, perf:EVENT, region:NAME, model "
			"and model:EVENT",
			word);
	return 0;
}

static int parse_specification(const char *specification, struct request *request, struct ifr_error *err) {
	struct ifr_strings words = {0};
	int result = 0;
	ifr_strings_split(&words, specification, ", ");
	if (!words.count)
		result = ifr_fail(err, IFR_E_USAGE, "counters: none named; there are auto, clock, perf and perf:EVENT");
	for (size_t i = 0; i < words.count && !result; i++)
		result = parse_word(words.items[i], request, err);
	ifr_strings_release(&words);
	return result;
}

/* Resolves "auto" on this machine. */
static void resolve_auto(struct request *request, struct ifr_strings *notes) {
	struct ifr_perf_diagnosis diagnosis;
	ifr_perf_diagnose(&diagnosis);
	request->defaults = diagnosis.state == IFR_PERF_HARDWARE;
	request->may_add_model = !request->defaults;
	if (!request->defaults && notes)
		ifr_strings_take(notes, ifr_format("counters: no events of the processor: %s; %s", diagnosis.sentence,
		                                   diagnosis.remedy));
}

static bool perf_has(const struct ifr_perf *perf, const char *name) {
	for (unsigned i = 0; i < ifr_perf_count(perf); i++)
		if (!strcmp(ifr_perf_get(perf, i)->name, name))
			return true;
	return false;
}

static void list_clock(struct ifr_counters *set) {
	for (unsigned i = 0; i < ifr_clock_count(); i++) {
		struct ifr_counter *counter = &set->counters[set->count];
		ifr_clock_describe(i, counter);
		if (!perf_has(set->perf, counter->name))
			set->clock_index[set->count++] = (int)i;
	}
	set->clock_count = set->count;
}

static void list_perf(struct ifr_counters *set) {
	for (unsigned i = 0; i < ifr_perf_count(set->perf); i++) {
		const struct ifr_perf_event *event = ifr_perf_get(set->perf, i);
		struct ifr_counter *counter = &set->counters[set->count];
		set->clock_index[set->count++] = -1;
		snprintf(counter->name, sizeof counter->name, "%s", event->name);
		snprintf(counter->unit, sizeof counter->unit, "%s", event->unit);
		counter->source = "perf";
		counter->pass = event->pass;
	}
}

static void list_region(struct ifr_counters *set, unsigned region) {
	for (unsigned value = 0; value < REGION_OWN; value++)
		ifr_regions_describe(set->regions, region, NULL, value, &set->counters[set->count++]);
	for (unsigned i = 0; i < ifr_perf_count(set->perf); i++)
		ifr_regions_describe(set->regions, region, ifr_perf_get(set->perf, i), 0, &set->counters[set->count++]);
}

static void list_model(struct ifr_counters *set, const bool wanted[IFR_EVENT_COUNT]) {
	set->first_model = set->count;
	for (unsigned i = 0; i < IFR_EVENT_COUNT; i++) {
		struct ifr_counter *counter = &set->counters[set->count];
		if (!wanted[i])
			continue;
		/* The prefix tells the model's cycles from those of a run. */
		snprintf(counter->name, sizeof counter->name, "%s%s", set->runs ? "model:" : "",
		         ifr_event_name((enum ifr_event)i));
		snprintf(counter->unit, sizeof counter->unit, "%s",
		         i == IFR_EVENT_CYCLES || i == IFR_EVENT_CYCLES_ADDITIVE ? "cycles" : "");
		counter->source = "model";
		counter->pass = IFR_PASS_MODEL;
		counter->event = i;
		set->count++;
	}
}

static struct ifr_counters *build_set(struct ifr_perf *perf, struct ifr_regions *regions,
                                      const struct request *request) {
	struct ifr_counters *set = ifr_alloc(sizeof *set);
	unsigned perfs = ifr_perf_count(perf), of_region = REGION_OWN + perfs;
	unsigned room = ifr_clock_count() + perfs + ifr_regions_count(regions) * of_region + IFR_EVENT_COUNT;
	set->runs = request->runs;
	set->may_add_model = request->may_add_model;
	set->regions = regions;
	set->perf = perf;
	set->counters = ifr_alloc(room * sizeof *set->counters);
	set->clock_index = ifr_alloc(room * sizeof *set->clock_index);
	if (set->runs) {
		list_clock(set);
		list_perf(set);
	}
	for (unsigned i = 0; i < ifr_regions_count(regions); i++)
		list_region(set, i);
	list_model(set, request->model);
	return set;
}

int ifr_counters_open_limited(const char *specification, bool core, unsigned group_limit,
                              struct ifr_counters **set, struct ifr_strings *notes, struct ifr_error *err) {
	struct request request = {.core = core};
	struct ifr_perf *perf = NULL;
	int result = parse_specification(specification, &request, err);
	if (!result && request.automatic && !request.defaults)
		resolve_auto(&request, notes);
	if (!result && (request.defaults || request.events.count))
		result = ifr_perf_open(&request.events, request.defaults, group_limit, &perf, notes, err);
	struct ifr_regions *regions = NULL;
	if (!result && request.regions.count)
		result = ifr_regions_open(&request.regions, request.repeats, &regions, err);
	if (!result) {
		*set = build_set(perf, regions, &request);
	} else {
		ifr_perf_close(perf);
		ifr_regions_close(regions);
	}
	ifr_strings_release(&request.regions);
	ifr_strings_release(&request.events);
	return result;
}

int ifr_counters_open(const char *specification, bool core, struct ifr_counters **set, struct ifr_strings *notes,
                      struct ifr_error *err) {
	return ifr_counters_open_limited(specification, core, 0, set, notes, err);
}

void ifr_counters_close(struct ifr_counters *set) {
	if (!set)
		return;
	ifr_perf_close(set->perf);
	ifr_regions_close(set->regions);
	free(set->counters);
	free(set->clock_index);
	free(set->figures);
	free(set);
}

unsigned ifr_counters_count(const struct ifr_counters *set) {
	return set->count;
}

const struct ifr_counter *ifr_counters_get(const struct ifr_counters *set, unsigned index) {
	return index < set->count ? &set->counters[index] : NULL;
}

unsigned ifr_counters_passes(const struct ifr_counters *set) {
	return set->runs ? ifr_perf_passes(set->perf) : 0;
}

bool ifr_counters_has_model(const struct ifr_counters *set) {
	return set->first_model < set->count;
}

bool ifr_counters_may_add_model(const struct ifr_counters *set) {
	return set->may_add_model && !ifr_counters_has_model(set);
}

bool ifr_counters_use_core(const struct ifr_counters *set) {
	bool use = false;
	for (unsigned i = set->first_model; i < set->count; i++)
		use |= set->counters[i].event == IFR_EVENT_CYCLES ||
		       ifr_event_needs_core((enum ifr_event)set->counters[i].event);
	return use;
}

void ifr_counters_add_model(struct ifr_counters *set, bool core) {
	bool all[IFR_EVENT_COUNT];
	for (unsigned i = 0; i < IFR_EVENT_COUNT; i++)
		all[i] = is_common((enum ifr_event)i, core);
	list_model(set, all);
}

static bool has_figure(const struct ifr_counters *set, const char *name) {
	for (unsigned i = 0; i < set->figure_count; i++)
		if (!strcmp(set->figures[i], name))
			return true;
	return false;
}

static bool has_counter(const struct ifr_counters *set, const char *name) {
	for (unsigned i = 0; i < set->count; i++)
		if (!strcmp(set->counters[i].name, name))
			return true;
	return false;
}

/* Makes room before the model's counters, which may yet be added. */
static struct ifr_counter *insert_counter(struct ifr_counters *set) {
	const unsigned at = set->first_model, behind = set->count - at;
	const size_t room = (size_t)set->count + 1 + IFR_EVENT_COUNT;
	set->counters = ifr_realloc(set->counters, room, sizeof *set->counters);
	set->clock_index = ifr_realloc(set->clock_index, room, sizeof *set->clock_index);
	memmove(set->counters + at + 1, set->counters + at, behind * sizeof *set->counters);
	memmove(set->clock_index + at + 1, set->clock_index + at, behind * sizeof *set->clock_index);
	set->clock_index[at] = -1;
	set->count++;
	set->first_model++;
	set->counters[at] = (struct ifr_counter){.source = "program", .pass = -1};
	return &set->counters[at];
}

static void add_figure(struct ifr_counters *set, const struct ifr_own_figure *figure) {
	const bool taken = has_counter(set, figure->name);
	struct ifr_counter *made = insert_counter(set);
	snprintf(made->name, sizeof made->name, "%s%.*s", taken ? "program:" : "",
	         (int)(sizeof made->name - sizeof "program:"), figure->name);
	if (!taken)
		memcpy(made->name, figure->name, sizeof made->name);
	memcpy(made->unit, figure->unit, sizeof made->unit);
	set->figures = ifr_realloc(set->figures, (size_t)set->figure_count + 1, sizeof *set->figures);
	memcpy(set->figures[set->figure_count++], figure->name, sizeof *set->figures);
}

void ifr_counters_add_figures(struct ifr_counters *set, const struct ifr_own_figures *figures) {
	for (size_t i = 0; i < figures->count; i++)
		if (!has_figure(set, figures->items[i].name))
			add_figure(set, &figures->items[i]);
}

/* A benchmark that failed, or that this program does not have, has no value. */
static void collect_figures(const struct ifr_counters *set, const struct ifr_own_figures *figures,
                            double *values) {
	for (unsigned i = 0; i < set->figure_count; i++) {
		const struct ifr_own_figure *figure = figures ? ifr_own_figures_find(figures, set->figures[i]) : NULL;
		values[i] = figure && !figure->failed ? figure->value : NAN;
	}
}

int ifr_counters_arm(struct ifr_counters *set, unsigned pass, pid_t child, struct ifr_error *err) {
	if (pass >= ifr_counters_passes(set))
		return ifr_fail(err, IFR_E_BUG, "counters: there is no pass %u", pass);
	return ifr_perf_arm(set->perf, pass, child, err);
}

bool ifr_counters_has_regions(const struct ifr_counters *set) {
	return ifr_regions_count(set->regions) > 0;
}

bool ifr_counters_has_repeats(const struct ifr_counters *set) {
	return ifr_regions_are_repeated(set->regions);
}

int ifr_counters_check_regions(const struct ifr_counters *set, const struct ifr_runtime_report *report,
                               struct ifr_error *err) {
	return ifr_regions_check(set->regions, report, err);
}

unsigned ifr_counters_region_events(const struct ifr_counters *set, unsigned pass, int *fd) {
	return set->regions ? ifr_perf_descriptors(set->perf, pass, IFR_REGION_EVENTS, fd) : 0;
}

/* Stores the values of a region in the order of list_region; the runtime counts only the events of this pass. */
static int collect_region(const struct ifr_counters *set, unsigned region, unsigned pass,
                          const struct ifr_run_times *times, double *values, struct ifr_error *err) {
	unsigned index = 0, perfs = ifr_perf_count(set->perf);
	int result = 0;
	for (unsigned i = 0; i < REGION_OWN + perfs && !result; i++) {
		int on = i < REGION_OWN ? -1 : ifr_perf_get(set->perf, i - REGION_OWN)->pass;
		values[i] = NAN;
		if ((on < 0 || on == (int)pass) && index < REGION_OWN + IFR_REGION_EVENTS)
			result = ifr_regions_value(set->regions, region, index++, times, &values[i], err);
	}
	return result;
}

int ifr_counters_collect(struct ifr_counters *set, unsigned pass, const struct ifr_run_times *times,
                         double *values, struct ifr_error *err) {
	unsigned perfs = ifr_perf_count(set->perf);
	double *next = values + set->clock_count + perfs;
	for (unsigned i = 0; i < set->clock_count; i++)
		values[i] = ifr_clock_value((unsigned)set->clock_index[i], times);
	int result = ifr_perf_collect(set->perf, pass, values + set->clock_count, err);
	for (unsigned i = 0; i < ifr_regions_count(set->regions) && !result; i++, next += REGION_OWN + perfs)
		result = collect_region(set, i, pass, times, next, err);
	collect_figures(set, times->figures, values + set->first_model - set->figure_count);
	for (unsigned i = set->first_model; i < set->count; i++)
		values[i] = NAN;
	ifr_counters_disarm(set);
	return result;
}

void ifr_counters_disarm(struct ifr_counters *set) {
	ifr_perf_disarm(set->perf);
}
