/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Private to variant_builder.c and variant_layout.c: the parts of a builder. */
#ifndef IFR_HARNESS_VARIANT_BUILDER_PARTS_H
#define IFR_HARNESS_VARIANT_BUILDER_PARTS_H

#include "harness/build/overlay_kit.h"
#include "harness/build/rebuilt_units.h"
#include "harness/build/variant_builder.h"

struct ifr_builder {
	const struct ifr_kit *kit;
	struct ifr_relinker *relinker;
	struct rebuilt_units units;
	struct ifr_buffer *labelled; /* by unit: shipped object file with labels; NULL: not assembled yet */
	struct overlay_kit overlay;
	bool tried; /* the recipes */
	struct ifr_rebuild_trial trial;
};

/* Rebuilds the units under a plan, to the overlay's folder of object files. Errors: those of ifr_builder_make. */
int builder_rebuild_units(struct ifr_builder *builder, const struct ifr_plan *plan, struct ifr_error *err);

/* The overlay kit with the units of one plan, and its relinker. */
struct ifr_builder_overlay {
	struct ifr_kit kit;
	struct ifr_relinker *relinker;
};

/* Places the units of the last builder_rebuild_units in the overlay kit and opens its relinker. The caller closes
 * it, after an error too; until then the builder must make nothing else. */
int builder_overlay_open(const struct ifr_builder *builder, const struct ifr_plan *plan,
                         struct ifr_builder_overlay *overlay, struct ifr_error *err);
void builder_overlay_close(const struct ifr_builder *builder, struct ifr_builder_overlay *overlay);

/* Frees the labelled object files; safe to call twice. */
void builder_release_labelled(struct ifr_builder *builder);

#endif
