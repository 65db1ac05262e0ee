/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Paths in the store, for the files of this folder. */
#ifndef IFR_KIT_STORE_H
#define IFR_KIT_STORE_H

#include "kit/kit.h"

/* The begin of the names of links from a pinned program's key to its kit. */
#define KIT_PINNED_PREFIX ".pinned-"

/* The path of a file below the store; the caller frees. */
int store_path(const char *below, char **path, struct ifr_error *err);
/* The path of a kit's folder; the caller frees. */
int kit_folder(const char *key, char **path, struct ifr_error *err);
/* The path of an object, which need not exist; the caller frees. */
int store_object_path(const char *digest, char **path, struct ifr_error *err);
/* Saves a kit with its inputs from the files objects/SHA256, or if objects is NULL, from their paths below root. */
int kit_save_from(struct ifr_kit *kit, const char *objects, const char *root, const char *map,
                  struct ifr_error *err);
/* The key under which the kit of an ELF program would be stored. */
int kit_key_of_program(const char *program, char key[IFR_KEY_MAX], struct ifr_error *err);
/* Replaces the key of a pinned program by that of its kit, which may be gone. False for other keys. */
bool kit_follow_pinned(char key[IFR_KEY_MAX]);

#endif
