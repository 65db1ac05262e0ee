/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IFR_MODEL_SEGMENTS_H
#define IFR_MODEL_SEGMENTS_H

#include <stdbool.h>
#include <stdint.h>

/* The addresses that a file's segments ask for, in whole pages; fixed: it can lie nowhere else. Returns false if
 * it has none. */
bool read_file_segments(const char *path, uint64_t *low, uint64_t *high, bool *fixed);

#endif
