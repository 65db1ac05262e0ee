/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Templates: assembly of a unit that is compiled once. Each site of the axes that only move code (unit-order, nops,
 * align) is marked and still open, so a variant of the unit costs one run of the assembler.
 *
 * Marks are comments to the assembler: assembled as it stands, a template gives the object that the plain compiler
 * makes. Expansion replaces each mark by the directive that the axis decides on, or removes it.
 *
 * The marks, in the order of the text (| is a tab; #ifr-did may also stand in front of a function):
 *
 *     mark                                         | meaning
 *     ---------------------------------------------|--------------------------------------------------------------
 *     #ifr-argument WORD                           | one argument of the assembler; the wrapper's assembler puts
 *                                                  | these lines ahead of all else
 *     #ifr-order KIND EXEMPT|NAMES                 | a function that unit-order may move, one line each
 *     #ifr-sections                                | name the sections of the functions of KIND s here, in the
 *                                                  | new order
 *     #ifr-function KIND EXEMPT COLD LEAST|NAMES   | a function begins
 *         .text|#ifr-here                          | GCC returns to .text inside the function: its subsection
 *         #ifr-align                               | the function's alignment
 *         #ifr-entry                               | the function's first instruction follows (entries.h)
 *         #ifr-nop, #ifr-nop-cold                  | a site for nops, between two instructions
 *         #ifr-loop, #ifr-loop-cold                | the top of a loop
 *         .text|#ifr-rest                          | GCC returns to .text behind the function: the last subsection
 *     #ifr-did f NAME FACT N                       | a change to a function, or to a variable (v), that is compiled
 *                                                  | in: the fact and its amount as in the note (note.h)
 *     #ifr-plan AXIS WORDS                         | an axis of the plan under which the unit was compiled
 *     #ifr-recipe KEY                              | the recipe that compiles the unit again (recipe.h), or
 *     #ifr-recipe none REASON                      | why there is no recipe
 *     #ifr-unit WORD                               | as in the note
 *     #ifr-compiler WORD                           | as in the note
 *     #ifr-plugin WORD                             | as in the note
 *     #ifr-note VERSION                            | the note goes here; the plugin's last mark
 *
 *     KIND    s: the function has a section of its own; t: it lies in .text; -: unit-order leaves it where it is
 *             (only in #ifr-function)
 *     EXEMPT  axes that an attribute keeps away from the function: "none", "all" or names parted by commas
 *     COLD    1: GCC takes the whole function for cold; 0: not. The suffix -cold says the same of one site
 *     LEAST   the function's alignment as compiled, in bytes
 *     NAMES   the names of struct ifr_entity (decide.h), parted by tabs
 *
 * A mark fills its line but for a leading tab, or follows ".text" and a tab. GCC brackets marks between
 * instructions by #APP and #NO_APP; expansion drops a bracket that has nothing left in it. */
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

/* The words of the marks, without arguments and line end. */
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

/* The axes whose sites templates leave open, as a mask: unit-order, nops, align. */
unsigned ifr_template_axes(void);

/* Appends the assembler's arguments from the lines IFR_MARK_ARGUMENT at the head of a kept template; output and
 * input are not among them. */
void ifr_template_read_arguments(const char *text, size_t length, struct ifr_strings *arguments);

/* Returns the words behind IFR_MARK_RECIPE: a key, or "none" and a reason; the caller frees. NULL: no such mark. */
char *ifr_template_read_recipe(const char *text, size_t length);

/* The major version of the GCC that made the template; 0: no such mark. */
int ifr_template_compiler_version(const char *text, size_t length);

/* Merges the compiler's axes of a plan with the axes that the unit was compiled under: the plan wins where it has
 * an axis on. Initialises merged, which the caller releases. Errors: IFR_E_USAGE for a damaged mark. */
int ifr_template_merge_plan(const char *text, size_t length, const struct ifr_plan *plan, struct ifr_plan *merged,
                            struct ifr_error *err);

/* Whether the plan may change the unit by an axis that a template does not leave open: frames widens the frame of
 * one of its functions, alias-check or split-loops covers one with a loop, duplicate-joins covers one, or globals is on
 * and the unit has variables. True also for a damaged template. */
bool ifr_template_needs_recompilation(const char *text, size_t length, const struct ifr_plan *plan);

/* Appends the plan's axes as lines IFR_MARK_PLAN. */
void ifr_template_print_plan(const struct ifr_plan *plan, struct ifr_buffer *lines);

/* Whether the text is a template that was written to its end. */
bool ifr_template_is_complete(const char *text, size_t length);

/* Appends the assembly of a template under a plan. Axes of ifr_template_axes that the plan leaves off apply as the
 * unit was compiled. Fills note, with the template's key unless that is empty; the caller releases it, also after
 * an error. Errors: IFR_E_USAGE if the text is not a whole template, or is one of another version. */
int ifr_template_expand(const char *text, size_t length, const struct ifr_plan *plan, const char *key,
                        struct ifr_buffer *assembly, struct ifr_note *note, struct ifr_error *err);

/* Appends a section with the addresses of GCC's labels .LNUMBER in the order of the text: equal positions pair the
 * code of two objects of one template. The section is not loaded. Its name makes it debugging information, in which
 * linkers accept references to discarded COMDAT functions. */
#define IFR_LABELS_SECTION ".debug_interfero_labels"
void ifr_template_list_labels(struct ifr_buffer *assembly);

#ifdef __cplusplus
}
#endif
#endif
