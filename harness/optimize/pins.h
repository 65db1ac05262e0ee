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

/* Writes the order of the layout's functions, a line each: their symbols, as lld's --symbol-ordering-file takes them, and
 * their sections, as gold's --section-ordering-file does. Paddings are in neither, and functions that share a section are
 * left out. */
int pin_write_order(const struct ifr_relinker *relinker, const struct ifr_plan *plan, const char *symbols,
                    const char *sections, struct ifr_error *err);

#endif
