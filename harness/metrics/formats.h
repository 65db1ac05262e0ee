/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parsers, one a file, and what they share. Private to this room. A parser adds observations and never fails: a text
 * of another kind gives none. */
#ifndef IFR_HARNESS_METRICS_FORMATS_H
#define IFR_HARNESS_METRICS_FORMATS_H

#include <jansson.h>
#include <stdbool.h>

#include "harness/metrics/metrics.h"

/* A framework, or a way to read figures. */
struct format {
	const char *name, *title;
	void (*parse)(const char *text, struct ifr_observations *observations);
	const char *argument; /* makes it print what is read; NULL: none is needed */
	const char *given;    /* options that do that already, separated by blanks */
	const char *variable; /* the same for a program that a driver starts; NULL: there is none */
	const char *fix;      /* the argument that fixes iterations, with %.0f; NULL: there is none */
	const char *advice;   /* how its source fixes iterations */
	const char *how;      /* how to get figures, for messages */
};

void google_benchmark_parse(const char *text, struct ifr_observations *observations);
void catch2_parse(const char *text, struct ifr_observations *observations);
void go_parse(const char *text, struct ifr_observations *observations);
void libtest_parse(const char *text, struct ifr_observations *observations);
void hyperfine_parse(const char *text, struct ifr_observations *observations);
void nanobench_parse(const char *text, struct ifr_observations *observations);

/* Criterion's results below a folder; and those of one benchmark, each text may be NULL but estimates. */
void criterion_read(const char *folder, struct ifr_observations *observations);
void criterion_parse(const char *name, const char *estimates, const char *benchmark, const char *sample,
                     struct ifr_observations *observations);

/* The numbers at a path in JSON. Errors: IFR_E_USAGE for a path that is none. */
int json_path_check(const char *path, struct ifr_error *err);
void json_path_parse(const char *path, const char *text, struct ifr_observations *observations);

struct pattern;
int pattern_open(const char *expression, struct pattern **pattern, struct ifr_error *err);
void pattern_close(struct pattern *pattern);
void pattern_parse(const struct pattern *pattern, const char *text, struct ifr_observations *observations);

/* Marks a file as one that was there before the run: its time becomes 0. */
void metrics_age(const char *path);
/* Marks all estimates below Criterion's folder. */
void criterion_age(const char *folder);

/* --- shared ------------------------------------------------------------------------------------------------------- */

/* Adds an observation; valid until the next is added. */
struct ifr_observation *observations_add(struct ifr_observations *observations, const char *benchmark);
void observation_add_value(struct ifr_observation *observation, const char *name, const char *unit, double value);
/* Adds an observation of one time. */
void observations_add_time(struct ifr_observations *observations, const char *benchmark, double ns,
                           double iterations);

/* Nanoseconds of "ns", "us", "ms", "s"; NaN for another unit. */
double time_unit_ns(const char *unit);

/* The JSON in a text: the first that begins a line with '{' or '[' and holds key (NULL: any); NULL if there is none. The
 * caller releases it by json_decref. */
json_t *json_find(const char *text, const char *key);

#endif
