/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How units come to their names (relinker/relinker.h says what these are). */
#ifndef IFR_RELINKER_UNIT_NAMES_H
#define IFR_RELINKER_UNIT_NAMES_H

#include "relinker/units.h"

/* Fills file, member, object, name and thin of units whose file is still as the map writes it. */
void units_name(struct units *units, const struct link_map *map, const char *folder);

/* By file and member, as strcmp orders. */
int unit_compare_objects(const struct unit *a, const struct unit *b);

/* Pointers to all units, in their order; the caller frees. */
struct unit **unit_pointers(struct units *units);

#endif
