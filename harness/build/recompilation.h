/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Recompiles a unit by its recipe (compiletime/recipe.h), with our plugin, to a template. */
#ifndef IFR_HARNESS_RECOMPILATION_H
#define IFR_HARNESS_RECOMPILATION_H

#include "harness/build/rebuilt_units.h"

/* Compiles a unit under the plan merged (ifr_template_merge_plan) and appends its template to text, without the
 * assembler's arguments. Works in the temporary folder BESIDE.d. Errors: IFR_E_ENVIRONMENT if the compiler is not
 * installed or fails. */
int unit_compile(struct rebuilt_unit *unit, const struct ifr_plan *merged, const char *beside,
                 struct ifr_buffer *text, struct ifr_error *err);

/* Stores in *same whether the template `other` gives the unit's shipped code: the same object file apart from
 * debug information and note. Works in temporary files BESIDE.bare.*. Errors: IFR_E_ENVIRONMENT if a tool fails. */
int unit_same_code(const struct rebuilt_unit *unit, const struct ifr_buffer *other, const char *beside, bool *same,
                   struct ifr_error *err);

/* Assembles source to object with the unit's arguments. Errors: IFR_E_ENVIRONMENT with the assembler's first
 * message. */
int unit_run_assembler(const struct rebuilt_unit *unit, const char *source, const char *object,
                       struct ifr_error *err);

#endif
