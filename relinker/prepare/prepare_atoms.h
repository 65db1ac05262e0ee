/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of prepare_atoms. */
#ifndef IFR_RELINKER_PREPARE_ATOMS_H
#define IFR_RELINKER_PREPARE_ATOMS_H

#include "relinker/prepare/prepare.h"

/* Adds an atom and returns its number. */
uint32_t prepare_add_atom(struct image *image, size_t *capacity, const struct atom *atom);

/* The atoms of the sections behind .text, of its end and of its segment's, and the room behind them. */
void prepare_tail(struct preparation *preparation, size_t *capacity);

/* The atoms of the sections from .interp on, and those of its size and of their segment's. */
void prepare_front(struct preparation *preparation, size_t *capacity);

#endif
