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

/* The derived kit of the units that were made, and its relinker. */
struct ifr_workshop_derived {
	struct ifr_kit kit;
	struct ifr_relinker *relinker;
};

/* To be closed in either case; until then the workshop makes nothing else. */
int workshop_derive(const struct ifr_workshop *workshop, const struct ifr_plan *plan,
                    struct ifr_workshop_derived *derived, struct ifr_error *err);
void workshop_derived_close(const struct ifr_workshop *workshop, struct ifr_workshop_derived *derived);

void workshop_release_labelled(struct ifr_workshop *workshop);

#endif
