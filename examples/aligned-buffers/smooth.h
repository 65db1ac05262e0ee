/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IFR_EXAMPLES_SMOOTH_H
#define IFR_EXAMPLES_SMOOTH_H

#include <stddef.h>
#include <stdint.h>

/* Writes to[i] = from[i-1] + 2 from[i] + from[i+1], modulo 2^32, for i = 1 … count-2; both hold count words. */
void smooth(const uint32_t *from, uint32_t *to, size_t count);

#endif
