/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The plugin's passes, one a file: each registers itself with GCC and counts in did what it changes. The settings
 * and the counts must live as long as the compiler. */
#ifndef IFR_PLUGIN_PASSES_H
#define IFR_PLUGIN_PASSES_H

#include "plugin/note.h"
#include "plugin/options.h"

/* unit-order: gives the functions of the unit another order in the object. Bodies, and everything else, are
 * compiled and written in GCC's own order; only where the assembler puts each function changes. */
void ifr_unit_order_register(const struct ifr_axis_setting *setting, struct ifr_note_counts *did);

/* nops: puts nops between instructions. */
void ifr_nops_register(const struct ifr_axis_setting *setting, struct ifr_note_counts *did);

/* align: raises the alignment of functions and of loops. */
void ifr_align_register(const struct ifr_axis_setting *setting, struct ifr_note_counts *did);

/* Writes the note (but for its unit and counts it must be complete) at the end of the unit. */
void ifr_provenance_register(struct ifr_note *note);

/* Takes the options of the plugin of that name out of the list that GCC writes into objects, and hands them over:
 * an array of so many, freed by the caller, with keys that live as long as the compiler. */
int ifr_own_options_take(const char *plugin_name, struct ifr_plugin_option **options);

#endif
