/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A kit derived from another: all its inputs, some of its units assembled anew. An ordinary kit to the relinker.
 */
#ifndef IFR_HARNESS_DERIVED_H
#define IFR_HARNESS_DERIVED_H

#include "harness/experiment/units_again.h"

struct derived {
	const struct ifr_kit *kit; /* the first one; must outlive this */
	/* The derived kit's folder, beside the kit's own so that inputs can be linked into it; NULL until it is
	 * open. */
	char *folder;
	char *objects; /* where units are assembled */
};

/* Makes the folder with the inputs as they are; does nothing if it is there. derived->kit is set by the caller. */
int derived_open(struct derived *derived, struct ifr_error *err);
void derived_close(struct derived *derived);

/* Puts in place what units_again_assemble made in derived->objects, and the rest as it is in the kit. */
int derived_place(const struct derived *derived, const struct units_again *units, struct ifr_error *err);

/* Images that the relinker made are of the objects before. */
void derived_remove_images(const struct derived *derived);

#endif
