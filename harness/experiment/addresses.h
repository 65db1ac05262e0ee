/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where each unit of a program lies in each variant of an experiment: placed again from the plans, nothing is
 * linked. */
#ifndef IFR_HARNESS_ADDRESSES_H
#define IFR_HARNESS_ADDRESSES_H

#include <stdint.h>

#include "harness/experiment/dataset.h"
#include "relinker/relinker.h"

struct ifr_addresses {
	char **units; /* relinker/relinker.h, in the order of the letters */
	size_t unit_count, variant_count;
	uint64_t *at; /* [variant * unit_count + unit], by the place of the variant in the dataset; 0: not known */
};

/* Takes all variants but the one that ships, and those that were refused. The caller releases, also after an
 * error. Errors: IFR_E_USAGE where no variant has a plan, IFR_E_ENVIRONMENT from the relinker. */
int ifr_addresses_find(const struct ifr_relinker *relinker, const struct ifr_dataset *dataset,
                       struct ifr_addresses *addresses, struct ifr_error *err);
void ifr_addresses_release(struct ifr_addresses *addresses);

#endif
