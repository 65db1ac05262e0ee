/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Validation of an image that was read from a file. */
#ifndef IFR_RELINKER_IMAGE_CHECK_H
#define IFR_RELINKER_IMAGE_CHECK_H

#include "relinker/image/image_parts.h"

/* Returns NULL if no placement can lead image_apply out of the image's bounds, else the fault. */
const char *image_fault(const struct image *image);

/* Does the work of image_load for a file's contents; origin is the file's name in messages. */
int image_parse(const void *data, size_t length, const char *origin, const struct units *units,
                struct image **image, struct ifr_error *err);

#endif
