/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Modelled counters of a trace under many layouts. */
#ifndef IFR_MODEL_COUNT_H
#define IFR_MODEL_COUNT_H

#include "model/layout/layout.h"
#include "model/core/sites.h"
#include "model/machines/machine.h"
#include "model/replay/idealised.h"
#include "model/replay/steps.h"

enum ifr_core_use { IFR_CORE_NONE, IFR_CORE_SAMPLED, IFR_CORE_FULL };
extern const char *const ifr_core_use_names[]; /* by enum ifr_core_use: none, sampled, full; NULL ends */
/* Finds a use by its name. Errors: IFR_E_USAGE. */
int ifr_core_use_find(const char *name, enum ifr_core_use *core, struct ifr_error *err);

struct ifr_lane_outcomes;

struct ifr_count_settings {
	const struct ifr_machine *machine;
	enum ifr_engine engine;          /* of a core with sets, stalls or steps: scalar, whatever is asked for */
	enum ifr_core_use core;          /* the machine must have a core */
	struct ifr_count_errors *errors; /* by layout; may be NULL */
	const uint32_t *sets;            /* of causes, under which the core runs, too (model/core/causes.h) */
	size_t sets_count;
	const struct ifr_site_marks *marks; /* sites among the causes; NULL: none */
	bool instructions;                  /* the cycles of sets are noted by instruction, too (idealised.h) */
	struct ifr_ideal_times *times; /* gets their cycles, by layout, if there are sets; the caller releases them */
	/* Called before each chunk, with the number of executions that were replayed since the last call; false stops the
	 * replay. NULL: none. */
	bool (*go_on)(void *data, size_t executions);
	void *data;
	/* Called after each chunk, with the outcomes of the only layout (model/replay/outcomes.h); NULL: none. */
	void (*observe)(void *data, const struct ifr_trace_chunk *chunk, const struct ifr_lane_outcomes *outcomes);
	void *observer;
	bool ahead;                            /* a thread of its own reads the trace */
	const struct ifr_step_observer *steps; /* of the first layout's core; NULL: none */
	double *
		load_stalls; /* by access of the trace, of the only layout with a core: gets cycles (outcomes.h); NULL: none */
};

/* Replays the trace from its beginning under all layouts at once and stores the counters of each. Software prefetches
 * that the trace leaves out are replayed where the machine has them (prefetch.software), unless outcomes are noted by
 * access (observe, steps, load_stalls): the caller knows accesses by their numbers in the trace as it is then. engine:
 * gets the name of the engine that was used; may be NULL. Errors: as ifr_replay_chunk; IFR_E_ENVIRONMENT if stopped;
 * IFR_E_USAGE if the machine has no core that is asked for, or a layout has an instruction map, which cores do not
 * follow. */
int ifr_count_events(struct ifr_trace *trace, struct ifr_address_map *const *maps, size_t count,
                     const struct ifr_count_settings *settings, struct ifr_counts *counters, const char **engine,
                     struct ifr_error *err);

#endif
