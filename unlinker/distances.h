/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Distances in the instructions of .text: to other code, and to data. */
#ifndef IFR_UNLINKER_DISTANCES_H
#define IFR_UNLINKER_DISTANCES_H

#include "unlinker/references.h"
#include "unlinker/tables.h"

/* Makes references of distances between units that the assembler resolved. Errors: IFR_E_USAGE for a distance that leads
 * out of .text without a relocation: the program's relocations do not tell all. */
int distances_resolve(const struct program *program, const struct split_units *units,
                      struct references *references, struct ifr_error *err);
/* Lists the addresses outside of .text that its code loads. */
void distances_list(const struct program *program, const struct references *references,
                    struct jump_tables *tables);

#endif
