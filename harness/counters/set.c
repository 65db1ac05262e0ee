/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The set: one list of counters out of the sources that a specification names. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"
#include "harness/counters/source.h"

struct ifr_counters {
	struct ifr_counter *counters;
	int *clock_index; /* of each counter, -1 for those of perf, which stand behind and in perf's order */
	unsigned count, clock_count;
	struct ifr_perf *perf; /* NULL without */
};

/* What a specification asks for. */
struct wish {
	bool automatic, defaults;
	struct ifr_strings events;
};

static int parse_word(const char *word, struct wish *wish, struct ifr_error *err) {
	if (!strcmp(word, "auto"))
		wish->automatic = true;
	else if (!strcmp(word, "perf"))
		wish->defaults = true;
	else if (ifr_starts_with(word, "perf:") && word[5])
		ifr_strings_add(&wish->events, word + 5);
	else if (strcmp(word, "clock"))
		return ifr_fail(err, IFR_E_USAGE,
		                "counters: '%s' is not a source; there are auto, clock, perf and perf:EVENT", word);
	return 0;
}

static int parse(const char *specification, struct wish *wish, struct ifr_error *err) {
	struct ifr_strings words = {0};
	int result = 0;
	ifr_strings_split(&words, specification, ", ");
	if (!words.count)
		result = ifr_fail(err, IFR_E_USAGE, "counters: none named; there are auto, clock, perf and perf:EVENT");
	for (size_t i = 0; i < words.count && !result; i++)
		result = parse_word(words.items[i], wish, err);
	ifr_strings_release(&words);
	return result;
}

/* What "auto" comes to on this machine. */
static void decide_automatic(struct wish *wish, struct ifr_strings *notes) {
	struct ifr_perf_diagnosis diagnosis;
	ifr_perf_diagnose(&diagnosis);
	if (diagnosis.state == IFR_PERF_HARDWARE)
		wish->defaults = true;
	else if (notes)
		ifr_strings_take(notes, ifr_format("counters: clock alone: %s; %s", diagnosis.sentence, diagnosis.remedy));
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

static struct ifr_counters *build(struct ifr_perf *perf) {
	struct ifr_counters *set = ifr_alloc(sizeof *set);
	unsigned room = ifr_clock_count() + ifr_perf_count(perf);
	set->perf = perf;
	set->counters = ifr_alloc(room * sizeof *set->counters);
	set->clock_index = ifr_alloc(room * sizeof *set->clock_index);
	list_clock(set);
	list_perf(set);
	return set;
}

int ifr_counters_open_limited(const char *specification, unsigned group_limit, struct ifr_counters **set,
                              struct ifr_strings *notes, struct ifr_error *err) {
	struct wish wish = {0};
	struct ifr_perf *perf = NULL;
	int result = parse(specification, &wish, err);
	if (!result && wish.automatic && !wish.defaults)
		decide_automatic(&wish, notes);
	if (!result && (wish.defaults || wish.events.count))
		result = ifr_perf_open(&wish.events, wish.defaults, group_limit, &perf, notes, err);
	if (!result)
		*set = build(perf);
	ifr_strings_release(&wish.events);
	return result;
}

int ifr_counters_open(const char *specification, struct ifr_counters **set, struct ifr_strings *notes,
                      struct ifr_error *err) {
	return ifr_counters_open_limited(specification, 0, set, notes, err);
}

void ifr_counters_close(struct ifr_counters *set) {
	if (!set)
		return;
	ifr_perf_close(set->perf);
	free(set->counters);
	free(set->clock_index);
	free(set);
}

unsigned ifr_counters_count(const struct ifr_counters *set) {
	return set->count;
}

const struct ifr_counter *ifr_counters_get(const struct ifr_counters *set, unsigned index) {
	return index < set->count ? &set->counters[index] : NULL;
}

unsigned ifr_counters_passes(const struct ifr_counters *set) {
	return ifr_perf_passes(set->perf);
}

int ifr_counters_arm(struct ifr_counters *set, unsigned pass, pid_t child, struct ifr_error *err) {
	if (pass >= ifr_counters_passes(set))
		return ifr_fail(err, IFR_E_BUG, "counters: there is no pass %u", pass);
	return ifr_perf_arm(set->perf, pass, child, err);
}

int ifr_counters_collect(struct ifr_counters *set, unsigned pass, const struct ifr_run_times *times,
                         double *values, struct ifr_error *err) {
	for (unsigned i = 0; i < set->clock_count; i++)
		values[i] = ifr_clock_value((unsigned)set->clock_index[i], times);
	int result = ifr_perf_collect(set->perf, pass, values + set->clock_count, err);
	ifr_counters_disarm(set);
	return result;
}

void ifr_counters_disarm(struct ifr_counters *set) {
	ifr_perf_disarm(set->perf);
}
