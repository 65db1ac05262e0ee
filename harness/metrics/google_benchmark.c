/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The JSON of Google Benchmark, versions 1.5 to 1.9. */
#include <math.h>
#include <string.h>

#include "common/buffer.h"
#include "harness/metrics/formats.h"

/* Fields of a benchmark that are no counters. */
static bool is_own_field(const char *name) {
	static const char *const own[] = {"family_index",  "per_family_instance_index",
	                                  "repetitions",   "repetition_index",
	                                  "threads",       "iterations",
	                                  "real_time",     "cpu_time",
	                                  "aggregate_name"};
	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		if (!strcmp(name, own[i]))
			return true;
	return false;
}

static bool is_run(json_t *benchmark) {
	const char *type = json_string_value(json_object_get(benchmark, "run_type"));
	return !type || !strcmp(type, "iteration");
}

static void add_time(json_t *benchmark, const char *field, const char *name, struct ifr_observation *made) {
	const char *unit = json_string_value(json_object_get(benchmark, "time_unit"));
	json_t *value = json_object_get(benchmark, field);
	double ns = unit ? time_unit_ns(unit) : 1;
	if (json_is_number(value) && isfinite(ns))
		observation_add_value(made, name, "ns", ns * json_number_value(value));
}

/* A benchmark that asks for real or manual time has that in its name; the others are judged by processor time. */
static bool asks_for_real_time(const char *name) {
	return strstr(name, "/real_time") || strstr(name, "/manual_time");
}

/* False for a benchmark without a name. */
static bool add_benchmark(json_t *from, unsigned number, struct ifr_observations *observations) {
	const char *name = json_string_value(json_object_get(from, "run_name")), *key;
	name = name ? name : json_string_value(json_object_get(from, "name"));
	json_t *value;
	if (!name)
		return false;
	struct ifr_observation *made = observations_add(observations, name);
	made->number = number;
	made->iterations = json_number_value(json_object_get(from, "iterations"));
	add_time(from, "real_time", "duration_time", made);
	add_time(from, "cpu_time", "cpu_time", made);
	made->main = made->value_count == 2 && !asks_for_real_time(name);
	json_object_foreach(from, key, value) {
		if (json_is_number(value) && !is_own_field(key))
			observation_add_value(made, key, "", json_number_value(value));
	}
	json_t *skipped = json_object_get(from, "skipped");
	if (json_is_true(json_object_get(from, "error_occurred")) || json_is_true(skipped)) {
		const char *why = json_string_value(json_object_get(from, "error_message"));
		why = why ? why : json_string_value(json_object_get(from, "skip_message"));
		made->failure = ifr_format("the benchmark reported an error: %.150s", why ? why : "");
	}
	return true;
}

/* Returns whether every benchmark has a name. */
static bool add_benchmarks(json_t *root, struct ifr_observations *observations) {
	json_t *one;
	size_t i;
	bool named = true;
	const char *host = json_string_value(json_object_get(json_object_get(root, "context"), "host_name"));
	if (host && !observations->host)
		observations->host = ifr_strdup(host);
	json_array_foreach(json_object_get(root, "benchmarks"), i, one) {
		if (is_run(one) && observations->count < IFR_OBSERVATIONS_MOST)
			named &= add_benchmark(one, (unsigned)i + 1, observations);
	}
	return named;
}

void google_benchmark_parse(const char *text, struct ifr_observations *observations) {
	json_t *root = json_find(text, "benchmarks");
	if (root)
		add_benchmarks(root, observations);
	json_decref(root);
}

int ifr_google_benchmark_read(const char *origin, const char *text, struct ifr_observations *observations,
                              struct ifr_error *err) {
	json_error_t where;
	json_t *root = json_find(text, "benchmarks");
	int result = 0;
	if (!root && !(root = json_loads(text, JSON_REJECT_DUPLICATES, &where)))
		return ifr_fail(err, IFR_E_USAGE, "%s:%d: not JSON: %s", origin, where.line, where.text);
	if (!json_is_array(json_object_get(root, "benchmarks")))
		result = ifr_fail(err, IFR_E_USAGE, "%s has no \"benchmarks\": use --benchmark_format=json", origin);
	else if (!add_benchmarks(root, observations))
		result = ifr_fail(err, IFR_E_USAGE, "%s: a benchmark has no name", origin);
	json_decref(root);
	return result;
}
