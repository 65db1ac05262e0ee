/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The JSON of hyperfine --export-json: an observation for each timed run of each command. */
#include "common/buffer.h"
#include "harness/metrics/formats.h"

static int add_command(const char *origin, json_t *from, unsigned number, struct ifr_observations *observations,
                       struct ifr_error *err) {
	const char *command = json_string_value(json_object_get(from, "command"));
	json_t *times = json_object_get(from, "times"), *codes = json_object_get(from, "exit_codes"), *time;
	size_t i;
	if (!command || !json_is_array(times))
		return ifr_fail(err, IFR_E_USAGE, "%s: result %u has no command or no times: use hyperfine --export-json",
		                origin, number);
	json_array_foreach(times, i, time) {
		if (!json_is_number(time))
			return ifr_fail(err, IFR_E_USAGE, "%s: time %zu of \"%.60s\" is not a number", origin, i + 1, command);
		struct ifr_observation *made = observations_add(observations, command);
		made->number = number;
		made->iterations = 1;
		made->exit_status = (int)json_integer_value(json_array_get(codes, i));
		observation_add_value(made, "duration_time", "ns", 1e9 * json_number_value(time));
		if (made->exit_status)
			made->failure = ifr_format("exited with status %d", made->exit_status);
	}
	return 0;
}

static int add_commands(const char *origin, json_t *root, struct ifr_observations *observations,
                        struct ifr_error *err) {
	json_t *results = json_object_get(root, "results"), *one;
	size_t i;
	if (!json_is_array(results))
		return ifr_fail(err, IFR_E_USAGE, "%s has no \"results\": use hyperfine --export-json", origin);
	json_array_foreach(results, i, one) {
		int result = observations->count < IFR_OBSERVATIONS_MOST
		                 ? add_command(origin, one, (unsigned)i + 1, observations, err)
		                 : 0;
		if (result)
			return result;
	}
	return 0;
}

void hyperfine_parse(const char *text, struct ifr_observations *observations) {
	json_t *root = json_find(text, "results");
	if (root)
		add_commands("", root, observations, NULL);
	json_decref(root);
}

int ifr_hyperfine_read(const char *origin, const char *text, struct ifr_observations *observations,
                       struct ifr_error *err) {
	json_error_t where;
	json_t *root = json_find(text, "results");
	if (!root && !(root = json_loads(text, JSON_REJECT_DUPLICATES, &where)))
		return ifr_fail(err, IFR_E_USAGE, "%s:%d: not JSON: %s", origin, where.line, where.text);
	int result = add_commands(origin, root, observations, err);
	json_decref(root);
	return result;
}
