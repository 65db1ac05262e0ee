/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The prepared images of one kit: in memory, and in the kit's folder as image-SIZES: the
 * bytes of each output and of the interpreter path's growth, in hexadecimal. */
#ifndef IFR_RELINKER_IMAGE_STORE_H
#define IFR_RELINKER_IMAGE_STORE_H

#include "relinker/image/image.h"

struct image_store;

/* All arguments are borrowed and must outlive the store. */
struct image_store *image_store_new(const struct ld_engine *engine, const struct units *units, const char *script);
void image_store_free(struct image_store *store);

/* The image for a placement's sizes, made if there is none; it belongs to the store. A file that cannot be read is
 * made again, one that cannot be written is done without. May be called by several threads at once. Errors:
 * IFR_E_ENVIRONMENT with the reason why there is no such image, which is remembered. */
int image_store_get(struct image_store *store, const struct layout_sizes *sizes, const struct image **image,
                    struct ifr_error *err);

/* The units that the images made so far pin, as image_print_pins prints them. */
void image_store_print_pins(struct image_store *store, struct ifr_buffer *text);

#endif
