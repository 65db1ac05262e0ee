/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The steps of the run limiter. */
#ifndef IFR_HARNESS_LIMIT_PARTS_H
#define IFR_HARNESS_LIMIT_PARTS_H

#include "harness/build/build.h"
#include "harness/exec/exec.h"
#include "harness/limit/limit.h"

/* A function that is counted. */
struct procedure {
	const char *name; /* the assembler's; owned by procedures.names */
	size_t unit;      /* its unit's place among those with templates */
	size_t index;     /* its entry's place in the unit */
	uint64_t count;   /* entries */
	int64_t last_ns;  /* since the start, when it was first seen to have so many */
};

struct procedures {
	struct procedure *items;
	size_t count;
	struct ifr_strings names;
};
void procedures_release(struct procedures *procedures);

/* What is assembled and linked again. */
struct build {
	struct ifr_kit kit; /* a copy, which becomes the new program's */
	struct rebuilt_units units;
	struct overlay_kit overlay;
};

/* Links the program with all functions counted. */
int build_counting(const struct ifr_kit *kit, const char *path, struct procedures *procedures,
                   struct ifr_error *err);
/* Links the program that ends at the procedure's count at path. The caller closes the build, after an error too.
 */
int build_limited(const struct ifr_kit *kit, const struct procedure *procedure, const char *path,
                  struct build *build, struct ifr_error *err);
/* Saves the kit of what build_limited linked, which stands at path now. */
int build_save_kit(struct build *build, const char *path, struct ifr_error *err);
void build_close(struct build *build);

/* Runs the counting program for the budget, and fills in what it counted; the output is what came until then. */
int profile_run(const struct ifr_limit *limit, const char *path, struct procedures *procedures,
                struct ifr_buffer *output, struct ifr_error *err);

/* The procedure to end at: of those whose last entry was in the last tenth of the budget the one with the fewest
 * entries, of equals the latest, of equals the first; where there is none, of the last quarter, or half. NULL if
 * there is none either. */
const struct procedure *choose_procedure(const struct procedures *procedures, int64_t budget_ns);

/* Runs a program as the limit says; timeout_ns 0: no end. The caller releases the outcome. */
int run_once(const struct ifr_limit *limit, const char *path, int64_t timeout_ns,
             void (*watch)(pid_t, int64_t, void *), void *data, struct ifr_outcome *outcome,
             struct ifr_error *err);

#endif
