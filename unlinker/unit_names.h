/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IFR_UNLINKER_UNIT_NAMES_H
#define IFR_UNLINKER_UNIT_NAMES_H

#include "unlinker/units.h"

/* Names each unit's section by its first function: ".text.NAME"; functions of one name also by their source file, and
 * else by a number. Seeds are keyed by these names. */
void split_units_name(const struct program *program, struct split_units *units);

#endif
