/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The redirect of mispredicted branches by the clock (redirect.h). */
#include "harness/probe/redirect.h"

#include <math.h>

#include "harness/probe/findings.h"
#include "harness/probe/kernels.h"

/* A loop (redirect.h), and its keys. On a Zen 4 the first jump behind a mispredicted branch costs two cycles more than
 * others, and most code has one soon: so the setting is that of the loop that has it. */
static const struct probe_late_loop late_loops[] = {
	{"fetch.redirect",
     "mispredictions of a branch between multiplications, before a jump; less what the near description's core takes "
     "from the next slot on",
     true},
	{"redirect-straight", "the same, without a jump behind the branch", false},
};
enum { LATE_LOOPS = sizeof late_loops / sizeof *late_loops };

void probe_tell_redirect(struct probe_clocked *probe, const struct probe_late_loop *loop,
                         const struct probe_estimate *equal, const struct probe_estimate *whole) {
	struct probe_redirect core;
	struct ifr_error err = {0};
	if (probe_redirect_model(probe->near, loop->jumps, &core, &err)) {
		probe_tell_nothing(probe->result, IFR_PROBE_PENALTY, loop->key, "%s", err.message);
	} else if (!core.told || fabs(equal->value - core.equal) > 0.02 * core.equal) {
		probe_tell_nothing(
			probe->result, IFR_PROBE_PENALTY, loop->key,
			"%.4g cycles of a round without mispredictions, and %.4g of the near description's core", equal->value,
			core.equal);
	} else {
		const struct probe_estimate redirect = {whole->value - core.rest, whole->low - core.rest,
		                                        whole->high - core.rest, whole->told};
		probe_clocked_tell_cycles(probe, IFR_PROBE_PENALTY, loop->key, &redirect, loop->experiment);
	}
}

void probe_clocked_redirect(struct probe_clocked *probe) {
	static const char *const keys[] = {"fetch.redirect", "redirect-straight", NULL};
	struct probe_batch batch;
	if (!probe->near || !ifr_machine_has_core(probe->near)) {
		for (unsigned i = 0; i < LATE_LOOPS; i++)
			probe_tell_nothing(probe->result, IFR_PROBE_PENALTY, keys[i], "no described core is near");
		return;
	}
	probe_batch_init(&batch, false, probe->batch_ns);
	for (unsigned i = 0; i < 2 * LATE_LOOPS; i++)
		probe_late_branch(probe_batch_add(&batch),
		                  &(struct probe_late){PROBE_LATE_PRODUCTS, i % 2, late_loops[i / 2].jumps}, probe->seed);
	/* Of random outcomes half are mispredicted. */
	if (probe_clocked_measure(probe, &batch, IFR_PROBE_PENALTY, keys))
		for (unsigned i = 0; i < LATE_LOOPS; i++) {
			const struct probe_estimate equal = probe_batch_cycles(&batch, 2 * i + 1, 0),
										whole = probe_batch_difference(&batch, 2 * i + 2, 2, 2 * i + 1, 2);
			probe_tell_redirect(probe, &late_loops[i], &equal, &whole);
		}
	probe_batch_release(&batch);
}
