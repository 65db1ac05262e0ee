/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/probe/findings.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

const char *const ifr_probe_part_names[IFR_PROBE_PARTS] = {"cycle", "btb",    "history", "return", "caches",
                                                           "tlbs",  "memory", "penalty", "front",  "core"};

const char *const ifr_probe_source_names[IFR_PROBE_SOURCES] = {"clock", "events", "model"};

int ifr_probe_parts_find(const char *list, unsigned *parts, struct ifr_error *err) {
	char *copy = ifr_strdup(list), *rest = copy, *name;
	int rc = 0;
	*parts = 0;
	while (!rc && (name = strsep(&rest, ","))) {
		unsigned i = 0;
		while (i < IFR_PROBE_PARTS && strcmp(name, ifr_probe_part_names[i]))
			i++;
		if (i == IFR_PROBE_PARTS)
			rc = ifr_fail(err, IFR_E_USAGE,
			              "there is no part \"%s\" to probe: take some of "
			              "cycle,btb,history,return,caches,tlbs,memory,penalty,front,core",
			              name);
		else
			*parts |= 1u << i;
	}
	free(copy);
	return rc;
}

static struct ifr_probe_finding *add(struct ifr_probe_result *result, enum ifr_probe_part part, const char *key,
                                     const char *unit) {
	if (result->findings_count == result->findings_room) {
		result->findings_room = result->findings_room ? 2 * result->findings_room : 64;
		result->findings = ifr_realloc(result->findings, result->findings_room, sizeof *result->findings);
	}
	struct ifr_probe_finding *finding = &result->findings[result->findings_count++];
	*finding = (struct ifr_probe_finding){.part = part,
	                                      .source = result->source,
	                                      .key = ifr_strdup(key),
	                                      .unit = ifr_strdup(unit),
	                                      .is_setting = strchr(key, '.') != NULL};
	return finding;
}

static char *format_list(const char *format, va_list arguments) {
	struct ifr_buffer text = {0};
	ifr_buffer_vprintf(&text, format, arguments);
	return ifr_buffer_detach(&text);
}

void probe_tell(struct ifr_probe_result *result, enum ifr_probe_part part, const char *key, const char *unit,
                double value, const char *experiment, ...) {
	struct ifr_probe_finding *finding = add(result, part, key, unit);
	va_list arguments;
	va_start(arguments, experiment);
	finding->experiment = format_list(experiment, arguments);
	va_end(arguments);
	finding->told = true;
	finding->value = finding->low = finding->high = value;
}

void probe_tell_interval(struct ifr_probe_result *result, enum ifr_probe_part part, const char *key,
                         const char *unit, const double value_low_high[3], const char *experiment, ...) {
	struct ifr_probe_finding *finding = add(result, part, key, unit);
	va_list arguments;
	va_start(arguments, experiment);
	finding->experiment = format_list(experiment, arguments);
	va_end(arguments);
	finding->told = true;
	finding->value = value_low_high[0];
	finding->low = value_low_high[1];
	finding->high = value_low_high[2];
}

void probe_tell_word(struct ifr_probe_result *result, enum ifr_probe_part part, const char *key, const char *word,
                     const char *experiment) {
	struct ifr_probe_finding *finding = add(result, part, key, "");
	finding->experiment = ifr_strdup(experiment);
	finding->told = true;
	finding->word = ifr_strdup(word);
}

void probe_tell_nothing(struct ifr_probe_result *result, enum ifr_probe_part part, const char *key,
                        const char *why, ...) {
	struct ifr_probe_finding *finding = add(result, part, key, "");
	va_list arguments;
	va_start(arguments, why);
	finding->experiment = format_list(why, arguments);
	va_end(arguments);
}

static double least(double a, double b) {
	return a < b ? a : b;
}

static double most(double a, double b) {
	return a > b ? a : b;
}

static bool agree(const struct ifr_probe_finding *a, const struct ifr_probe_finding *b) {
	enum { PARTS = 20 };
	if (a->word || b->word)
		return a->word && b->word && !strcmp(a->word, b->word);
	if (a->is_setting)
		return a->value <= b->value && a->value >= b->value;
	return (a->low <= b->high && b->low <= a->high) ||
	       most(a->value, b->value) - least(a->value, b->value) < most(a->value, b->value) / PARTS;
}

struct ifr_probe_curve *probe_add_curve(struct ifr_probe_result *result, enum ifr_probe_part part,
                                        const char *title, const char *x_label, size_t count) {
	result->curves = ifr_realloc(result->curves, result->curves_count + 1, sizeof *result->curves);
	struct ifr_probe_curve *curve = &result->curves[result->curves_count++];
	*curve = (struct ifr_probe_curve){.part = part,
	                                  .title = ifr_strdup(title),
	                                  .x_label = ifr_strdup(x_label),
	                                  .points = ifr_alloc(count * sizeof *curve->points),
	                                  .count = count};
	return curve;
}

static void copy_curve(struct ifr_probe_result *result, const struct ifr_probe_curve *curve) {
	struct ifr_probe_curve *copy =
		probe_add_curve(result, curve->part, curve->title, curve->x_label, curve->count);
	memcpy(copy->points, curve->points, curve->count * sizeof *curve->points);
}

