/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which code an address in a file is: its function, and its line where there is debugging information. */
#ifndef IFR_HARNESS_MODEL_SOURCE_H
#define IFR_HARNESS_MODEL_SOURCE_H

#include <stdint.h>

#include "common/buffer.h"

struct ifr_source;

/* NULL where there is no such file, or none that could be asked. */
struct ifr_source *ifr_source_open(const char *file);
void ifr_source_close(struct ifr_source *source);

/* "lvm.c:1120", where the function that begins at an address is declared; the caller frees, NULL where nothing is
 * known. */
char *ifr_source_function(struct ifr_source *source, uint64_t address);

/* Appends "luaH_getstr (ltable.c:455) in lua", or as much of that as is known. */
void ifr_source_describe(const char *file, uint64_t address, struct ifr_buffer *text);

#endif
