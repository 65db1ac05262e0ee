/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Private to this room: the structural checks. Each compares a variant with the program in the base layout and
 * appends the first difference to finding, a sentence without a full stop; nothing if there is none. */
#ifndef IFR_HARNESS_VERIFY_CHECKS_H
#define IFR_HARNESS_VERIFY_CHECKS_H

#include "harness/verify/image.h"

/* Type and machine; names, kinds and order of sections; kinds of segments; alignment of both. */
void check_shape(const struct verify_image *base, const struct verify_image *variant, struct ifr_buffer *finding);
/* Symbols of .symtab and .dynsym, by name, type, binding and size. All further checks require this one. */
void check_symbols(const struct verify_image *base, const struct verify_image *variant,
                   struct ifr_buffer *finding);
/* Functions lie in their sections, and overlap only where they do in the base. */
void check_functions(const struct verify_image *base, const struct verify_image *variant,
                     struct ifr_buffer *finding);
/* .eh_frame_hdr is sorted and lists the frames of .eh_frame; each function has the frame of the base. Ref: Linux
 * Standard Base Core 5.0, section 10.6.2. */
void check_frames(const struct verify_image *base, const struct verify_image *variant, struct ifr_buffer *finding);
/* Unwinding from every byte of every function with a frame follows the rules of the base. */
void check_unwind(const struct verify_image *base, const struct verify_image *variant, struct ifr_buffer *finding);
/* Relocations, dynamic tags and the entry point lie inside the image and have the targets of the base. */
void check_addresses(const struct verify_image *base, const struct verify_image *variant,
                     struct ifr_buffer *finding);

#endif
