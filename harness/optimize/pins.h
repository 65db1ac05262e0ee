/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The found layout as files that builds take. */
#ifndef IFR_HARNESS_PINS_H
#define IFR_HARNESS_PINS_H

#include "harness/optimize/candidates.h"

/* Writes the address of each unit, by its index, under a plan. addresses: [ifr_relinker_unit_count]. */
int pin_find_addresses(const struct ifr_relinker *relinker, const struct ifr_plan *plan, uint64_t *addresses,
                       struct ifr_error *err);

/* Copies a plan, with the axes that draw an order and its own places replaced by the order that they give. The caller
 * releases the copy, after an error too. */
int pin_spell_out(const struct ifr_relinker *relinker, const struct ifr_plan *plan, struct ifr_plan *spelled,
                  struct ifr_error *err);

/* Writes the plan with its order of units spelled out by name, and without the kit: edited programs take it as far as
 * they have the units. Where that would give other addresses, the order stays as the
 * plan has it. */
int pin_write_plan(const struct ifr_relinker *relinker, const struct ifr_plan *plan, const char *path,
                   struct ifr_error *err);

/* Writes the order of the layout's functions, a line each: their symbols, as lld's --symbol-ordering-file takes them, and
 * their sections, as gold's --section-ordering-file does. Paddings are in neither, and functions that share a section are
 * left out. */
int pin_write_order(const struct ifr_relinker *relinker, const struct ifr_plan *plan, const char *symbols,
                    const char *sections, struct ifr_error *err);

/* Writes, beside a plan's file best.plan, best.ld: a script that ld.bfd adds to its own (-Wl,-T,best.ld) and that gives
 * the functions their order and their addresses modulo 4096; and best.h: attributes for gcc, which give them their order
 * and, where it is a power of two above 16, their alignment. Functions that share a section are left out. */
int pin_write_forms(const struct ifr_relinker *relinker, const struct ifr_plan *plan, const char *plan_file,
                    struct ifr_error *err);
/* The path of a form beside a plan's file, such as best.ld for ".ld"; the caller frees. */
char *pin_form_file(const char *plan_file, const char *suffix);
/* Appends how builds take a pinned layout. */
void pin_text(const char *plan_file, const char *program, struct ifr_buffer *out);

#endif
