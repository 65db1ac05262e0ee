/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/probe/redirect.h"

#include <math.h>

#include "harness/probe/kernels.h"
#include "harness/probe/modelled.h"

static int count(const struct ifr_machine *machine, bool jumps, bool random, double events[IFR_EVENT_COUNT],
                 struct ifr_error *err) {
	struct probe_kernel kernel;
	probe_kernel_init(&kernel, 0);
	probe_late_branch(&kernel, &(struct probe_late){PROBE_LATE_PRODUCTS, random, jumps}, 1);
	const int rc = probe_modelled_core(machine, &kernel, events, err);
	probe_kernel_release(&kernel);
	return rc;
}

static int measure(const struct ifr_machine *machine, bool jumps, double *equal, double *whole,
                   struct ifr_error *err) {
	double never[IFR_EVENT_COUNT], randomly[IFR_EVENT_COUNT];
	int rc = count(machine, jumps, false, never, err);
	if (!rc)
		rc = count(machine, jumps, true, randomly, err);
	if (rc)
		return rc;
	*equal = never[IFR_EVENT_CYCLES];
	*whole = (randomly[IFR_EVENT_CYCLES] - never[IFR_EVENT_CYCLES]) / randomly[IFR_EVENT_CONDITIONAL_MISSES];
	return 0;
}

/* The static predictor misses each outcome that is random and taken, and learns none of those that come again. */
int probe_redirect_model(const struct ifr_machine *machine, bool jumps, struct probe_redirect *redirect,
                         struct ifr_error *err) {
	static const unsigned known[] = {8, 16};
	struct ifr_machine changed = *machine;
	double equal, whole[2] = {0, 0};
	changed.direction = ifr_predictor_find("static");
	int rc = measure(&changed, jumps, &redirect->equal, &redirect->whole, err);
	for (unsigned i = 0; i < 2 && !rc; i++) {
		changed.values[IFR_FETCH_REDIRECT] = known[i];
		rc = measure(&changed, jumps, &equal, &whole[i], err);
	}
	redirect->rest = whole[0] - known[0];
	redirect->told = !rc && fabs(whole[1] - known[1] - redirect->rest) < 0.05;
	return rc;
}
