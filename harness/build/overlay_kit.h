/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An overlay kit: all inputs of a base kit, with some units rebuilt. The relinker takes it as an ordinary kit. */
#ifndef IFR_HARNESS_OVERLAY_KIT_H
#define IFR_HARNESS_OVERLAY_KIT_H

#include "harness/build/rebuilt_units.h"

struct overlay_kit {
	const struct ifr_kit *kit; /* the base kit, set by the caller; must outlive the overlay */
	char *folder;              /* beside the base kit's, so that inputs can be hard links; NULL: not open */
	char *objects;             /* folder of the rebuilt units' object files */
};

/* Creates the overlay's folder with the inputs of the base kit; does nothing if the overlay is open. Errors:
 * IFR_E_ENVIRONMENT if the folder cannot be written. */
int overlay_kit_open(struct overlay_kit *overlay, struct ifr_error *err);
/* Removes the folder. An overlay that is not open is allowed. */
void overlay_kit_close(struct overlay_kit *overlay);

/* Updates the inputs: changed units get the object files that rebuilt_units_assemble wrote to overlay->objects,
 * which are moved; all other units get the base kit's. Errors: IFR_E_ENVIRONMENT if a file cannot be written or ar
 * fails. */
int overlay_kit_place(const struct overlay_kit *overlay, const struct rebuilt_units *units, struct ifr_error *err);

/* Removes the relinker's images from the overlay. They are stale once overlay_kit_place has changed inputs. */
void overlay_kit_remove_images(const struct overlay_kit *overlay);

#endif
