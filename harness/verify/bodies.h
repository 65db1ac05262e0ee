/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Private to this room and its tests: whether two object files have the same functions and data, nops left out.
 *
 *     bytes of instructions      equal, apart from displacements
 *     displacements              lead to the same target: an instruction of a function by its number, other targets by
 *                                symbol and offset
 *     jumps                      may be short in one file and long in the other
 *     relocated words of data    lead to the same target, entries of jump tables included
 *     other data                 equal
 */
#ifndef IFR_HARNESS_VERIFY_BODIES_H
#define IFR_HARNESS_VERIFY_BODIES_H

#include "harness/code/code.h"

struct bodies {
	size_t functions, differing, instructions; /* of the plain object files */
	size_t data_differing;                     /* sections of data */
};

/* Compares two object files, adds the counts to bodies and appends the first differences to finding, a line each.
 * The names are for error messages. Errors: those of ifr_object_file_open. */
int bodies_compare(const struct ifr_buffer *plain, const char *plain_name, const struct ifr_buffer *variant,
                   const char *variant_name, struct bodies *bodies, struct ifr_buffer *finding,
                   struct ifr_error *err);

#endif
