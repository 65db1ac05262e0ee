/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of loads: the instruction, and the data that it missed. Private to the room. */
#ifndef IFR_HARNESS_LOAD_NAMES_H
#define IFR_HARNESS_LOAD_NAMES_H

#include "harness/simulate/load_misses.h"

/* Names the first `named` loads of a profile's order. */
void ifr_load_names_find(const struct ifr_trace *trace, struct ifr_load_misses *profile);

#endif
