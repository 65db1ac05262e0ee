/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Imports the JSON of hyperfine and of Google Benchmark. */
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "common/buffer.h"
#include "harness/store/import_parts.h"

static json_t *load(const struct ifr_import_text *text, struct ifr_error *err) {
	json_error_t where;
	json_t *root = json_loads(text->text, JSON_REJECT_DUPLICATES, &where);
	if (!root)
		ifr_fail(err, IFR_E_USAGE, "%s:%d: not JSON: %s", text->origin, where.line, where.text);
	return root;
}

static int read_command(const struct ifr_import_text *text, json_t *from, size_t number,
                        struct ifr_dataset *dataset, struct ifr_error *err) {
	const char *command = json_string_value(json_object_get(from, "command"));
	json_t *times = json_object_get(from, "times"), *codes = json_object_get(from, "exit_codes"), *time;
	size_t i, variant;
	if (!command || !json_is_array(times))
		return ifr_fail(err, IFR_E_USAGE, "%s: result %zu has no command or no times: use hyperfine --export-json",
		                text->origin, number + 1);
	/* The number tells apart commands that begin alike. */
	char *name = ifr_format("%zu: %s", number + 1, command);
	variant = import_variant(dataset, name);
	free(name);
	json_array_foreach(times, i, time) {
		json_t *code = json_array_get(codes, i);
		if (!json_is_number(time))
			return ifr_fail(err, IFR_E_USAGE, "%s: time %zu of \"%.60s\" is not a number", text->origin, i + 1,
			                command);
		struct ifr_dataset_run *run = import_run(dataset, variant);
		run->value[0] = 1e9 * json_number_value(time);
		run->exit_status = (int)json_integer_value(code);
		if (run->exit_status)
			run->refused = ifr_format("exited with status %d", run->exit_status);
	}
	return 0;
}

int import_hyperfine(const struct ifr_import_text *text, struct ifr_dataset *dataset, struct ifr_error *err) {
	json_t *root = load(text, err), *results = json_object_get(root, "results"), *one;
	size_t i;
	if (!root)
		return -IFR_E_USAGE;
	int result =
		json_is_array(results)
			? 0
			: ifr_fail(err, IFR_E_USAGE, "%s has no \"results\": use hyperfine --export-json", text->origin);
	import_counter(dataset, "duration_time", "ns", "hyperfine");
	json_array_foreach(results, i, one) {
		if (!result)
			result = read_command(text, one, i, dataset, err);
	}
	json_decref(root);
	return result;
}

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

static double unit_ns(json_t *benchmark) {
	const char *unit = json_string_value(json_object_get(benchmark, "time_unit"));
	return !unit || !strcmp(unit, "ns") ? 1 : !strcmp(unit, "us") ? 1e3 : !strcmp(unit, "ms") ? 1e6 : 1e9;
}

static void add_value(json_t *value, double factor, int counter, struct ifr_dataset_run *run) {
	if (json_is_number(value) && counter >= 0)
		run->value[counter] = factor * json_number_value(value);
}

static int read_benchmark(const struct ifr_import_text *text, json_t *from, struct ifr_dataset *dataset,
                          struct ifr_error *err) {
	const char *name = json_string_value(json_object_get(from, "run_name")), *key;
	name = name ? name : json_string_value(json_object_get(from, "name"));
	json_t *value;
	if (!name)
		return ifr_fail(err, IFR_E_USAGE, "%s: a benchmark has no name", text->origin);
	struct ifr_dataset_run *run = import_run(dataset, import_variant(dataset, name));
	add_value(json_object_get(from, "real_time"), unit_ns(from), ifr_dataset_counter(dataset, "duration_time"),
	          run);
	add_value(json_object_get(from, "cpu_time"), unit_ns(from), ifr_dataset_counter(dataset, "cpu_time"), run);
	json_object_foreach(from, key, value) {
		if (json_is_number(value) && !is_own_field(key))
			add_value(value, 1, import_counter(dataset, key, "", "google"), run);
	}
	if (json_is_true(json_object_get(from, "error_occurred"))) {
		const char *why = json_string_value(json_object_get(from, "error_message"));
		run->refused = ifr_format("the benchmark reported an error: %.150s", why ? why : "");
	}
	return 0;
}

int import_google(const struct ifr_import_text *text, struct ifr_dataset *dataset, struct ifr_error *err) {
	json_t *root = load(text, err), *benchmarks = json_object_get(root, "benchmarks"), *one, *value;
	const char *host = json_string_value(json_object_get(json_object_get(root, "context"), "host_name")), *key;
	size_t i;
	if (!root)
		return -IFR_E_USAGE;
	int result =
		json_is_array(benchmarks)
			? 0
			: ifr_fail(err, IFR_E_USAGE, "%s has no \"benchmarks\": use --benchmark_format=json", text->origin);
	import_counter(dataset, "duration_time", "ns", "google");
	import_counter(dataset, "cpu_time", "ns", "google");
	/* All counters are known before the first run is. */
	json_array_foreach(benchmarks, i, one) {
		if (is_run(one))
			json_object_foreach(one, key, value) {
				if (json_is_number(value) && !is_own_field(key))
					import_counter(dataset, key, "", "google");
			}
	}
	json_array_foreach(benchmarks, i, one) {
		if (!result && is_run(one))
			result = read_benchmark(text, one, dataset, err);
	}
	if (host)
		ifr_dataset_add_fact(dataset, "host", host);
	json_decref(root);
	return result;
}
