/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds out how a processor is organised by running on it: a described machine in the model, by events; or this machine,
 * by the clock. An experiment is a kernel (kernels.h) at a list of points, and an inference from what was measured to a
 * value; where the measurements are unclear, the value is not told.
 *
 * Where perf has this machine's events, branches, caches and TLBs are told by them, by the experiments for described
 * machines (counted.h), and the rest by the clock.
 *
 *     part      of a described machine, by events         by the clock, of this machine
 *     cycle                                               ticks of the time stamp counter in a cycle
 *     btb       entries, ways, index bit; far jumps       levels: entries, index bit; cycles of taken branches
 *     history   steps 1 to 6; distance of a correlation   longest pattern, distance of a correlation
 *               loop predictor, indirect jumps            the same
 *     return    entries of the return stack               the same
 *     caches    sizes, ways, lines, policies, way tag     sizes, ways, way tag, latencies
 *     tlbs      entries, ways                             entries, latencies
 *     memory    stores that a load is compared with       splits, 4 KiB aliasing
 *     penalty   cycles of each event; redirect            cycles of a misprediction, its redirect
 *     front     windows of code, by its core's cycles     micro-op cache, windows of code, jumps in them
 *     core                                                width, latencies, rates, forwarding, window, queues */
#ifndef IFR_HARNESS_PROBE_H
#define IFR_HARNESS_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/buffer.h"
#include "common/error.h"

enum ifr_probe_part {
	IFR_PROBE_CYCLE,
	IFR_PROBE_BTB,
	IFR_PROBE_HISTORY,
	IFR_PROBE_RETURN,
	IFR_PROBE_CACHES,
	IFR_PROBE_TLBS,
	IFR_PROBE_MEMORY,
	IFR_PROBE_PENALTY,
	IFR_PROBE_FRONT,
	IFR_PROBE_CORE,
	IFR_PROBE_PARTS
};
extern const char *const ifr_probe_part_names[IFR_PROBE_PARTS];
/* Reads a list of parts, "btb,caches", into their bits. Errors: IFR_E_USAGE. */
int ifr_probe_parts_find(const char *list, unsigned *parts, struct ifr_error *err);

/* From what a value was told. */
enum ifr_probe_source { IFR_PROBE_BY_CLOCK, IFR_PROBE_BY_EVENTS, IFR_PROBE_BY_MODEL, IFR_PROBE_SOURCES };
extern const char *const ifr_probe_source_names[IFR_PROBE_SOURCES]; /* "clock", "events", "model" */

/* Whether this machine is probed by perf's events: where perf has them; or failing where it has none; or not at all. */
enum ifr_probe_events { IFR_PROBE_EVENTS_AUTO, IFR_PROBE_EVENTS_NEEDED, IFR_PROBE_EVENTS_LEFT_OUT };

struct ifr_probe_finding {
	enum ifr_probe_part part;
	enum ifr_probe_source source;
	char *key;       /* of a description's setting ("l1d.bytes") where there is one; else a name of its own */
	char *unit;      /* "bytes", "cycles", "" */
	char *word;      /* the value, where it is a word (policies); else NULL */
	bool is_setting; /* key is a setting */
	bool told;
	double value, low, high; /* with the interval; low = high where the source is exact */
	char *experiment;        /* from which the value follows, or why it is not told */
};

struct ifr_probe_options {
	const char *machine;          /* a specification of a description; NULL: this machine */
	enum ifr_probe_events events; /* of this machine */
	unsigned parts;               /* bits of enum ifr_probe_part */
	uint64_t seed;                /* of orders and random outcomes */
	int64_t budget_ns;            /* of the clock's measurements */
	const char
		*partial; /* a file for the parts of a probe by the clock that are done; NULL: none. It is removed at the
	                      * end */
	bool resume;  /* take what the partial file has */
	/* Called between experiments. May be NULL. */
	void (*progress)(unsigned done, unsigned planned, int64_t left_ns);
};

/* A row of the steps for the outcome predictor: mispredicted branches in a round of the loop. */
struct ifr_probe_step {
	unsigned step, parameter; /* parameter: pattern length, or number of dummy branches */
	double missed;
};

/* Values at points: what an edge or a level was told from, measured in one process, or counted on a described machine. */
struct ifr_probe_curve {
	enum ifr_probe_part part;
	char *title, *x_label;
	double (*points)[4]; /* x; cycles, or events of an element; and their interval */
	size_t count;
};

struct ifr_probe_result {
	char *machine; /* of a described one: its specification; else the processor's family and model */
	bool is_described;
	enum ifr_probe_source source; /* of findings that are added */
	bool has_events;              /* of this machine: some experiments are by events */
	char *why_no_events;          /* of this machine, where perf was asked and has none; else NULL */
	uint64_t seed;
	struct ifr_probe_finding *findings;
	size_t findings_count, findings_room;
	struct ifr_probe_step *steps;
	size_t steps_count, steps_room;
	struct ifr_probe_curve *curves;
	size_t curves_count;
};

/* Errors: IFR_E_USAGE for a wrong description; IFR_E_ENVIRONMENT if this machine cannot be measured, or has no events
 * that are needed. */
int ifr_probe_run(const struct ifr_probe_options *options, struct ifr_probe_result *result, struct ifr_error *err);
void ifr_probe_release(struct ifr_probe_result *result);
/* Returns the finding of a key, or NULL. */
const struct ifr_probe_finding *ifr_probe_find(const struct ifr_probe_result *result, const char *key);

void ifr_probe_text(const struct ifr_probe_result *result, struct ifr_buffer *out);
/* The sources of a result, in words: "by the clock". */
const char *ifr_probe_sources(const struct ifr_probe_result *result);
/* The experiment, with the source of the finding where the result has more than one; the caller frees. */
char *ifr_probe_experiment(const struct ifr_probe_result *result, const struct ifr_probe_finding *finding);
/* The value with its interval and unit, or "not told"; the caller frees. */
char *ifr_probe_value(const struct ifr_probe_finding *finding);
/* A page with the table and a plot of each curve. */
void ifr_probe_html(const struct ifr_probe_result *result, struct ifr_buffer *out);
void ifr_probe_json(const struct ifr_probe_result *result, struct ifr_buffer *out);
/* Writes a description: the nearest one, or the one that was probed, with the values found, each with its experiment.
 * Errors: IFR_E_USAGE if no description is near. */
int ifr_probe_description(const struct ifr_probe_result *result, struct ifr_buffer *out, struct ifr_error *err);

/* --- one experiment, with parameters of the user's -------------------------------------------------------------- */

struct ifr_probe_trial_options {
	const char *experiment; /* its name */
	const char *const
		*settings; /* PARAMETER=VALUES, which are numbers, or ranges A..B and A..B*FACTOR, with commas */
	size_t settings_count;
	const char *machine; /* as above */
	uint64_t seed;
	int64_t budget_ns;
};
struct ifr_probe_trial; /* the experiment's figures at each combination of values */

/* Prints each experiment, with its parameters, their ranges and defaults. */
void ifr_probe_experiments_print(struct ifr_buffer *out);
/* Errors: IFR_E_USAGE for what is no experiment, parameter or value, or too many points; else as ifr_probe_run. */
int ifr_probe_trial_run(const struct ifr_probe_trial_options *options, struct ifr_probe_trial **trial,
                        struct ifr_error *err);
void ifr_probe_trial_free(struct ifr_probe_trial *trial);
void ifr_probe_trial_text(const struct ifr_probe_trial *trial, struct ifr_buffer *out);
void ifr_probe_trial_json(const struct ifr_probe_trial *trial, struct ifr_buffer *out);

#endif
