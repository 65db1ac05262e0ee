/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checking what an image's file says before anything is done by it. */
#ifndef IFR_RELINKER_IMAGE_CHECK_H
#define IFR_RELINKER_IMAGE_CHECK_H

#include "relinker/image/image_parts.h"

/* NULL if no placement can lead image_apply out of its bounds, else what is wrong. */
const char *image_fault(const struct image *image);

/* image_load from memory; origin is the file's name for messages. */
int image_parse(const void *data, size_t length, const char *origin, const struct units *units,
                struct image **image, struct ifr_error *err);

#endif
