/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The prepared images of one kit, in memory and in the kit's folder. A file's name is image-SIZES: the bytes of
 * each output section and of the interpreter path's growth, in hexadecimal. */
#ifndef IFR_RELINKER_IMAGE_STORE_H
#define IFR_RELINKER_IMAGE_STORE_H

#include "relinker/image/image.h"

struct image_store;

/* All arguments are borrowed and must outlive the store. */
struct image_store *image_store_new(const struct ld_engine *engine, const struct units *units, const char *script);
void image_store_free(struct image_store *store);

/* Finds the image for a placement's sizes, or prepares it; the image belongs to the store. An unreadable file is
 * replaced, and a file that cannot be written is no error. Several threads may call this at once. Errors:
 * IFR_E_ENVIRONMENT with the reason for the refusal, which the store remembers. */
int image_store_get(struct image_store *store, const struct layout_sizes *sizes, const struct image **image,
                    struct ifr_error *err);

/* Appends the pins of the images made so far, as image_print_pins does. */
void image_store_print_pins(struct image_store *store, struct ifr_buffer *text);

#endif
