/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A small edit of the source, as plans can make it: what a layout gains is to survive it. */
#ifndef IFR_HARNESS_SMALL_EDIT_H
#define IFR_HARNESS_SMALL_EDIT_H

#include "harness/build/build.h"
#include "harness/optimize/hot_code.h"

struct small_edit {
	const char *unit; /* a cold function; both names are the relinker's */
	const char *symbol;
	unsigned nops_pct; /* of the sites between its instructions get a nop; 0: free bytes stand for new code */
	uint64_t room;     /* its bytes, and the free ones */
};

/* Chooses a function that the recordings leave cold: the nearest before the most executed one, which it then moves, or
 * else the largest. It gets nops where the kit can rebuild units, else free bytes. Errors: IFR_E_USAGE if there is
 * none. */
int small_edit_choose(struct ifr_builder *builder, const struct hot_code *code, struct small_edit *edit,
                      struct ifr_error *err);

/* Adds the edit to a plan. */
void small_edit_apply(const struct small_edit *edit, struct ifr_plan *plan);

/* Returns "nops in parse_options"; the caller frees. */
char *small_edit_describe(const struct small_edit *edit);

#endif
