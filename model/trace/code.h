/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The code of a trace's blocks. */
#ifndef IFR_MODEL_TRACE_CODE_H
#define IFR_MODEL_TRACE_CODE_H

#include <stddef.h>
#include <stdint.h>

#include "model/trace/trace.h"

/* Returns the code of a block, block->bytes bytes, as it was when it ran. */
const uint8_t *ifr_trace_code(const struct ifr_trace *trace, size_t block);
/* Splits the code of a block into instructions and stores their lengths, at most block->bytes. Returns how many there
 * are; 0 if the decoder does not know one. */
size_t ifr_trace_split_block(const struct ifr_trace *trace, size_t block, uint8_t *lengths);

#endif
