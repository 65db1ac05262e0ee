/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The names of units, "OBJECT:SECTION" (relinker/relinker.h). */
#ifndef IFR_RELINKER_UNIT_NAMES_H
#define IFR_RELINKER_UNIT_NAMES_H

#include "relinker/units.h"

/* Fills file, member, object, name and thin of units whose file field holds the map's text. */
void units_name(struct units *units, const struct link_map *map, const char *folder);

/* Compares the objects of two units by file and member, as strcmp does. */
int unit_compare_objects(const struct unit *a, const struct unit *b);

/* Returns pointers to all units, in their order; the caller frees. */
struct unit **unit_pointers(struct units *units);

#endif
