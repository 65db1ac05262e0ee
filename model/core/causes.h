/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Causes of cycles: each is a latency or a limit of a core, and can be idealised. The table in causes.c says how.
 *
 * The cost of a set of causes is the cycles that a run loses by all of them: its cycles less its cycles with the whole
 * set idealised. The outcomes of caches and predictors do not depend on time, so a set is idealised in the core alone:
 * from the same outcomes, the front end and the graph run once more.
 * Ref: Fields, Bodík, Hill and Newburn 2004, "Interaction cost and shotgun profiling", section 2.1, tables I and III (the
 * first eight). The others are what a layout brings. */
#ifndef IFR_MODEL_CORE_CAUSES_H
#define IFR_MODEL_CORE_CAUSES_H

#include <stdint.h>

#include "common/buffer.h"
#include "common/error.h"

struct ifr_machine;

enum ifr_cause {
	IFR_CAUSE_DL1,
	IFR_CAUSE_WIN,
	IFR_CAUSE_BW,
	IFR_CAUSE_BMISP,
	IFR_CAUSE_DMISS,
	IFR_CAUSE_SHALU,
	IFR_CAUSE_LGALU,
	IFR_CAUSE_IMISS,
	IFR_CAUSE_DSB,
	IFR_CAUSE_LSD,
	IFR_CAUSE_FETCH,
	IFR_CAUSE_BTB,
	IFR_CAUSE_ALIAS4K,
	IFR_CAUSE_SPLIT,
	IFR_CAUSE_ITLB,
	IFR_CAUSE_DTLB,
	IFR_CAUSE_FUSION,
	IFR_CAUSES,
	/* Behind them, the causes that are instructions of the program: site number n is cause IFR_CAUSES + n (sites.h). */
	IFR_CAUSE_LIMIT = IFR_CAUSES + 15
};
enum { IFR_CAUSES_PAPER = IFR_CAUSE_IMISS + 1 }; /* the first eight are the paper's */
enum { IFR_CAUSE_SITES = IFR_CAUSE_LIMIT - IFR_CAUSES };

struct ifr_cause_about {
	const char *name;
	const char *about;  /* the cause, in plain words */
	const char *ideal;  /* the core in which it is idealised */
	const char *remedy; /* a sentence that says what to do about it */
};
extern const struct ifr_cause_about ifr_causes[IFR_CAUSES];

/* A set of causes is a uint32_t that has bit 1 << cause for each of its causes. */

/* Tells why a machine with a core has no such cause; NULL: it has. */
const char *ifr_cause_missing(enum ifr_cause cause, const struct ifr_machine *machine);
/* The causes that a machine with a core has. */
uint32_t ifr_causes_of_machine(const struct ifr_machine *machine);
/* Finds a cause by its name, IFR_CAUSES if there is none. */
enum ifr_cause ifr_cause_find(const char *name, size_t length);
/* Reads "dl1,win" or "dl1+win" into a set. Errors: IFR_E_USAGE for a name that is none, or one that stands twice. */
int ifr_causes_parse(const char *text, uint32_t *set, struct ifr_error *err);
/* Prints "dl1+win"; "nothing" for the empty set. */
void ifr_causes_print(uint32_t set, struct ifr_buffer *out);

struct ifr_core;
/* Idealises causes in a core's parameters; sites are the graph's. */
void ifr_core_idealise(struct ifr_core *core, uint32_t set);
/* Idealises what an instruction of an idealised site needs: its latencies, and those of its loads and stores. */
void ifr_core_idealise_site(struct ifr_core *core);
/* The causes whose idealisation changes the front end, and where slots come from. */
enum { IFR_CAUSES_OF_FRONT = 1 << IFR_CAUSE_DSB | 1 << IFR_CAUSE_LSD | 1 << IFR_CAUSE_FUSION };

#endif
