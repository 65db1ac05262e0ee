/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a builder is made of. Private to builder*.c. */
#ifndef IFR_HARNESS_VARIANT_BUILDER_PARTS_H
#define IFR_HARNESS_VARIANT_BUILDER_PARTS_H

#include "harness/build/overlay_kit.h"
#include "harness/build/rebuilt_units.h"
#include "harness/build/variant_builder.h"

struct ifr_builder {
	const struct ifr_kit *kit;
	struct ifr_relinker *relinker;
	struct rebuilt_units units;
	struct ifr_buffer *labelled; /* by unit: its object as it ships, with its labels; NULL: not made yet */
	struct overlay_kit overlay;
	bool tried;
	struct ifr_rebuild_trial trial;
};

/* The units as a plan has them, in the folder of objects. */
int builder_make_units(struct ifr_builder *builder, const struct ifr_plan *plan, struct ifr_error *err);

/* The overlay kit of the units that were made, and its relinker. */
struct ifr_builder_overlay {
	struct ifr_kit kit;
	struct ifr_relinker *relinker;
};

/* To be closed in either case; until then the builder makes nothing else. */
int builder_overlay_open(const struct ifr_builder *builder, const struct ifr_plan *plan,
                         struct ifr_builder_overlay *overlay, struct ifr_error *err);
void builder_overlay_close(const struct ifr_builder *builder, struct ifr_builder_overlay *overlay);

void builder_release_labelled(struct ifr_builder *builder);

#endif
