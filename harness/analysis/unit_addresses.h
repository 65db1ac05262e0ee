/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where each unit of a program lies in each variant of an experiment: placed again from the plans, nothing is
 * linked. */
#ifndef IFR_HARNESS_ADDRESSES_H
#define IFR_HARNESS_ADDRESSES_H

#include <stdint.h>

#include "harness/store/store.h"
#include "relinker/relinker.h"

struct ifr_unit_addresses {
	char **units; /* relinker/relinker.h, in the order of the letters */
	size_t unit_count, variant_count;
	uint64_t *bytes; /* [unit_count]; 0: not known */
	char **sources;  /* [unit_count] "lvm.c:1120", or NULL */
	uint64_t *at;    /* [variant * unit_count + unit], by the place of the variant in the dataset; 0: not known */
};

/* Takes all variants but the one that ships, and those that were refused. The caller releases, also after an
 * error. Errors: IFR_E_USAGE where no variant has a plan, IFR_E_ENVIRONMENT from the relinker. */
int ifr_unit_addresses_find(const struct ifr_relinker *relinker, const struct ifr_dataset *dataset,
                            struct ifr_unit_addresses *addresses, struct ifr_error *err);
/* The number of a unit, or unit_count. */
size_t ifr_unit_addresses_index(const struct ifr_unit_addresses *addresses, const char *unit);
/* Fills in sources from the debugging information of the program that ships; none where it has none, or is not
 * there any more. */
void ifr_unit_addresses_find_sources(const struct ifr_kit *kit, const struct ifr_relinker *relinker,
                                     struct ifr_unit_addresses *addresses);
void ifr_unit_addresses_release(struct ifr_unit_addresses *addresses);

#endif
