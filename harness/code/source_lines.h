/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Function and source line of an address in an ELF file, from its symbols and debug information. */
#ifndef IFR_HARNESS_CODE_SOURCE_LINES_H
#define IFR_HARNESS_CODE_SOURCE_LINES_H

#include <stdint.h>

#include "common/buffer.h"

struct ifr_source;

/* Opens an ELF file; returns NULL if it cannot be read. */
struct ifr_source *ifr_source_open(const char *file);
void ifr_source_close(struct ifr_source *source);

/* Returns the declaration of the function that begins at an address, "lvm.c:1120"; the caller frees. NULL:
 * unknown. */
char *ifr_source_function(struct ifr_source *source, uint64_t address);

/* Stores the function at an address, "luaH_getstr", and its line, "ltable.c:455"; NULL: unknown. The caller frees
 * them. */
void ifr_source_find(struct ifr_source *source, uint64_t address, char **function, char **line);
/* Appends "luaH_getstr (ltable.c:455)", or as much of that as is known; at least the address in hexadecimal. */
void ifr_source_put(struct ifr_source *source, uint64_t address, struct ifr_buffer *text);

/* Appends "luaH_getstr (ltable.c:455) in lua", or as much of that as is known; at least the address in
 * hexadecimal. */
void ifr_source_describe(const char *file, uint64_t address, struct ifr_buffer *text);

#endif
