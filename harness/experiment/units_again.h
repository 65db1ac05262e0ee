/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Units that can be assembled again from their templates, and doing so. */
#ifndef IFR_HARNESS_UNITS_AGAIN_H
#define IFR_HARNESS_UNITS_AGAIN_H

#include <stdbool.h>

#include "common/buffer.h"
#include "common/strings.h"
#include "kit/kit.h"

/* One object of a kit whose template is there. */
struct unit_again {
	char *input;  /* path of the kit's input: an object, or the archive that holds it */
	char *member; /* its name in the archive, "" outside */
	char key[IFR_SHA256_HEX];
	struct ifr_buffer text;          /* the template */
	struct ifr_strings arguments;    /* the assembler's */
	char *object;                    /* where it is assembled to */
	bool rewritten;                  /* by the caller, who gave it another template and key */
	bool changed;                    /* by the last plan, or because it is rewritten */
	uint64_t nops, aligned, ordered; /* what the last plan did */
};

struct units_again {
	struct unit_again *items;
	size_t count;
};

/* Finds them all, in the order of the kit's inputs. Members of one name in one archive are left out, as they
 * cannot be told apart, and so are objects that were joined from several units. */
int units_again_read(const struct ifr_kit *kit, struct units_again *units, struct ifr_error *err);
void units_again_release(struct units_again *units);

/* Assembles those that the plan changes to FOLDER/0.o, FOLDER/1.o and so on, as many at once as the machine has
 * processors; sets object, changed and what was done. */
int units_again_assemble(struct units_again *units, const struct ifr_plan *plan, const char *folder,
                         struct ifr_error *err);

#endif
