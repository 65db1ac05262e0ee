/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What code.c and code_meetings.c share. Private to this folder. */
#ifndef IFR_HARNESS_CODE_PARTS_H
#define IFR_HARNESS_CODE_PARTS_H

#include "harness/analysis/attribution.h"

enum { CODE_IN_A_CLASS = 3, CODE_FAMILIES = 2 };

/* The layouts' medians and where they stand in the dataset. */
struct code_layouts {
	const struct ifr_unit_addresses *addresses;
	size_t count, *variant;
	double *response, *used;
	unsigned *class_of;
	uint64_t lowest, highest;
};

uint64_t code_address_of(const struct code_layouts *layouts, size_t layout, size_t unit);
/* The difference of the extreme classes of used and class_of[used_count], with an interval that holds for all
 * pairs of them. */
void code_measure(const struct code_layouts *layouts, size_t used_count, struct ifr_finding *finding);
/* Appends the pairs of units whose meeting explains something. */
void code_find_meetings(const struct code_layouts *layouts, struct ifr_attribution *code);

/* Where a unit is to lie so that it meets another in a set, or does not; 0 where there is no such place. */
uint64_t code_meeting_place(bool meets, struct ifr_unit_extent unit, struct ifr_unit_extent other);

#endif
