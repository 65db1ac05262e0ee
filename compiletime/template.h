/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Templates: a unit compiled once, as assembly in which each site of the axes that only move code (unit-order,
 * nops, align) is marked and still open. A variant of the unit costs one run of the assembler.
 *
 * The marks are comments to the assembler, so that a template is also plain assembly: as it stands it gives the
 * object that the plain compiler makes. Where an axis decides on something, the mark is replaced by a directive;
 * where it does not, by nothing. Lines that hold marks begin with "#ifr-", or with ".text" and a mark behind it:
 *
 *     #ifr-order K OFF TAB NAMES   a function that unit-order may move; K is s with a section of its own, t in
 * .text #ifr-sections                here the sections of the former are named, in their order #ifr-function K OFF
 * COLD LEAST TAB NAMES the function that follows; K is - if it has no place in the order; OFF the axes that must
 * leave it alone, COLD 1 if GCC holds it for cold, LEAST its alignment .text #ifr-here              back to .text
 * within a function, .text #ifr-rest behind it: subsections #ifr-align                   the function's alignment
 *     #ifr-entry                   the function's first instruction follows (compiletime/entries.h)
 *     #ifr-nop, #ifr-nop-cold      a place between instructions
 *     #ifr-loop, #ifr-loop-cold    the top of a loop
 *     #ifr-plan AXIS WORDS         an axis of the plan under which the unit was compiled
 *     #ifr-argument WORD           an argument of the assembler, one a line; ahead of all else, by the wrapper
 *     #ifr-did KIND NAME FACT N    what axes that do not only move code did: KIND is f or v, the rest as in the
 * note #ifr-recipe KEY              what compiles the unit again (compiletime/recipe.h), or "none" and the reason
 *     #ifr-unit, #ifr-compiler, #ifr-plugin WORD
 *     #ifr-note VERSION            the note's place, and the end of what the plugin wrote
 *
 * NAMES are those of struct ifr_entity. */
#ifndef IFR_COMPILETIME_TEMPLATE_H
#define IFR_COMPILETIME_TEMPLATE_H

#include <stdbool.h>
#include <stddef.h>

#include "common/buffer.h"
#include "common/error.h"
#include "common/plan.h"
#include "common/strings.h"
#include "compiletime/decide.h"
#include "compiletime/note.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { IFR_TEMPLATE_VERSION = 2 };

/* The marks, without the line's end; the plugin writes them. */
#define IFR_MARK "#ifr-"
#define IFR_MARK_ORDER IFR_MARK "order"
#define IFR_MARK_SECTIONS IFR_MARK "sections"
#define IFR_MARK_FUNCTION IFR_MARK "function"
#define IFR_MARK_HERE IFR_MARK "here"
#define IFR_MARK_REST IFR_MARK "rest"
#define IFR_MARK_ALIGN IFR_MARK "align"
#define IFR_MARK_ENTRY IFR_MARK "entry"
#define IFR_MARK_NOP IFR_MARK "nop"
#define IFR_MARK_LOOP IFR_MARK "loop"
#define IFR_MARK_PLAN IFR_MARK "plan"
#define IFR_MARK_ARGUMENT IFR_MARK "argument"
#define IFR_MARK_DID IFR_MARK "did"
#define IFR_MARK_RECIPE IFR_MARK "recipe"
#define IFR_MARK_UNIT IFR_MARK "unit"
#define IFR_MARK_COMPILER IFR_MARK "compiler"
#define IFR_MARK_PLUGIN IFR_MARK "plugin"
#define IFR_MARK_NOTE IFR_MARK "note"

/* The axes whose sites templates leave open, as a mask. */
unsigned ifr_template_axes(void);

/* The assembler's arguments, one a line behind IFR_MARK_ARGUMENT, at the head of a template that is kept: without
 * output and input. Appends them to the list. */
void ifr_template_read_arguments(const char *text, size_t length, struct ifr_strings *arguments);

/* What stands behind IFR_MARK_RECIPE: a key, or "none" and the reason; the caller frees. NULL if the mark is not
 * there. */
char *ifr_template_read_recipe(const char *text, size_t length);

/* The axes of the compiler that hold for the unit under a plan: the plan's where they are on, else those that it
 * was compiled under. merged is initialised, and the caller releases it. Errors: IFR_E_USAGE for a damaged mark.
 */
int ifr_template_merge_plan(const char *text, size_t length, const struct ifr_plan *plan, struct ifr_plan *merged,
                            struct ifr_error *err);

/* Whether the axes of a plan that templates do not leave open may change the unit: a function gets a wider frame
 * if it has one, or there are variables. */
bool ifr_template_needs_recompilation(const char *text, size_t length, const struct ifr_plan *plan);

/* The plan's axes behind IFR_MARK_PLAN, a line each. */
void ifr_template_print_plan(const struct ifr_plan *plan, struct ifr_buffer *lines);

/* Whether the text is a template that was written to its end. */
bool ifr_template_is_complete(const char *text, size_t length);

/* Appends the assembly of a template under a plan: its axes of ifr_template_axes are taken where they are on;
 * where not, those that the unit was compiled under. note receives what was done, and is the caller's to release;
 * key goes into it unless it is empty. Errors: IFR_E_USAGE if the text is no template, or not of this version. */
int ifr_template_expand(const char *text, size_t length, const struct ifr_plan *plan, const char *key,
                        struct ifr_buffer *assembly, struct ifr_note *note, struct ifr_error *err);

/* Appends to assembly a section of its own, not loaded, with the addresses of GCC's labels in the order in which
 * they come: they pair the code of two objects of one template. By its name it is debugging information, in which
 * linkers put up with labels of functions that another unit's copy replaces. */
#define IFR_LABELS_SECTION ".debug_interfero_labels"
void ifr_template_list_labels(struct ifr_buffer *assembly);

#ifdef __cplusplus
}
#endif
#endif
