/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The plugin's passes, one a file: each registers itself with GCC, asks compiletime/decide.h, and tells the note what it
 * did. Where templates are wanted (compiletime/template.h), the axes that only move code leave marks instead. */
#ifndef IFR_PLUGIN_PASSES_H
#define IFR_PLUGIN_PASSES_H

#include "plugin/options.h"
#include "compiletime/compiletime.h"

/* The unit that is being compiled; lives as long as the compiler. */
struct ifr_unit {
	struct ifr_note note; /* with the plan */
	bool template_wanted;
	const char *recipe; /* what the template says of its recipe; NULL: nothing */
};

/* What decisions about a function or variable depend on; valid until the next call. */
const struct ifr_entity *ifr_entity_of(const struct ifr_unit *unit, tree decl);
/* Makes the attribute interfero known (plugin/plugin.h). */
void ifr_attribute_register(void);

/* unit-order: gives the functions of the unit another order in the object. Bodies, and everything else, are
 * compiled and written in GCC's own order; only where the assembler puts each function changes. */
void ifr_unit_order_register(struct ifr_unit *unit);

/* nops: puts nops between instructions. */
void ifr_nops_register(struct ifr_unit *unit);

/* align: raises the alignment of functions and of loops. */
void ifr_align_register(struct ifr_unit *unit);

/* Marks the entry of each function in a template. */
void ifr_entries_register(void);

/* frames: adds bytes to stack frames. */
void ifr_frames_register(struct ifr_unit *unit);

/* globals: gives variables another order and raises their alignment. */
void ifr_globals_register(struct ifr_unit *unit);

/* Writes the note, or what a template says about its unit, at the end of the unit. */
void ifr_provenance_register(struct ifr_unit *unit);

/* Takes the options of the plugin of that name out of the list that GCC writes into objects, and hands them over:
 * an array of so many, freed by the caller, with keys that live as long as the compiler. */
int ifr_own_options_take(const char *plugin_name, struct ifr_plugin_option **options);

#endif
