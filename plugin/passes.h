/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The plugin's passes, one a file. Each registers itself with GCC, takes its decisions from compiletime/decide.h and
 * adds facts to the note. In templates (compiletime/template.h), the axes that only move code leave marks instead. */
#ifndef IFR_PLUGIN_PASSES_H
#define IFR_PLUGIN_PASSES_H

#include "plugin/options.h"
#include "compiletime/compiletime.h"

/* The unit that GCC compiles; lives as long as the compiler. */
struct ifr_unit {
	struct ifr_note note; /* with the plan */
	bool template_wanted;
	const char *recipe; /* the words of the template's mark "recipe"; NULL: no mark */
	struct ifr_prefetches prefetches;
	const char *prefetch_file; /* NULL: no prefetches are advised */
};

/* Describes a function or variable of GCC for decisions; valid until the next call. */
const struct ifr_entity *ifr_entity_of(const struct ifr_unit *unit, tree decl);
/* Registers the attribute interfero (plugin/plugin.h). */
void ifr_attribute_register(void);

/* unit-order: permutes the functions of the unit in its object. */
void ifr_unit_order_register(struct ifr_unit *unit);

/* nops: puts nops between instructions. */
void ifr_nops_register(struct ifr_unit *unit);

/* align: raises the alignment of functions and of loops. */
void ifr_align_register(struct ifr_unit *unit);

/* Marks the entry of each function in a template. */
void ifr_entries_register(void);

/* frames: adds bytes to stack frames. */
void ifr_frames_register(struct ifr_unit *unit);
/* frames, its value align-bytes: aligns the stack at the entry of functions. */
void ifr_stack_alignment_register(struct ifr_unit *unit);

/* globals: permutes variables and raises their alignment. */
void ifr_globals_register(struct ifr_unit *unit);

/* alias-check: gives loops a second version behind a check of addresses. */
void ifr_alias_check_register(struct ifr_unit *unit);

/* split-loops: puts loops of known trip counts in successive parts. */
void ifr_split_loop_register(struct ifr_unit *unit);

/* duplicate-joins: copies joins that branch for each path. */
void ifr_duplicate_join_register(struct ifr_unit *unit);

/* Places the unit's advised prefetches. */
void ifr_prefetch_register(struct ifr_unit *unit);

/* Records a fact about a function that is compiled in, in the note or the template. Valid from the function's expansion
 * on, until GCC writes its assembly. */
void ifr_record_fact(struct ifr_unit *unit, tree decl, enum ifr_note_fact fact, uint64_t amount);

/* Tells the user that an axis leaves this `thing` ("loop", …) as it is, and why. */
void ifr_tell_unchanged(unsigned line, enum ifr_axis axis, const char *thing, const char *why);

/* Writes the note, or a template's marks about the whole unit, at the end of the unit. */
void ifr_provenance_register(struct ifr_unit *unit);

/* Removes the options of the plugin of that name from the command line that GCC writes into objects. Returns their
 * number; *options is an array that the caller frees. Keys and values live as long as the compiler. */
int ifr_own_options_take(const char *plugin_name, struct ifr_plugin_option **options);

#endif
