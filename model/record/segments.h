/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IFR_MODEL_SEGMENTS_H
#define IFR_MODEL_SEGMENTS_H

#include <stdbool.h>
#include <stdint.h>

/* Reads the address range that an ELF file's segments need, in whole pages. fixed: the file cannot be relocated.
 * Returns false if it has no segments. */
bool read_file_segments(const char *path, uint64_t *low, uint64_t *high, bool *fixed);

#endif
