/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The picture of causes: the units that matter, by where they lie in the layouts from the fastest to the slowest. Private
 * to this folder. */
#ifndef IFR_HARNESS_REPORT_UNIT_MAP_H
#define IFR_HARNESS_REPORT_UNIT_MAP_H

#include <jansson.h>

#include "harness/report/format.h"

/* The panels: the address within a cache line, and within a page. */
enum { MAP_PANELS = 2, MAP_STEPS = 16, MAP_WORDS = 64 /* columns of a unit in a sentence */ };
extern const unsigned map_frames[MAP_PANELS]; /* 64, 4096 */
extern const char *const map_titles[MAP_PANELS];

/* "luaV_execute" for the unit "lvm.c:.text.luaV_execute"; the whole name where that says nothing. */
const char *map_unit_symbol(const char *unit);
/* That for people: demangled, and in so many columns. The caller frees it. */
char *map_unit_label(const char *unit, size_t columns);
/* A unit in a sentence: its label where its symbol is mangled, else its whole name. The caller frees it. */
char *map_unit_words(const char *unit);
/* The step of an address in a panel's frame, 0 … MAP_STEPS - 1. */
unsigned map_step(uint64_t address, int panel);
/* One sentence: what rows and columns are, and how the rows were chosen. */
void map_put_caption(const struct ifr_analysis *analysis, const struct ifr_unit_map *map, struct ifr_buffer *out);

/* The panels in characters, at most 80 columns wide; colours for a terminal that has 256 of them. */
void map_put_text(const struct ifr_analysis *analysis, const struct ifr_unit_map *map, bool color,
                  struct ifr_buffer *out);
/* The panels as one SVG in the page, with a title for each cell. */
void map_put_svg(const struct ifr_analysis *analysis, const struct ifr_unit_map *map, struct ifr_buffer *out);
/* basis, samples, hot units, rows with their addresses in the order of analysis.layouts */
json_t *map_json(const struct ifr_analysis *analysis, const struct ifr_unit_map *map);

#endif
