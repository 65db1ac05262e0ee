/* SPDX-License-Identifier: GPL-3.0-or-later */
/* This machine's clock as the source of values: kernels are executed and timed.
 *
 * Problem: the clock is disturbed, by other work and by changes of the frequency.
 * Idea: kernels that are compared run in turn, in one process on one processor, over and over; each repetition also times
 * dependent exclusive ors, of which a core does one a cycle. A kernel's value is its ticks over those of one in the
 * same repetition, and the median over repetitions stands for it, with its interval.
 * Invariant: a repetition takes all kernels within some milliseconds, so a disturbance that lasts changes all alike.
 *
 * Problem: another thread on the same core, which a guest does not see, takes slots and sets away without any ticks.
 * Idea: each repetition also times nops, which need nothing but slots. A repetition in which they took a tenth longer
 * than in the best of the probe was shared, and is left out; so is one in which the exclusive ors took a tenth longer
 * than in the best of their batch, as all its cycles would be too few. The choice knows nothing of what it is made for.
 *
 * Where perf has events, one sum of them is counted around the same calls (counts). A call's own events, of the
 * loop's end and of the counters, are those of the exclusive ors in the same repetition, and are taken away.
 *
 * The kernels run in a child process, which is killed when its time is over: code that a processor does not survive ends
 * the batch, not the program. */
#ifndef IFR_HARNESS_PROBE_CLOCK_H
#define IFR_HARNESS_PROBE_CLOCK_H

#include "common/error.h"
#include "harness/probe/curve.h"
#include "harness/probe/kernel.h"

enum { PROBE_BATCH_MOST = 128, PROBE_REFERENCES = 2 /* exclusive ors, nops */ };

struct probe_batch {
	struct probe_kernel kernels[PROBE_BATCH_MOST]; /* the references come first */
	size_t count;
	unsigned first;     /* number of the first kernel */
	size_t repetitions; /* that ran */
	double *ticks;      /* [repetition][kernel], of an element */
	bool wants_huge_pages;
	bool learns_slowly; /* calls are ten times as long, as is what comes before each */
	size_t periods;     /* of a timed call, at least, half of which come before each; 0: one */
	int64_t budget_ns;
	size_t repetitions_most; /* 0: many */
	const char *events;      /* a sum of perf's to count (ifr_own_events_open); NULL: none */
	double *counts;          /* [repetition][kernel], of an element; NULL where none are counted */
	const struct ifr_machine
		*machine; /* whose core computes the cycles, exactly; NULL: this processor takes them */
};

/* Starts a batch with the references. */
void probe_batch_init(struct probe_batch *batch, bool wants_huge_pages, int64_t budget_ns);
/* The same, with that number of the first kernel: kernels of lower numbers are put in as they are. */
void probe_batch_init_from(struct probe_batch *batch, unsigned first, bool wants_huge_pages, int64_t budget_ns);
void probe_batch_release(struct probe_batch *batch);
/* Returns the next kernel, initialised, to be built. They have the numbers 1, 2, … */
struct probe_kernel *probe_batch_add(struct probe_batch *batch);
/* Runs it. Of a described machine all repetitions are equal, and ticks are cycles. Errors: IFR_E_ENVIRONMENT if code
 * cannot be mapped, events cannot be counted, the child died, or too few repetitions fitted the budget; those of
 * probe_modelled_cycles. */
int probe_batch_run(struct probe_batch *batch, struct ifr_error *err);

/* The cycles of a nop in the best tenth of the repetitions; 0 if they are few. */
double probe_batch_best_nop(const struct probe_batch *batch);
/* Keeps the repetitions in which a nop took at most so many cycles, and the exclusive ors no longer than usual.
 * Errors: IFR_E_ENVIRONMENT if they are too few. */
int probe_batch_select(struct probe_batch *batch, double nop_cycles, struct ifr_error *err);

/* The cycles of an element of a kernel, less those of another (0: none). */
struct probe_estimate probe_batch_cycles(const struct probe_batch *batch, size_t kernel, size_t less);
/* The same, in all: of `elements` elements, less `less_elements` of the other. */
struct probe_estimate probe_batch_difference(const struct probe_batch *batch, size_t kernel, double elements,
                                             size_t less, double less_elements);
/* The events of an element of a kernel, less those of another (0: none). */
struct probe_estimate probe_batch_events(const struct probe_batch *batch, size_t kernel, size_t less);
/* The ticks of a cycle. */
struct probe_estimate probe_batch_ticks(const struct probe_batch *batch);

#endif
