/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The summary profile: references and misses of each load, as other tools have it. */
#ifndef IFR_MODEL_LOAD_SUMMARY_H
#define IFR_MODEL_LOAD_SUMMARY_H

#include "model/layout/count.h"
#include "model/loads/miss_stream.h"
#include "model/loads/sites.h"

/* Levels of the data caches: the first, the second, the third. */
enum { IFR_DATA_LEVELS = 3, IFR_LOAD_SAMPLES = 16 };

struct ifr_load_count {
	uint64_t references;
	uint64_t misses[IFR_DATA_LEVELS];   /* references that miss a level; one across lines misses once */
	uint64_t lines[IFR_DATA_LEVELS];    /* lines that miss it, as the counters of a replay have them */
	uint64_t samples[IFR_LOAD_SAMPLES]; /* normalised addresses at the misses 1, 2, 4, 8, … of the first level */
	unsigned sample_count;
	uint64_t gap;  /* instructions from one execution of its block to the next: about their median */
	double stalls; /* with a core: cycles for which retirement waits for the load */
};

struct ifr_load_summary {
	struct ifr_load_sites sites;
	struct ifr_load_count *loads; /* by load */
	uint64_t executions;          /* block executions and breaks of the trace */
	unsigned levels;              /* that the machine has; others count nothing */
	/* Lines by who asked for them: their sum over all loads, stores and fetches is the level's counter of misses. */
	uint64_t stores[IFR_DATA_LEVELS], fetches[IFR_DATA_LEVELS];
	struct ifr_counts counts; /* of the same replay; without a core, only of the caches (ifr_machine_caches) */
};

/* Replays the trace under a map, once, and counts. settings: its observer is not used. misses: gets the references
 * that miss its level; NULL: none. Errors: those of ifr_count_events. The caller releases the summary, after an error,
 * too. */
int ifr_load_summary_make(struct ifr_trace *trace, struct ifr_address_map *map,
                          const struct ifr_count_settings *settings, struct ifr_miss_stream *misses,
                          struct ifr_load_summary *summary, struct ifr_error *err);
void ifr_load_summary_release(struct ifr_load_summary *summary);

/* A machine with the caches of another, which lends the rest: no predictors, TLBs, BTB or store buffer, which have no
 * part in misses and take most of the time. */
struct ifr_machine ifr_machine_caches(const struct ifr_machine *machine);
/* Returns how many levels of data caches a machine has. */
unsigned ifr_data_levels(const struct ifr_machine *machine);

#endif
