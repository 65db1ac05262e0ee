/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sections of two versions of a program compared: shifts and new sizes. */
#ifndef IFR_RELINKER_SECTIONS_H
#define IFR_RELINKER_SECTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/buffer.h"
#include "common/error.h"

struct sections {
	struct section_place {
		char *name;
		unsigned long long address, bytes;
	} * items;
	size_t count;
};

/* Reads the allocated sections of an ELF file in memory; name is for messages. */
int sections_read(struct sections *sections, const void *bytes, size_t length, const char *name,
                  struct ifr_error *err);
void sections_release(struct sections *sections);

/* The section of that name; NULL if there is none. */
const struct section_place *sections_find(const struct sections *sections, const char *name);

/* Appends "moved .rodata to .data +4096; resized .text +512", or "no section moved". */
void sections_compare(const struct sections *base, const struct sections *variant, struct ifr_buffer *text);

#endif
