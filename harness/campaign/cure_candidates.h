/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Candidates for cures of what an audit found: changes of the layout that its mechanism names. Each is measured before
 * it is advised (cure.h). Pairs are those that alias more often in the worst layout than in the best.
 *
 *     pair of a variable and the stack    the variable at bytes modulo 16 that no such stack variable has: stacks move by
 *                                         multiples of 16
 *     pair of two variables               one of them half a page away from the other
 *     pair of two large heap blocks       blocks policy=2
 *     pair in a loop                      the loop in two versions, behind a check of the addresses
 *     pair of the stack and another       the stack aligned at the entry of the function that has the variable
 *     access across a line                the variable at the begin of a line
 *     code that enters more windows       its loops aligned by the compiler, else the function moved
 *     lines that meet in a set            the smallest of the variables or functions half of the sets away
 *     function that is slower elsewhere   the function at its best place
 *     layouts of the program's file       the best one of the trigger */
#ifndef IFR_HARNESS_CAMPAIGN_CURE_CANDIDATES_H
#define IFR_HARNESS_CAMPAIGN_CURE_CANDIDATES_H

#include "harness/build/build.h"
#include "harness/campaign/mechanism.h"

struct ifr_cure_candidate {
	struct ifr_plan plan;
	char *reason;                    /* a clause: "j and k, at other bytes modulo 16 than inc and g" */
	const char *event;               /* of the model, which it is to remove; NULL: none */
	const struct ifr_audit_row *row; /* of the trigger */
	unsigned rank;                   /* among those of its trigger, from 0 */
};

struct ifr_cure_candidates {
	struct ifr_cure_candidate *items;
	size_t count;
};

/* The program that cures are looked for. */
struct ifr_cure_program {
	struct ifr_builder *builder; /* NULL: without a kit */
	bool has_loader;             /* the runtime can be preloaded */
};

/* Adds the candidates for a row that was found, the most promising first. */
void ifr_cure_candidates_add(const struct ifr_cure_program *program, const struct ifr_audit_row *row,
                             const struct ifr_mechanism *mechanism, struct ifr_cure_candidates *list);
/* Keeps `most` at most: the first one of each trigger before second ones, that of a confirmed function before
 * others, then of the triggers of the widest range first, and no plan twice. */
void ifr_cure_candidates_choose(struct ifr_cure_candidates *list, size_t most);
void ifr_cure_candidates_release(struct ifr_cure_candidates *list);

#endif
