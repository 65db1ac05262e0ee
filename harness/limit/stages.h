/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Private to this room: the stages of the run limiter. */
#ifndef IFR_HARNESS_LIMIT_STAGES_H
#define IFR_HARNESS_LIMIT_STAGES_H

#include "harness/build/build.h"
#include "harness/exec/exec.h"
#include "harness/limit/limit.h"

/* A function with an entry counter. */
struct procedure {
	const char *name; /* of the assembler; owned by procedures.names */
	size_t unit;      /* index among the units with templates */
	size_t index;     /* of the entry in the unit */
	uint64_t count;   /* entries */
	int64_t last_ns;  /* when this count was first seen, since the start */
};

struct procedures {
	struct procedure *items;
	size_t count;
	struct ifr_strings names;
};
void procedures_release(struct procedures *procedures);

/* A program in rebuilding: its kit and units. */
struct limit_build {
	struct ifr_kit kit; /* copy, which becomes the kit of the new program */
	struct rebuilt_units units;
	struct overlay_kit overlay;
};

/* Links the program with a counter at the entry of each function. */
int link_counting_program(const struct ifr_kit *kit, const char *path, struct procedures *procedures,
                          struct ifr_error *err);
/* Links at path the program that ends at the procedure's count. The caller closes the build, after an error too. */
int link_limited_program(const struct ifr_kit *kit, const struct procedure *procedure, const char *path,
                         struct limit_build *build, struct ifr_error *err);
/* Saves the kit of the program that link_limited_program linked, now at path. */
int limit_build_save_kit(struct limit_build *build, const char *path, struct ifr_error *err);
void limit_build_close(struct limit_build *build);

/* Runs the counting program for the budget, without the time that it waits for a processor, and stores its counts in
 * procedures. */
int profile_program(const struct ifr_limit *limit, const char *path, struct procedures *procedures,
                    struct ifr_error *err);

/* The procedure to end at: the one with the fewest entries among the procedures last entered in the last tenth of
 * the budget, else in the last quarter, else in the last half; among equals the latest, then the first. NULL if
 * there is none. */
const struct procedure *choose_procedure(const struct procedures *procedures, int64_t budget_ns);

/* The longest time of a run, on a machine however busy. */
int64_t limit_timeout(const struct ifr_limit *limit);
/* Runs a program with the limit's arguments, environment and input. watch is called while it runs. The caller releases
 * the outcome. */
int limit_run_program(const struct ifr_limit *limit, const char *path, int64_t timeout_ns,
                      void (*watch)(pid_t, int64_t, void *), void *data, struct ifr_outcome *outcome,
                      struct ifr_error *err);

#endif
