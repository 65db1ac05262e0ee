/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The experiments on this machine, by the clock. */
#ifndef IFR_HARNESS_PROBE_CLOCKED_H
#define IFR_HARNESS_PROBE_CLOCKED_H

#include "harness/probe/clock.h"
#include "harness/probe/probe.h"

struct probe_clocked {
	struct ifr_probe_result *result;
	uint64_t seed;
	int64_t batch_ns;           /* for one batch */
	const char *mispredictions; /* an event of perf's that counts them; NULL: their cycles tell */
	double best_nop;            /* cycles of a nop in the best repetitions so far */
	const struct ifr_machine
		*near; /* a description that is near, of which the number of levels is taken; or NULL */
	const struct ifr_machine *machine; /* a described one, whose core stands for the clock; NULL: this one */
};

/* Instructions of which each repetition depends on the one before. A key of NULL ends. */
struct probe_dependent {
	const char *key;
	unsigned instructions, length;
	uint8_t bytes[12];
	const char *experiment; /* the instructions, with a ; between them, and perhaps more behind a comma or colon */
};
extern const struct probe_dependent probe_dependents[];   /* clocked_backend.c */
extern const struct probe_dependent probe_independents[]; /* clocked_rates.c */

int probe_clocked_run(const struct ifr_probe_options *options, struct ifr_probe_result *result,
                      struct ifr_error *err);

void probe_clocked_cycle(struct probe_clocked *probe);    /* clocked_core.c */
void probe_clocked_penalty(struct probe_clocked *probe);  /* clocked_core.c */
void probe_clocked_memory(struct probe_clocked *probe);   /* clocked_core.c */
void probe_clocked_redirect(struct probe_clocked *probe); /* clocked_redirect.c */
void probe_clocked_front(struct probe_clocked *probe);    /* clocked_front.c */
void probe_clocked_windows(struct probe_clocked *probe);  /* clocked_windows.c */
void probe_clocked_backend(struct probe_clocked *probe);  /* clocked_backend.c */
void probe_clocked_rates(struct probe_clocked *probe);    /* clocked_rates.c */
void probe_clocked_queues(struct probe_clocked *probe);   /* clocked_queues.c */
void probe_clocked_btb(struct probe_clocked *probe);      /* clocked_branches.c */
void probe_clocked_history(struct probe_clocked *probe);  /* clocked_history.c */
void probe_clocked_pattern(struct probe_clocked *probe);  /* clocked_history.c */
void probe_clocked_returns(struct probe_clocked *probe);  /* clocked_branches.c */
void probe_clocked_caches(struct probe_clocked *probe);   /* clocked_caches.c */
void probe_clocked_tlbs(struct probe_clocked *probe);     /* clocked_caches.c */

/* Tells the window by the findings of two mixtures of instructions, which agree to a hundredth: each fills the window,
 * or another structure first, or has entries for two, so that one is no evidence. */
void probe_tell_window(struct ifr_probe_result *result);

/* Returns the processor's name, as it gives it; the caller frees. */
char *probe_read_brand(void);

/* Keeps points for a plot. */
void probe_clocked_keep(struct probe_clocked *probe, enum ifr_probe_part part, const char *title,
                        const char *x_label, const struct probe_point *points, size_t count);
/* Runs a batch. If that fails, tells nothing of the keys (NULL ends), with the reason, and returns false. */
bool probe_clocked_measure(struct probe_clocked *probe, struct probe_batch *batch, enum ifr_probe_part part,
                           const char *const *keys);
/* Tells an estimate, or, where it is wider than `widest`, that nothing is told. */
void probe_clocked_tell(struct probe_clocked *probe, enum ifr_probe_part part, const char *key, const char *unit,
                        const struct probe_estimate *estimate, double widest, const char *experiment);
/* Tells a setting in whole cycles: the estimate rounded, with the estimate's interval, which must include one whole
 * number only. */
void probe_clocked_tell_cycles(struct probe_clocked *probe, enum ifr_probe_part part, const char *key,
                               const struct probe_estimate *estimate, const char *experiment);

#endif
