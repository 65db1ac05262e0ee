/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where variants are made of a kit: the compiler's axes that only move code by assembling the templates of its
 * units (sites/template.h), the relinker's axes by the relinker (relinker/relinker.h).
 *
 * A plan with axes of both: the units that it changes are assembled into a kit derived from the first, an ordinary
 * kit to the relinker, which then does the rest. No compiler runs. */
#ifndef IFR_HARNESS_WORKSHOP_H
#define IFR_HARNESS_WORKSHOP_H

#include <stddef.h>

#include "relinker/relinker.h"

struct ifr_workshop;

/* Opens the kit's relinker, and reads which units have templates. The kit must outlive the workshop. */
int ifr_workshop_open(const struct ifr_kit *kit, struct ifr_workshop **workshop, struct ifr_error *err);
void ifr_workshop_close(struct ifr_workshop *workshop);

/* The relinker of the kit as it is. */
struct ifr_relinker *ifr_workshop_relinker(const struct ifr_workshop *workshop);

/* How many units have templates. */
size_t ifr_workshop_templates(const struct ifr_workshop *workshop);

/* Makes a plan's variant at path, as ifr_relinker_make does. Errors: IFR_E_USAGE for axes that need templates
 * which the kit does not hold, and for axes that need the sources, with the remedy. */
int ifr_workshop_make(struct ifr_workshop *workshop, const struct ifr_plan *plan, const char *path,
                      struct ifr_variant *variant, struct ifr_error *err);

/* Whether a kit can give variants under these axes, 1u << enum ifr_axis; errors as above. */
int ifr_workshop_check(const struct ifr_workshop *workshop, unsigned axes, struct ifr_error *err);

#endif
