/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The address of each unit of a program in each variant of an experiment, derived again from the plans without
 * linking. */
#ifndef IFR_HARNESS_UNIT_ADDRESSES_H
#define IFR_HARNESS_UNIT_ADDRESSES_H

#include <stdbool.h>
#include <stdint.h>

#include "harness/store/store.h"
#include "relinker/relinker.h"

struct ifr_unit_addresses {
	char **units; /* names as in relinker/relinker.h, sorted */
	size_t unit_count, variant_count;
	uint64_t *bytes;   /* [unit_count]; 0: unknown */
	uint64_t *shipped; /* [unit_count] in the program as it ships; 0: unknown; NULL: none is known */
	char **pins;       /* [unit_count] why nothing moves the unit, or NULL; NULL: none is known */
	uint64_t *pinned;  /* [unit_count] where such a unit ships */
	char **sources;    /* [unit_count] "lvm.c:1120", or NULL */
	bool *first;  /* [unit_count] tested as a family of their own, before the others; NULL: all are one family */
	uint64_t *at; /* [variant * unit_count + unit], by the variant's index in the dataset; 0: unknown */
};

/* Takes all variants of a program but the shipped and the refused ones. The caller releases, also after an error. Errors:
 * IFR_E_USAGE where no variant has a plan, IFR_E_ENVIRONMENT from the relinker. */
int ifr_unit_addresses_find(const struct ifr_relinker *relinker, const struct ifr_dataset *dataset,
                            unsigned program, struct ifr_unit_addresses *addresses, struct ifr_error *err);
/* The index of a unit, or unit_count. */
size_t ifr_unit_addresses_index(const struct ifr_unit_addresses *addresses, const char *unit);
/* Fills in sources from the debugging information of the shipped program; none where it has none, or the program
 * has changed since. */
void ifr_unit_addresses_find_sources(const struct ifr_kit *kit, const struct ifr_relinker *relinker,
                                     struct ifr_unit_addresses *addresses);
/* Whether two units lie in the same output section, such as .text. */
bool ifr_unit_addresses_share_section(const struct ifr_unit_addresses *addresses, size_t unit, size_t other);
/* The unit that ships first in the output section of `unit`, other than it: ordered first, it stays where it is, and lets
 * the rest flow around a unit with an address of its own. NULL where there is none. */
const char *ifr_unit_addresses_lead(const struct ifr_unit_addresses *addresses, size_t unit);
/* The unit that can be moved and ships nearest to a pinned one; NULL where there is none. */
const char *ifr_unit_addresses_neighbour(const struct ifr_unit_addresses *addresses, size_t unit);
void ifr_unit_addresses_release(struct ifr_unit_addresses *addresses);

#endif
