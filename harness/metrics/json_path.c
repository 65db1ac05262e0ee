/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Figures at a path in JSON, such as .results[].mean or .tests."a b"[0]. [] stands for every element; its name is the
 * element's "name" (or benchmark, id, title, command), or its key or number. An object or array at the end of the path
 * gives all numbers in it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"
#include "harness/metrics/formats.h"

enum { DEPTH_MOST = 32 };

struct step {
	char *key;  /* NULL: an index */
	long index; /* -1: all */
};

/* Takes one step off a path: 1, 0 at its end, -1 where it is none. */
static int take_step(const char **path, struct step *step) {
	const char *c = *path;
	*step = (struct step){NULL, -1};
	if (!*c)
		return 0;
	if (*c == '[') {
		size_t digits = strspn(c + 1, "0123456789");
		if (c[1 + digits] != ']' || digits > 9)
			return -1;
		step->index = digits ? strtol(c + 1, NULL, 10) : -1;
		*path = c + digits + 2;
		return 1;
	}
	if (*c++ != '.')
		return -1;
	if (*c == '[') {
		*path = c;
		return take_step(path, step);
	}
	bool quoted = *c == '"';
	size_t length = strcspn(c + quoted, quoted ? "\"" : ".[");
	if ((quoted && c[1 + length] != '"') || (!quoted && !length && *c))
		return -1;
	if (!length && !quoted) {
		*path = c; /* "." alone: the whole document */
		return 0;
	}
	step->key = ifr_format("%.*s", (int)length, c + quoted);
	*path = c + length + (quoted ? 2 : 0);
	return 1;
}

int json_path_check(const char *path, struct ifr_error *err) {
	struct step step;
	const char *rest = path;
	int more;
	unsigned depth = 0;
	while ((more = take_step(&rest, &step)) > 0 && depth++ < DEPTH_MOST)
		free(step.key);
	if (more > 0)
		free(step.key);
	return !more
	           ? 0
	           : ifr_fail(err, IFR_E_USAGE,
	                      "--metrics json: \"%.200s\" is no path: it looks like .results[].mean, with keys behind "
	                      "points, [] for every element and [0] for one",
	                      path);
}

static const char *name_of(json_t *element) {
	static const char *const keys[] = {"name", "benchmark", "id", "title", "command"};
	const char *name = NULL;
	for (size_t i = 0; i < sizeof keys / sizeof *keys && !name; i++)
		name = json_string_value(json_object_get(element, keys[i]));
	return name;
}

static char *join(const char *name, const char *more) {
	return ifr_format("%s%s%s", name, *name ? "/" : "", more);
}

static void add_all(json_t *value, const char *name, const char *last, unsigned depth,
                    struct ifr_observations *observations);

static void add_elements(json_t *value, const char *name, unsigned depth, struct ifr_observations *observations) {
	json_t *one;
	size_t i;
	const char *key;
	json_object_foreach(value, key, one) {
		char *its = join(name, key);
		add_all(one, its, key, depth + 1, observations);
		free(its);
	}
	json_array_foreach(value, i, one) {
		const char *own = name_of(one);
		char *number = ifr_format("%zu", i), *its = join(name, own ? own : number);
		add_all(one, its, number, depth + 1, observations);
		free(its);
		free(number);
	}
}

/* last: the name of a figure that no [] has named. */
static void add_all(json_t *value, const char *name, const char *last, unsigned depth,
                    struct ifr_observations *observations) {
	if (depth > DEPTH_MOST || observations->count >= IFR_OBSERVATIONS_MOST)
		return;
	if (!json_is_number(value)) {
		add_elements(value, name, depth, observations);
		return;
	}
	name = *name ? name : last;
	observation_add_value(observations_add(observations, name), name, "", json_number_value(value));
}

static void follow(const char *path, json_t *value, const char *name, const char *last,
                   struct ifr_observations *observations);

static void follow_all(const char *path, json_t *value, const char *name, struct ifr_observations *observations) {
	json_t *one;
	size_t i;
	const char *key;
	json_object_foreach(value, key, one) {
		char *its = join(name, key);
		follow(path, one, its, key, observations);
		free(its);
	}
	json_array_foreach(value, i, one) {
		const char *own = name_of(one);
		char *number = ifr_format("%zu", i), *its = join(name, own ? own : number);
		follow(path, one, its, number, observations);
		free(its);
		free(number);
	}
}

static void follow(const char *path, json_t *value, const char *name, const char *last,
                   struct ifr_observations *observations) {
	struct step step;
	int more = take_step(&path, &step);
	if (!value || more < 0)
		return;
	if (!more)
		add_all(value, name, last, 0, observations);
	else if (step.key)
		follow(path, json_object_get(value, step.key), name, step.key, observations);
	else if (step.index >= 0)
		follow(path, json_array_get(value, (size_t)step.index), name, last, observations);
	else
		follow_all(path, value, name, observations);
	free(step.key);
}

void json_path_parse(const char *path, const char *text, struct ifr_observations *observations) {
	json_t *root = json_find(text, NULL);
	if (root)
		follow(path, root, "", "figure", observations);
	json_decref(root);
}
