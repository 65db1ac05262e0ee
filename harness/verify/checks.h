/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The structural checks: each compares a variant with the program in the base layout, and appends the first
 * difference that it finds to finding, a sentence without a full stop; nothing if there is none. */
#ifndef IFR_HARNESS_VERIFY_CHECKS_H
#define IFR_HARNESS_VERIFY_CHECKS_H

#include "harness/verify/image.h"

/* Type and machine, the sections' names, kinds and order, the segments' kinds, alignment of both. */
void check_shape(const struct verify_image *base, const struct verify_image *variant, struct ifr_buffer *finding);
/* The same symbols in .symtab and .dynsym, by name, type, binding and size. All further checks need this one. */
void check_symbols(const struct verify_image *base, const struct verify_image *variant,
                   struct ifr_buffer *finding);
/* Functions lie in their sections, and apart from each other unless they share bytes in the base too. */
void check_functions(const struct verify_image *base, const struct verify_image *variant,
                     struct ifr_buffer *finding);
/* .eh_frame_hdr is sorted and lists the frames of .eh_frame; functions have the frames that they have in the base.
 * Ref: Linux Standard Base Core 5.0, section 10.6.2. */
void check_frames(const struct verify_image *base, const struct verify_image *variant, struct ifr_buffer *finding);
/* Unwinding from every byte of every function finds the caller and the return address by the rules of the base. */
void check_unwind(const struct verify_image *base, const struct verify_image *variant, struct ifr_buffer *finding);
/* Relocations, dynamic tags and the entry point lie inside the image and lead to where they lead in the base. */
void check_addresses(const struct verify_image *base, const struct verify_image *variant,
                     struct ifr_buffer *finding);

#endif
