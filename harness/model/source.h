/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which code an address in a file is: its function, and its line where there is debugging information. */
#ifndef IFR_HARNESS_MODEL_SOURCE_H
#define IFR_HARNESS_MODEL_SOURCE_H

#include <stdint.h>

#include "common/buffer.h"

/* Appends "luaH_getstr (ltable.c:455) in lua", or as much of that as is known. */
void ifr_source_describe(const char *file, uint64_t address, struct ifr_buffer *text);

#endif
