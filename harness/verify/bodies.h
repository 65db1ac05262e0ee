/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether the functions of two objects are the same once nops are left out.
 *
 * Instructions are compared byte by byte but for fields that hold a distance: those are compared by what lies at
 * their end, an instruction of a function by its number, everything else by symbol and offset. A jump may be short
 * in one and long in the other. So are the words of data that are relocated, as in jump tables. */
#ifndef IFR_HARNESS_VERIFY_BODIES_H
#define IFR_HARNESS_VERIFY_BODIES_H

#include "harness/code/code.h"

struct bodies {
	size_t functions, differing, instructions; /* of the plain objects */
	size_t data_differing;                     /* sections */
};

/* Adds what the comparison of two objects finds to bodies; the first differences are appended to finding, a line
 * each. Names are for errors, which are those of object_open. */
int bodies_compare(const struct ifr_buffer *plain, const char *plain_name, const struct ifr_buffer *variant,
                   const char *variant_name, struct bodies *bodies, struct ifr_buffer *finding,
                   struct ifr_error *err);

#endif
