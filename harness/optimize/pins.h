/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The found layout as files that builds take. */
#ifndef IFR_HARNESS_PINS_H
#define IFR_HARNESS_PINS_H

#include "harness/optimize/candidates.h"

/* Writes the plan with its order of units spelled out by name, and without the kit: edited programs take it as far as
 * they have the units. Where that would give other addresses, the order stays as the
 * plan has it. */
int pin_write_plan(const struct ifr_relinker *relinker, const struct ifr_plan *plan, const char *path,
                   struct ifr_error *err);

/* Writes the order of the layout's functions as symbols, a line each, as `--symbol-ordering-file` of lld and mold takes
 * them. Paddings are not in it. A function whose section names none is left out. */
int pin_write_order(const struct ifr_relinker *relinker, const struct ifr_plan *plan, const char *path,
                    struct ifr_error *err);

#endif
