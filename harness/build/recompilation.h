/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compiling a unit again by its recipe (compiletime/recipe.h), with our plugin, to a template. */
#ifndef IFR_HARNESS_RECOMPILE_H
#define IFR_HARNESS_RECOMPILE_H

#include "harness/build/rebuilt_units.h"

/* Compiles in the folder BESIDE.d, which is there for that time only; merged are the axes (ifr_template_merge_plan). The
 * template is appended, without assembler's arguments. Errors: IFR_E_ENVIRONMENT if the compiler is not installed
 * or refuses. */
int unit_compile(const struct rebuilt_unit *unit, const struct ifr_plan *merged, const char *beside,
                 struct ifr_buffer *text, struct ifr_error *err);

/* Whether two templates of a unit give the same object but for debug information and note; works beside, as above.
 */
int unit_same_code(const struct rebuilt_unit *unit, const struct ifr_buffer *other, const char *beside, bool *same,
                   struct ifr_error *err);

/* Runs the assembler on source; its first complaint is the error. */
int unit_run_assembler(const struct rebuilt_unit *unit, const char *source, const char *object,
                       struct ifr_error *err);

#endif
