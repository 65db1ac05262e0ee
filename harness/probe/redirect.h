/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The cycles from the execution of a mispredicted branch to the next slot (fetch.redirect).
 *
 * Problem: a misprediction also takes the cycles from the next slot to the execution of what is waited for, and these are
 * those of stages behind fetch.
 * Idea: a branch ends a chain of multiplications. In one loop its outcomes are random, in the other equal; the difference
 * is the whole of a misprediction, until the chain goes on. A described core has the same two loops with a known
 * redirect: the rest of its whole is taken away.
 * Invariant: the chain alone delays a round, so that the whole does not depend on which rounds are mispredicted; and the
 * rest is taken only where the core's whole grows by a cycle with each of its redirect. */
#ifndef IFR_HARNESS_PROBE_REDIRECT_H
#define IFR_HARNESS_PROBE_REDIRECT_H

#include <stdbool.h>

#include "harness/probe/clocked.h"

enum { PROBE_LATE_PRODUCTS = 8 };

/* Cycles of a described core, for mispredictions of a loop (probe_late_branch). */
struct probe_redirect {
	double equal; /* of a round with equal outcomes */
	double whole; /* of a misprediction */
	double rest;  /* the whole less the redirect */
	bool told;    /* of the rest: it does not depend on the redirect */
};
/* Errors: those of probe_modelled_core. */
int probe_redirect_model(const struct ifr_machine *machine, bool jumps, struct probe_redirect *redirect,
                         struct ifr_error *err);

struct probe_late_loop {
	const char *key, *experiment;
	bool jumps;
};
/* Tells a redirect by the clock's cycles of a round with equal outcomes, and of a misprediction, if the near core takes
 * as long for that round: then its rest is this processor's, too. */
void probe_tell_redirect(struct probe_clocked *probe, const struct probe_late_loop *loop,
                         const struct probe_estimate *equal, const struct probe_estimate *whole);

#endif
