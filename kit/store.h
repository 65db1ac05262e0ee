/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The store's inner steps, shared by the files of this folder. */
#ifndef IFR_KIT_STORE_H
#define IFR_KIT_STORE_H

#include "kit/kit.h"

/* A path below the store; the caller frees. */
int store_path(const char *below, char **path, struct ifr_error *err);
/* The folder of a kit; the caller frees. */
int kit_folder(const char *key, char **path, struct ifr_error *err);
/* Where an object of these bytes lies, or would; the caller frees. */
int store_object_path(const char *digest, char **path, struct ifr_error *err);
/* ifr_kit_save_below with the inputs taken from objects/SHA256 instead, unless objects is NULL. */
int kit_save_from(struct ifr_kit *kit, const char *objects, const char *root, const char *map,
                  struct ifr_error *err);

#endif
