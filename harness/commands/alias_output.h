/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Named pairs of loads and stores as text, for replay --aliases and audit. */
#ifndef IFR_HARNESS_ALIAS_OUTPUT_H
#define IFR_HARNESS_ALIAS_OUTPUT_H

#include "harness/simulate/simulate.h"

/* Appends the pairs and the interventions, a paragraph each, in lines of 80 columns; with the counts of both layouts,
 * where two are compared. */
void alias_output_print(const struct ifr_named_aliases *named, struct ifr_buffer *out);

#endif
