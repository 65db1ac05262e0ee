/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of prepare_atoms. */
#ifndef IFR_RELINKER_PREPARE_ATOMS_H
#define IFR_RELINKER_PREPARE_ATOMS_H

#include "relinker/prepare/prepare.h"

/* Adds an atom and returns its number. */
uint32_t prepare_add_atom(struct image *image, size_t *capacity, const struct atom *atom);

/* Adds the atoms of the trailing sections, of .text's end and of its segment's end; finds the limit behind them. */
void prepare_trailing_sections(struct preparation *preparation, size_t *capacity);

/* Adds the atoms of the leading sections, of the path's growth and of the segment's growth; finds their limit. */
void prepare_leading_sections(struct preparation *preparation, size_t *capacity);

#endif
