/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How the model computed an experiment's cycles. */
#ifndef IFR_HARNESS_MODELLED_CYCLES_H
#define IFR_HARNESS_MODELLED_CYCLES_H

#include <stdbool.h>

#include "harness/store/store.h"

/* Whether a counter is the model's cycles. */
bool ifr_counter_is_modelled_cycles(const struct ifr_dataset_counter *counter);
/* Returns "none" (an estimate added up from misses), "sampled" or "full". */
const char *ifr_cycles_core(const struct ifr_dataset *dataset);
/* The standard error that samples leave in a modelled counter of a program's layouts, the largest of them, relative to
 * it; 0: the counter is exact. */
double ifr_sampling_error(const struct ifr_dataset *dataset, const struct ifr_dataset_counter *counter,
                          unsigned program);
/* Whether a counter is modelled cycles that were added up from misses, without a core. */
bool ifr_cycles_are_added(const struct ifr_dataset *dataset, const struct ifr_dataset_counter *counter);
/* Whether a counter is modelled cycles with a sampling error (of the first program). */
bool ifr_cycles_are_sampled(const struct ifr_dataset *dataset, const struct ifr_dataset_counter *counter);

#endif
