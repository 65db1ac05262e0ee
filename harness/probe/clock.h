/* SPDX-License-Identifier: GPL-3.0-or-later */
/* This machine's clock as the source of values: kernels are executed and timed.
 *
 * Problem: the clock is disturbed, by other work and by changes of the frequency.
 * Idea: kernels that are compared run in turn, in one process on one processor, over and over; each repetition also times
 * dependent additions, of which a core does one a cycle. A kernel's value is its ticks over those of an addition in the
 * same repetition, and the median over repetitions stands for it, with its interval.
 * Invariant: a repetition takes all kernels within some milliseconds, so a disturbance that lasts changes all alike.
 *
 * The kernels run in a child process, which is killed when its time is over: code that a processor does not survive ends
 * the batch, not the program. */
#ifndef IFR_HARNESS_PROBE_CLOCK_H
#define IFR_HARNESS_PROBE_CLOCK_H

#include "common/error.h"
#include "harness/probe/curve.h"
#include "harness/probe/kernel.h"

enum { PROBE_BATCH_MOST = 128 };

struct probe_batch {
	struct probe_kernel kernels[PROBE_BATCH_MOST]; /* the first is the additions */
	size_t count;
	size_t repetitions; /* that ran */
	double *ticks;      /* [repetition][kernel], of an element */
	bool wants_huge_pages, has_huge_pages;
	int64_t budget_ns;
};

/* Starts a batch with the additions. */
void probe_batch_init(struct probe_batch *batch, bool wants_huge_pages, int64_t budget_ns);
void probe_batch_release(struct probe_batch *batch);
/* Returns the next kernel, initialised, to be built. */
struct probe_kernel *probe_batch_add(struct probe_batch *batch);
/* Runs it. Errors: IFR_E_ENVIRONMENT if code cannot be mapped, the child died, or too few repetitions fitted the
 * budget. */
int probe_batch_run(struct probe_batch *batch, struct ifr_error *err);

/* The cycles of an element of a kernel, less those of another (0: none). */
struct probe_estimate probe_batch_cycles(const struct probe_batch *batch, size_t kernel, size_t less);
/* The same, in all: of `elements` elements, less `less_elements` of the other. */
struct probe_estimate probe_batch_difference(const struct probe_batch *batch, size_t kernel, double elements,
                                             size_t less, double less_elements);
/* The ticks of a cycle. */
struct probe_estimate probe_batch_ticks(const struct probe_batch *batch);

#endif
