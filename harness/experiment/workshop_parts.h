/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a workshop is made of. Private to workshop*.c. */
#ifndef IFR_HARNESS_WORKSHOP_PARTS_H
#define IFR_HARNESS_WORKSHOP_PARTS_H

#include "harness/experiment/derived.h"
#include "harness/experiment/units_again.h"
#include "harness/experiment/workshop.h"

struct ifr_workshop {
	const struct ifr_kit *kit;
	struct ifr_relinker *relinker;
	struct units_again units;
	struct ifr_buffer *labelled; /* by unit: its object as it ships, with its labels; NULL: not made yet */
	struct derived derived;
	bool tried;
	struct ifr_workshop_trial trial;
};

/* The units as a plan has them, in the folder of objects. */
int workshop_make_units(struct ifr_workshop *workshop, const struct ifr_plan *plan, struct ifr_error *err);

/* Key and build-id of a derived kit: they depend on the kit and on the axes that made it. The caller frees its
 * build_id, and nothing else of it. */
void workshop_derive_kit(const struct ifr_workshop *workshop, const struct ifr_plan *plan,
                         struct ifr_kit *derived);

void workshop_release_labelled(struct ifr_workshop *workshop);

#endif
