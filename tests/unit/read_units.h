/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Units of .text straight from a map's text. */
#ifndef IFR_TESTS_READ_UNITS_H
#define IFR_TESTS_READ_UNITS_H

#include "common/buffer.h"
#include "relinker/units.h"

static inline int read_units(struct units *units, const char *text, const char *where, struct ifr_error *err) {
	struct link_map map;
	*units = (struct units){0};
	int result = link_map_parse(&map, ifr_strdup(text), err);
	if (!result)
		result = units_read(units, &map, NULL, where, err);
	link_map_release(&map);
	return result;
}

#endif
