/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An overlay kit: all inputs of another kit, with some units rebuilt. An ordinary kit to the relinker.
 */
#ifndef IFR_HARNESS_DERIVED_H
#define IFR_HARNESS_DERIVED_H

#include "harness/build/rebuilt_units.h"

struct overlay_kit {
	const struct ifr_kit *kit; /* the first one; must outlive this */
	/* The overlay kit's folder, beside the kit's own so that inputs can be linked into it; NULL until it is
	 * open. */
	char *folder;
	char *objects; /* where units are assembled */
};

/* Makes the folder with the inputs as they are; does nothing if it is there. overlay->kit is set by the caller. */
int overlay_kit_open(struct overlay_kit *overlay, struct ifr_error *err);
void overlay_kit_close(struct overlay_kit *overlay);

/* Puts in place what rebuilt_units_assemble made in overlay->objects, and the rest as it is in the kit. */
int overlay_kit_place(const struct overlay_kit *overlay, const struct rebuilt_units *units, struct ifr_error *err);

/* Images that the relinker made are of the objects before. */
void overlay_kit_remove_images(const struct overlay_kit *overlay);

#endif