static const struct ifr_probe_curve *find_curve(const struct ifr_probe_result *result, const char *title) {
	for (size_t i = 0; i < result->curves_count; i++)
		if (!strcmp(result->curves[i].title, title))
			return &result->curves[i];
	return NULL;
}

/* Curves of one title lie side by side. */
static void copy_shown(struct ifr_probe_result *result, const struct ifr_probe_result *one,
                       const struct ifr_probe_result *other) {
	for (size_t i = 0; i < one->curves_count; i++) {
		const struct ifr_probe_curve *same = find_curve(other, one->curves[i].title);
		copy_curve(result, &one->curves[i]);
		if (same)
			copy_curve(result, same);
	}
	for (size_t i = 0; i < other->curves_count; i++)
		if (!find_curve(one, other->curves[i].title))
			copy_curve(result, &other->curves[i]);
	for (size_t i = 0; i < one->steps_count; i++)
		probe_add_step(result, one->steps[i].step, one->steps[i].parameter, one->steps[i].missed);
}

void probe_tell_agreed(struct ifr_probe_result *result, const struct ifr_probe_result *one,
                       const struct ifr_probe_result *other) {
	copy_shown(result, one, other);
	for (size_t i = 0; i < one->findings_count; i++) {
		const struct ifr_probe_finding *a = &one->findings[i], *b = ifr_probe_find(other, a->key);
		if (!a->told || !b || !b->told)
			probe_tell_nothing(result, a->part, a->key, "%s", b && a->told ? b->experiment : a->experiment);
		else if (!agree(a, b) && a->word)
			probe_tell_nothing(result, a->part, a->key, "one process and another do not agree: %s", a->experiment);
		else if (a->word && b->word)
			probe_tell_word(result, a->part, a->key, a->word, a->experiment);
		else if (!agree(a, b))
			probe_tell_nothing(result, a->part, a->key, "%.4g in one process, %.4g in another: %s", a->value,
			                   b->value, a->experiment);
		else
			probe_tell_interval(result, a->part, a->key, a->unit,
			                    (double[]){a->value, least(a->low, b->low), most(a->high, b->high)}, "%s",
			                    a->experiment);
	}
}

static void copy_finding(struct ifr_probe_result *result, const struct ifr_probe_finding *finding) {
	result->source = finding->source;
	if (!finding->told)
		probe_tell_nothing(result, finding->part, finding->key, "%s", finding->experiment);
	else if (finding->word)
		probe_tell_word(result, finding->part, finding->key, finding->word, finding->experiment);
	else
		probe_tell_interval(result, finding->part, finding->key, finding->unit,
		                    (double[]){finding->value, finding->low, finding->high}, "%s", finding->experiment);
}

/* A setting that both sources tell, each in its way. */
static bool contradict(const struct ifr_probe_finding *a, const struct ifr_probe_finding *b) {
	return a && b && a->told && b->told && a->is_setting && !agree(a, b);
}

void probe_tell_joined(struct ifr_probe_result *result, const struct ifr_probe_result *by_events,
                       const struct ifr_probe_result *by_clock) {
	copy_shown(result, by_events, by_clock);
	for (size_t i = 0; i < by_events->findings_count; i++) {
		const struct ifr_probe_finding *a = &by_events->findings[i], *b = ifr_probe_find(by_clock, a->key);
		if (contradict(a, b)) {
			result->source = a->source;
			probe_tell_nothing(result, a->part, a->key, "%.4g by events, %.4g by the clock: %s", a->value,
			                   b->value, a->experiment);
		} else {
			copy_finding(result, !a->told && b ? b : a);
		}
	}
	for (size_t i = 0; i < by_clock->findings_count; i++)
		if (!ifr_probe_find(by_events, by_clock->findings[i].key))
			copy_finding(result, &by_clock->findings[i]);
	result->source = by_clock->source;
}

void probe_add_step(struct ifr_probe_result *result, unsigned step, unsigned parameter, double missed) {
	if (result->steps_count == result->steps_room) {
		result->steps_room = result->steps_room ? 2 * result->steps_room : 64;
		result->steps = ifr_realloc(result->steps, result->steps_room, sizeof *result->steps);
	}
	result->steps[result->steps_count++] = (struct ifr_probe_step){step, parameter, missed};
}

const struct ifr_probe_finding *ifr_probe_find(const struct ifr_probe_result *result, const char *key) {
	for (size_t i = 0; i < result->findings_count; i++)
		if (!strcmp(result->findings[i].key, key))
			return &result->findings[i];
	return NULL;
}

void ifr_probe_release(struct ifr_probe_result *result) {
	for (size_t i = 0; i < result->findings_count; i++) {
		struct ifr_probe_finding *finding = &result->findings[i];
		free(finding->key);
		free(finding->unit);
		free(finding->word);
		free(finding->experiment);
	}
	for (size_t i = 0; i < result->curves_count; i++) {
		free(result->curves[i].title);
		free(result->curves[i].x_label);
		free(result->curves[i].points);
	}
	free(result->curves);
	free(result->findings);
	free(result->steps);
	free(result->machine);
	free(result->why_no_events);
	*result = (struct ifr_probe_result){0};
}
