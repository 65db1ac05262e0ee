/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An experiment in memory: what was planned, what ran, and every sample. The experiment file fills it, the
 * statistics and reports read it; nothing in it is derived. */
#ifndef IFR_HARNESS_DATASET_H
#define IFR_HARNESS_DATASET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/plan.h"
#include "common/strings.h"

/* One thing that was counted, under perf's name for it. */
struct ifr_dataset_counter {
	char name[64];   /* "duration_time", "page-faults", "branch-misses", … */
	char unit[16];   /* "ns", "cycles", "bytes", "" for a plain count */
	char source[16]; /* "clock", "perf", "model", "region", "repeat", "program" */
};

/* One layout of one program. Layout 0 is the program as it ships; the others come from plans. */
struct ifr_dataset_variant {
	unsigned program; /* 0, 1, …: the programs of a comparison, in their order */
	unsigned layout;
	char name[IFR_NAME_MAX];
	char *plan;     /* the layout plan's text; "" for variant 0 */
	char *build_id; /* hexadecimal; "" if the program has none */
	char *sha256;   /* of the file; "" where none was made, NULL where it is not known */
	char *facts;    /* the relinker's changes, a line each, e.g. "interp: +117 bytes; moved .dynsym by +120" */
	char *refused; /* NULL, or why this variant is left out of everything (crashed, printed something else, …) */
};

/* A unit of a program's code or data that moves with the layout, or the rest of a file where samples fell. */
struct ifr_dataset_unit {
	unsigned program;
	char *name;            /* as in relinker/relinker.h; "[libc.so.6]" for another file */
	char *source;          /* "lvm.c:1120", or NULL */
	uint64_t bytes;        /* 0: unknown, or not a unit */
	uint64_t samples;      /* of the profile of the shipped layout */
	uint64_t instructions; /* executed in the model's recording of the shipped layout */
	uint64_t *at;          /* [variant_count] its address in each variant; 0: unknown */
};

/* One execution of one variant, or what the model counted for it. */
struct ifr_dataset_run {
	unsigned variant;    /* index into variants[] */
	unsigned repetition; /* 0, 1, …: in each repetition every variant runs once, in seeded random order */
	bool simulated;      /* values of the model: nothing was executed, and what follows but value is 0 */
	unsigned pass;       /* the number of the group of counters that was on */
	unsigned copy;       /* of the variant's file: 0, 1, …; each copy lies elsewhere in memory */
	unsigned node;       /* 0: the machine of the facts, else 1 + the index into nodes[] */
	bool twin;           /* a second run on the copy of its repetition, which tells copies from runs */
	int64_t started_ns;  /* since the epoch */
	int exit_status;     /* 0..255, 128+signal after a signal */
	char *refused;       /* NULL, or why this run's samples do not count */
	double *value;       /* counter_count values; NaN where the counter was not on in this pass */
};

/* A machine that ran something, but the one of the facts. */
struct ifr_dataset_node {
	char *host, *processor;
	char *facts; /* what else is known of it: lines NAME: VALUE, of which some values have several lines */
};

struct ifr_dataset_fact {
	char *name, *value;
};

struct ifr_dataset {
	/* Facts in order, for the report and JSON. Always there: "tool version", "program", "command", "kit", "seed",
	 * "axes", "rounds planned", "variants planned", "host", "processor", "kernel", "pinned to", "aslr", "started".
	 */
	struct ifr_dataset_fact *facts;
	size_t fact_count;
	char *file; /* the experiment that it was read from; NULL: none */
	bool
		median_runs; /* analyses take a layout's counters from its run of median metric; else the median of each */
	struct ifr_strings warnings; /* one sentence each */
	struct ifr_dataset_counter *counters;
	size_t counter_count;
	struct ifr_dataset_variant *variants;
	size_t variant_count;
	struct ifr_dataset_node *nodes;
	size_t node_count;
	struct ifr_dataset_run *runs;
	size_t run_count;
	struct ifr_dataset_unit
		*units; /* those that were stored: not of an experiment from before, or of other tools */
	size_t unit_count;
};

void ifr_dataset_init(struct ifr_dataset *dataset);
void ifr_dataset_release(struct ifr_dataset *dataset);

/* Removes all units. */
void ifr_dataset_clear_units(struct ifr_dataset *dataset);

/* The value of a fact, or NULL. */
const char *ifr_dataset_fact(const struct ifr_dataset *dataset, const char *name);
/* A fact's name for a program: "kit", "kit 2"; the caller frees. */
char *ifr_program_fact_name(const char *name, unsigned program);
/* The value of a program's fact, or NULL. */
const char *ifr_dataset_program_fact(const struct ifr_dataset *dataset, const char *name, unsigned program);
/* The program of a side as the user named it, else its path; NULL where none is recorded. */
const char *ifr_dataset_program_name(const struct ifr_dataset *dataset, unsigned program);
void ifr_dataset_add_fact(struct ifr_dataset *dataset, const char *name, const char *value);
/* The processor of a node, 0 for the machine of the facts; never NULL. */
const char *ifr_dataset_processor(const struct ifr_dataset *dataset, unsigned node);
/* The index of a counter, or -1. */
int ifr_dataset_counter(const struct ifr_dataset *dataset, const char *name);
/* Whether a counter has the name that a user asks for; the model's have it with "model:" and without. */
bool ifr_counter_is_named(const char *name, const char *source, const char *asked);
/* The index of the counter that a user asks for, or -1. One of exactly that name comes first. */
int ifr_dataset_find_counter(const struct ifr_dataset *dataset, const char *asked);
/* Each adds one zeroed element and returns it (valid until the next is added); strings in it are heap copies. */
struct ifr_dataset_variant *ifr_dataset_add_variant(struct ifr_dataset *dataset);
struct ifr_dataset_node *ifr_dataset_add_node(struct ifr_dataset *dataset);
struct ifr_dataset_run *ifr_dataset_add_run(struct ifr_dataset *dataset);         /* value[] allocated, all NaN */
struct ifr_dataset_counter *ifr_dataset_add_counter(struct ifr_dataset *dataset); /* before the first run */
struct ifr_dataset_unit *ifr_dataset_add_unit(struct ifr_dataset *dataset);       /* at[] allocated, all 0 */

#endif
